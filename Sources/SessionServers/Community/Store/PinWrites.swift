import SessionStorage

extension WriteTransaction {
  /// The least time that a file stays after its message was unpinned, in milliseconds.
  private static let afterPin: Int64 = 3_600_000

  /// Pins a message, whose files do not expire from now on. False if that would be more pins than a room may have.
  func pin(
    _ message: Int64, to room: Int64, by person: Int64, limit: Int, now: Int64
  ) throws(StorageError) -> Bool {
    let count = try run(
      "UPDATE pin SET actor = ?3, at = ?4 WHERE room = ?1 AND message = ?2", room, message, person, now)
    if count == 0 {
      guard try value("SELECT count(*) FROM pin WHERE room = ?1", room) ?? 0 < limit else { return false }
      try run(
        "INSERT INTO pin (room, message, actor, at) VALUES (?1, ?2, ?3, ?4)", room, message, person, now)
      try run("UPDATE file SET expires = NULL WHERE message = ?1", message)
    }
    return true
  }

  /// Unpins one message, or all for nil; returns their number.
  func unpin(
    _ message: Int64?, from room: Int64, lifetime: Int64?, now: Int64
  ) throws(StorageError) -> Int {
    let messages: [Int64] = try values(
      "SELECT message FROM pin WHERE room = ?1 AND (?2 IS NULL OR message = ?2)", room, message)
    for message in messages {
      try run("DELETE FROM pin WHERE room = ?1 AND message = ?2", room, message)
      guard let lifetime else { continue }
      let least = now + Self.afterPin
      try run(
        """
        UPDATE file SET expires = CASE WHEN uploaded + ?2 > ?3 THEN uploaded + ?2 ELSE ?3 END
        WHERE message = ?1 AND \(.isNoPicture)
        """, message, lifetime, least)
    }
    return messages.count
  }
}
