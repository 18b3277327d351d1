import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionStorage

extension Command {
  static let receive = Command(
    name: "receive",
    summary: "fetch and show new messages",
    discussion: """
      Shows messages after the last one acknowledged with --ack, or after --since. Stored messages are shown first, then
      those that the network has. With --follow it keeps running until Ctrl-C, which exits with 130, or SIGTERM, which
      exits with 0. Progress is shown if standard error is a terminal.

      Scripts: use --json, store the "cursor" of the last event you handled, and pass it as --since the next time. Or use
      --ack with a --reader name for each script. Or use --exec: PROGRAM runs as a hook does and uses the reader of 'session
      daemon --exec'; see 'session help hooks'. Only one process at a time runs it for an account.
      """,
    options: [
      .init(name: "follow", summary: "keep showing new messages until interrupted"),
      .init(name: "since", value: "CURSOR", summary: "start after this event; 0 for all stored events"),
      .init(
        name: "allow-gap", summary: "start with the oldest stored event if those after --since are gone"),
      .init(name: "ack", summary: "mark what was shown as acknowledged, so that it is not shown again"),
      .init(name: "reader", value: "NAME", summary: "the name of the reader; 'receive' by default"),
      .init(name: "all", summary: "show every event, not only messages"),
      .init(
        name: "exec", value: "PROGRAM",
        summary: "with --follow, run PROGRAM for each incoming message instead of showing it"),
      .timeout, .account, .json,
    ],
    examples: [
      .init(line: "session receive --ack", summary: "show new messages once"),
      .init(
        line:
          "session receive --follow --ack --json | jq -r 'select(.message.outgoing == false) | .message.body'",
        summary: "print the text of each incoming message"),
    ],
    rpc: .none(.isClient)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    let receiving = try Receiving(invocation, io, book, account)
    guard receiving.isService else {
      return try await invocation.working(io, staying: receiving.isFollowing) { opened in
        try await receiving.run(opened)
      }
    }
    let journal = ServiceJournal(io)
    return try await invocation.working(io, staying: true, log: journal.log) { opened in
      io.tell("receiving for the account \(account.name)")
      return try await journal.watching(opened.messenger) { try await receiving.run(opened) }
    }
  }
}

/// The command `receive`.
private struct Receiving: Sendable {
  let io: CommandIO
  /// The progress of fetching.
  let progress: DrawnLine
  let timeout: Duration
  let isFollowing, isAcknowledging, showsAll, isJSON, allowsGap: Bool
  let since: MessengerEvent.Cursor?
  let reader: String
  /// The program that is run for messages instead of showing them.
  let handling: MessageHandling?
  /// The last event that was shown.
  private let place = Kept<MessengerEvent.Cursor>()

  init(
    _ invocation: Invocation, _ io: CommandIO, _ book: AccountBook, _ account: AccountFolder
  ) throws(CommandFailure) {
    self.io = io
    progress = DrawnLine(io)
    timeout = try invocation.timeout()
    isFollowing = invocation.has("follow")
    isAcknowledging = invocation.has("ack")
    showsAll = invocation.has("all")
    isJSON = invocation.has("json")
    allowsGap = invocation.has("allow-gap")
    reader = invocation["reader"] ?? "receive"
    handling = try MessageHandling(invocation, io, book, account)
    since = try invocation["since"].map { (text) throws(CommandFailure) in
      guard let number = Int64(text), number >= 0 else {
        throw invocation.misuse("--since is the number of an event")
      }
      return MessengerEvent.Cursor(rawValue: number)
    }
  }

  /// True if it follows without a terminal, so that its messages form a journal.
  var isService: Bool { isFollowing && !io.isTerminal && io.messageColumns() == nil }

  func run(_ opened: OpenAccount) async throws -> CommandOutput {
    if let handling { return try await handling.run(opened) }
    let messenger = opened.messenger
    let deadline = ContinuousClock.now.advanced(by: timeout)
    var cursor = try await start(messenger)
    do {
      // What was shown before the holder of the account ended.
      if isAcknowledging, let shown = place.value { try await messenger.acknowledge(shown, by: reader) }
      // Show stored messages without waiting for the network.
      try await show(&cursor, messenger)
      let isCaughtUp = try await follow(&cursor, messenger)
      if !isFollowing {
        // Send the messages that an earlier command left in the queue.
        _ = try await withinTime(max(.zero, deadline - .now)) { try await messenger.waitUntilDelivered() }
        return try ended(isCaughtUp)
      }
    } catch let error as CancellationError {
      try Interruption.check()
      guard isFollowing else { throw error }
    }
    try Interruption.check()
    // It continues with the next program that holds the account.
    if opened.isOrphaned { throw HolderGone() }
    return CommandOutput()
  }

  /// Fetches all that waits in the network, and shows what comes meanwhile; with `--follow` whatever comes afterwards, too.
  /// False where the network was not reached in time.
  private func follow(_ cursor: inout MessengerEvent.Cursor, _ messenger: Messenger) async throws -> Bool {
    let (start, fetched) = (cursor, Kept<Bool>())
    let (turns, giving) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { giving.finish() }
        for try await _ in messenger.events(from: start) { giving.yield() }
      }
      group.addTask { [io, progress, timeout] in
        do {
          let catchingUp = CatchingUp(messenger: messenger, io: io, place: progress, timeout: timeout)
          fetched.value = try await catchingUp.run()
          giving.yield()
        } catch {
          giving.finish()
          throw error
        }
      }
      defer { group.cancelAll() }
      for await _ in turns {
        // Read the flag first, so that everything fetched before it was set is shown.
        let isCaughtUp = fetched.value
        try await show(&cursor, messenger)
        if let isCaughtUp, !isFollowing { return isCaughtUp }
      }
      // The first failure ends it; `waitForAll` would wait for the other task before it throws.
      while try await group.next() != nil {}
      return fetched.value ?? false
    }
  }

  private func ended(_ isCaughtUp: Bool) throws(CommandFailure) -> CommandOutput {
    guard isCaughtUp else {
      throw CommandFailure(
        status: .temporary, message: "the network was not reached in time",
        advice: "Stored messages were shown. 'session net status' shows the state of the network.")
    }
    return CommandOutput()
  }

  private func start(_ messenger: Messenger) async throws -> MessengerEvent.Cursor {
    if let place = place.value { return place }
    guard let since else { return try await messenger.cursor(of: reader) }
    if !allowsGap, let lost = try await messenger.events(after: since, limit: 1).first?.lost {
      throw CommandFailure(
        status: .data,
        message: "events \(lost.lowerBound.rawValue) to \(lost.upperBound.rawValue) are no longer kept",
        advice: "Read the conversations again with 'session show', and give --allow-gap.")
    }
    return since
  }

  /// Shows the events behind a place, and moves it behind them.
  private func show(_ cursor: inout MessengerEvent.Cursor, _ messenger: Messenger) async throws {
    while true {
      let events = try await messenger.events(after: cursor)
      guard let last = events.last else { return }
      let shown = events.filter(isShown)
      if !shown.isEmpty {
        let directory = try await Directory(of: messenger, showing: shown.compactMap(\.conversation))
        let messages = try await messenger.messages(shown.compactMap(\.message))
        let ended = try await ends(among: shown, messenger)
        try progress.replace {
          for event in shown {
            if let end = ended[event.id] {
              let lines = "  \(LocalTime.text(event.at))\n  (\(end.line))\n"
              let parts: [CommandOutput.Part] = [.heading(directory.name(end.group)), .indented(lines)]
              try SessionTool.write(CommandOutput(data: parts), to: io)
            } else {
              try show(event, event.message.flatMap { messages[$0] }, directory)
            }
          }
        }
      }
      cursor = last.id
      place.value = cursor
      if isAcknowledging { try await messenger.acknowledge(cursor, by: reader) }
    }
  }

  /// Programs ask for events other than messages with --all; people also see invitations to groups, and their end.
  private func isShown(_ event: MessengerEvent) -> Bool {
    switch event.kind {
    case .messageReceived, .gap: true
    case .requestReceived: showsAll || (!isJSON && event.conversation?.isGroup == true)
    case .groupEnded: showsAll || !isJSON
    default: showsAll
    }
  }

  /// The groups that events report as ended, with the reason; none where events are shown as they are.
  private func ends(
    among events: [MessengerEvent], _ messenger: Messenger
  ) async throws -> [MessengerEvent.Cursor: (group: Conversation.ID, line: String)] {
    var ends: [MessengerEvent.Cursor: (group: Conversation.ID, line: String)] = [:]
    guard !isJSON, !showsAll else { return ends }
    for event in events where event.kind == .groupEnded {
      guard let id = event.conversation else { continue }
      ends[event.id] = (id, try await messenger.group(id)?.stateLine ?? "This group has ended.")
    }
    return ends
  }

  private func show(_ event: MessengerEvent, _ message: MessageView?, _ directory: Directory) throws {
    if isJSON {
      try SessionTool.write(CommandOutput(json: event.json(message, directory)), to: io)
    } else if event.kind == .messageReceived || (event.kind == .requestReceived && !showsAll) {
      // An invitation that was answered meanwhile has no message any more.
      guard let message else { return }
      try SessionTool.write(CommandOutput(data: message.parts(directory, namesGroup: true)), to: io)
      guard event.kind == .requestReceived else { return }
      io.tell("'session group accept \(message.conversation)' joins it, 'session group decline' deletes it.")
    } else if let lost = event.lost {
      let range = "\(lost.lowerBound.rawValue) to \(lost.upperBound.rawValue)"
      io.tell("Events \(range) are no longer kept; 'session chats' and 'session show' have all messages.")
    } else {
      let about = event.conversation.map { "  " + directory.name($0) } ?? ""
      let line = "\(LocalTime.text(event.at))  \(event.kind.rawValue)\(about)\n"
      try SessionTool.write(CommandOutput(text: line), to: io)
    }
  }
}

extension MessengerEvent {
  /// For programs.
  func json(_ message: MessageView?, _ directory: Directory) -> JSONObject {
    var object: JSONObject = [
      "type": .string("event"), "cursor": .integer(UInt64(clamping: id.rawValue)),
      "event": .string(kind.rawValue),
      "at": .time(at),
    ]
    object["conversation"] = conversation.map { .string($0.description) }
    object["chat"] = object["conversation"]
    object["person"] = person.map { .string($0.description) }
    if !people.isEmpty { object["people"] = .strings(people.map(\.description)) }
    object["reason"] = reason.map { .string($0) }
    object["lost_from"] = lost.map { .integer(UInt64(clamping: $0.lowerBound.rawValue)) }
    object["lost_to"] = lost.map { .integer(UInt64(clamping: $0.upperBound.rawValue)) }
    object["message_id"] = self.message.map { .integer(UInt64(clamping: $0.rawValue)) }
    object["message"] = message.map { .object($0.json(directory)) }
    object["scheduled"] = scheduled.map { .integer(UInt64(clamping: $0.rawValue)) }
    object["archive"] = archive.map { archive in
      .object([
        "id": .string(archive.id), "created": .time(archive.created),
        "rows": .integer(UInt64(clamping: archive.rows)),
        "files": .integer(UInt64(clamping: archive.files)),
        "problems": .integer(UInt64(clamping: archive.problems)),
      ])
    }
    return object
  }
}
