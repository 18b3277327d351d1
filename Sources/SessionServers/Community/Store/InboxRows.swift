import SessionStorage

/// A message from one person to another, sealed by its sender.
struct LetterRow: Record, Hashable {
  static let columns: SQL = "id, recipientAs, senderAs, body, posted, expires"

  let id: Int64
  let recipient, sender: String
  let body: [UInt8]
  let posted, expires: Int64

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    recipient = try row[1]
    sender = try row[2]
    body = try row[3]
    posted = try row[4]
    expires = try row[5]
  }
}

/// A letter that is to be stored.
struct NewLetter: Sendable {
  let recipient, sender: Int64
  let recipientAs, senderAs: String
  let body: [UInt8]
  let posted, expires: Int64
}

extension Reading where Self: ~Copyable {
  /// The letters after one, the oldest one first.
  func inbox(of person: Int64, since number: Int64, limit: Int, now: Int64) throws(StorageError)
    -> [LetterRow]
  {
    try all(
      """
      SELECT \(LetterRow.columns) FROM inbox WHERE recipient = ?1 AND id > ?2 AND expires > ?3 ORDER BY id LIMIT ?4
      """, person, number, now, limit)
  }

  func outbox(of person: Int64, since number: Int64, limit: Int, now: Int64) throws(StorageError)
    -> [LetterRow]
  {
    try all(
      """
      SELECT \(LetterRow.columns) FROM inbox WHERE sender = ?1 AND id > ?2 AND expires > ?3 ORDER BY id LIMIT ?4
      """, person, number, now, limit)
  }

  /// The number of letters that somebody has sent since a time.
  func lettersSent(by person: Int64, since time: Int64) throws(StorageError) -> Int {
    try value(
      """
      SELECT count(*) FROM inbox WHERE sender = ?1 AND posted > ?2
        AND NOT EXISTS (SELECT 1 FROM person p WHERE p.id = inbox.recipient AND p.role > 0)
        AND NOT EXISTS (SELECT 1 FROM override o WHERE o.person = inbox.recipient AND o.role > 0)
      """, person, time) ?? 0
  }

  /// True if the sender has written to the recipient before.
  func hasWritten(_ sender: Int64, to recipient: Int64) throws(StorageError) -> Bool {
    try exists("SELECT 1 FROM inbox WHERE sender = ?1 AND recipient = ?2", sender, recipient)
  }

  /// True if the sender is banned from a room that the recipient reads.
  func sharesABan(_ sender: Int64, with recipient: Int64) throws(StorageError) -> Bool {
    try exists(
      """
      SELECT 1 FROM override o JOIN visit v ON v.room = o.room
      WHERE o.person = ?1 AND o.banned = 1 AND v.person = ?2
      """, sender, recipient)
  }

  /// True for a moderator of the server or of any room.
  func moderatesAnything(_ person: PersonRow) throws(StorageError) -> Bool {
    if person.role > .member { return true }
    return try exists("SELECT 1 FROM override WHERE person = ?1 AND role > 0", person.id)
  }
}

extension WriteTransaction {
  /// Stores a letter, and returns its number.
  func add(_ letter: NewLetter) throws(StorageError) -> Int64 {
    for person in [letter.recipient, letter.sender] { note(.inserted, .communityLetters(person)) }
    return try insert(
      """
      INSERT INTO inbox (recipient, recipientAs, sender, senderAs, body, posted, expires)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, letter.recipient, letter.recipientAs, letter.sender, letter.senderAs, letter.body, letter.posted,
      letter.expires)
  }

  func removeLetter(_ number: Int64) throws(StorageError) {
    try run("DELETE FROM inbox WHERE id = ?1", number)
  }

  /// Empties an inbox; returns the number of letters.
  func emptyInbox(of person: Int64) throws(StorageError) -> Int {
    try run("DELETE FROM inbox WHERE recipient = ?1", person)
  }
}
