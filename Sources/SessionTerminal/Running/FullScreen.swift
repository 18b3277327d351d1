import Glibc
package import SessionBase
import Synchronization

/// The interface on a terminal: it takes keys and news, draws, and leaves what has to be done to the account's side.
package actor FullScreen {
  private enum Happening: Sendable {
    case input([InputEvent])
    case event(UIEvent)
    /// The size may be another one.
    case woken
    /// The program goes on after it was stopped.
    case resumed
    case alarm
    case end
  }

  /// The least time between frames that no key caused.
  private static let newsPause = Duration.milliseconds(100)
  /// How long it takes at most until a program has stopped after the signal.
  private static let stopping = Duration.seconds(1)
  /// How long a terminal is left alone that takes nothing.
  private static let slowPause = Duration.milliseconds(50)

  /// What has to be read.
  package nonisolated let reads = EffectQueue()
  /// What has to be changed, in order.
  package nonisolated let changes = EffectQueue()
  /// Opens when the person leaves, or the terminal is gone.
  package nonisolated let ended = Latch()

  private let terminal: RawTerminal
  private let source: WakingInput
  private let happenings: AsyncStream<Happening>
  private nonisolated let telling: AsyncStream<Happening>.Continuation
  private let usesMouse: Bool
  private let clock: @Sendable () -> Int64
  private let queue = WorkerQueue("session.screen")
  private let edit: @Sendable (String) async -> EditedText

  private var capabilities: TerminalCapabilities
  private var writer: GridWriter
  private var isThemeChosen: Bool
  private var state: UIState
  private var shown: Grid?
  /// What the terminal has not taken yet of the last frame.
  private var unwritten: ArraySlice<UInt8> = []
  private var drawnAt = ContinuousClock.now
  private var drawAt: ContinuousClock.Instant?
  private var alarm: Task<Void, Never>?
  private var alarmAt: Int64?
  private var reader: TerminalReader?
  private var isLeaving = false
  /// Opens when the program goes on after it was stopped.
  private nonisolated let resumption = Mutex(Latch())

  /// `edit` changes a text in a program that has the terminal meanwhile.
  package init(
    _ state: UIState, on terminal: RawTerminal, _ source: WakingInput, _ capabilities: TerminalCapabilities,
    theme: Theme.Name?, usesMouse: Bool, clock: @escaping @Sendable () -> Int64,
    edit: @escaping @Sendable (String) async -> EditedText
  ) {
    (self.state, self.terminal, self.source, self.capabilities) = (state, terminal, source, capabilities)
    (self.usesMouse, self.clock, self.edit) = (usesMouse, clock, edit)
    isThemeChosen = theme != nil
    let isMono = capabilities.depth == .none
    writer = GridWriter(theme: Theme(theme ?? (isMono ? .mono : .dark)), depth: capabilities.depth)
    (happenings, telling) = AsyncStream.makeStream(of: Happening.self)
  }

  /// Tells of something that happened.
  package nonisolated func tell(_ event: UIEvent) { telling.yield(.event(event)) }

  /// The window of the terminal may have another size.
  package nonisolated func resize() { source.wake() }

  /// The program goes on after it was stopped: meanwhile others had the terminal.
  package nonisolated func resume() {
    resumption.withLock { $0 }.open()
    telling.yield(.resumed)
  }

  /// The conversation that is open, with the message that is looked at unless that is the newest one.
  package var place: (conversation: String, message: Int64?)? {
    state.open.map { open in
      (open.id, open.isAtEnd ? nil : open.anchor?.message ?? open.selection ?? open.messages.last?.id)
    }
  }

  // MARK: - The loop

  /// Shows the interface until it is left, and then the terminal as it was.
  package func run() async {
    terminal.enter(mouse: usesMouse, asking: true)
    startReading()
    readSize()
    await draw()
    await withTaskCancellationHandler {
      for await happening in happenings {
        await take(happening)
        if isLeaving { break }
      }
    } onCancel: {
      telling.yield(.end)
    }
    for effect in state.take(.end, at: clock()) where effect.isChange { changes.add(effect) }
    alarm?.cancel()
    await reader?.stop()
    terminal.leave()
    reads.finish()
    changes.finish()
    ended.open()
  }

  private func startReading() {
    reader = TerminalReader(source, escapeWait: capabilities.tellsAllKeys ? 0 : capabilities.escapeWait) {
      [telling] arrival in
      switch arrival {
      case .input(let events): telling.yield(.input(events))
      case .woken: telling.yield(.woken)
      case .end: telling.yield(.end)
      }
    }
    if reader == nil { isLeaving = true }
  }

  private func take(_ happening: Happening) async {
    switch happening {
    case .input(let events):
      for event in events {
        if case .answer(let answer) = event { take(answer) } else { await take(.input(event)) }
      }
      await draw()
    case .event(let event):
      await take(event)
      await drawSoon()
    case .woken:
      if readSize() { await draw() }
    case .resumed:
      showAgain()
      await draw()
    case .alarm:
      alarmAt = nil
      await take(.tick)
      await drawSoon()
    case .end: isLeaving = true
    }
    setAlarm()
  }

  private func take(_ event: UIEvent) async {
    for effect in state.take(event, at: clock()) {
      switch effect {
      case .leaveProgram: isLeaving = true
      case .redraw: shown = nil
      case .suspend: await suspend()
      case .editText(let text): await editText(text)
      default: ask(effect)
      }
    }
  }

  /// Has something be read or changed; a text that cannot wait comes back.
  private func ask(_ effect: UIEffect) {
    guard !(effect.isChange ? changes : reads).add(effect) else { return }
    for event in [UIEvent.notice("too much is waiting", isFailure: true), .failed(effect)] {
      for more in state.take(event, at: clock()) { ask(more) }
    }
  }

  private func take(_ answer: TerminalAnswer) {
    let before = capabilities
    capabilities.take(answer)
    guard capabilities != before else { return }
    writer.isSynchronised = capabilities.isSynchronised
    if capabilities.tellsAllKeys, !before.tellsAllKeys { terminal.tellAllKeys() }
    if !isThemeChosen, capabilities.depth != .none, let isLight = capabilities.isLight {
      writer.theme = Theme(isLight ? .light : .dark)
      shown = nil
    }
  }

  @discardableResult
  private func readSize() -> Bool {
    guard let size = terminal.size, size != state.size else { return false }
    for effect in state.take(.resize(size), at: clock()) { ask(effect) }
    return true
  }

  // MARK: - Drawing

  /// Draws now, or as soon as the last frame is old enough.
  private func drawSoon() async {
    let due = drawnAt.advanced(by: Self.newsPause)
    guard due > .now else { return await draw() }
    drawAt = due
  }

  private func draw() async {
    drawAt = nil
    drawnAt = .now
    if !unwritten.isEmpty { await write(unwritten) }
    // A frame for a terminal that is slow is left out: the next one shows what is there then.
    guard unwritten.isEmpty, terminal.isReady else {
      drawAt = .now.advanced(by: Self.slowPause)
      return
    }
    let grid = state.drawn()
    let bytes = writer.bytes(from: shown, to: grid)
    shown = grid
    if !bytes.isEmpty { await write(bytes[...]) }
    if !unwritten.isEmpty { drawAt = .now.advanced(by: Self.slowPause) }
  }

  private func write(_ bytes: ArraySlice<UInt8>) async {
    guard let rest = await queue.run({ [terminal] in terminal.write(bytes) }) else {
      isLeaving = true
      unwritten = []
      return
    }
    unwritten = rest
  }

  /// Wakes the loop when something on the screen changes with time.
  private func setAlarm() {
    let now = clock()
    let frame = drawAt.map {
      now + max(Int64(ContinuousClock.now.duration(to: $0) / .milliseconds(1)) + 1, 1)
    }
    let next = [state.nextTick, frame].compactMap(\.self).min()
    guard next != alarmAt else { return }
    alarm?.cancel()
    alarmAt = next
    guard let next else { return }
    alarm = Task { [telling] in
      guard (try? await Task.sleep(for: .milliseconds(max(next - now, 1)))) != nil else { return }
      telling.yield(.alarm)
    }
  }

  // MARK: - Leaving the terminal to others

  private func suspend() async {
    await leaveTerminal()
    let latch = Latch()
    resumption.withLock { $0 = latch }
    // The whole group of the shell's job stops, this program with it, though not at once: the terminal is the shell's until
    // the program goes on. A group without a shell is not stopped at all.
    _ = kill(0, SIGTSTP)
    await within(Self.stopping) { await latch.wait() }
    enterTerminal()
  }

  private func editText(_ text: String) async {
    await leaveTerminal()
    let edited = await edit(text)
    enterTerminal()
    switch edited {
    case .text(let text): state.replaceText(text)
    case .failure(let reason): await take(.notice(reason, isFailure: true))
    }
  }

  private func leaveTerminal() async {
    await reader?.stop()
    terminal.leave()
    unwritten = []
  }

  private func enterTerminal() {
    showAgain()
    readSize()
    startReading()
  }

  private func showAgain() {
    terminal.enter(mouse: usesMouse, asking: false)
    if capabilities.tellsAllKeys { terminal.tellAllKeys() }
    (shown, unwritten) = (nil, [])
  }
}

extension UIState {
  /// Takes the text that was written in another program.
  mutating func replaceText(_ text: String) {
    write {
      $0.replace(with: text)
      return true
    }
  }
}
