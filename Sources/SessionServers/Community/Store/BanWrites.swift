import SessionStorage

extension WriteTransaction {
  /// Bans somebody from a room, or lifts the ban. Banned people no longer count as active there.
  func setRoomBan(of person: Int64, in room: Int64, _ isBanned: Bool) throws(StorageError) {
    try ensureOverride(of: person, in: room)
    try run(
      "UPDATE override SET banned = ?3 WHERE room = ?1 AND person = ?2", room, person, isBanned)
    noteRights(of: person)
    if isBanned { try run("DELETE FROM visit WHERE room = ?1 AND person = ?2", room, person) }
    try dropEmptyOverride(of: person, in: room)
  }

  /// Bans somebody from the server, or lifts the ban. Unread messages to others go.
  func setServerBan(of person: Int64, _ isBanned: Bool) throws(StorageError) {
    try run("UPDATE person SET banned = ?2 WHERE id = ?1", person, isBanned)
    noteRights(of: person)
    if isBanned { try run("DELETE FROM inbox WHERE sender = ?1", person) }
    try touchAllRoomsIfModerator(person)
  }

  /// Moderators who are banned leave the lists, and come back to them.
  private func touchAllRoomsIfModerator(_ person: Int64) throws(StorageError) {
    let count = try run(
      """
      UPDATE room SET info = info + 1
      WHERE id IN (SELECT room FROM override WHERE person = ?1 AND role > 0)
        OR EXISTS (SELECT 1 FROM person WHERE id = ?1 AND role > 0)
      """, person)
    if count > 0 { noteRoom(nil) }
  }
}

extension Reading where Self: ~Copyable {
  /// Those who are banned from a room, or from the server for nil, with the end of the ban.
  func bans(in room: Int64?) throws(StorageError) -> [(id: String, until: Int64?)] {
    guard let room else {
      return try map(
        """
        SELECT coalesce(shown, named), (SELECT min(at) FROM future
          WHERE future.person = person.id AND future.room IS NULL AND future.banned = 0)
        FROM person WHERE banned = 1 AND coalesce(shown, named) IS NOT NULL ORDER BY id
        """
      ) { (row) throws(StorageError) in (id: try row[0], until: try row[1]) }
    }
    return try map(
      """
      SELECT coalesce(p.shown, p.named), (SELECT min(at) FROM future
        WHERE future.person = p.id AND future.room = ?1 AND future.banned = 0)
      FROM override o JOIN person p ON p.id = o.person WHERE o.room = ?1 AND o.banned = 1
        AND coalesce(p.shown, p.named) IS NOT NULL ORDER BY p.id
      """, room
    ) { (row) throws(StorageError) in (id: try row[0], until: try row[1]) }
  }
}
