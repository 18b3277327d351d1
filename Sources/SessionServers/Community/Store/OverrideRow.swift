import SessionStorage

/// What is special about a person in a room.
struct OverrideRow: Record, Hashable {
  static let columns: SQL = "person, canRead, canAccess, canWrite, canUpload, banned, role, visible"

  let person: Int64
  let canRead, canAccess, canWrite, canUpload: Bool?
  let isBanned: Bool
  let role: CommunityRank
  /// True if others see the role.
  let isVisible: Bool

  init(_ row: borrowing Row) throws(StorageError) {
    person = try row[0]
    canRead = try row[1]
    canAccess = try row[2]
    canWrite = try row[3]
    canUpload = try row[4]
    isBanned = try row[5]
    role = try row[6]
    isVisible = try row[7]
  }
}

extension Reading where Self: ~Copyable {
  func override(of person: Int64, in room: Int64) throws(StorageError) -> OverrideRow? {
    try first("SELECT \(OverrideRow.columns) FROM override WHERE room = ?1 AND person = ?2", room, person)
  }
}

/// Somebody who moderates a room.
struct ModeratorRow: Record, Hashable {
  let shown, named: String?
  let roomRole, globalRole: CommunityRank
  private let isVisibleInRoom, isVisibleEverywhere: Bool

  init(_ row: borrowing Row) throws(StorageError) {
    shown = try row[0]
    named = try row[1]
    globalRole = try row[2]
    isVisibleEverywhere = try row[3]
    roomRole = try row[4]
    isVisibleInRoom = try row[5]
  }

  var isAdmin: Bool { max(roomRole, globalRole) == .admin }
  /// The role in the room decides, where there is one.
  var isVisible: Bool { roomRole > .member ? isVisibleInRoom : isVisibleEverywhere }
}

extension Reading where Self: ~Copyable {
  /// The moderators of a room, also those of the whole server.
  func moderators(of room: Int64) throws(StorageError) -> [ModeratorRow] {
    try all(
      """
      SELECT p.shown, p.named, p.role, p.visible, coalesce(o.role, 0), coalesce(o.visible, 0)
      FROM person p LEFT JOIN override o ON o.person = p.id AND o.room = ?1
      WHERE p.banned = 0 AND (p.role > 0 OR p.id IN (SELECT person FROM override WHERE room = ?1 AND role > 0))
      """, room)
  }
}
