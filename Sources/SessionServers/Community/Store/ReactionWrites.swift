import SessionStorage

extension Reading where Self: ~Copyable {
  /// The number of emojis that a message has, and of those that a person has used on it.
  func emojiCounts(_ message: Int64, of person: Int64) throws(StorageError) -> (all: Int, own: Int) {
    (
      try value("SELECT count(DISTINCT emoji) FROM reaction WHERE message = ?1", message) ?? 0,
      try value("SELECT count(*) FROM reaction WHERE message = ?1 AND person = ?2", message, person) ?? 0
    )
  }

  func hasReaction(_ message: Int64, _ emoji: String, of person: Int64? = nil) throws(StorageError) -> Bool {
    try exists(
      "SELECT 1 FROM reaction WHERE message = ?1 AND emoji = ?2 AND (?3 IS NULL OR person = ?3)",
      message, emoji, person)
  }
}

extension WriteTransaction {
  /// Adds a reaction; the order of emojis is that of their first use. Returns the number of the change.
  func react(
    _ emoji: String, to message: MessageRow, of room: Int64, by person: Int64, now: Int64
  ) throws(StorageError) -> Int64 {
    let known: Int64? = try value(
      "SELECT min(place) FROM reaction WHERE message = ?1 AND emoji = ?2 GROUP BY message", message.id,
      emoji)
    let last: Int64? = try value(
      "SELECT max(place) FROM reaction WHERE message = ?1 GROUP BY message", message.id)
    try run(
      "INSERT INTO reaction (message, emoji, place, person, at) VALUES (?1, ?2, ?3, ?4, ?5)",
      message.id, emoji, known ?? (last ?? 0) + 1, person, now)
    return try noteReactions(to: message.id, of: room)
  }

  /// Removes the reactions to a message: with one emoji or all, of one person or all. Returns their number.
  @discardableResult
  func removeReactions(
    to message: Int64, emoji: String? = nil, of person: Int64? = nil
  ) throws(StorageError) -> Int {
    try run(
      """
      DELETE FROM reaction
      WHERE message = ?1 AND (?2 IS NULL OR emoji = ?2) AND (?3 IS NULL OR person = ?3)
      """, message, emoji, person)
  }

  /// Makes the reactions to a message the next change of its room.
  @discardableResult
  func noteReactions(to message: Int64, of room: Int64) throws(StorageError) -> Int64 {
    let sequence = try nextChange(of: room)
    try run("UPDATE message SET reactedSeq = ?2 WHERE id = ?1", message, sequence)
    return sequence
  }

  /// Removes the reactions of a person to messages of a room, `limit` of them at most. Returns their number.
  func removeReactions(of person: Int64, in room: Int64, limit: Int) throws(StorageError) -> Int {
    let messages: [Int64] = try values(
      """
      SELECT DISTINCT r.message FROM reaction r JOIN message m ON m.id = r.message
      WHERE r.person = ?1 AND m.room = ?2 ORDER BY r.message LIMIT ?3
      """, person, room, limit)
    for message in messages {
      try removeReactions(to: message, of: person)
      try noteReactions(to: message, of: room)
    }
    return messages.count
  }
}
