import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let communityInfo = Command(
    name: "community info",
    summary: "show a room: its description, link, moderators and pinned messages",
    arguments: [.room],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    let id = try invocation.room(invocation.arguments[0])
    return try await invocation.reading(io) { messenger in
      guard let details = try await messenger.room(id) else {
        throw CommandFailure(
          status: .noUser, message: "you are not in this room",
          advice: "'session community list' shows your rooms.")
      }
      guard !invocation.has("json") else { return CommandOutput(json: details.json) }
      return details.output(try await Directory(of: messenger, showing: [id]))
    }
  }

  static let communityRooms = Command(
    name: "community rooms",
    summary: "list the rooms that a server offers",
    discussion: """
      A server that you do not use yet is named by the link of one of its rooms, which has the key of the server; another one
      also by its address. Without a server, lists the rooms that the network offers to everybody. The links that are printed
      join the rooms.
      """,
    arguments: [
      .init(
        name: "URL|SERVER", summary: "the link of a room, or the address of a server that you use",
        isOptional: true)
    ],
    options: [.timeout, .account, .json],
    examples: [
      .init(line: "session community rooms", summary: "list the rooms that the network offers"),
      .init(line: "session community rooms https://chat.example.org", summary: "list the rooms of a server"),
    ],
    rpc: .method(.read)
  ) { invocation, io in
    let server = invocation.arguments.first
    return try await invocation.changing(io, showing: "asking the server") { messenger in
      let rooms = try await messenger.rooms(on: server)
      guard !invocation.has("json") else { return CommandOutput(lines: rooms.map(\.json)) }
      guard !rooms.isEmpty else { return CommandOutput(notes: ["No rooms."]) }
      return CommandOutput(data: TextTable(head: RoomListing.columns, rows: rooms.map(\.row)).parts)
    }
  }

  static let communityFetch = Command(
    name: "community fetch",
    summary: "fetch older messages of a room",
    discussion: """
      Fetches up to 100 messages from before the oldest one here, or those that were missed in a long absence. They count as
      read. 'session show' prints them.
      """,
    arguments: [.room],
    options: [.timeout, .account],
    rpc: .method(.send)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    return try await invocation.changing(io, showing: "fetching messages") { messenger in
      let history = try await messenger.fetchOlder(in: room)
      let rest = history.isComplete ? " There are no older ones." : ""
      return CommandOutput(notes: ["\(history.count) messages fetched.\(rest)"])
    }
  }

  static let communityPin = Command(
    name: "community pin",
    summary: "pin a message of a room for everyone, as an admin",
    arguments: [.room, .message],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    return try await invocation.acting(.pin(try invocation.messageNumber(at: 1)), in: room, io)
  }

  static let communityUnpin = Command(
    name: "community unpin",
    summary: "unpin a message of a room, or all, as an admin",
    arguments: [.room, .init(name: "ID|all", summary: "the number of a message, or all")],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    let message = invocation.arguments[1] == "all" ? nil : try invocation.messageNumber(at: 1)
    return try await invocation.acting(.unpin(message), in: room, io)
  }
}

extension Command {
  static let communityClearReactions = Command(
    name: "community clear-reactions",
    summary: "remove everybody's reactions from a message of a room, as a moderator",
    discussion: "With an emoji, only the reactions with that one are removed.",
    arguments: [.room, .message, .init(name: "EMOJI", summary: "the reaction to remove", isOptional: true)],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    let emoji = invocation.arguments.count > 2 ? invocation.arguments[2] : nil
    return try await invocation.acting(
      .clearReactions(try invocation.messageNumber(at: 1), emoji: emoji), in: room, io)
  }
}

extension Invocation {
  /// Does something as a moderator of a room.
  func acting(_ action: RoomAction, in room: Conversation.ID, _ io: CommandIO) async throws -> CommandOutput {
    try await changing(io) { messenger in
      try await messenger.act(action, in: room)
      return CommandOutput()
    }
  }
}
