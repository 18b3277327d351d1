import SessionCore
import SessionStorage

/// The rights of somebody over others, by their stored values.
enum CommunityRank: Int64, Comparable, DatabaseValue {
  case member = 0
  case moderator = 1
  case admin = 2

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// A person of a server.
struct PersonRow: Record, Hashable {
  static let columns: SQL = "id, key, shown, named, created, posts, banned, role, visible"

  let id: Int64
  let key: [UInt8]
  /// The id they signed with last; nil if they have not come yet.
  let shown: String?
  /// The id they were named by before they came.
  let named: String?
  let created: Int64
  let posts: Int64
  let isBanned: Bool
  let role: CommunityRank
  let isVisible: Bool

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    key = try row[1]
    shown = try row[2]
    named = try row[3]
    created = try row[4]
    posts = try row[5]
    isBanned = try row[6]
    role = try row[7]
    isVisible = try row[8]
  }

  /// The id that stands for them in lists that moderators see.
  var name: String { shown ?? named ?? "25" + key.hex }
}

extension Reading where Self: ~Copyable {
  func person(_ id: Int64) throws(StorageError) -> PersonRow? {
    try first("SELECT \(PersonRow.columns) FROM person WHERE id = ?1", id)
  }

  func person(key: [UInt8]) throws(StorageError) -> PersonRow? {
    try first("SELECT \(PersonRow.columns) FROM person WHERE key = ?1", key)
  }
}

extension WriteTransaction {
  /// The row of a person who has come under an id: made, or updated where they have never come before.
  func meet(_ key: [UInt8], as shown: String, now: Int64) throws(StorageError) -> PersonRow {
    if let known = try person(key: key) {
      guard known.shown == nil else { return known }
      try run("UPDATE person SET active = ?2 WHERE id = ?1", known.id, now)
      try show(known.id, as: shown)
    } else {
      try insert("INSERT INTO person (key, shown, created, active) VALUES (?1, ?2, ?3, ?3)", key, shown, now)
    }
    return try existing(key)
  }

  /// Notes the id that a person has signed with last.
  func show(_ number: Int64, as shown: String) throws(StorageError) {
    guard let known = try person(number), known.shown != shown else { return }
    try run("UPDATE person SET shown = ?2 WHERE id = ?1", number, shown)
    try touchRooms(moderatedBy: known)
  }

  /// The row of somebody who is named by an id, and may never have come.
  func named(_ key: [UInt8], as id: String, now: Int64) throws(StorageError) -> PersonRow {
    if let known = try person(key: key) { return known }
    try insert("INSERT INTO person (key, named, created, active) VALUES (?1, ?2, ?3, 0)", key, id, now)
    return try existing(key)
  }

  private func existing(_ key: [UInt8]) throws(StorageError) -> PersonRow {
    guard let row = try person(key: key) else { throw StorageError(.missing, "a person that was written") }
    return row
  }

  /// Lists of moderators show their ids, to everybody those of visible ones. Pins show the id of their admin.
  private func touchRooms(moderatedBy person: PersonRow) throws(StorageError) {
    if person.role > .member, person.isVisible {
      try touchAllRooms()
    } else {
      try run(
        """
        UPDATE room SET info = info + 1
        WHERE id IN (SELECT room FROM override WHERE person = ?1 AND role > 0 AND visible = 1)
        """, person.id)
      let isShown = try exists(
        """
        SELECT 1 FROM person WHERE id = ?1 AND (role > 0
          OR EXISTS (SELECT 1 FROM override o WHERE o.person = ?1 AND o.role > 0)
          OR EXISTS (SELECT 1 FROM pin p WHERE p.actor = ?1))
        """, person.id)
      if isShown { noteRoom(nil) }
    }
  }
}
