internal import CSessionCore

/// A namespace for what identifies conversations.
public enum Conversation {
  /// Names a conversation, on this device and on all others.
  public enum ID: Hashable, Sendable {
    /// A person (05), notes to ourselves (our own id), or somebody met in a community (15, 25).
    case person(SessionID)
    /// A group (03).
    case group(SessionID)
    /// A room of a community server.
    case room(Community.Place)
  }
}

extension Conversation.ID {
  /// The conversation with whoever the id names; nil for ids that nobody talks to (00, 07).
  public init?(_ id: SessionID) {
    switch id.kind {
    case .standard, .blinded15, .blinded25: self = .person(id)
    case .group: self = .group(id)
    case .unblinded, .version: return nil
    }
  }

  /// The account or group; nil for a room.
  public var account: SessionID? {
    switch self {
    case .person(let id), .group(let id): id
    case .room: nil
    }
  }

  /// False for a case that was built by hand with an id of another kind.
  public var isValid: Bool { account.map { Self($0) == self } ?? true }
}

// MARK: - Text

extension Conversation.ID: LosslessStringConvertible {
  /// The longest link, with the folder that some clients put in front of the room.
  private static let maxBytes = Int(SC_COMMUNITY_MAX_LINK_CHARS) + 2

  /// 66 digits in lower case; for a room, the server's address, `/` and the room, in lower case and without a key.
  public var description: String {
    switch self {
    case .person(let id), .group(let id): id.description
    case .room(let room): room.server + "/" + room.room
    }
  }

  /// Takes the one text form that ``description`` gives; nil for any other spelling. ``init(parsing:)`` takes what people
  /// write, and says what is wrong with it.
  public init?(_ description: String) {
    guard let id = try? Self(parsing: description), id.description == description else { return nil }
    self = id
  }

  /// Reads an id in either case, or the address of a room in any spelling, with or without the server's key.
  public init(parsing text: String) throws(SessionError) {
    guard text.contains("://") else {
      try self.init(digits: text)
      return
    }
    guard text.utf8.count <= Self.maxBytes else { throw SessionError(SC_ERR_COMMUNITY_URL) }
    self = .room(try Community.Place(address: text))
  }

  private init(digits: String) throws(SessionError) {
    let id = try SessionID(parsing: digits)
    guard let conversation = Self(id) else {
      throw SessionError(
        .recipient, "no conversation is possible with an id that begins with \(id.kind.prefix) (\(id.kind))")
    }
    self = conversation
  }
}

extension Community.Place {
  /// The room that an address names, whether or not the server's key stands behind it.
  fileprivate init(address: String) throws(SessionError) {
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
}

extension Conversation.ID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this is not the name of a conversation")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Conversation.ID: Comparable {
  /// Persons come before groups, and groups before rooms; within each, the text decides.
  public static func < (a: Self, b: Self) -> Bool {
    (a.rank, a.description) < (b.rank, b.description)
  }

  private var rank: Int {
    switch self {
    case .person: 0
    case .group: 1
    case .room: 2
    }
  }
}
