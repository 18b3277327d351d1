import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

/// An interactive conversation.
struct ChatSession: Sendable {
  let messenger: Messenger
  let other: Conversation.ID
  let terminal: any ChatTerminal
  let inputs: LastingInputs
  let isJSON: Bool
  /// True if the session continues after a failure, for people; a script ends with it.
  let isForgiving: Bool
  /// True if lines that begin with a slash are commands.
  let takesCommands: Bool
  let history: Int
  /// The home folder, for paths that begin with ~.
  let home: String?
  /// How long to wait for messages to be stored when the chat ends.
  let timeout: Duration
  let place: Place
  /// True if another program carries out what is typed, which may end before it says that it has.
  let isElsewhere: Bool
  let previews: LinkPreviews

  /// How far a chat has come. It goes on from there if the program that held the account ends.
  final class Place: Sendable {
    fileprivate let kept = Kept<(cursor: MessengerEvent.Cursor, screen: Screen)>()

    /// The text that was held back for a question and never sent; nil for none.
    var unanswered: String? { kept.value?.screen.unanswered?.body }
  }

  /// The events of a chat.
  fileprivate enum ChatEvent: Sendable {
    case input(ChatInput)
    /// There is no more input, or the person left.
    case ending
    /// Messages could not be stored in time.
    case tooLate
    case event(MessengerEvent)
    /// Events come no more.
    case broken(any Error)
    case typing(Bool)
    case transfer(FileTransfer)
  }

  /// The content of the screen.
  fileprivate struct Screen: Sendable {
    var shown: [MessageView.ID: MessageView] = [:]
    var oldest: MessageView.ID?
    /// Own messages of which it is not known yet what became of them.
    var unsettled: Set<MessageView.ID> = []
    /// The files of those that are on their way.
    var meters: [MessageView.ID: TransferMeter] = [:]
    var isOtherTyping = false
    /// The message that the draft replies to, until it is sent.
    var answeredByDraft: MessageView.ID?
    /// The line that is being carried out, with the key of what it sends through another program.
    var line: (happening: ChatEvent, key: SendKey?)?
    /// The text whose link waits for an answer of the person: whether its site may be asked for a preview.
    var unanswered: OutgoingText?
    /// True if it only waits for messages to be stored.
    var isEnding = false
    var hasDeadline = false
    var isOver = false

    mutating func settle(_ id: MessageView.ID) {
      unsettled.remove(id)
      meters[id] = nil
    }
  }

  /// The width of the progress line, which is followed by the typed line.
  private static let meterWidth = 40

  /// How long to wait at the end for changes that nothing depends on.
  private static let farewell = Duration.seconds(3)
  /// How long to wait at the end for messages to be stored; later they are sent with the next command.
  private static let leaving = Duration.seconds(2)

  func run() async throws {
    // A group is polled often while somebody looks at it.
    let watch = messenger.watch(other)
    defer { withExtendedLifetime(watch) {} }
    var cursor: MessengerEvent.Cursor
    var screen = Screen()
    if let before = place.kept.value {
      (cursor, screen) = before
    } else {
      cursor = try await messenger.lastEvent()
      try await showHistory(on: &screen)
    }
    defer { place.kept.value = (cursor, screen) }
    let (happenings, telling) = AsyncStream.makeStream(of: ChatEvent.self)
    let typing = messenger.typing(in: other)
    let (turns, giving) = AsyncStream.makeStream(of: Void.self)
    let (keys, pressing) = AsyncStream.makeStream(of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    var failure: (any Error)?
    await withDiscardingTaskGroup { group in
      group.addTask {
        var turns = turns.makeAsyncIterator()
        while let input = await inputs.next() {
          if case .terminated = telling.yield(.input(input)) { return inputs.putBack([input]) }
          // Input waits while the network is slower, and nothing is buffered beyond one line.
          guard await turns.next() != nil else { return }
        }
        if !Task.isCancelled { telling.yield(.ending) }
      }
      group.addTask { [messenger, cursor] in
        do {
          for try await event in messenger.events(from: cursor) { telling.yield(.event(event)) }
        } catch {
          telling.yield(.broken(error))
        }
        telling.finish()
      }
      group.addTask { [messenger] in
        for await transfer in messenger.transfers() { telling.yield(.transfer(transfer)) }
      }
      group.addTask { for await isTyping in typing { telling.yield(.typing(isTyping)) } }
      // One after the other, so that the last report shows the current state.
      group.addTask { [messenger, other] in
        for await isTyping in keys { try? await messenger.setTyping(isTyping, in: other) }
      }
      do {
        if let line = screen.line { try await take(line.happening, on: &screen) }
        for await happening in happenings {
          switch happening {
          case .input(.typing(let isTyping)): pressing.yield(isTyping)
          case .tooLate: screen.isOver = true
          case .event(let event):
            cursor = event.id
            try await take(happening, on: &screen)
          default: try await take(happening, on: &screen)
          }
          if case .input = happening { giving.yield() }
          if screen.isOver { break }
          guard screen.isEnding, !screen.hasDeadline else { continue }
          screen.hasDeadline = true
          let timeout = isForgiving ? min(timeout, Self.leaving) : timeout
          group.addTask {
            if (try? await Task.sleep(for: timeout)) != nil { telling.yield(.tooLate) }
          }
        }
      } catch {
        failure = error
      }
      group.cancelAll()
      // What was typed meanwhile is carried out when the chat continues.
      telling.finish()
      var left: [ChatInput] = []
      for await case .input(let input) in happenings { left.append(input) }
      inputs.putBack(left)
    }
    try await takeLeave(of: screen)
    if let failure { throw failure }
  }

  private func take(_ happening: ChatEvent, on screen: inout Screen) async throws {
    switch happening {
    case .typing(let isTyping): screen.isOtherTyping = isTyping
    case .transfer(let transfer):
      for id in screen.meters.keys { _ = screen.meters[id]?.take(transfer) }
    case .event(let event): try await take(event, on: &screen)
    case .input(.line(let line)), .input(.text(let line)):
      var isText = !takesCommands
      if case .input(.text) = happening { isText = true }
      var key = screen.line?.key ?? (isElsewhere ? SendKey.random : nil)
      screen.line = (happening, key)
      do {
        if let text = screen.unanswered {
          let answer = LinkPreviews.answer(line)
          screen.unsettled.insert(try await send(text, key: key, asks: answer ?? false))
          (screen.unanswered, screen.line) = (nil, nil)
          guard answer == nil else { break }
          // It is no answer, but a line of its own.
          key = isElsewhere ? SendKey.random : nil
          screen.line = (happening, key)
        }
        let command = try isText ? .text(line) : ChatCommand(line)
        // Only the draft comes as a text: the editor forgets that where all of it is deleted.
        if isForgiving, case .input(.text) = happening, let answered = screen.answeredByDraft {
          try await act(on: .reply(answered, line), key, &screen)
        } else {
          try await act(on: command, key, &screen)
        }
        if case .text = command { screen.answeredByDraft = nil }
        screen.line = nil
      } catch  where error is HolderGone || error is CancellationError {
        // The next program that holds the account carries it out.
        throw error
      } catch {
        screen.line = nil
        guard isForgiving else { throw error }
        let failure = CommandFailure(error)
        terminal.tell("session: \(failure.message)")
        if let advice = failure.advice { terminal.tell(advice) }
        if let text = screen.unanswered?.body {
          // What was held back could not be sent, and comes back with what was typed since.
          screen.unanswered = nil
          terminal.giveBack(LinkPreviews.answer(line) == nil ? "\(text)\n\(line)" : text, isText: true)
        } else {
          terminal.giveBack(line, isText: isText)
        }
      }
    case .input(.tooLong(let line)):
      throw CommandFailure.data(
        "line \(line) of the input is longer than the limit of \(InputLimits.message) bytes",
        advice: "'session send TO --attach FILE' sends long texts, as files.")
    case .input(.notText(let line)):
      throw CommandFailure.data(
        "line \(line) of the input is not UTF-8",
        advice: "The lines before it were sent. 'iconv' changes the encoding of a text.")
    case .ending: screen.isEnding = true
    case .broken(let error): throw error
    case .input(.typing), .tooLate: break
    }
    screen.isOver = screen.isEnding && screen.unsettled.isEmpty
    try await showStatus(screen)
  }

  /// Waits for what others do not wait for, and says what is not stored.
  private func takeLeave(of screen: Screen) async throws {
    // If messages could not be stored, waiting for the rest is useless.
    if !isForgiving || screen.unsettled.isEmpty {
      _ = try? await withinTime(Self.farewell) { try await messenger.waitUntilSettled() }
    }
    var left = 0
    for id in screen.unsettled where try await messenger.message(id)?.state == .sending { left += 1 }
    guard left > 0 else { return }
    throw CommandFailure(
      status: .queued,
      message: left == 1 ? "a message is not stored yet" : "\(left) messages are not stored yet",
      advice: "They are kept and sent the next time the account is used: do not send them again.")
  }

  // MARK: - What the person does

  /// Executes a line.
  private func act(on command: ChatCommand, _ key: SendKey?, _ screen: inout Screen) async throws {
    switch command {
    case .text(let text): try await send(OutgoingText(text), key, &screen)
    case .reply(let id, let text): try await send(OutgoingText(text, answering: id), key, &screen)
    case .attach(let path): try await attach(path, key, &screen)
    case .react(let id, let emoji): try await messenger.react(emoji, to: id)
    case .unreact(let id, let emoji): try await messenger.unreact(emoji, to: id)
    case .delete(let id, let isForEveryone):
      try await messenger.delete(id, isForEveryone ? .forEveryone : .here)
    case .resend(let id):
      try await messenger.resend(id)
      screen.unsettled.insert(id)
    case .more: try await showMore(on: &screen)
    case .help: tellHelp()
    case .quit: screen.isEnding = true
    }
  }

  /// Sends a text, or asks the person first about the preview of its link.
  private func send(_ text: OutgoingText, _ key: SendKey?, _ screen: inout Screen) async throws {
    if isForgiving, let link = LinkInText.first(in: text.body),
      try await messenger.settings().linkPreviews == .ask
    {
      screen.unanswered = text
      return terminal.tell(LinkPreviews.question(about: link))
    }
    screen.unsettled.insert(try await send(text, key: key))
  }

  private func send(
    _ text: OutgoingText, _ files: [OutgoingFile] = [], key: SendKey?, asks: Bool? = nil
  ) async throws -> MessageView.ID {
    var previews = previews
    previews.wanted = asks
    var text = try await previews.adding(to: text, in: other, messenger)
    // A script does not see the draft.
    text.endsDraftText = isForgiving
    guard let key else { return try await messenger.send(text, attachments: files, to: other) }
    return try await messenger.send(text, attachments: files, to: other, key: key).id
  }

  private func attach(_ path: String, _ key: SendKey?, _ screen: inout Screen) async throws {
    let isAtHome = path.hasPrefix("~/")
    let file = try OutgoingFile(existing: isAtHome ? (home ?? "~") + path.dropFirst() : path)
    let id = try await send(OutgoingText(""), [file], key: key)
    let files = try await messenger.attachments(of: id)
    let name = files.first?.name.map { " " + $0 } ?? ""
    screen.meters[id] = TransferMeter("sending" + name, of: files)
    screen.unsettled.insert(id)
  }

  private func tellHelp() {
    let width = ChatCommand.entries.map(\.synopsis.count).max() ?? 0
    for entry in ChatCommand.entries {
      terminal.tell("  \(entry.synopsis.padded(to: width))  \(entry.summary)")
    }
  }

  // MARK: - What happens

  private func take(_ event: MessengerEvent, on screen: inout Screen) async throws {
    guard event.conversation == other else { return try await showOtherConversation(event) }
    var message: MessageView?
    if let id = event.message { message = try await messenger.message(id) }
    if !isForgiving, event.kind == .messageFailed, let message {
      throw CommandFailure(
        status: .unavailable,
        message: "message \(message.id.rawValue) was not sent: \(message.state.failure ?? "")",
        advice: "'session resend \(message.id.rawValue)' tries again.")
    }
    let before = message.flatMap { screen.shown[$0.id] }
    if isJSON {
      let directory = try await Directory(of: messenger, showing: [other])
      try terminal.show(CommandOutput(json: event.json(message, directory)))
    } else {
      try await show(event, message, before)
    }
    if let message {
      screen.shown[message.id] = message
      if message.state == .sending {
        screen.unsettled.insert(message.id)
      } else {
        screen.settle(message.id)
      }
    } else if let id = event.message {
      screen.shown[id] = nil
      screen.settle(id)
    }
    if event.kind == .messageReceived { try await messenger.markRead(other) }
  }

  private func show(_ event: MessengerEvent, _ message: MessageView?, _ before: MessageView?) async throws {
    let directory = try await Directory(of: messenger, showing: [other])
    switch event.kind {
    case .messageReceived, .messageQueued:
      if let message, before == nil { try terminal.show(CommandOutput(data: message.shownParts(directory))) }
    case .messageFailed:
      guard let message else { return }
      terminal.tell(
        "#\(message.id.rawValue) was not sent: \(message.state.failure ?? ""). /resend tries again.")
    case .messageChanged:
      for line in message.map({ $0.changes(since: before, directory) }) ?? [] { terminal.tell(line) }
    case .messageDeleted:
      if let id = event.message { terminal.tell("#\(id.rawValue) is gone") }
    default: return
    }
  }

  /// Reports events of other conversations.
  private func showOtherConversation(_ event: MessengerEvent) async throws {
    guard event.kind == .messageReceived, let person = event.person, person != messenger.id, !isJSON else {
      return
    }
    let groups = [event.conversation].compactMap { $0 }.filter(\.isGroup)
    let directory = try await Directory(of: messenger, showing: groups)
    let place = groups.first.map { "in \(directory.name($0))" } ?? "to you"
    terminal.tell("\(directory.name(person)) wrote \(place)")
  }

  private func showStatus(_ screen: Screen) async throws {
    var status: [String] = []
    if screen.isOtherTyping {
      status.append("\(try await Directory(of: messenger, showing: [other]).name(other)) is typing")
    }
    if let meter = screen.meters.min(by: { $0.key.rawValue < $1.key.rawValue })?.value {
      status.append(meter.line(width: Self.meterWidth))
    } else if !screen.unsettled.isEmpty {
      status.append("sending")
    }
    terminal.setStatus(status.joined(separator: ", "))
  }

  // MARK: - What was before

  private func showHistory(on screen: inout Screen) async throws {
    let conversation = try await messenger.conversation(other)
    let directory = try await Directory(of: messenger, showing: [other])
    if !isJSON {
      let what = other.isGroup ? "the group" : "your conversation with"
      terminal.tell("This is \(what) \(directory.name(other)).")
      if takesCommands { terminal.tell("/help lists the commands, Ctrl-D leaves.") }
      if conversation?.isRequest == true {
        terminal.tell("\(directory.name(other)) sent you a message request; writing accepts it.")
      } else if let warning = directory.warning(beforeWritingTo: other) {
        terminal.tell(warning)
      } else if let state = try await messenger.group(other)?.stateLine {
        terminal.tell(state)
      }
    }
    guard conversation != nil else { return }
    try await show(messenger.messages(in: other, limit: history).reversed(), on: &screen)
    guard isForgiving, let draft = try await messenger.draft(of: other) else {
      return try await messenger.markRead(other)
    }
    if !draft.body.isEmpty {
      terminal.giveBack(draft.body, isText: true)
      screen.answeredByDraft = draft.answering
      if let answered = draft.answering {
        terminal.tell("The draft replies to message \(answered.rawValue).")
      }
    }
    if let note = draft.noteOfFiles { terminal.tell(note) }
    try await messenger.markRead(other)
  }

  private func showMore(on screen: inout Screen) async throws {
    let older =
      screen.oldest == nil
      ? [] : try await messenger.messages(in: other, before: screen.oldest, limit: history)
    guard !older.isEmpty else { return terminal.tell("No earlier messages.") }
    try await show(older.reversed(), on: &screen)
  }

  private func show(_ messages: [MessageView], on screen: inout Screen) async throws {
    let directory = try await Directory(of: messenger, showing: [other])
    screen.oldest = messages.first?.id ?? screen.oldest
    for message in messages {
      screen.shown[message.id] = message
      if message.state == .sending { screen.unsettled.insert(message.id) }
      let output =
        isJSON
        ? CommandOutput(json: message.json(directory)) : CommandOutput(data: message.shownParts(directory))
      try terminal.show(output)
    }
  }
}

extension MessageView {
  /// For eyes. That it is on its way is said elsewhere.
  fileprivate func shownParts(_ directory: Directory) -> [CommandOutput.Part] {
    parts(directory, showsSending: false)
  }

  /// The changes by others since it was shown.
  fileprivate func changes(since before: MessageView?, _ directory: Directory) -> [String] {
    let number = "#\(id.rawValue)"
    var lines: [String] = []
    if readByRecipientAt != nil, before?.readByRecipientAt == nil {
      lines.append("\(directory.name(conversation)) read \(number)")
    }
    let known = before?.reactions ?? []
    for reaction in reactions where !known.contains(reaction) {
      lines.append("\(directory.name(reaction.author)): \(DisplayText.line(reaction.emoji)) to \(number)")
    }
    for reaction in known where !reactions.contains(reaction) {
      lines.append(
        "\(directory.name(reaction.author)): no \(DisplayText.line(reaction.emoji)) to \(number) any more")
    }
    return lines
  }
}
