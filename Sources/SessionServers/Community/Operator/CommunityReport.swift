/// What an order led to.
public enum CommunityReport: Codable, Hashable, Sendable {
  case rooms([RoomReport])
  case people([PersonReport])
  case log([LogReport])
  case history([HistoryReport])
  /// Something was done, as often as this.
  case done(Int)
}

/// A room, as its operator sees it.
public struct RoomReport: Codable, Hashable, Sendable {
  public let token, name: String
  public let description: String?
  /// The link by which clients join it.
  public let link: String
  /// The letters of what everybody may do: see ``PermissionSettings``.
  public let permissions: String
  public let messages: Int
  public let activeUsers: Int
  public let hasImage: Bool
  public let slow, newcomerWrite, newcomerUpload: Int
  /// Days; nil for ever.
  public let retention: Int?
}

/// A person in a room or on the whole server.
public struct PersonReport: Codable, Hashable, Sendable {
  /// The id that they signed with last, or that they were named by.
  public let id: String
  /// Nil for the server.
  public let room: String?
  public var role: OperatorRole?
  public var isHidden: Bool?
  public var isBanned: Bool?
  /// When a ban ends: milliseconds since 1970.
  public var until: Int64?
  /// When they read the room last, and when they came first.
  public var lastActive, created: Int64?
  /// What they may do beyond what everybody may, `+w-u`.
  public var permissions: String?

  init(id: String, room: String?) { (self.id, self.room) = (id, room) }
}

/// An action of a moderator.
public struct LogReport: Codable, Hashable, Sendable {
  public let id, at: Int64
  public let what: String
  public let room, actor, whom: String?
  public let message, until: Int64?
}

/// A former text of a message.
public struct HistoryReport: Codable, Hashable, Sendable {
  /// When it was deleted or edited.
  public let at: Int64
  public let actor: String?
  /// The content of the message, as it was signed.
  public let data: [UInt8]?
}
