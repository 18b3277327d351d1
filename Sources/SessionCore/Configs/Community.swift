internal import CSessionCore

/// A community room that an account has joined.
public struct Community: Hashable, Sendable, Identifiable {
  /// The key of a room in configs: server and room in normal form, in lower case.
  public struct Place: Hashable, Sendable {
    public let server: String
    public let room: String

    /// Normalizes both.
    public init(server: String, room: String) throws(SessionError) {
      let (server, room) = (Array(server.utf8), Array(room.utf8))
      self = try server.lend { (server) throws(SessionError) in
        try room.lend { (room) throws(SessionError) in
          var community = sc_community()
          try Core.call { sc_community_make(&community, server, room, nil) }
          return Place(community)
        }
      }
    }

    /// The longest link, including the path prefix that some clients put before the room.
    private static let maxAddressBytes = Int(SC_COMMUNITY_MAX_LINK_CHARS) + 2

    /// Parses the address of a room, with or without the server's key.
    package init(address: String) throws(SessionError) {
      guard address.utf8.count <= Self.maxAddressBytes else { throw SessionError(SC_ERR_COMMUNITY_URL) }
      self = try Array(address.utf8).lend { (address) throws(SessionError) in
        var link = sc_community_link()
        try Core.call { sc_community_link_parse(&link, address) }
        let server = withUnsafeBytes(of: link.url) { Array($0.prefix(link.url_len)) }
        return try server.lend { (server) throws(SessionError) in
          var community = sc_community()
          try Core.call { sc_community_make(&community, server, link.room, nil) }
          return Community.Place(community)
        }
      }
    }

    init(_ community: sc_community) {
      server = withUnsafeBytes(of: community.url) {
        String(decoding: $0.prefix(community.url_len), as: UTF8.self)
      }
      room = withUnsafeBytes(of: community.room) {
        String(decoding: $0.prefix(community.room_len), as: UTF8.self)
      }
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
    spelling = withUnsafeBytes(of: community.spelling) {
      String(decoding: $0.prefix(community.community.room_len), as: UTF8.self)
    }
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
