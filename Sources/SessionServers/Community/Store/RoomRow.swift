import SessionStorage

/// What members of a room may do, by the stored bits of its defaults.
struct RoomPermissions: OptionSet, Hashable, Sendable, DatabaseValue {
  let rawValue: Int64

  static let read = RoomPermissions(rawValue: 1)
  static let write = RoomPermissions(rawValue: 2)
  static let upload = RoomPermissions(rawValue: 4)
  /// Counts only without `read`: the room is listed, and nothing of its content is shown.
  static let accessible = RoomPermissions(rawValue: 8)
  static let all: RoomPermissions = [.read, .write, .upload, .accessible]
}

struct RoomRow: Record, Hashable {
  static let columns: SQL = """
    id, token, name, description, image, created, sequence, info, active, lastPosted, defaults, slow, newcomerWrite, \
    newcomerUpload, retention
    """

  let id: Int64
  let token: String
  let name: String
  let description: String?
  let image: Int64?
  let created: Int64
  /// The number of its last change.
  let sequence: Int64
  /// Counts the changes of its description.
  let info: Int64
  /// Counted every minute.
  let activeUsers: Int64
  let lastPosted: Int64
  let defaults: RoomPermissions
  /// Seconds between two posts of a person.
  let slow: Int64
  /// Minutes until a newcomer may write, and upload.
  let newcomerWrite, newcomerUpload: Int64
  /// Days that messages are kept; nil for ever.
  let retention: Int64?

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    token = try row[1]
    name = try row[2]
    description = try row[3]
    image = try row[4]
    created = try row[5]
    sequence = try row[6]
    info = try row[7]
    activeUsers = try row[8]
    lastPosted = try row[9]
    defaults = try row[10]
    slow = try row[11]
    newcomerWrite = try row[12]
    newcomerUpload = try row[13]
    retention = try row[14]
  }

  /// Tokens are compared without case.
  static func folded(_ token: String) -> String { token.lowercased() }
}

extension Reading where Self: ~Copyable {
  func room(_ token: String) throws(StorageError) -> RoomRow? {
    try first("SELECT \(RoomRow.columns) FROM room WHERE folded = ?1", RoomRow.folded(token))
  }

  func room(id: Int64) throws(StorageError) -> RoomRow? {
    try first("SELECT \(RoomRow.columns) FROM room WHERE id = ?1", id)
  }

  func rooms() throws(StorageError) -> [RoomRow] {
    try all("SELECT \(RoomRow.columns) FROM room ORDER BY folded")
  }
}

extension WriteTransaction {
  /// The number of the next change of a room.
  func nextChange(of room: Int64) throws(StorageError) -> Int64 {
    try run("UPDATE room SET sequence = sequence + 1 WHERE id = ?1", room)
    noteRoom(room)
    return try value("SELECT sequence FROM room WHERE id = ?1", room) ?? 0
  }

  /// Tells clients that the description of a room has changed; returns the new number.
  @discardableResult
  func touch(room: Int64) throws(StorageError) -> Int64 {
    try run("UPDATE room SET info = info + 1 WHERE id = ?1", room)
    noteRoom(room)
    return try value("SELECT info FROM room WHERE id = ?1", room) ?? 0
  }

  func touchAllRooms() throws(StorageError) {
    try run("UPDATE room SET info = info + 1")
    noteRoom(nil)
  }
}
