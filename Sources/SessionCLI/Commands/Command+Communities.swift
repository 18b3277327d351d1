import SessionCore
import SessionDaemon
import SessionMessaging

extension Command {
  static let communityJoin = Command(
    name: "community join",
    summary: "join a room of a community",
    discussion: """
      A community is a server with rooms that many people read. Its operator sees all messages, and a room shows what its
      server says. Anyone there can compute your account id from the id under which you write. Commands find a room by
      its address.
      """,
    arguments: [
      .init(name: "URL", summary: "the link of the room, which ends with the key of its server")
    ],
    options: [.timeout, .account, .json],
    examples: [
      .init(
        line: "session community join 'https://chat.example.org/lobby?public_key=…'",
        summary: "join a room, and print its address")
    ],
    rpc: .method(.manage)
  ) { invocation, io in
    let link = try invocation.link(invocation.arguments[0])
    return try await invocation.changing(io, showing: "joining the room") { messenger in
      let id = try await messenger.joinRoom(link)
      let room = try await messenger.rooms().first { $0.id == id }
      var notes: [String] = []
      if room?.state == .joining {
        notes.append(
          "The server has not answered yet. Joining goes on; 'session community list' shows how far it is.")
      }
      if link.server.hasPrefix("http://") {
        notes.append(
          "This address is not protected by TLS. Your requests are encrypted to the server's key all the same."
        )
      }
      guard invocation.has("json") else {
        return CommandOutput(data: [.text(id.description)], notes: notes)
      }
      return room.map { CommandOutput(json: $0.json) } ?? CommandOutput()
    }
  }

  static let communityList = Command(
    name: "community list",
    summary: "list the rooms that you are in",
    options: [.account, .json],
    rpc: .method(.read)
  ) { invocation, io in
    try await invocation.reading(io) { messenger in
      let rooms = try await messenger.rooms()
      guard !invocation.has("json") else { return CommandOutput(lines: rooms.map(\.json)) }
      guard !rooms.isEmpty else { return CommandOutput(notes: ["No rooms."]) }
      return CommandOutput(data: TextTable(head: RoomView.columns, rows: rooms.map(\.row)).parts)
    }
  }

  static let communityLeave = Command(
    name: "community leave",
    summary: "leave a room and delete its conversation on all of your devices",
    arguments: [.room],
    options: [.timeout, .account],
    rpc: .method(.manage)
  ) { invocation, io in
    let room = try invocation.room(invocation.arguments[0])
    return try await invocation.changing(io) { messenger in
      try await messenger.leaveRoom(room)
      return CommandOutput()
    }
  }
}

extension Command.Argument {
  static let room = Self(
    name: "ROOM", summary: "the address of a room, as 'session community list' shows it")
}

extension Invocation {
  /// The link of a room.
  fileprivate func link(_ text: String) throws(CommandFailure) -> CommunityLink {
    guard let link = try? CommunityLink(typed: text) else {
      throw .usage(
        "'\(DisplayText.line(text))' is not the link of a room",
        advice: "A link is an address such as https://chat.example.org/lobby?public_key=…, in quotes.")
    }
    return link
  }

  /// The room of an address, with or without the server's key.
  func room(_ text: String) throws(CommandFailure) -> Conversation.ID {
    guard let id = try? Conversation.ID(parsing: text), case .room = id else {
      throw .usage(
        "'\(DisplayText.line(text))' is not the address of a room",
        advice: "'session community list' shows your rooms.")
    }
    return id
  }
}
