import SessionCore
import SessionDaemon
import SessionMessaging
import SessionNetworking

extension Command {
  static let communityBan = Command(
    name: "community ban",
    summary: "ban a person from a room, as a moderator",
    arguments: [.room, .author],
    options: [
      .init(name: "for", value: "TIME", summary: "how long, such as 12h or 7d; without an end by default"),
      .init(name: "delete-all", summary: "delete all of their messages, too"),
      .onServer, .timeout, .account,
    ],
    examples: [
      .init(
        line: "session community ban https://chat.example.org/lobby 12 --for 7d",
        summary: "ban the author of a message for a week")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let seconds = try invocation.seconds("for")
    return try await invocation.moderating(io) { person in
      .ban(
        person, onServer: invocation.has("server"), seconds: seconds, deletesAll: invocation.has("delete-all")
      )
    }
  }

  static let communityUnban = Command(
    name: "community unban",
    summary: "let a banned person into a room again, as a moderator",
    arguments: [.room, .author],
    options: [.onServer, .timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.moderating(io) { .unban($0, onServer: invocation.has("server")) }
  }

  static let communityMute = Command(
    name: "community mute",
    summary: "forbid a person to write in a room for a time, as a moderator",
    arguments: [.room, .author, .init(name: "TIME", summary: "how long, such as 10m or 1d")],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let seconds = try invocation.seconds(of: invocation.arguments[2], "TIME")
    return try await invocation.moderating(io) { .mute($0, seconds: seconds) }
  }

  static let communityUnmute = Command(
    name: "community unmute",
    summary: "let a person write in a room again as everyone may, as a moderator",
    arguments: [.room, .author],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.moderating(io) { .unmute($0) }
  }

  static let communityDeleteAll = Command(
    name: "community delete-all",
    summary: "delete all messages of a person in a room, as a moderator",
    arguments: [.room, .author],
    options: [.onServer, .timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    try await invocation.moderating(io) { .deleteAll($0, onServer: invocation.has("server")) }
  }

  static let communityModerators = Command(
    name: "community moderators",
    summary: "list the moderators of a room",
    discussion: "Only moderators see those who are hidden.",
    arguments: [.room],
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    let id = try invocation.room(invocation.arguments[0])
    return try await invocation.reading(io) { messenger in
      let moderators = try await messenger.room(id)?.moderators ?? []
      guard !invocation.has("json") else { return CommandOutput(lines: moderators.map { $0.json(id) }) }
      guard !moderators.isEmpty else { return CommandOutput(notes: ["No moderators."]) }
      return CommandOutput(
        data: TextTable(head: RoomDetails.Moderator.columns, rows: moderators.map(\.row)).parts)
    }
  }

  static let communityModerator = Command(
    name: "community moderator",
    summary: "make a person a moderator or an admin of a room, or neither, as an admin",
    arguments: [.room, .author],
    options: [
      .init(name: "role", value: "moderator|admin|member", summary: "the role; moderator by default"),
      .timeout, .account,
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    guard let role = CommunityRole(rawValue: invocation["role"] ?? "moderator") else {
      throw invocation.misuse("--role is moderator, admin or member")
    }
    return try await invocation.moderating(io) { .appoint($0, role) }
  }

  static let communityDescribe = Command(
    name: "community describe",
    summary: "change the name or the description of a room, as an admin",
    arguments: [.room],
    options: [
      .init(name: "name", value: "NAME", summary: "the new name"),
      .init(name: "description", value: "TEXT", summary: "the new description; an empty one removes it"),
      .timeout, .account,
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let (name, description) = (invocation["name"], invocation["description"])
    guard name != nil || description != nil else {
      throw invocation.misuse("--name or --description is missing")
    }
    let room = try invocation.room(invocation.arguments[0])
    return try await invocation.acting(.describe(name: name, description: description), in: room, io)
  }
}

extension Command {
  static let communityImage = Command(
    name: "community image",
    summary: "change the picture of a room, as an admin",
    arguments: [.room, .init(name: "FILE|-", summary: "a PNG, JPEG, GIF or WebP image of up to 5 MB")],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    let picture = try io.picture(from: invocation.arguments[1])
    return try await invocation.changing(io) { messenger in
      try await messenger.setPicture(picture, ofRoom: room)
      return CommandOutput()
    }
  }
}

extension Command.Argument {
  fileprivate static let author = Self(
    name: "PERSON", summary: "the number of a message of theirs, or their id in the room")
}

extension Command.Option {
  fileprivate static let onServer = Self(
    name: "server", summary: "in all rooms of the server, as one of its moderators")
}

extension Invocation {
  /// Does something to a person in a room.
  fileprivate func moderating(
    _ io: CommandIO, _ action: @escaping @Sendable (SessionID) -> RoomAction
  ) async throws -> CommandOutput {
    let (room, word) = (try room(arguments[0]), arguments[1])
    return try await changing(io) { messenger in
      try await messenger.act(action(try await messenger.author(word, in: room)), in: room)
      return CommandOutput()
    }
  }

  fileprivate func seconds(_ option: String) throws(CommandFailure) -> Int64? {
    try self[option].map { (text) throws(CommandFailure) in try seconds(of: text, "--\(option)") }
  }

  fileprivate func seconds(of text: String, _ name: String) throws(CommandFailure) -> Int64 {
    guard let span = TimeSpan(text), (1..<1_000_000_000).contains(span.seconds) else {
      throw misuse("\(name) is a time, such as 10m or 7d, of less than 31 years")
    }
    return span.seconds
  }
}

extension Messenger {
  /// The person of a word: an id, or the author of a message with a number.
  fileprivate func author(_ word: String, in room: Conversation.ID) async throws -> SessionID {
    if let id = try? SessionID(parsing: word) { return id }
    guard let number = Int64(word), let message = try await message(MessageView.ID(rawValue: number)),
      message.conversation == room
    else {
      throw CommandFailure(
        status: .noUser,
        message: "'\(DisplayText.line(word))' is neither an id nor the number of a message in this room",
        advice: "'session show ROOM' prints the numbers of messages.")
    }
    return message.author
  }
}
