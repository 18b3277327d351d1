internal import CSessionCore

/// The address of a community's room, with the key of its server.
public struct CommunityLink: Hashable, Sendable {
  /// Scheme, host in lower case, and the port unless it is the default: `https://example.org`.
  public let server: String
  /// In its original case; rooms are compared in lower case.
  public let room: String
  /// The server's public key, 32 bytes.
  public let serverKey: [UInt8]
}

extension CommunityLink: LosslessStringConvertible {
  /// Nil for anything else.
  public init?(_ description: String) {
    guard let link = try? CommunityLink(parsing: description) else { return nil }
    self = link
  }

  public init(parsing text: String) throws(SessionError) {
    self = try text.utf8.lend { (bytes) throws(SessionError) in
      var link = sc_community_link()
      let isLink = sc_community_link_parse_full(&link, bytes) == SC_OK
      try MessageRule.invitationURL.require(isLink && Self.isRoom(link.room))
      return CommunityLink(
        server: string(in: link.url, count: link.url_len), room: link.room.string,
        serverKey: array(link.key))
    }
  }

  /// Reads a link as people find or type it: without a scheme, from a web page of its server, with further parameters, or with
  /// the address that the server of the network's makers had before it had a name.
  public init(typed text: String) throws(SessionError) {
    let link = try CommunityLink(parsing: Self.essence(of: text.contains("://") ? text : "https://\(text)"))
    let aliases = ["https://116.203.70.33", "http://116.203.70.33", "http://open.getsession.org"]
    self.init(
      server: aliases.contains(link.server) ? "https://open.getsession.org" : link.server, room: link.room,
      serverKey: link.serverKey)
  }

  /// What a link says of its room and server.
  private static func essence(of text: String) -> String {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !text.contains("#") else { return text }
    let keys = parts[1].split(separator: "&", omittingEmptySubsequences: false).filter {
      $0.hasPrefix("public_key=")
    }
    // Of two keys one is a lie.
    guard keys.count == 1 else { return text }
    let isPage = parts[0].hasSuffix("/") && parts[0].dropLast().split(separator: "/").dropLast().last == "r"
    return "\(isPage ? parts[0].dropLast() : parts[0])?\(keys[0])"
  }

  public var description: String { "\(server)/\(room)?public_key=\(serverKey.hex)" }

  /// A link may contain any text; room names on servers are restricted.
  private static func isRoom(_ room: sc_bytes) -> Bool {
    var normal = [CChar](repeating: 0, count: Int(SC_COMMUNITY_MAX_ROOM_CHARS) + 1)
    var count = 0
    return sc_community_room_normalize(&normal, &count, room) == SC_OK
  }
}
