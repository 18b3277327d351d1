import SessionStorage

/// A room that is to be made.
public struct NewRoom: Hashable, Sendable {
  public let token: String
  public let name: String
  public let description: String?
  let defaults: RoomPermissions

  static let maxToken = 64
  static let maxName = 100
  static let maxDescription = 2000
  /// The first parts of all paths, which no room may be named as.
  static let reserved: Set<String> = [
    "batch", "capabilities", "favicon.ico", "files", "inbox", "legacy", "loki", "outbox", "oxen", "r", "room",
    "rooms", "sequence", "static", "user",
  ]

  /// Nil for a token, name or description that a room cannot have.
  public init?(token: String, name: String, description: String? = nil) {
    guard Self.isToken(token), !Self.reserved.contains(RoomRow.folded(token)),
      let name = Self.name(name), let description = Self.description(description)
    else { return nil }
    (self.token, self.name, self.description) = (token, name, description.isEmpty ? nil : description)
    defaults = .all
  }

  static func isToken(_ text: String) -> Bool {
    (1...maxToken).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// A name without control characters; nil for an empty or too long one.
  static func name(_ text: String) -> String? {
    let name = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 }))
    return (1...maxName).contains(name.unicodeScalars.count) ? name : nil
  }

  /// A description without control characters but tabs and new lines; nil for a too long one.
  static func description(_ text: String?) -> String? {
    let scalars = (text ?? "").unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" || $0 == "\n" }
    return scalars.count <= maxDescription ? String(String.UnicodeScalarView(scalars)) : nil
  }
}

extension WriteTransaction {
  /// Adds a room; false if there is one of this token, in whatever case.
  func add(_ room: NewRoom, now: Int64) throws(StorageError) -> Bool {
    guard try self.room(room.token) == nil else { return false }
    try insert(
      """
      INSERT INTO room (token, folded, name, description, created, defaults) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """, room.token, RoomRow.folded(room.token), room.name, room.description, now, room.defaults)
    return true
  }
}
