internal import CSessionCore

/// A community room that an account has joined.
public struct Community: Hashable, Sendable, Identifiable {
  /// The key of a room in configs: server and room in normal form, in lower case.
  public struct Place: Hashable, Sendable {
    public let server: String
    public let room: String

    /// Normalizes both.
    public init(server: String, room: String) throws(SessionError) {
      self = try Core.lend(server.utf8, room.utf8, Self.normal)
    }

    private static func normal(_ server: sc_bytes, _ room: sc_bytes) throws(SessionError) -> Place {
      var community = sc_community()
      try Core.call { sc_community_make(&community, server, room, nil) }
      return Place(community)
    }

    /// The longest link, including the path prefix that some clients put before the room.
    private static let maxAddressBytes = Int(SC_COMMUNITY_MAX_LINK_CHARS) + 2

    /// Parses the address of a room, with or without the server's key.
    package init(address: String) throws(SessionError) {
      guard address.utf8.count <= Self.maxAddressBytes else { throw SessionError(SC_ERR_COMMUNITY_URL) }
      self = try address.utf8.lend { (address) throws(SessionError) in
        var link = sc_community_link()
        try Core.call { sc_community_link_parse(&link, address) }
        return try string(in: link.url, count: link.url_len).utf8.lend { (server) throws(SessionError) in
          try Self.normal(server, link.room)
        }
      }
    }

    init(_ community: sc_community) {
      server = string(in: community.url, count: community.url_len)
      room = string(in: community.room, count: community.room_len)
    }
  }

  public let id: Place
  /// The server's key, 32 bytes; all rooms of a server share it.
  public let serverKey: [UInt8]
  /// The room's name for display, in its original case.
  public let spelling: String
  public var membership: Membership
}

extension Community {
  init(_ community: sc_user_community) {
    id = Place(community.community)
    serverKey = array(community.community.key)
    spelling = string(in: community.spelling, count: community.community.room_len)
    membership = Membership(community.membership)
  }
}

/// A group of the old kind. New ones cannot be created; existing ones are read and kept.
public struct LegacyGroup: Hashable, Sendable, Identifiable {
  public let id: SessionID
  public var membership: Membership
  public let name: String
  /// The seconds after which messages disappear; 0 for never.
  public let disappearsAfterSeconds: Int32

  init(_ group: sc_legacy_group) throws(SessionError) {
    id = SessionID(group.id)
    membership = Membership(group.membership)
    name = try group.name.shown()
    disappearsAfterSeconds = group.expiry_s
  }
}
