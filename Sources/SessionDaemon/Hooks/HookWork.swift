import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// The events of one account on their way through the program of a hook.
///
/// Events of one conversation are handled one after the other, also where several programs run at a time. An event is
/// acknowledged when it and all before it are handled.
actor HookWork: EventSink {
  private enum State: Hashable {
    case ready
    case running
    case done
    /// The program failed; `isCounted` is false if it only asked for a later time.
    case failed(String, isCounted: Bool)
    /// It will be delivered again.
    case refused
  }

  private struct Entry {
    var event: DeliveredEvent
    var state: State
  }

  private let hook: Hook
  private let account: String
  private let accounts: any ServedAccounts
  private let runner: HookRunner
  /// Counts the accounts and hooks that have work.
  private let work: Counter
  private var delivery: EventDelivery?
  /// The events that are not acknowledged, in order.
  private var entries: [Entry] = [] { didSet { countWork() } }
  /// True while handled events are being acknowledged. What else comes first waits until that has ended.
  private var isAcknowledging = false { didSet { countWork() } }
  /// True while this is counted as work.
  private var isWorking = false
  /// The runs that have not ended, by number.
  private var running: [Int: Task<Void, Never>] = [:]
  private var lastRun = 0
  /// What waits for the account.
  private var waits: Set<Task<Messenger, any Error>> = []
  private var isStopping = false
  /// Opens if the hook gives up.
  private let paused = Latch()

  /// The pause after an acknowledgement failed.
  private static let retryPause = Duration.seconds(1)

  init(
    _ hook: Hook, of account: String, _ accounts: any ServedAccounts, _ runner: HookRunner,
    counting work: Counter
  ) {
    self.hook = hook
    self.account = account
    self.accounts = accounts
    self.runner = runner
    self.work = work
  }

  /// Handles events until the task is cancelled or the hook gives up; then waits for the programs that run.
  func run() async throws {
    let options = SubscriptionOptions(
      EventReader(of: hook), hook.filter, window: hook.concurrency,
      maxTries: hook.failing == .dead ? hook.tries : 0)
    let delivery = EventDelivery(of: account, options, to: self)
    self.delivery = delivery
    let result = await withTaskGroup(of: Result<Void, any Error>?.self) { group in
      group.addTask { [account, accounts] in
        do {
          let messenger = try await accounts.messenger(named: account)
          let start = try await EventStart(of: options.reader, nil, messenger)
          try await delivery.run(from: start.cursor, accounts)
          return .success(())
        } catch { return .failure(error) }
      }
      group.addTask { [paused] in
        await paused.wait()
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
    await stop()
    try result?.get()
    if result == nil, !Task.isCancelled { throw HookPaused() }
  }

  private func stop() async {
    isStopping = true
    // The account may be closed for longer than this lives.
    for wait in waits { wait.cancel() }
    let tasks = Array(running.values)
    for task in tasks { await task.value }
    entries = []
  }

  private func countWork() {
    let hasWork = isAcknowledging || !entries.isEmpty
    guard hasWork != isWorking else { return }
    isWorking = hasWork
    work.add(hasWork ? 1 : -1)
  }

  /// The messenger of the account, which may be closed for a while. Throws ``HookStopped`` if this ends before.
  private func messenger() async throws -> Messenger {
    let wait = Task { [account, accounts] in try await accounts.messenger(named: account) }
    waits.insert(wait)
    defer { waits.remove(wait) }
    // One that is open is there nevertheless.
    if isStopping { wait.cancel() }
    do {
      return try await withTaskCancellationHandler {
        try await wait.value
      } onCancel: {
        wait.cancel()
      }
    } catch is CancellationError {
      throw HookStopped()
    }
  }

  // MARK: - Events

  func deliver(_ event: DeliveredEvent, of messenger: Messenger) async throws {
    let entry = Entry(event: event, state: .ready)
    let index = entries.firstIndex { $0.event.event.id >= event.event.id } ?? entries.endIndex
    if entries.indices.contains(index), entries[index].event.event.id == event.event.id {
      entries[index] = entry
    } else {
      entries.insert(entry, at: index)
    }
    await proceed()
  }

  func signal(_ signal: DeliverySignal, of account: String) async {
    guard case .dead(let cursor) = signal else { return }
    entries.removeAll { $0.event.event.id == cursor }
    runner.log.add("event \(cursor.rawValue) was given up\n".utf8)
    await proceed()
  }

  /// Starts programs, and acknowledges what is handled.
  private func proceed() async {
    while true {
      for index in entries.indices where entries[index].state == .ready && isNext(index) { start(index) }
      guard let first = entries.first else { return }
      switch first.state {
      case .done:
        guard !isAcknowledging else { return }
        let handled = entries.prefix { $0.state == .done }
        guard let last = handled.last?.event.event.id else { return }
        isAcknowledging = true
        entries.removeFirst(handled.count)
        await acknowledge(last)
        isAcknowledging = false
      case .failed(let reason, let isCounted):
        // Only the first event that is not acknowledged can be refused.
        guard !isAcknowledging else { return }
        entries[0].state = .refused
        settle(first.event, reason, isCounted)
        guard entries[0].state == .done else { return }
      case .ready, .running, .refused: return
      }
    }
  }

  /// True if no earlier event of its conversation waits.
  private func isNext(_ index: Int) -> Bool {
    let conversation = entries[index].event.event.conversation
    return !entries[..<index].contains { $0.state != .done && $0.event.event.conversation == conversation }
  }

  // MARK: - Programs

  private func start(_ index: Int) {
    guard !isStopping else { return }
    entries[index].state = .running
    let event = entries[index].event
    lastRun += 1
    let run = lastRun
    running[run] = Task { [hook, runner] in
      let state: State
      do {
        let messenger = try await messenger()
        switch try await runner.run(hook, for: event, of: messenger) {
        case .handled: state = .done
        case .later: state = .failed("", isCounted: false)
        case .stopped: state = .refused
        }
      } catch let error as HookFailure {
        state = .failed(error.reason, isCounted: true)
      } catch is HookStopped {
        state = .refused
      } catch {
        // If the account was closed, the event is handled again when it is open.
        let isClosed =
          (error as? StorageError)?.code == .closed || error is RPCError || error is CancellationError
        state = .failed("\(error)", isCounted: !isClosed)
      }
      await ended(event, state)
      running[run] = nil
    }
  }

  private func ended(_ event: DeliveredEvent, _ state: State) async {
    if state == .refused { await withdraw(event.event.id) }
    guard let index = entries.firstIndex(where: { $0.event.event.id == event.event.id }) else { return }
    entries[index].state = state
    if case .failed(let reason, true) = state {
      runner.log.add("event \(event.event.id.rawValue), try \(event.tries ?? 1): \(reason)\n".utf8)
    }
    await proceed()
  }

  /// Has the first event delivered again, or gives it up.
  private func settle(_ event: DeliveredEvent, _ reason: String, _ isCounted: Bool) {
    let tries = event.tries ?? 1
    let isLast = isCounted && tries >= hook.tries
    switch hook.failing {
    case .skip where isLast: entries[0].state = .done
    case .stop where isLast: paused.open()
    default:
      let delay = isCounted ? hook.delay(after: tries) : hook.delay
      // It is the first one that is not acknowledged.
      try? delivery?.refuse(event.event.id, reason: reason, delay: delay, isCounted: isCounted)
    }
  }

  /// The delivery of an event that no program could handle to the end does not count.
  private func withdraw(_ cursor: MessengerEvent.Cursor) async {
    guard let messenger = try? await messenger() else { return }
    try? await delivery?.withdraw(cursor, messenger)
  }

  /// Tries again until it is done, or this ends.
  private func acknowledge(_ cursor: MessengerEvent.Cursor) async {
    var hasFailed = false
    while true {
      do {
        let messenger = try await messenger()
        try await messenger.acknowledge(cursor, by: hook.reader)
        try await delivery?.acknowledged(cursor, messenger)
        return
      } catch is HookStopped {
        return
      } catch {
        if !hasFailed { note(error, cursor) }
        hasFailed = true
      }
      guard await pause() else { return }
    }
  }

  /// Notes why an event was not acknowledged, by the name of the failure alone.
  private func note(_ failure: any Error, _ cursor: MessengerEvent.Cursor) {
    let name: String
    switch failure {
    case let error as StorageError:
      // The account is closed for a while.
      guard error.code != .closed else { return }
      name = error.code.rawValue
    case let error as MessengerError: name = error.code.rawValue
    case let error as RPCError: name = error.kind
    case is CancellationError: return
    default: name = "\(type(of: failure))"
    }
    runner.log.add("event \(cursor.rawValue) cannot be acknowledged yet: \(name)\n".utf8)
  }

  /// Waits a little; false if this ends.
  private func pause() async -> Bool {
    guard !isStopping else { return false }
    try? await Task.sleep(for: Self.retryPause)
    return !isStopping && !Task.isCancelled
  }
}

/// The program of a hook failed as often as it may, and the hook stops.
struct HookPaused: Error {}
