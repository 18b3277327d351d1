/// A file next to the database, encrypted with its own key, so that deleting the row destroys the file.
public struct FileRecord: Record, Hashable {
  public typealias ID = RowID<FileRecord>

  public let id: ID
  /// The path, relative to the account's folder.
  public let path: String
  public let localKey: [UInt8]
  public let byteCount: Int64
  public let createdAt: Int64

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    path = try row[1]
    localKey = try row[2]
    byteCount = try row[3]
    createdAt = try row[4]
  }

  private static let columns: SQL = "SELECT id, path, localKey, byteCount, createdAt FROM file"
  fileprivate static let byID: SQL = "\(columns) WHERE id = ?"
  fileprivate static let byPath: SQL = "\(columns) WHERE path = ?"
  fileprivate static let everything: SQL = "\(columns) ORDER BY id"
  fileprivate static let referenceCount: SQL = "SELECT referenceCount FROM file WHERE id = ?"
  fileprivate static let known: SQL =
    "SELECT 1 FROM file WHERE path = ?1 UNION ALL SELECT 1 FROM orphanFile WHERE path = ?1"
  fileprivate static let insertion: SQL =
    "INSERT INTO file (path, localKey, byteCount, createdAt) VALUES (?, ?, ?, ?)"
}

/// A file that nothing refers to, yet or any more.
public struct OrphanFile: Record, Hashable {
  public enum Reason: Int, Sendable, DatabaseValue {
    /// It is about to be written.
    case arriving = 0
    /// The last reference is gone.
    case released = 1
  }

  public let path: String
  public let createdAt: Int64
  public let reason: Reason

  public init(_ row: borrowing Row) throws(StorageError) {
    path = try row[0]
    createdAt = try row[1]
    reason = try row[2]
  }

  fileprivate static let older: SQL =
    "SELECT path, createdAt, reason FROM orphanFile WHERE reason = 1 OR createdAt < ? ORDER BY path"
  fileprivate static let insertion: SQL =
    "INSERT OR IGNORE INTO orphanFile (path, createdAt, reason) VALUES (?, ?, 0)"
  fileprivate static let deletion: SQL = "DELETE FROM orphanFile WHERE path = ?"
}

extension Reading where Self: ~Copyable {
  public func file(_ id: FileRecord.ID) throws(StorageError) -> FileRecord? { try first(FileRecord.byID, id) }

  public func file(at path: String) throws(StorageError) -> FileRecord? { try first(FileRecord.byPath, path) }

  /// All files that something refers to.
  public func files() throws(StorageError) -> [FileRecord] { try all(FileRecord.everything) }

  /// The number of attachments, pictures and other rows that refer to a file.
  public func referenceCount(of id: FileRecord.ID) throws(StorageError) -> Int {
    try value(FileRecord.referenceCount, id) ?? 0
  }

  /// True if a row refers to the file, or the file is announced or still to be deleted.
  func isFileKnown(at path: String) throws(StorageError) -> Bool { try exists(FileRecord.known, path) }

  /// Files to be deleted: those that were released, and those that were announced before a time and never came.
  public func orphanFiles(announcedBefore time: Int64) throws(StorageError) -> [OrphanFile] {
    try all(OrphanFile.older, time)
  }
}

extension WriteTransaction {
  /// Announces a file that is about to be written, so that it is swept if no row ever refers to it. Commit this
  /// before the file gets its name.
  public func announceFile(at path: String, at now: Int64) throws(StorageError) {
    try run(OrphanFile.insertion, path, now)
  }

  /// Stores the key and path of a written file. It is deleted with the last row that refers to it.
  public func insertFile(
    at path: String, localKey: [UInt8], byteCount: Int64, createdAt: Int64
  ) throws(StorageError) -> FileRecord.ID {
    FileRecord.ID(rawValue: try insert(FileRecord.insertion, path, localKey, byteCount, createdAt))
  }

  /// Forgets a file that was swept.
  public func forgetOrphan(at path: String) throws(StorageError) { try run(OrphanFile.deletion, path) }
}
