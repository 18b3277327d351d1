import SessionStorage

/// A change of permissions or of a ban that is to come.
struct FutureRow: Record, Hashable {
  static let columns: SQL = "id, room, person, at, canRead, canWrite, canUpload, banned"

  let id: Int64
  /// Nil for the server.
  let room: Int64?
  let person: Int64
  let at: Int64
  let canRead, canWrite, canUpload, isBanned: Bool?

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    room = try row[1]
    person = try row[2]
    at = try row[3]
    canRead = try row[4]
    canWrite = try row[5]
    canUpload = try row[6]
    isBanned = try row[7]
  }
}

extension Reading where Self: ~Copyable {
  /// The changes to come in a room, of one person or of all, by their time.
  func futures(in room: Int64, of person: Int64? = nil) throws(StorageError) -> [FutureRow] {
    try all(
      """
      SELECT \(FutureRow.columns) FROM future WHERE room = ?1 AND (?2 IS NULL OR person = ?2) ORDER BY at, id
      """, room, person)
  }

  /// People for whom a change is due.
  func peopleWithDueFutures(now: Int64, limit: Int) throws(StorageError) -> [Int64] {
    try values("SELECT DISTINCT person FROM future WHERE at <= ?1 ORDER BY person LIMIT ?2", now, limit)
  }

  fileprivate func dueFutures(of person: Int64, now: Int64) throws(StorageError) -> [FutureRow] {
    try all(
      "SELECT \(FutureRow.columns) FROM future WHERE person = ?1 AND at <= ?2 ORDER BY at, id", person, now)
  }
}

extension WriteTransaction {
  func schedule(
    of person: Int64, in room: Int64?, at time: Int64, read: Bool? = nil, write: Bool? = nil,
    upload: Bool? = nil, banned: Bool? = nil
  ) throws(StorageError) {
    try run(
      """
      INSERT INTO future (room, person, at, canRead, canWrite, canUpload, banned)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, room, person, time, read, write, upload, banned)
  }

  /// Drops the end of a ban that is to come.
  func unscheduleBan(of person: Int64, in room: Int64?) throws(StorageError) {
    try run(
      """
      DELETE FROM future WHERE person = ?2 AND banned IS NOT NULL
        AND (room = ?1 OR (?1 IS NULL AND room IS NULL))
      """, room, person)
  }

  /// Carries out what is due for a person, one after the other: each changes what the former left.
  func applyFutures(of person: Int64, now: Int64) throws(StorageError) {
    for future in try dueFutures(of: person, now: now) {
      try run("DELETE FROM future WHERE id = ?1", future.id)
      guard let number = future.room else {
        if let isBanned = future.isBanned { try setServerBan(of: person, isBanned) }
        continue
      }
      guard let room = try room(id: number) else { continue }
      if let isBanned = future.isBanned { try setRoomBan(of: person, in: number, isBanned) }
      var change = PermissionChange()
      for (permission, value) in [
        (RoomPermissions.read, future.canRead), (.write, future.canWrite), (.upload, future.canUpload),
      ] {
        guard let value else { continue }
        change.values[permission] = .some(room.defaults.contains(permission) == value ? nil : value)
      }
      if !change.values.isEmpty { try self.change(change, of: person, in: number, unschedules: false) }
    }
  }
}
