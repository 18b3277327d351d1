import SessionCore
import SessionStorage

extension PysogsRows {
  /// The number of a room that was taken over, which is the old one.
  func room(_ number: Int64, _ target: borrowing WriteTransaction) throws -> Int64 {
    guard try target.exists("SELECT 1 FROM room WHERE id = ?1", number) else {
      throw RowLeftOut("its room \(number) does not exist")
    }
    return number
  }

  func copyRooms(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "rooms")
    let accessible: SQL = columns.contains("accessible") ? "accessible" : "\"read\""
    let sequence: SQL = columns.contains("message_sequence") ? "message_sequence" : "updates"
    try take(
      "rooms",
      """
      SELECT id, token, name, description, created, \(sequence), info_updates, active_users, "read",
        \(accessible), "write", upload
      FROM rooms ORDER BY id
      """, from: source
    ) { row in
      let (number, token, name): (Int64, String, String?) = (try row[0], try row[1], try row[2])
      // Words that no new room is named as are kept here.
      guard number > 0, NewRoom.isToken(token) else { throw RowLeftOut("its token makes no sense") }
      let (description, created, active): (String?, Double, Int64) = (try row[3], try row[4], try row[7])
      let (sequence, info): (Int64, Int64) = (try row[5], try row[6])
      guard 0..<1 << 52 ~= sequence, 0..<1 << 52 ~= info else {
        throw RowLeftOut("its numbers make no sense")
      }
      var defaults = RoomPermissions()
      for (index, permission) in [(8, RoomPermissions.read), (9, .accessible), (10, .write), (11, .upload)] {
        let isSet: Bool = try row[index]
        if isSet { defaults.insert(permission) }
      }
      try target.run(
        """
        INSERT INTO room
          (id, token, folded, name, description, created, sequence, info, active, defaults)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """, number, token, RoomRow.folded(token), Self.cut(name ?? token, NewRoom.maxName) ?? token,
        Self.cut(description ?? "", NewRoom.maxDescription), try time(created), sequence, info + 1, active,
        defaults)
    }
  }

  /// A text without control characters and not too long; nil if nothing is left.
  private static func cut(_ text: String, _ most: Int) -> String? {
    let scalars = text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" || $0 == "\n" }
    return scalars.isEmpty ? nil : String(String.UnicodeScalarView(scalars.prefix(most)))
  }

  // MARK: - Files

  func copyFiles(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    let columns = try source.columns(of: "files")
    guard !columns.isEmpty else { return }
    let message: SQL = columns.contains("message") ? "message" : "NULL"
    try take(
      "files",
      """
      SELECT id, room, uploader, \(message), size, uploaded, expiry, filename, path FROM files ORDER BY id
      """, from: source
    ) { row in
      let (number, size, path): (Int64, Int, String) = (try row[0], try row[4], try row[8])
      let (place, uploader, owner): (Int64?, Int64?, Int64?) = (try row[1], try row[2], try row[3])
      let (at, expiry, name): (Double, Double?, String?) = (try row[5], try row[6], try row[7])
      let expires = try time(expiry)
      guard number > 0, size > 0 else { throw RowLeftOut("its numbers make no sense") }
      guard expires ?? .max > now else { throw RowLeftOut("it has expired") }
      // The old server removes the files of a room that is deleted a moment later.
      guard let place else { throw RowLeftOut("its room was deleted") }
      let (room, uploaded) = (try self.room(place, target), try time(at))
      var message: Int64?
      if let owner, try target.exists("SELECT 1 FROM message WHERE id = ?1 AND room = ?2", owner, room) {
        message = owner
      }
      let person = try uploader.map { try self.person($0) }
      try target.run(
        """
        INSERT INTO file (id, room, uploader, message, size, uploaded, expires, name, place)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, number, room, person, message, size, uploaded, expires,
        name.flatMap { AttachmentName.cleaned($0) },
        try files.take(path, size: size))
    }
  }

  /// The pictures of rooms, as far as their files are there.
  func copyImages(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    guard try source.columns(of: "rooms").contains("image") else { return }
    try take("rooms.image", "SELECT id, image FROM rooms WHERE image IS NOT NULL", from: source) { row in
      let (number, image): (Int64, Int64) = (try row[0], try row[1])
      let count = try target.run(
        "UPDATE room SET image = ?2 WHERE id = ?1 AND ?2 IN (SELECT id FROM file WHERE room = ?1)", number,
        image)
      guard count == 1 else { throw RowLeftOut("the file of its picture is missing") }
      try target.run("UPDATE file SET expires = NULL WHERE id = ?1", image)
    }
  }

  func copyAliases(_ source: borrowing ReadTransaction, _ target: borrowing WriteTransaction) throws {
    guard try !source.columns(of: "file_id_hacks").isEmpty else { return }
    try take("file_id_hacks", "SELECT NULL, room, old_file_id, file FROM file_id_hacks", from: source) {
      row in
      let (place, old, file): (Int64, Int64, Int64) = (try row[1], try row[2], try row[3])
      let room = try self.room(place, target)
      guard try target.exists("SELECT 1 FROM file WHERE id = ?1", file) else {
        throw RowLeftOut("its file \(file) does not exist")
      }
      try target.run("INSERT INTO file_alias (room, old, file) VALUES (?1, ?2, ?3)", room, old, file)
    }
  }
}
