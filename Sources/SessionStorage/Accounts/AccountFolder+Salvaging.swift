import Glibc

extension AccountFolder {
  /// Where a damaged database is kept once another has taken its place.
  public var damagedDatabase: String { database + ".damaged" }

  /// Puts a database that was salvaged in the place of the damaged one, which stays beside it, with what belongs to it.
  /// Nobody may use either meanwhile. `duplicate` where there is a damaged one from before.
  public func replaceDatabase(by salvaged: String) throws(StorageError) {
    guard access(damagedDatabase, F_OK) != 0 else {
      throw StorageError(
        .duplicate, "there is a database in \(damagedDatabase) that was replaced before: move it away first")
    }
    guard link(database, damagedDatabase) == 0 else { throw .system("keep \(database)") }
    // The log of the old one would be taken for that of the new one.
    for ending in DatabaseFile.companions {
      guard rename(database + ending, damagedDatabase + ending) == 0 || errno == ENOENT else {
        throw .system("keep \(database)\(ending)")
      }
    }
    try DatabaseFile(path: salvaged).rename(to: database)
  }
}
