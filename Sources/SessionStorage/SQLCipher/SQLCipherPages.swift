import CSQLCipher

/// Copies all pages of the file of one connection into that of another, some at a time.
final class SQLCipherPages {
  private var backup: OpaquePointer?
  private let target: SQLCipherConnection
  // It must outlive the backup.
  private let source: SQLCipherConnection

  /// Both files have the same page size. The target must be empty.
  init(from source: SQLCipherConnection, to target: SQLCipherConnection) throws(StorageError) {
    (self.source, self.target) = (source, target)
    backup = sqlite3_backup_init(target.database, "main", source.database, "main")
    guard backup != nil else { throw target.failure() }
  }

  deinit { sqlite3_backup_finish(backup) }

  /// Copies pages. True until the last one was copied.
  func copy(_ count: Int32) throws(StorageError) -> Bool {
    switch sqlite3_backup_step(backup, count) {
    case SQLITE_OK: return true
    case SQLITE_DONE: break
    case let status: throw failure(status)
    }
    let status = sqlite3_backup_finish(backup)
    backup = nil
    guard status == SQLITE_OK else { throw failure(status) }
    return false
  }

  /// The connections do not know the failures of steps.
  private func failure(_ status: Int32) -> StorageError {
    StorageError(
      engine: status, system: sqlite3_system_errno(target.database),
      said: String(cString: sqlite3_errstr(status)),
      name: "the copy of the database", wasOpened: true)
  }
}
