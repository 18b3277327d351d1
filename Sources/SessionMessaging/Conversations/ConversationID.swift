public import SessionCore

/// A namespace for conversation ids.
public enum Conversation {
  /// Identifies a conversation, on this device and on all others.
  public enum ID: Hashable, Sendable {
    /// A person (05), Note to Self (our own id), or a person met in a community (15, 25).
    case person(SessionID)
    /// A group (03).
    case group(SessionID)
    /// A room of a community server.
    case room(Community.Place)
  }
}

extension Conversation.ID {
  /// The conversation with an account or group; nil for ids that cannot be written to (00, 07).
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

  var isPerson: Bool {
    if case .person = self { true } else { false }
  }

  /// False for a case that was built by hand with an id of another kind.
  public var isValid: Bool { account.map { Self($0) == self } ?? true }
}

// MARK: - Text

extension Conversation.ID: LosslessStringConvertible {
  /// 66 lower-case hexadecimal digits; for a room, the server's address, `/` and the room, in lower case and without
  /// a key.
  public var description: String {
    switch self {
    case .person(let id), .group(let id): id.description
    case .room(let room): room.server + "/" + room.room
    }
  }

  /// Parses exactly the form that ``description`` returns; nil for any other spelling. ``init(parsing:)`` accepts
  /// user input and reports what is wrong with it.
  public init?(_ description: String) {
    guard let id = try? Self(parsing: description), id.description == description else { return nil }
    self = id
  }

  /// Parses an id in either case, or the address of a room in any spelling, with or without the server's key.
  public init(parsing text: String) throws(SessionError) {
    guard text.contains("://") else {
      try self.init(digits: text)
      return
    }
    self = .room(try Community.Place(address: text))
  }

  private init(digits: String) throws(SessionError) {
    let id = try SessionID(parsing: digits)
    guard let conversation = Self(id) else {
      throw SessionError(
        .recipient, "ids that begin with \(id.kind.prefix) (\(id.kind)) cannot have conversations")
    }
    self = conversation
  }
}

extension Conversation.ID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = Self(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "this is not a conversation id")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension Conversation.ID: Comparable {
  /// People come before groups, and groups before rooms; within each, the text decides.
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

// MARK: - Read marks

extension ReadMark.Place {
  public init?(_ conversation: Conversation.ID) {
    switch conversation {
    case .person(let id) where id.kind == .standard: self = .contact(id)
    case .person(let id) where id.kind == .blinded15 || id.kind == .blinded25: self = .blinded(id)
    case .group(let id) where id.kind == .group: self = .group(id)
    case .room(let room): self = .community(room)
    case .person, .group: return nil
    }
  }

  /// Nil for a legacy group, which is not a conversation.
  public var conversation: Conversation.ID? {
    switch self {
    case .contact(let id), .blinded(let id): .person(id)
    case .group(let id): .group(id)
    case .community(let room): .room(room)
    case .legacyGroup: nil
    }
  }
}
