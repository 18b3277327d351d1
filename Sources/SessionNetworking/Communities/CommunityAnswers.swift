import SessionBase
public import SessionCore

/// What a community server can do.
public struct CommunityCapabilities: Hashable, Sendable {
  public static let blinding = "blind"
  public static let blinding25 = "blind25"
  public static let reactions = "reactions"
  public static let community = "sogs"

  public let names: [String]

  public func has(_ name: String) -> Bool { names.contains(name) }

  private static let maxCount = 64
  private static let maxBytes = 64

  init(_ json: JSONValue) throws(NetworkFailure) {
    guard case .array(let elements)? = json["capabilities"], elements.count <= Self.maxCount else {
      throw .malformed("it has no list of capabilities")
    }
    let names = elements.compactMap(\.string).filter { $0.utf8.count <= Self.maxBytes }
    guard names.count == elements.count else { throw .malformed("a capability is not a short text") }
    self.names = Set(names).sorted()
  }
}

/// What we may do in a room. The values are stored.
public struct CommunityPermissions: OptionSet, Hashable, Sendable {
  public let rawValue: Int64

  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static let read = CommunityPermissions(rawValue: 1)
  public static let write = CommunityPermissions(rawValue: 2)
  public static let upload = CommunityPermissions(rawValue: 4)
  public static let moderator = CommunityPermissions(rawValue: 8)
  public static let admin = CommunityPermissions(rawValue: 16)
  public static let globalModerator = CommunityPermissions(rawValue: 32)
  public static let globalAdmin = CommunityPermissions(rawValue: 64)

  private static let names: [(String, CommunityPermissions)] = [
    ("read", .read), ("write", .write), ("upload", .upload), ("moderator", .moderator), ("admin", .admin),
    ("global_moderator", .globalModerator), ("global_admin", .globalAdmin),
  ]

  /// Reads the flags of a room. Moderators may do what members may, and admins what moderators may.
  init(_ json: JSONValue) throws(NetworkFailure) {
    self = []
    for (name, permission) in Self.names {
      switch json[name] {
      case nil, .null?, .boolean(false)?: break
      case .boolean(true)?: insert(permission)
      default: throw .malformed("a permission is neither true nor false")
      }
    }
    if contains(.globalAdmin) { insert(.globalModerator) }
    if contains(.globalModerator) { insert(.moderator) }
    if contains(.globalAdmin) { insert(.admin) }
    if contains(.admin) { insert(.moderator) }
    if contains(.moderator) { formUnion([.read, .write, .upload]) }
  }
}

/// A room, as its server describes it.
public struct CommunityRoom: Hashable, Sendable {
  /// A message that moderators pinned.
  public struct Pin: Hashable, Sendable {
    public let number: Int64
    public let pinnedAt: MessageTime
    public let pinnedBy: SessionID?
  }

  /// Somebody who moderates a room.
  public struct Moderator: Hashable, Sendable {
    public let id: SessionID
    public let isAdmin: Bool
    /// True if only other moderators see it.
    public let isHidden: Bool
  }

  /// The name in addresses, as the server spells it.
  public let token: String
  public let name: String
  public let description: String?
  /// Counts the changes of everything here except the messages.
  public let infoUpdates: Int64
  /// The largest sequence number of a message; nil in old replies.
  public let messageSequence: Int64?
  /// When the room was created.
  public let createdAt: MessageTime?
  public let activeUsers: Int64
  public let imageID: Int64?
  public let pins: [Pin]
  public let moderators: [Moderator]
  public let permissions: CommunityPermissions
  /// True if everyone may write who is not told otherwise; nil if the server does not say, which it does to moderators.
  public let membersMayWrite: Bool?

  static let maxName = 256
  static let maxDescription = 4096
  static let maxPins = 100
  static let maxModerators = 1000

  init(_ json: JSONValue) throws(NetworkFailure) {
    guard let token = json["token"]?.string, Self.isToken(token),
      let name = json["name"]?.string, let infoUpdates = json["info_updates"]?.count
    else { throw .malformed("a room has no name") }
    self.token = token
    self.name = name.cut(to: Self.maxName)
    description = try json.text("description")?.cut(to: Self.maxDescription)
    self.infoUpdates = infoUpdates
    messageSequence = json["message_sequence"]?.count
    createdAt = json["created"]?.time
    activeUsers = json["active_users"]?.count ?? 0
    imageID = json["image_id"]?.number
    pins = Self.pins(json["pinned_messages"])
    moderators = Self.moderators(json)
    membersMayWrite = json["default_write"]?.boolean
    permissions = try CommunityPermissions(json)
  }

  /// True for a name that can stand in a path.
  private static func isToken(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  private static func pins(_ json: JSONValue?) -> [Pin] {
    guard case .array(let elements)? = json else { return [] }
    var numbers: Set<Int64> = []
    let pins = elements.compactMap { element -> Pin? in
      guard let number = element["id"]?.count, let pinnedAt = element["pinned_at"]?.time else { return nil }
      return Pin(number: number, pinnedAt: pinnedAt, pinnedBy: element["pinned_by"]?.author)
    }
    return Array(
      pins.sorted { $0.pinnedAt < $1.pinnedAt }.filter { numbers.insert($0.number).inserted }.prefix(maxPins))
  }

  /// Admin wins over moderator, and visible over hidden.
  private static func moderators(_ json: JSONValue) -> [Moderator] {
    var found: [SessionID: Moderator] = [:]
    var order: [SessionID] = []
    for (name, isAdmin, isHidden) in [
      ("admins", true, false), ("moderators", false, false), ("hidden_admins", true, true),
      ("hidden_moderators", false, true),
    ] {
      guard case .array(let elements)? = json[name] else { continue }
      for id in elements.lazy.compactMap(\.author) {
        if let known = found[id] {
          found[id] = Moderator(
            id: id, isAdmin: known.isAdmin || isAdmin, isHidden: known.isHidden && isHidden)
        } else if order.count < maxModerators {
          found[id] = Moderator(id: id, isAdmin: isAdmin, isHidden: isHidden)
          order.append(id)
        }
      }
    }
    return order.compactMap { found[$0] }
  }
}

/// The state of a room, and its description if that has changed.
public struct CommunityPoll: Hashable, Sendable {
  public let activeUsers: Int64
  public let permissions: CommunityPermissions
  public let details: CommunityRoom?

  init(_ room: CommunityRoom) {
    (activeUsers, permissions, details) = (room.activeUsers, room.permissions, room)
  }

  init(_ json: JSONValue) throws(NetworkFailure) {
    guard case .object = json else { throw .malformed("it has no state of a room") }
    activeUsers = json["active_users"]?.count ?? 0
    permissions = try CommunityPermissions(json)
    switch json["details"] {
    case nil, .null?: details = nil
    case let room?: details = try CommunityRoom(room)
    }
  }
}

// MARK: - Values

extension JSONValue {
  /// The largest number that all servers count exactly.
  private static let largest: Int64 = 1 << 53

  /// A number of something: not negative, and not larger than servers count.
  var count: Int64? { integer.flatMap { (0...Self.largest).contains($0) ? $0 : nil } }

  /// The same, also as a text of digits.
  var number: Int64? {
    if let text = string {
      return Int64(text).flatMap { "\($0)" == text ? JSONValue.integer($0).count : nil }
    }
    return count
  }

  /// A time in seconds since 1970. All clients take the same millisecond: that of the nearest double, rounded down.
  var time: MessageTime? {
    let seconds: Double
    switch self {
    case .integer(let number): seconds = Double(number)
    case .decimal(let number): seconds = number
    default: return nil
    }
    guard seconds >= 0, seconds < 8_796_093_022_208 else { return nil }
    return try? MessageTime(milliseconds: UInt64((seconds * 1000).rounded(.down)))
  }

  /// The id of an author or a moderator. Servers spell them in lower case.
  var author: SessionID? {
    guard let text = string, let id = SessionID(text), id.description == text,
      [.standard, .blinded15, .blinded25].contains(id.kind)
    else { return nil }
    return id
  }

  /// A text that may be missing. Throws for another value.
  func text(_ name: String) throws(NetworkFailure) -> String? {
    switch self[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw .malformed("\(name) is not a text")
    }
  }
}

extension String {
  /// The beginning of a long text.
  fileprivate func cut(to count: Int) -> String {
    guard unicodeScalars.count > count else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.prefix(count)))
  }
}
