import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionTerminal

/// The interface without a screen: lines that are only appended, for screen readers and for terminals that cannot move
/// their cursor.
actor PlainScreen {
  private let messenger: Messenger
  private let terminal: any ChatTerminal
  private let inputs: LastingInputs
  private let io: CommandIO
  private let place: Place
  private let network: @Sendable () async -> UIEvent
  /// The link to open.
  private let opening: SessionLink?

  private var open: Conversation.ID? {
    get { place.open.value }
    set { place.open.value = newValue }
  }
  /// The conversations of the list that was shown last.
  private var listed: [Conversation.ID] = []
  private var oldest: MessageView.ID?
  private var watch: ConversationWatch?

  private static let page = 20

  /// What stays while the program that holds the account changes.
  final class Place: Sendable {
    let open = Kept<Conversation.ID>()
    let cursor = Kept<MessengerEvent.Cursor>()
  }

  init(
    _ messenger: Messenger, at terminal: any ChatTerminal, _ inputs: LastingInputs, _ io: CommandIO,
    _ place: Place, opening: SessionLink?,
    network: @escaping @Sendable () async -> UIEvent
  ) {
    self.opening = opening
    (self.messenger, self.terminal, self.inputs, self.io) = (messenger, terminal, inputs, io)
    (self.place, self.network) = (place, network)
  }

  private struct Left: Error {}

  /// Takes lines and tells of messages until the person leaves.
  func run() async throws {
    let kept = place.cursor.value
    let isFirst = kept == nil
    let cursor: MessengerEvent.Cursor
    if let kept { cursor = kept } else { cursor = try await messenger.lastEvent() }
    place.cursor.value = cursor
    if isFirst {
      try await list(unreadOnly: false)
      terminal.tell("/go N opens a conversation, /help lists the commands, /quit leaves.")
      if let opening { try await open(opening) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [self] in
        for try await event in messenger.events(from: cursor) { try await take(event) }
      }
      group.addTask { [self] in
        while let input = await inputs.next() { try await take(input) }
        if !Task.isCancelled { throw Left() }
      }
      defer { group.cancelAll() }
      do { while try await group.next() != nil {} } catch is Left {}
    }
  }

  // MARK: - News

  private func take(_ event: MessengerEvent) async throws {
    place.cursor.value = event.id
    guard let id = event.message, [.messageReceived, .messageFailed].contains(event.kind),
      let message = try await messenger.message(id)
    else { return }
    let directory = try await Directory(of: messenger, showing: [message.conversation])
    if event.kind == .messageFailed {
      terminal.tell(
        "Not sent, message \(id.rawValue): \(DisplayText.line(message.state.failure ?? "")). /resend \(id.rawValue) tries again."
      )
    } else if message.conversation == open {
      terminal.tell(line(message, directory))
      try await messenger.markRead(message.conversation)
    } else if !message.isOutgoing {
      let group = message.conversation.isGroup ? " in \(directory.name(message.conversation))" : ""
      terminal.tell("\(directory.name(message.author)) wrote\(group).")
    }
  }

  /// `Bob, 14:02: Perfect.`
  private func line(_ message: MessageView, _ directory: Directory) -> String {
    let text = DisplayText.line(message.shownText(directory))
    let files = message.numberedAttachments.map { " " + $0.text }.joined()
    let quote = message.quoted.map { " answering \(directory.name($0.author))" } ?? ""
    let time = LocalCalendar.system.time(message.sentAt)
    return
      "\(directory.name(message.author))\(quote), \(time), message \(message.id.rawValue): \(text)\(files)"
  }

  // MARK: - Lines

  private func take(_ input: ChatInput) async throws {
    do {
      switch input {
      case .line(let line): try await act(on: PlainCommand(line))
      case .text(let text): try await act(on: .chat(.text(text)))
      case .typing(let isTyping): if let open { try? await messenger.setTyping(isTyping, in: open) }
      case .tooLong: terminal.tell("This line is longer than any message may be.")
      case .notText: terminal.tell("This line is not UTF-8.")
      }
    } catch  where error is HolderGone || error is CancellationError || error is Left {
      if !(error is Left) { inputs.putBack([input]) }
      throw error
    } catch {
      let failure = CommandFailure(error)
      terminal.tell("session: \(failure.message)")
      if let advice = failure.advice { terminal.tell(advice) }
    }
  }

  private func act(on command: PlainCommand) async throws {
    switch command {
    case .list: try await list(unreadOnly: false)
    case .unread: try await list(unreadOnly: true)
    case .go(let name): try await go(to: name)
    case .requests: try await show(try await messenger.requests(), none: "No message requests.")
    case .search(let words): try await search(words)
    case .who: try await tellMembers()
    case .path:
      guard case .network(let routes, let lines) = await network() else { return }
      for route in routes {
        terminal.tell("\(route.purpose): this machine, \(route.nodes.joined(separator: ", ")), \(route.end)")
      }
      for line in lines { terminal.tell(line) }
    case .place:
      guard let open else { return terminal.tell("No conversation is open.") }
      terminal.tell(try await Directory(of: messenger, showing: [open]).name(open))
    case .help:
      for entry in PlainCommand.entries { terminal.tell("\(entry.synopsis): \(entry.summary)") }
      for entry in ChatCommand.entries where entry.name != "help" {
        terminal.tell("\(entry.synopsis): \(entry.summary)")
      }
    case .chat(let command): try await act(on: command)
    }
  }

  private func act(on command: ChatCommand) async throws {
    switch command {
    case .quit: throw Left()
    case .react(let id, let emoji): return try await messenger.react(emoji, to: id)
    case .unreact(let id, let emoji): return try await messenger.unreact(emoji, to: id)
    case .delete(let id, let isForEveryone):
      return try await messenger.delete(id, isForEveryone ? .forEveryone : .here)
    case .resend(let id): return try await messenger.resend(id)
    case .help: return try await act(on: PlainCommand.help)
    case .text, .reply, .attach, .more: break
    }
    guard let open else {
      throw CommandFailure.usage("no conversation is open", advice: "/go NAME opens one.")
    }
    switch command {
    case .text(let text): try await send(OutgoingText(text), to: open)
    case .reply(let id, let text): try await send(OutgoingText(text, answering: id), to: open)
    case .attach(let path):
      let path = path.hasPrefix("~/") ? (io.environment["HOME"] ?? "~") + path.dropFirst() : path
      _ = try await messenger.send(
        OutgoingText(""), attachments: [try OutgoingFile(existing: path)], to: open)
    default: try await showMessages(before: oldest)
    }
  }

  private func send(_ text: OutgoingText, to conversation: Conversation.ID) async throws {
    var asking = io
    asking.tell = { [terminal] line in terminal.tell(line) }
    let text = try await LinkPreviews(io: asking).adding(to: text, in: conversation, messenger)
    try await messenger.send(text, to: conversation)
  }

  // MARK: - Lists

  private func list(unreadOnly: Bool) async throws {
    let all = try await messenger.conversations()
    let shown = unreadOnly ? all.filter { $0.unreadMessages > 0 || $0.isMarkedUnread } : all
    try await show(shown, none: unreadOnly ? "Nothing is unread." : "No conversations yet.")
  }

  private func show(_ conversations: [ConversationView], none: String) async throws {
    listed = conversations.map(\.id)
    guard !conversations.isEmpty else { return terminal.tell(none) }
    let directory = try await Directory(of: messenger, showing: listed)
    for (index, view) in conversations.enumerated() {
      let name = view.kind == .community ? DisplayText.line(view.name) : directory.name(view.id)
      let unread = view.unreadMessages > 0 ? ", \(view.unreadMessages) unread" : ""
      let last = view.last.map { ": \(DisplayText.fitted($0.briefText(directory), to: 80))" } ?? ""
      terminal.tell("\(index + 1). \(name)\(unread)\(last)")
    }
  }

  private func go(to name: String) async throws {
    let id: Conversation.ID
    if let number = Int(name), listed.indices.contains(number - 1) {
      id = listed[number - 1]
    } else {
      try await io.names.resolve([name], messenger) { [terminal] in terminal.tell($0) }
      id = try await Directory(of: messenger).conversation(name, io)
    }
    try await go(to: id)
  }

  private func go(to id: Conversation.ID) async throws {
    (open, oldest) = (id, nil)
    watch = messenger.watch(id)
    let directory = try await Directory(of: messenger, showing: [id])
    terminal.tell("This is \(directory.name(id)).")
    if let warning = directory.warning(beforeWritingTo: id) { terminal.tell(warning) }
    if let draft = try? await messenger.draft(of: id) {
      let text = draft.body.isEmpty ? "" : ": \(DisplayText.line(draft.body))"
      terminal.tell("A draft stays as it is\(text)")
      if let note = draft.noteOfFiles { terminal.tell(note) }
    }
    guard try await messenger.conversation(id) != nil else { return }
    try await showMessages(before: nil)
    try await messenger.markRead(id)
  }

  /// Opens what a link names. Its text is shown; only the person can send it.
  private func open(_ link: SessionLink) async throws {
    do {
      switch try await OpenedLink(link, messenger) {
      case .conversation(let id, let text, let note):
        try await go(to: id)
        guard let note else { return }
        terminal.tell(text.isEmpty ? note : "\(note): \(DisplayText.line(text))")
      case .room(let link):
        for line in OpenedLink.lines(of: link) { terminal.tell(line) }
        terminal.tell("To join this room, run: session community join '\(link)'")
      }
    } catch let failure as CommandFailure {
      terminal.tell("session: \(failure.message)")
    }
  }

  private func showMessages(before: MessageView.ID?) async throws {
    guard let open else { return }
    let messages = try await messenger.messages(in: open, before: before, limit: Self.page)
    guard !messages.isEmpty else { return terminal.tell("No earlier messages.") }
    oldest = messages.last?.id
    let directory = try await Directory(of: messenger, showing: [open])
    for message in messages.reversed() { terminal.tell(line(message, directory)) }
  }

  private func search(_ words: String) async throws {
    let page = try await messenger.search(words, limit: Self.page)
    guard !page.messages.isEmpty else { return terminal.tell("Nothing was found.") }
    let directory = try await Directory(of: messenger, showing: page.messages.map(\.conversation))
    for message in page.messages {
      terminal.tell("\(directory.name(message.conversation)): \(line(message, directory))")
    }
  }

  private func tellMembers() async throws {
    guard let open, case .group = open else { return terminal.tell("No group is open.") }
    let directory = try await Directory(of: messenger, showing: [open])
    for (index, member) in try await messenger.members(of: open).enumerated() {
      terminal.tell("\(index + 1). \(directory.name(member.id))\(member.isAdmin ? ", admin" : "")")
    }
  }
}
