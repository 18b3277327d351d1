import SessionStorage

/// What one transaction has deleted of a person.
struct AuthorDeletion: Hashable, Sendable {
  var messages = 0
  /// Messages of others that lost their reactions, and files that no message has.
  var others = 0
  /// True if there may be more, for another transaction.
  var goesOn = false

  var isEmpty: Bool { messages + others == 0 }

  static func += (sum: inout Self, other: Self) {
    sum.messages += other.messages
    sum.others += other.others
    sum.goesOn = sum.goesOn || other.goesOn
  }
}

extension Reading where Self: ~Copyable {
  /// The number of messages of a person in a room.
  func messageCount(of person: Int64, in room: Int64) throws(StorageError) -> Int {
    try value(
      "SELECT count(*) FROM message WHERE author = ?1 AND room = ?2 AND data IS NOT NULL", person, room) ?? 0
  }
}

extension WriteTransaction {
  /// Messages that one transaction deletes.
  static let deletionCount = 10_000

  /// Deletes messages of a person in a room, `limit` at most, and after the last one their reactions there and
  /// the files that no message has.
  func deleteAll(
    of person: Int64, in room: RoomRow, by actor: Int64, historyKept: Bool, limit: Int, now: Int64
  ) throws(StorageError) -> AuthorDeletion {
    // The texts of all of them at once would take too much memory.
    let messages: [Int64] = try values(
      "SELECT id FROM message WHERE author = ?1 AND room = ?2 AND data IS NOT NULL ORDER BY id LIMIT ?3",
      person, room.id, limit)
    for number in messages {
      if historyKept, let message = try message(number, of: room.id) {
        try keepHistory(of: message, by: actor, now: now)
      }
      try delete(number, of: room.id, now: now)
    }
    if actor != person, !messages.isEmpty {
      try run(
        "UPDATE person SET posts = CASE WHEN posts > ?2 THEN posts - ?2 ELSE 0 END WHERE id = ?1", person,
        messages.count)
    }
    var deletion = AuthorDeletion(messages: messages.count)
    let left = limit - messages.count
    if left > 0 { deletion.others = try removeReactions(of: person, in: room.id, limit: left) }
    deletion.goesOn = deletion.others >= left
    guard !deletion.goesOn else { return deletion }
    deletion.others += try run(
      """
      UPDATE file SET expires = ?3
      WHERE uploader = ?1 AND room = ?2 AND message IS NULL AND expires > ?3
        AND \(.isNoPicture)
      """, person, room.id, now)
    return deletion
  }
}
