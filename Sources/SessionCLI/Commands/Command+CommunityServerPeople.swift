import SessionCore
import SessionServers

extension Command {
  static let serverModeratorAdd = Command(
    name: "server community moderator add",
    summary: "make people moderators or admins of rooms or of the whole server",
    discussion: "A person may be named before they have come.",
    arguments: [.people],
    options: [
      .peopleRoom, .allRooms, .wholeServer,
      .init(name: "admin", summary: "as admins, who also change rooms and appoint moderators"),
      .init(name: "hidden", summary: "do not show the role to members"), .communityServerConfig,
      .json,
    ],
    examples: [
      .init(
        line:
          "session server community moderator add 05… --room lounge --admin --config chat/community-server.toml",
        summary: "make somebody admin of a room")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(
      .appoint(
        invocation.arguments, invocation.has("admin") ? .admin : .moderator,
        isHidden: invocation.has("hidden"), try invocation.operatorScope()), io)
    return invocation.done(report, "appointed")
  }

  static let serverModeratorRemove = Command(
    name: "server community moderator remove",
    summary: "take the role of moderators and admins away",
    arguments: [.people],
    options: [.peopleRoom, .allRooms, .wholeServer, .communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(
      .appoint(invocation.arguments, .member, isHidden: false, try invocation.operatorScope()), io)
    return invocation.done(report, "dismissed")
  }

  static let serverModeratorList = Command(
    name: "server community moderator list",
    summary: "list moderators and admins, of the server first and then of its rooms",
    options: [.oneRoom, .communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    try await invocation.order(.listModerators(room: invocation["room"]), io)
      .output(asJSON: invocation.has("json"))
  }

  static let serverBan = Command(
    name: "server community ban",
    summary: "ban people from rooms or from the whole server",
    arguments: [.people],
    options: [
      .peopleRoom, .allRooms, .wholeServer,
      .init(name: "for", value: "TIME", summary: "for a time, such as 12h or 7d; for ever by default"),
      .init(name: "delete", summary: "also delete their messages there"), .communityServerConfig,
      .json,
    ],
    examples: [
      .init(
        line: "session server community ban 15… --room lounge --for 2d --config chat/community-server.toml",
        summary: "ban somebody from a room for two days")
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(
      .ban(
        invocation.arguments, try invocation.operatorScope(), span: try invocation.span("for"),
        deletes: invocation.has("delete")), io)
    return invocation.done(report, "banned")
  }

  static let serverUnban = Command(
    name: "server community unban",
    summary: "lift bans from rooms or from the whole server",
    arguments: [.people],
    options: [.peopleRoom, .allRooms, .wholeServer, .communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let report = try await invocation.order(
      .unban(invocation.arguments, try invocation.operatorScope()), io)
    return invocation.done(report, "not banned any more")
  }

  static let serverBans = Command(
    name: "server community bans",
    summary: "list those who are banned from a room, or from the whole server",
    options: [.oneRoom, .communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    try await invocation.order(.listBans(room: invocation["room"]), io)
      .output(asJSON: invocation.has("json"))
  }

  static let serverPermission = Command(
    name: "server community permission",
    summary: "change what one person may do in a room",
    discussion: """
      PERMISSION is +w to give, -u to take, or .r to let them what everybody has: r is to read, w to write, u to upload,
      a to see a room that they may not read. Write - before words that begin with it: 'permission ID -- -u'.
      """,
    arguments: [
      .init(name: "PERSON", summary: "an id that begins with 05, 15 or 25"),
      .init(name: "PERMISSION", summary: "a mark and letters, such as +w", isRepeated: true),
    ],
    options: [
      .init(name: "room", value: "ROOM", summary: "the room", isRequired: true),
      .init(name: "for", value: "TIME", summary: "for a time, such as 12h or 7d; for ever by default"),
      .communityServerConfig, .json,
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    let settings = try invocation.permissionSettings(Array(invocation.arguments.dropFirst()))
    let report = try await invocation.order(
      .permit(
        person: invocation.arguments[0], room: invocation.required("room"), settings,
        span: try invocation.span("for")), io)
    return report.output(asJSON: invocation.has("json"))
  }

  static let serverMembers = Command(
    name: "server community members",
    summary: "list those who read a room, the last one first",
    arguments: [.roomToken],
    options: [
      .init(name: "active", value: "TIME", summary: "only those who have read it within a time, such as 7d"),
      .communityServerConfig, .json,
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    try await invocation.order(
      .listMembers(room: invocation.arguments[0], span: try invocation.span("active")), io
    ).output(asJSON: invocation.has("json"))
  }

  static let serverMessagesDelete = Command(
    name: "server community messages delete",
    summary: "delete messages of a room",
    arguments: [
      .roomToken, .init(name: "NUMBER", summary: "the number of a message", isRepeated: true),
    ],
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    let numbers = invocation.arguments.dropFirst().map { Int64($0) }
    guard numbers.allSatisfy({ $0 != nil }) else { throw invocation.misuse("NUMBER is a number") }
    let report = try await invocation.order(
      .deleteMessages(room: invocation.arguments[0], numbers.compactMap { $0 }), io)
    return invocation.done(report, "deleted")
  }

  static let serverHistory = Command(
    name: "server community history",
    summary: "show the former texts of a message that are kept",
    discussion: "The setting history_days says how long texts are kept that moderators deleted.",
    arguments: [.roomToken, .init(name: "NUMBER", summary: "the number of the message")],
    options: [.communityServerConfig, .json],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard let number = Int64(invocation.arguments[1]) else { throw invocation.misuse("NUMBER is a number") }
    return try await invocation.order(.showHistory(room: invocation.arguments[0], message: number), io)
      .output(asJSON: invocation.has("json"))
  }

  static let serverLog = Command(
    name: "server community log",
    summary: "list the actions of moderators",
    options: [
      .oneRoom, .init(name: "since", value: "NUMBER", summary: "only those after the one of this number"),
      .communityServerConfig, .json,
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    guard let since = Int64(invocation["since"] ?? "0") else {
      throw invocation.misuse("--since is a number")
    }
    return try await invocation.order(.showLog(room: invocation["room"], since: since, limit: 1000), io)
      .output(asJSON: invocation.has("json"))
  }
}

extension Command.Argument {
  fileprivate static let people = Self(
    name: "PERSON", summary: "an id that begins with 05, 15 or 25", isRepeated: true)
}

extension Command.Option {
  fileprivate static let peopleRoom = Self(
    name: "room", value: "ROOM", summary: "in this room", isRepeated: true)
  fileprivate static let allRooms = Self(name: "all-rooms", summary: "in each room that there is now")
  fileprivate static let wholeServer = Self(name: "global", summary: "on the whole server")
  fileprivate static let oneRoom = Self(name: "room", value: "ROOM", summary: "of this room only")
}

extension Invocation {
  /// Where an order about people applies: exactly one of the three options says it.
  fileprivate func operatorScope() throws(CommandFailure) -> OperatorScope {
    switch (all("room").isEmpty, has("all-rooms"), has("global")) {
    case (false, false, false): return .rooms(all("room"))
    case (true, true, false): return .allRooms
    case (true, false, true): return .server
    default: throw misuse("give one of --room, --all-rooms and --global")
    }
  }

  /// A time as milliseconds; nil if it was not given.
  fileprivate func span(_ option: String) throws(CommandFailure) -> Int64? {
    guard let text = self[option] else { return nil }
    guard let span = TimeSpan(text), span.seconds > 0, span.seconds < 1_000_000_000 else {
      throw misuse("--\(option) is a time, such as 90s, 12h or 7d")
    }
    return span.seconds * 1000
  }

  /// What a command says that has changed something for so many.
  func done(_ report: CommunityReport, _ what: String) -> CommandOutput {
    guard case .done(let count) = report else { return CommandOutput() }
    var output = has("json") ? CommandOutput(json: ["count": .integer(UInt64(count))]) : CommandOutput()
    output.notes = ["\(count) \(what)"]
    return output
  }
}
