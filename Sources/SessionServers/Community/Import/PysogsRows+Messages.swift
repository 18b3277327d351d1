import SessionCore
import SessionStorage

extension PysogsRows {
  func copyMessages(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "messages")
    let sequence: SQL = columns.contains("seqno") ? "seqno" : "updated"
    let created: SQL = columns.contains("seqno_creation") ? "seqno_creation" : "NULL"
    let changed: SQL = columns.contains("seqno_data") ? "seqno_data" : sequence
    let reacted: SQL = columns.contains("seqno_reactions") ? "seqno_reactions" : "0"
    let signer: SQL = columns.contains("alt_id") ? "alt_id" : "NULL"
    let filtered: SQL = columns.contains("filtered") ? "filtered" : "NULL"
    let whispers: SQL = columns.contains("whisper") ? "whisper, whisper_mods" : "NULL, NULL"
    try take(
      "messages",
      """
      SELECT id, room, "user", posted, edited, \(sequence), \(created), \(changed), \(reacted), data, data_size,
        signature, \(filtered), \(whispers), \(signer)
      FROM messages ORDER BY id
      """, from: source
    ) { row in
      let (number, author): (Int64, Int64) = (try row[0], try row[2])
      let (sequence, first, changed): (Int64, Int64?, Int64) = (try row[5], try row[6], try row[7])
      let (reactedOnce, whisper): (Int64?, Int64?) = (try row[8], try row[13])
      let reacted = reactedOnce ?? 0
      // Messages from before version 0.2 may have no number, as they came before all changes.
      guard number > 0, [sequence, changed, reacted].allSatisfy({ 0..<1 << 52 ~= $0 }),
        first.map({ 0...changed ~= $0 }) ?? true
      else { throw RowLeftOut("its numbers make no sense") }
      let (data, size): ([UInt8]?, Int?) = (try row[9], try row[10])
      let signature: [UInt8]? = try row[11]
      let filtered: Bool? = try row[12]
      let toModerators: Bool? = try row[14]
      let (postedAt, editedAt): (Double, Double?) = (try row[3], try row[4])
      let (posted, edited) = (try time(postedAt), try time(editedAt))
      let place: Int64 = try row[1]
      var recipient: Int64?
      if let whisper { recipient = try self.person(whisper) }
      if let data {
        guard let size, data.count...PysogsRows.maxText ~= size, signature?.count == 64 else {
          throw RowLeftOut("its text has no size or signature that makes sense")
        }
      }
      let alternative: String? = try row[15]
      let person = try self.person(author)
      let id = alternative ?? ids[author] ?? ""
      try target.run(
        """
        INSERT INTO message
          (id, room, author, signer, posted, edited, deleted, createdSeq, dataSeq, reactedSeq, data, size, signature,
           filtered, whisperTo, whisperMods)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
        """, number, try self.room(place, target), person, id, posted, data == nil ? nil : edited,
        data == nil ? edited ?? posted : nil,
        Self.creation(first, changed, isFirstText: data != nil && edited == nil), changed, reacted, data,
        data == nil ? nil : size, data == nil ? nil : signature, filtered ?? false,
        recipient, toModerators ?? false)
      if let data, let size, let signature { note(signature, of: data, size, by: id) }
      if data != nil { try target.run("UPDATE person SET posts = posts + 1 WHERE id = ?1", person) }
    }
    try target.run(
      """
      UPDATE room SET
        sequence = max(
          sequence,
          coalesce((SELECT max(dataSeq) FROM message WHERE message.room = room.id), 0),
          coalesce((SELECT max(reactedSeq) FROM message WHERE message.room = room.id), 0)),
        lastPosted = coalesce((SELECT max(posted) FROM message WHERE message.room = room.id), 0)
      """)
  }

  /// The number under which a message came. Servers that were upgraded do not know it of older messages. Of those that have
  /// changed since, the first number is taken, so that all readers hear of a deletion.
  private static func creation(_ known: Int64?, _ changed: Int64, isFirstText: Bool) -> Int64 {
    if let known, known > 0 { return known }
    return isFirstText ? changed : min(1, changed)
  }

  /// Bytes of a text with its padding: pysogs took more than this server does.
  private static let maxText = 1 << 20

  /// Counts a signature that is wrong: the old server has checked none.
  private func note(_ signature: [UInt8], of data: [UInt8], _ size: Int, by author: String) {
    let bytes = PaddedText(stored: data, size: size).bytes
    if let id = SessionID(author), (try? id.verify(signature, of: bytes)) != nil { return }
    report.wrongSignatures += 1
  }

  private func expect(message number: Int64, _ target: borrowing WriteTransaction) throws {
    guard try target.exists("SELECT 1 FROM message WHERE id = ?1", number) else {
      throw RowLeftOut("its message \(number) does not exist")
    }
  }

  func copyHistory(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    guard try !source.columns(of: "message_history").isEmpty else { return }
    try take(
      "message_history", "SELECT NULL, message, replaced, data, signature FROM message_history", from: source
    ) { row in
      let (message, replaced): (Int64, Double) = (try row[1], try row[2])
      let at = try time(replaced)
      let (data, signature): ([UInt8]?, [UInt8]?) = (try row[3], try row[4])
      guard at > now - Self.historySpan else { throw RowLeftOut("it is older than 30 days") }
      try expect(message: message, target)
      try target.run(
        "INSERT INTO history (message, at, data, signature) VALUES (?1, ?2, ?3, ?4)", message, at, data,
        signature)
    }
  }

  func copyReactions(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "reactions")
    guard !columns.isEmpty else { return }
    // Before version 0.3 was released, a row was one reaction of a person.
    let rows: SQL =
      columns.contains("user")
      ? "SELECT NULL, message, reaction, \"user\", at FROM reactions ORDER BY message, at"
      : """
      SELECT NULL, r.message, r.reaction, u."user", u.at
      FROM reactions r JOIN user_reactions u ON u.reaction = r.id ORDER BY r.message, r.id, u.at
      """
    var current: (message: Int64, places: [String: Int]) = (0, [:])
    try take("user_reactions", rows, from: source) { row in
      let (message, emoji, user, at): (Int64, String, Int64, Double) = (
        try row[1], try row[2], try row[3], try row[4]
      )
      guard CommunityVisit.isEmoji(emoji) else { throw RowLeftOut("it is no emoji") }
      try expect(message: message, target)
      if current.message != message { current = (message, [:]) }
      let place = current.places[emoji] ?? current.places.count + 1
      current.places[emoji] = place
      // Of the ids of one person the one that was first counts.
      try target.run(
        "INSERT INTO reaction (message, emoji, place, person, at) VALUES (?1, ?2, ?3, ?4, ?5)", message,
        emoji,
        place, try self.person(user), try time(at))
    }
  }

  func copyPins(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    // Version 0.2 had the table, and no way to pin a message.
    guard try source.columns(of: "pinned_messages").contains("pinned_by") else { return }
    try take(
      "pinned_messages", "SELECT NULL, room, message, pinned_by, pinned_at FROM pinned_messages", from: source
    ) { row in
      let (place, message, user, at): (Int64, Int64, Int64, Double) = (
        try row[1], try row[2], try row[3], try row[4]
      )
      let room = try self.room(place, target)
      guard
        try target.exists(
          "SELECT 1 FROM message WHERE id = ?1 AND room = ?2 AND data IS NOT NULL", message, room)
      else { throw RowLeftOut("its message \(message) does not exist") }
      try target.run(
        "INSERT INTO pin (room, message, actor, at) VALUES (?1, ?2, ?3, ?4)", room, message,
        try self.person(user), try time(at))
    }
  }
}
