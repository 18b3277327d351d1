import SessionStorage

/// A post that is to be stored.
struct NewMessage: Sendable {
  let author: Int64
  /// The id that signed it.
  let signer: String
  let text: PaddedText
  let signature: [UInt8]
  var whisperTo: Int64?
  var isWhisperToModerators = false
  var isFiltered = false
}

extension WriteTransaction {
  /// Stores a post as the next change of a room. It is posted after all others of the room, whatever the clock says.
  func post(_ message: NewMessage, in room: RoomRow, now: Int64) throws(StorageError) -> Int64 {
    let sequence = try nextChange(of: room.id)
    let posted = max(now, room.lastPosted + 1)
    try run("UPDATE room SET lastPosted = ?2 WHERE id = ?1", room.id, posted)
    let number = try insert(
      """
      INSERT INTO message (room, author, signer, posted, createdSeq, dataSeq, data, size, signature, filtered,
        whisperTo, whisperMods)
      VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
      """, room.id, message.author, message.signer, posted, sequence, message.text.stored, message.text.size,
      message.signature, message.isFiltered, message.whisperTo, message.isWhisperToModerators)
    try run("UPDATE person SET posts = posts + 1 WHERE id = ?1", message.author)
    return number
  }

  /// Puts another text in the place of one. With `hides` it is filtered, so that others take it for a deletion, and is
  /// not pinned any more; its files then have the lifetime of others.
  func edit(
    _ message: MessageRow, of room: Int64, _ text: PaddedText, _ signature: [UInt8], hides: Bool,
    lifetime: Int64?, now: Int64
  ) throws(StorageError) {
    if hides, try unpin(message.id, from: room, lifetime: lifetime, now: now) > 0 { try touch(room: room) }
    let sequence = try nextChange(of: room)
    // One that only its author has seen stays so.
    try run(
      """
      UPDATE message SET data = ?2, size = ?3, signature = ?4,
        edited = CASE WHEN posted > ?5 THEN posted ELSE ?5 END, dataSeq = ?6,
        filtered = CASE WHEN ?7 = 0 THEN 0 WHEN filtered = 1 THEN 1 ELSE 2 END
      WHERE id = ?1
      """, message.id, text.stored, text.size, signature, now, sequence, hides)
  }

  /// Notes that a moderator has deleted somebody else's message.
  func noteDeletion(
    of message: MessageRow, in room: RoomRow, by caller: CommunityCaller?, now: Int64
  ) throws(StorageError) {
    try run("UPDATE person SET posts = posts - 1 WHERE id = ?1 AND posts > 0", message.author)
    try log("deleted", room: room.id, by: caller, to: message.author, number: message.id, now: now)
  }

  /// Keeps the text of a message for the operator.
  func keepHistory(of message: MessageRow, by actor: Int64, now: Int64) throws(StorageError) {
    try run(
      "INSERT INTO history (message, at, actor, data, signature) VALUES (?1, ?2, ?3, ?4, ?5)",
      message.id, now, actor, message.text?.bytes, message.signature)
  }

  /// Deletes the text of a message with all that belongs to it, as one change of the room.
  func delete(_ message: MessageRow, of room: Int64, now: Int64) throws(StorageError) {
    try delete(message.id, of: room, now: now)
  }

  func delete(_ message: Int64, of room: Int64, now: Int64) throws(StorageError) {
    let sequence = try nextChange(of: room)
    try run(
      """
      UPDATE message SET data = NULL, size = NULL, signature = NULL, deleted = ?2, dataSeq = ?3, reactedSeq = 0
      WHERE id = ?1
      """, message, now, sequence)
    try run("DELETE FROM reaction WHERE message = ?1", message)
    if try run("DELETE FROM pin WHERE message = ?1", message) > 0 { try touch(room: room) }
    try run("UPDATE file SET expires = ?2 WHERE message = ?1 AND \(.isNoPicture)", message, now)
  }
}
