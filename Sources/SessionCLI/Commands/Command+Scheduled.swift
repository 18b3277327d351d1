import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let scheduledList = Command(
    name: "scheduled list",
    summary: "list messages that are sent later",
    discussion: """
      Messages that were sent, missed or refused stay in the list for thirty days. A message is missed if nothing ran when
      it was due and it would have been sent too late: 'session scheduled now' sends it, 'session scheduled move' gives it
      another time.
      """,
    options: [
      .init(name: "all", summary: "also list those that were sent"), .account, .json,
    ],
    examples: [.init(line: "session scheduled list", summary: "show what is sent when")],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let all = try await messenger.scheduledMessages()
      let shown = invocation.has("all") ? all : all.filter { $0.state != .sent }
      guard !invocation.has("json") else { return CommandOutput(lines: shown.map(\.json)) }
      guard !shown.isEmpty else { return CommandOutput(notes: ["No scheduled messages."]) }
      let directory = try await Directory(of: messenger, showing: shown.map(\.conversation))
      let rows = shown.map { $0.row(directory) }
      return CommandOutput(data: TextTable(head: ScheduledMessage.columns, rows: rows).parts)
    }
  }

  static let scheduledShow = Command(
    name: "scheduled show",
    summary: "show a message that is sent later",
    arguments: [.scheduled],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    let id = try invocation.scheduledNumber()
    return try await invocation.reading(io) { messenger in
      let message = try await messenger.existingScheduled(id)
      guard !invocation.has("json") else { return CommandOutput(json: message.json) }
      let directory = try await Directory(of: messenger, showing: [message.conversation])
      return CommandOutput(data: message.parts(directory))
    }
  }

  static let scheduledCancel = Command(
    name: "scheduled cancel",
    summary: "delete a message that is sent later",
    arguments: [.scheduled],
    options: [.account],
    examples: [.init(line: "session scheduled cancel 3", summary: "do not send it")],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.scheduledNumber()
    try await invocation.editing(io) { messenger in try await messenger.cancelScheduled(id) }
    return CommandOutput()
  }

  static let scheduledNow = Command(
    name: "scheduled now",
    summary: "send a scheduled message at once",
    arguments: [.scheduled],
    options: [.timeout, .account],
    examples: [.init(line: "session scheduled now 3", summary: "send it now, also if it was missed")],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.scheduledNumber()
    let output = try await invocation.changing(io) { messenger in
      try await messenger.sendScheduledNow(id)
      return CommandOutput()
    }
    // The client of a daemon follows events instead of waiting.
    guard io.served == nil else { return output }
    let message = try await invocation.reading(io) { messenger in try await messenger.scheduledMessage(id) }
    guard let message, message.state == .missed || message.state == .failed else { return output }
    let reason = DisplayText.line(message.failure ?? "")
    throw CommandFailure(
      status: .unavailable, message: "the scheduled message \(id.rawValue) was not sent: \(reason)",
      detail: .notSent)
  }

  static let scheduledMove = Command(
    name: "scheduled move",
    summary: "send a scheduled message at another time",
    arguments: [.scheduled],
    options: [
      .sendAt, .sendIn,
      .init(name: "late", value: "TIME", summary: "how late it may still be sent; unchanged by default"),
      .account,
      .json,
    ],
    examples: [.init(line: "session scheduled move 3 --in 1h", summary: "send it in an hour")],
    rpc: .method(.send)
  ) { invocation, io in
    let id = try invocation.scheduledNumber()
    guard let given = try invocation.sendTime(io) else { throw invocation.misuse("give --at or --in") }
    return try await invocation.editing(io) { messenger in
      var time = given
      if invocation["late"] == nil {
        let late = try await messenger.existingScheduled(id).time.late
        time = SendTime(given.at, zone: given.zone, late: late)
      }
      try await messenger.moveScheduled(id, to: time)
      let message = try await messenger.existingScheduled(id)
      guard !invocation.has("json") else { return CommandOutput(json: message.json) }
      return CommandOutput(notes: ["It is sent at \(LocalTime.text(time.at))."])
    }
  }
}

extension Messenger {
  /// Returns a scheduled message. Throws if there is none.
  nonisolated func existingScheduled(_ id: ScheduledMessage.ID) async throws -> ScheduledMessage {
    guard let message = try await scheduledMessage(id) else {
      throw CommandFailure.data(
        "there is no scheduled message \(id.rawValue)", advice: "'session scheduled list' shows them.")
    }
    return message
  }
}

extension Command.Argument {
  fileprivate static let scheduled = Self(
    name: "ID", summary: "the number of a scheduled message, as 'session scheduled list' prints it")
}

extension Invocation {
  fileprivate func scheduledNumber() throws(CommandFailure) -> ScheduledMessage.ID {
    guard let number = Int64(arguments[0]), number > 0 else {
      throw misuse(
        "'\(arguments[0])' is not the number of a scheduled message; 'session scheduled list' shows them")
    }
    return ScheduledMessage.ID(rawValue: number)
  }
}
