import SessionDaemon
import SessionMessaging

extension Command {
  static let readersList = Command(
    name: "readers list",
    summary: "list readers of events",
    discussion: """
      A reader is a program that receives events under a name of its own: a bot of the daemon, or 'session receive --ack'.
      Events that it has not acknowledged are kept for it, up to 100,000.
      """,
    options: [.account, .json],
    examples: [.init(line: "session readers list", summary: "show how far each reader is")],
    rpc: .method(.read)
  ) { invocation, io in
    let readers = try await invocation.reading(io) { messenger in try await messenger.readers() }
    guard !invocation.has("json") else { return CommandOutput(lines: readers.map(\.json)) }
    guard !readers.isEmpty else { return CommandOutput(notes: ["No readers."]) }
    return CommandOutput(data: TextTable(head: EventReaderView.columns, rows: readers.map(\.row)).parts)
  }

  static let readersForget = Command(
    name: "readers forget",
    summary: "forget a reader of events",
    discussion: """
      Events are no longer kept for it, and its dead events are deleted. If its program comes back, it is a new reader.
      """,
    arguments: [.init(name: "NAME", summary: "the name of a reader")],
    options: [.account],
    examples: [
      .init(line: "session readers forget echo", summary: "forget the reader of a bot that is gone")
    ],
    rpc: .method(.admin)
  ) { invocation, io in
    let name = invocation.arguments[0]
    try await invocation.editing(io) { messenger in
      try await messenger.requireReader(name)
      try await messenger.forgetReader(name)
    }
    return CommandOutput()
  }

  static let readersDead = Command(
    name: "readers dead",
    summary: "list events that readers could not handle",
    discussion: """
      A reader may limit how often an event is delivered to it. An event that it has not acknowledged by then is set aside,
      and the reader continues with the next one.
      """,
    arguments: [.init(name: "NAME", summary: "only those of this reader", isOptional: true)],
    options: [.account, .json],
    examples: [
      .init(line: "session readers dead echo", summary: "show the events that a bot could not handle")
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let name = invocation.arguments.first
    let (dead, messages, directory) = try await invocation.reading(io) { messenger in
      if let name { try await messenger.requireReader(name) }
      let dead = try await messenger.deadEvents(of: name)
      let messages = try await messenger.messages(dead.compactMap(\.event.message))
      let directory = try await Directory(of: messenger, showing: dead.compactMap(\.event.conversation))
      return (dead, messages, directory)
    }
    guard !invocation.has("json") else {
      return CommandOutput(
        lines: dead.map { dead in dead.json(dead.event.message.flatMap { messages[$0] }, directory) })
    }
    guard !dead.isEmpty else { return CommandOutput(notes: ["No dead events."]) }
    return CommandOutput(
      data: TextTable(head: DeadEventView.columns, rows: dead.map { $0.row(directory) }).parts)
  }

  static let readersRetry = Command(
    name: "readers retry",
    summary: "deliver dead events of a reader again",
    arguments: [
      .init(name: "NAME", summary: "the name of a reader"),
      .init(name: "CURSOR|all", summary: "the number of a dead event, or all of them"),
    ],
    options: [.account],
    examples: [
      .init(line: "session readers retry echo all", summary: "deliver them again after mending the bot")
    ],
    rpc: .method(.admin)
  ) { invocation, io in
    let name = invocation.arguments[0]
    let cursor = try invocation.deadEvent()
    try await invocation.editing(io) { messenger in
      try await messenger.requireReader(name)
      try await messenger.retryDeadEvents(cursor, of: name)
    }
    return CommandOutput()
  }
}

extension Messenger {
  /// Throws if there is no such reader.
  fileprivate nonisolated func requireReader(_ name: String) async throws {
    guard try await reader(name) != nil else {
      throw CommandFailure(
        status: .data, message: "there is no reader \"\(DisplayText.line(name))\"",
        advice: "'session readers list' shows them.")
    }
  }
}

extension Invocation {
  /// The event that the second argument means; nil for all.
  fileprivate func deadEvent() throws(CommandFailure) -> MessengerEvent.Cursor? {
    guard arguments[1] != "all" else { return nil }
    guard let number = Int64(arguments[1]), number > 0 else {
      throw misuse("'\(arguments[1])' is not the number of an event; 'session readers dead' shows them")
    }
    return MessengerEvent.Cursor(rawValue: number)
  }
}
