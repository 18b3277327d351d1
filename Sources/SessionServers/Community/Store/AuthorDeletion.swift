import SessionStorage

extension WriteTransaction {
  /// Messages that one transaction deletes.
  static let deletionCount = 10_000

  /// Deletes messages of a person in a room, with their reactions there and the files that no message has. Returns the
  /// number of messages, which is `deletionCount` if there may be more.
  func deleteAll(
    of person: Int64, in room: RoomRow, by actor: Int64, historyKept: Bool, now: Int64
  ) throws(StorageError) -> Int {
    let messages: [MessageRow] = try all(
      """
      SELECT \(MessageRow.columns) FROM message
      WHERE author = ?1 AND room = ?2 AND data IS NOT NULL ORDER BY id LIMIT ?3
      """, person, room.id, Self.deletionCount)
    for message in messages {
      if historyKept { try keepHistory(of: message, by: actor, now: now) }
      try delete(message, of: room.id, now: now)
    }
    if messages.count < Self.deletionCount {
      try removeAllReactions(of: person, in: room.id)
      try run(
        """
        UPDATE file SET expires = ?3
        WHERE uploader = ?1 AND room = ?2 AND message IS NULL
          AND id NOT IN (SELECT image FROM room WHERE image IS NOT NULL)
        """, person, room.id, now)
    }
    if actor != person {
      try run(
        "UPDATE person SET posts = CASE WHEN posts > ?2 THEN posts - ?2 ELSE 0 END WHERE id = ?1", person,
        messages.count)
    }
    return messages.count
  }
}
