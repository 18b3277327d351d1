import SessionStorage

/// Who looks at messages, as far as that decides which they see.
struct MessageReader: Hashable, Sendable {
  /// Zero for anonymous ones: no row has this number.
  let person: Int64
  let isModerator: Bool

  init(_ caller: CommunityCaller?, _ rights: RoomRights) {
    (person, isModerator) = (caller?.person.id ?? 0, rights.isModerator)
  }
}

extension SQL {
  /// Whispers are for some only; ?2 is the reader, ?3 is true for moderators.
  fileprivate static let isHeard: SQL = """
    ((whisperTo IS NULL AND whisperMods = 0) OR author = ?2 OR whisperTo = ?2 OR (whisperMods = 1 AND ?3 = 1))
    """
  /// Messages with a text for the reader; a filtered one is for its author.
  fileprivate static let isShown: SQL = "(data IS NOT NULL AND (filtered = 0 OR author = ?2) AND \(isHeard))"
  /// Posts of ?1 that count for limits: those of admins of a room do not.
  fileprivate static let isLimited: SQL = """
    room NOT IN (SELECT room FROM override WHERE person = ?1 AND role = 2)
    """
  /// Messages by the change of their reactions. The index of those with reactions is used only for what its own
  /// condition is part of.
  static let reactedMessages: SQL = """
    SELECT \(MessageRow.columns) FROM message
    WHERE room = ?1 AND reactedSeq > ?4 AND reactedSeq > 0 AND \(isShown) ORDER BY reactedSeq LIMIT ?5
    """
}

extension Reading where Self: ~Copyable {
  /// The newest messages, the newest one first.
  func messages(
    of room: Int64, before number: Int64 = .max, limit: Int, for reader: MessageReader
  ) throws(StorageError) -> [MessageRow] {
    try all(
      """
      SELECT \(MessageRow.columns) FROM message
      WHERE room = ?1 AND \(.isShown) AND id < ?4 ORDER BY id DESC LIMIT ?5
      """, room, reader.person, reader.isModerator, number, limit)
  }

  /// One message that a reader may see.
  func message(
    _ number: Int64, of room: Int64, for reader: MessageReader
  ) throws(StorageError) -> MessageRow? {
    try first(
      "SELECT \(MessageRow.columns) FROM message WHERE room = ?1 AND \(.isShown) AND id = ?4",
      room, reader.person, reader.isModerator, number)
  }
}

// MARK: - Changes

/// A message at its place in the changes of a room: the smallest of its numbers that is behind the reader's.
struct PlacedMessage: Hashable, Sendable {
  let place: Int64
  let message: MessageRow
  /// True if the reader has the text, and only the reactions are new.
  let isReactionOnly: Bool

  init(_ message: MessageRow, since number: Int64, withReactions: Bool) {
    self.message = message
    let numbers = [message.changed] + (withReactions ? [message.reacted] : [])
    place = numbers.filter { $0 > number }.min() ?? message.changed
    isReactionOnly = message.changed <= number
  }
}

extension Reading where Self: ~Copyable {
  /// The changes of a room after one, in order. A message that was posted and reacted to later has two places, so that
  /// readers who catch up in pages get the text at the first.
  func changes(
    of room: Int64, since number: Int64, withReactions: Bool, limit: Int, for reader: MessageReader
  ) throws(StorageError) -> [PlacedMessage] {
    // Deletions and what became filtered are of interest to those who may have seen the text.
    let texts: [MessageRow] = try all(
      """
      SELECT \(MessageRow.columns) FROM message
      WHERE room = ?1 AND dataSeq > ?4 AND \(.isHeard)
        AND ((data IS NOT NULL AND (filtered = 0 OR author = ?2))
          OR (createdSeq <= ?4 AND ((data IS NULL AND (filtered <> 1 OR author = ?2)) OR filtered = 2)))
      ORDER BY dataSeq LIMIT ?5
      """, room, reader.person, reader.isModerator, number, limit)
    var placed = texts.map { PlacedMessage($0, since: number, withReactions: withReactions) }
    if withReactions {
      let reacted: [MessageRow] = try all(
        .reactedMessages, room, reader.person, reader.isModerator, number, limit)
      let known = Set(texts.map(\.id))
      placed += reacted.filter { !known.contains($0.id) }
        .map { PlacedMessage($0, since: number, withReactions: true) }
    }
    // Each list has the first of its own order, so the first of both together are among them.
    return Array(placed.sorted { $0.place < $1.place }.prefix(limit))
  }
}

// MARK: - One's own

extension Reading where Self: ~Copyable {
  /// A message with a text, without regard to permissions.
  func message(_ number: Int64, of room: Int64) throws(StorageError) -> MessageRow? {
    try first(
      "SELECT \(MessageRow.columns) FROM message WHERE room = ?1 AND id = ?2 AND data IS NOT NULL",
      room, number)
  }

  /// The number of a person's posts between two times, at most `limit`, without those to rooms of which
  /// they are an admin.
  func postCount(
    of person: Int64, after time: Int64, upTo end: Int64, limit: Int
  ) throws(StorageError) -> Int {
    try value(
      """
      SELECT count(*) FROM (
        SELECT 1 FROM message WHERE author = ?1 AND posted > ?2 AND posted <= ?3 AND \(.isLimited) LIMIT ?4
      ) AS p
      """, person, time, end, limit) ?? 0
  }

  /// The times of the latest of these posts, the latest first.
  func postTimes(
    of person: Int64, after time: Int64, upTo end: Int64, limit: Int
  ) throws(StorageError) -> [Int64] {
    try values(
      """
      SELECT posted FROM message WHERE author = ?1 AND posted > ?2 AND posted <= ?3 AND \(.isLimited)
      ORDER BY posted DESC LIMIT ?4
      """, person, time, end, limit)
  }

  /// The times of a person's latest posts to a room between two times. Later posts have greater numbers. Those that a clock
  /// which was set back places in the future do not count.
  func postTimes(
    of person: Int64, in room: Int64, after time: Int64, upTo end: Int64, limit: Int
  ) throws(StorageError) -> [Int64] {
    let times: [Int64] = try values(
      "SELECT posted FROM message WHERE author = ?1 AND room = ?2 ORDER BY id DESC LIMIT ?3", person, room,
      limit)
    return times.filter { $0 > time && $0 <= end }
  }
}
