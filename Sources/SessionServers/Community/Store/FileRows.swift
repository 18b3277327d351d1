import SessionStorage

/// A file of a room.
struct CommunityFile: Record, Hashable {
  static let columns: SQL = "id, room, uploader, message, size, uploaded, expires, name, place"

  let id: Int64
  let room, uploader, message: Int64?
  let size: Int
  let uploaded: Int64
  /// When it goes; nil for never.
  let expires: Int64?
  let name: String?
  /// The name of its content in the folder.
  let place: String

  init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    room = try row[1]
    uploader = try row[2]
    message = try row[3]
    size = try row[4]
    uploaded = try row[5]
    expires = try row[6]
    name = try row[7]
    place = try row[8]
  }

  /// True for a file of a server that was imported, which did not know its message: unlike new files, which wait for theirs,
  /// it has the lifetime of those that have one. Everybody who may read could have it there.
  var isOfUnknownMessage: Bool {
    message == nil && expires.map { $0 - uploaded > WriteTransaction.looseSpan + Self.inexactness } ?? true
  }

  /// Milliseconds by which the old server may have been late with the time at which a new file expires.
  private static let inexactness: Int64 = 60_000
}

extension SQL {
  /// Pictures of rooms stay, whatever becomes of their messages.
  static let isNoPicture: SQL = "id NOT IN (SELECT image FROM room WHERE image IS NOT NULL)"
}

/// The files of a person in the last day.
struct UploadCounts: Hashable, Sendable {
  let files, bytes: Int
}

extension Reading where Self: ~Copyable {
  /// A file of a room, by its number there or by the one that it had on the server that it came from.
  func file(_ number: Int64, of room: Int64, now: Int64) throws(StorageError) -> CommunityFile? {
    let alias: Int64? = try value("SELECT file FROM file_alias WHERE room = ?1 AND old = ?2", room, number)
    return try first(
      """
      SELECT \(CommunityFile.columns) FROM file
      WHERE id = ?1 AND room = ?2 AND (expires IS NULL OR expires > ?3)
      """, alias ?? number, room, now)
  }

  func uploads(of person: Int64, since time: Int64) throws(StorageError) -> UploadCounts {
    try mapFirst(
      "SELECT count(*), coalesce(sum(size), 0) FROM file WHERE uploader = ?1 AND uploaded > ?2", person, time
    ) { (row) throws(StorageError) in
      UploadCounts(files: try row[0], bytes: try row[1])
    } ?? UploadCounts(files: 0, bytes: 0)
  }

  /// Bytes of the files of people who have come after a time.
  func uploads(ofPeopleSince time: Int64) throws(StorageError) -> Int {
    try value(
      """
      SELECT coalesce(sum(size), 0) FROM file
      WHERE uploaded > ?1 AND uploader IN (SELECT id FROM person WHERE created > ?1)
      """, time) ?? 0
  }

  /// Bytes of the files of a room.
  func fileBytes(of room: Int64) throws(StorageError) -> Int {
    try value("SELECT coalesce(sum(size), 0) FROM file WHERE room = ?1", room) ?? 0
  }

  /// Bytes of all files.
  func fileBytes() throws(StorageError) -> Int { try value("SELECT coalesce(sum(size), 0) FROM file") ?? 0 }
}

extension WriteTransaction {
  /// The time in which a file must find its message, in milliseconds.
  static let looseSpan: Int64 = 3_600_000

  /// Adds a file that no message has yet; returns its number.
  func addFile(
    to room: Int64, by person: Int64?, size: Int, name: String?, place: String, now: Int64
  ) throws(StorageError) -> Int64 {
    try insert(
      """
      INSERT INTO file (room, uploader, size, uploaded, expires, name, place)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
      """, room, person, size, now, now + Self.looseSpan, name, place)
  }

  /// Gives files to a message: those of the same person in the same room that have none. Others are left. The
  /// files of a pinned message do not expire.
  func own(
    _ files: [Int64], message: Int64, of room: Int64, by person: Int64, lifetime: Int64?, now: Int64
  ) throws(StorageError) {
    for file in files {
      try run(
        """
        UPDATE file SET message = ?2,
          expires = CASE WHEN ?2 IN (SELECT message FROM pin) THEN NULL ELSE uploaded + ?5 END
        WHERE id = ?1 AND room = ?3 AND uploader = ?4 AND message IS NULL AND expires > ?6 AND uploaded > ?7
        """, file, message, room, person, lifetime, now, now - Self.looseSpan)
    }
  }

  /// Removes the rows of expired files; returns where their content is.
  func removeExpiredFiles(limit: Int, now: Int64) throws(StorageError) -> [CommunityFile] {
    let files: [CommunityFile] = try all(
      "SELECT \(CommunityFile.columns) FROM file WHERE expires <= ?1 ORDER BY expires LIMIT ?2", now, limit)
    for file in files {
      try run("DELETE FROM file WHERE id = ?1", file.id)
      try run("DELETE FROM file_alias WHERE file = ?1", file.id)
      if file.isInRows { try removeContent(of: file.id) }
    }
    return files
  }
}
