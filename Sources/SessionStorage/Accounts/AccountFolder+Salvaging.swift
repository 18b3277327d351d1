import Glibc

extension AccountFolder {
  /// The database, and every copy of it that may be beside it, the newest first.
  public var databaseCopies: [String] {
    [database, damagedDatabase, database + ".salvaged", BackupCopy(file: DatabaseFile(path: database)).path]
  }

  /// Where a damaged database is kept once another has taken its place.
  public var damagedDatabase: String { DatabaseFile(path: database).damaged }

  /// Copies what can still be read of a damaged database into a new one, which takes its place; the damaged one stays
  /// beside it, with what belongs to it. Whenever this ends, even by force, one of both is in use, whole.
  ///
  /// `locked` while any other process has the database open, even to read; `duplicate` where there is a damaged one from
  /// before.
  public func replaceDamagedDatabase(key: DatabaseKey) throws(StorageError) -> SalvageReport {
    let file = DatabaseFile(path: database)
    let use = try DatabaseUse(.whole, of: file)
    defer { withExtendedLifetime(use) {} }
    try file.undoReplacement()
    guard access(damagedDatabase, F_OK) != 0 else {
      throw StorageError(
        .duplicate, "there is a database in \(damagedDatabase) that was replaced before: move it away first")
    }
    let salvaged = DatabaseFile(path: database + ".salvaged")
    // What an attempt before this one left is worth nothing.
    salvaged.remove()
    let report = try Database.salvage(database, into: salvaged.path, key: key, schema: .account)
    for step in DatabaseFile.replacement(by: salvaged.path) { try file.take(step) }
    return report
  }
}
