import SessionBase
public import SessionCore

// MARK: - Messages between two people

extension CommunityCall where Answer == CommunityLetterPage {
  /// The messages that others sent us after one.
  public static func inbox(
    since number: Int64, limit: Int = CommunityLetterPage.maxSize
  ) -> CommunityCall {
    CommunityCall(request("inbox", number, limit), unchanged: .empty, read: page)
  }

  /// The messages that we sent after one.
  public static func outbox(
    since number: Int64, limit: Int = CommunityLetterPage.maxSize
  ) -> CommunityCall {
    CommunityCall(request("outbox", number, limit), unchanged: .empty, read: page)
  }

  private static func request(_ box: String, _ number: Int64, _ limit: Int) -> CommunityRequest {
    CommunityRequest(.get, "/\(box)/since/\(number)", query: "limit=\(limit)")
  }

  private static func page(_ reply: CommunityReply) throws(NetworkFailure) -> CommunityLetterPage {
    try CommunityLetter.page(try reply.json(), bytes: reply.body.count)
  }
}

/// The server's confirmation of a message to one person.
public struct CommunityLetterReceipt: Hashable, Sendable {
  public let number: Int64
  public let postedAt: MessageTime
}

extension CommunityCall where Answer == CommunityLetterReceipt {
  /// Sends a sealed message to a blinded id of the server.
  public static func send(_ sealed: [UInt8], to recipient: SessionID) -> CommunityCall {
    let body = JSONValue.object([.init("message", .string(sealed.base64))]).description
    return CommunityCall(CommunityRequest(.post, "/inbox/\(recipient)", body: .json(body))) {
      reply throws(NetworkFailure) in
      let json = try reply.json()
      guard let number = json["id"]?.count, let postedAt = json["posted_at"]?.time else {
        throw .malformed("it has no number of the message")
      }
      return CommunityLetterReceipt(number: number, postedAt: postedAt)
    }
  }
}

extension CommunityCall where Answer == Void {
  /// Deletes everything in our inbox.
  public static var emptyInbox: CommunityCall { CommunityCall(CommunityRequest(.delete, "/inbox")) { _ in } }
}

// MARK: - Moderation

/// Where a moderator's action applies.
public enum CommunityScope: Hashable, Sendable {
  case room(Community.Place)
  case server

  fileprivate var member: JSONValue.Member {
    switch self {
    case .room(let room): .init("rooms", .array([.string(room.room)]))
    case .server: .init("global", true)
    }
  }
}

/// The rights of somebody over others.
public enum CommunityRole: String, Hashable, Sendable, Codable, CaseIterable {
  case member, moderator, admin
}

extension CommunityCall where Answer == Void {
  /// Bans somebody for a time, or without an end.
  public static func ban(_ person: SessionID, from scope: CommunityScope, for time: Duration? = nil)
    -> CommunityCall
  {
    var members = [scope.member]
    if let time { members.append(.init("timeout", .integer(time.components.seconds))) }
    return act(person, "ban", members)
  }

  public static func unban(_ person: SessionID, from scope: CommunityScope) -> CommunityCall {
    act(person, "unban", [scope.member])
  }

  public static func appoint(_ person: SessionID, _ role: CommunityRole, in scope: CommunityScope)
    -> CommunityCall
  {
    let members: [JSONValue.Member] = [
      scope.member, .init("moderator", .boolean(role != .member)), .init("admin", .boolean(role == .admin)),
      .init("visible", true),
    ]
    return act(person, "moderator", members)
  }

  /// Lets somebody write in a room or not, whatever is usual there: at once, or after a time.
  public static func setWriting(
    _ mayWrite: Bool, _ person: SessionID, in room: Community.Place, after delay: Duration? = nil
  ) -> CommunityCall {
    var members = [JSONValue.Member("write", .boolean(mayWrite))]
    if let delay { members.append(.init("in", .integer(delay.components.seconds))) }
    let name = delay == nil ? "permissions" : "futurePermissions"
    let body = JSONValue.object(members).description
    return CommunityCall(
      CommunityRequest(.post, "/room/\(room.room)/\(name)/\(person)", body: .json(body))
    ) { _ in }
  }

  /// Gives somebody again the right to write that is usual in a room, and drops what was to follow.
  public static func resetWriting(_ person: SessionID, in room: Community.Place) -> CommunityCall {
    let body = JSONValue.object([JSONValue.Member("default_write", .boolean(true))]).description
    return CommunityCall(
      CommunityRequest(.post, "/room/\(room.room)/permissions/\(person)", body: .json(body))
    ) { _ in }
  }

  /// Changes the name or the description of a room, or its picture, an uploaded file. An empty description removes it.
  public static func describe(
    _ room: Community.Place, name: String? = nil, description: String? = nil, image: Int64? = nil
  ) -> CommunityCall {
    var members: [JSONValue.Member] = []
    if let name { members.append(.init("name", .string(name))) }
    if let description {
      members.append(.init("description", description.isEmpty ? .null : .string(description)))
    }
    if let image { members.append(.init("image", .integer(image))) }
    let body = JSONValue.object(members).description
    return CommunityCall(CommunityRequest(.put, "/room/\(room.room)", body: .json(body))) { _ in }
  }

  private static func act(_ person: SessionID, _ action: String, _ members: [JSONValue.Member])
    -> CommunityCall
  {
    let body = JSONValue.object(members).description
    return CommunityCall(CommunityRequest(.post, "/user/\(person)/\(action)", body: .json(body))) { _ in }
  }

  /// Deletes all messages of somebody.
  public static func deleteAll(by person: SessionID, in scope: CommunityScope) -> CommunityCall {
    let path =
      switch scope {
      case .room(let room): "/room/\(room.room)/all/\(person)"
      case .server: "/rooms/all/\(person)"
      }
    return CommunityCall(CommunityRequest(.delete, path)) { _ in }
  }
}
