import SessionStorage

/// Permissions that are given, taken, or left to what holds for everybody.
struct PermissionChange: Hashable, Sendable {
  /// Nil drops what is special about the person.
  var values: [RoomPermissions: Bool?] = [:]
}

extension RoomPermissions {
  /// The column of a permission in the rows of overrides.
  fileprivate var overrideUpdate: SQL {
    switch self {
    case .read: "UPDATE override SET canRead = ?3 WHERE room = ?1 AND person = ?2"
    case .accessible: "UPDATE override SET canAccess = ?3 WHERE room = ?1 AND person = ?2"
    case .write: "UPDATE override SET canWrite = ?3 WHERE room = ?1 AND person = ?2"
    default: "UPDATE override SET canUpload = ?3 WHERE room = ?1 AND person = ?2"
    }
  }

  /// Takes a permission out of the changes to come; those of access cannot be scheduled.
  fileprivate var unscheduling: SQL? {
    switch self {
    case .read: "UPDATE future SET canRead = NULL WHERE room = ?1 AND person = ?2"
    case .write: "UPDATE future SET canWrite = NULL WHERE room = ?1 AND person = ?2"
    case .upload: "UPDATE future SET canUpload = NULL WHERE room = ?1 AND person = ?2"
    default: nil
    }
  }
}

extension WriteTransaction {
  /// Makes sure that there is a row for what is special about a person.
  func ensureOverride(of person: Int64, in room: Int64) throws(StorageError) {
    guard try override(of: person, in: room) == nil else { return }
    try run("INSERT INTO override (room, person) VALUES (?1, ?2)", room, person)
  }

  /// Deletes a row that says nothing.
  func dropEmptyOverride(of person: Int64, in room: Int64) throws(StorageError) {
    try run(
      """
      DELETE FROM override WHERE room = ?1 AND person = ?2 AND canRead IS NULL AND canAccess IS NULL
        AND canWrite IS NULL AND canUpload IS NULL AND banned = 0 AND role = 0
      """, room, person)
  }

  /// Changes permissions of a person. With `unschedules` the changes to come of the same permissions are dropped.
  func change(
    _ change: PermissionChange, of person: Int64, in room: Int64, unschedules: Bool
  ) throws(StorageError) {
    try ensureOverride(of: person, in: room)
    for (permission, value) in change.values {
      try run(permission.overrideUpdate, room, person, value)
      if unschedules, let statement = permission.unscheduling { try run(statement, room, person) }
    }
    noteRights(of: person)
    if unschedules { try dropEmptyFutures(of: person, in: room) }
    try dropEmptyOverride(of: person, in: room)
  }

  private func dropEmptyFutures(of person: Int64, in room: Int64) throws(StorageError) {
    try run(
      """
      DELETE FROM future WHERE room = ?1 AND person = ?2 AND canRead IS NULL AND canWrite IS NULL
        AND canUpload IS NULL AND banned IS NULL
      """, room, person)
  }
}

extension Reading where Self: ~Copyable {
  /// What is special about people in a room: of one, or of all for nil.
  func overrides(in room: Int64, of person: Int64? = nil) throws(StorageError) -> [(id: String, OverrideRow)]
  {
    let rows: [OverrideRow] = try all(
      """
      SELECT \(OverrideRow.columns) FROM override WHERE room = ?1 AND (?2 IS NULL OR person = ?2) ORDER BY person
      """, room, person)
    return try rows.map { (row) throws(StorageError) in
      (id: try self.person(row.person)?.name ?? "", row)
    }
  }
}
