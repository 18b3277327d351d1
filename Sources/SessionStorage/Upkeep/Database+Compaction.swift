import Glibc
import SessionBase

/// The result of compacting a database.
public struct CompactionReport: Hashable, Sendable {
  public let bytesBefore: Int
  public let bytesAfter: Int
}

extension Database {
  /// Reclaims disk space. Writers wait for it; it takes about a second for 50 MB. After a crash the database is
  /// either as before or compacted.
  ///
  /// Throws `full`, with the required space, if there is no room for the temporary copy. Does nothing in memory.
  @discardableResult
  public func compact() throws -> CompactionReport { try compact(freeSpace: FreeSpace.inFolder) }

  func compact(freeSpace: (String) throws(FileError) -> FreeSpace) throws -> CompactionReport {
    guard let path else { return CompactionReport(bytesBefore: 0, bytesAfter: 0) }
    let file = DatabaseFile(path: path)
    return try maintain { statements in
      if let damage { throw damage }
      // Pages that are only in the log would be counted twice.
      _ = try statements.connection.checkpoint()
      let before = file.size
      try Self.require(before, beside: file, freeSpace)
      try statements.connection.setDurable(true)
      try statements.connection.compact()
      // If readers block this checkpoint, a later one frees the space.
      _ = try statements.connection.checkpoint()
      return CompactionReport(bytesBefore: before, bytesAfter: file.size)
    }
  }

  /// There is a copy in the folder for temporary files, and another one in the log.
  private static func require(
    _ size: Int, beside file: DatabaseFile, _ freeSpace: (String) throws(FileError) -> FreeSpace
  ) throws(StorageError) {
    // The log has a little more than the pages.
    let copy = size + size / 32 + 65_536
    let (folder, temporary) = try StorageError.files { () throws(FileError) in
      (try freeSpace(file.folder), try freeSpace(FreeSpace.temporaryFolder))
    }
    let needed = folder.device == temporary.device ? 2 * copy : copy
    guard folder.bytes >= needed, temporary.bytes >= copy else {
      throw StorageError(
        .full,
        "compacting \(file.path) takes \(needed >> 20) MiB in its folder and \(copy >> 20) MiB in "
          + "\(FreeSpace.temporaryFolder), which are not free")
    }
  }
}

extension FreeSpace {
  /// The folder of SQLite's temporary files, which are encrypted like the database.
  static var temporaryFolder: String {
    let named = [getenv("SQLITE_TMPDIR"), getenv("TMPDIR")].compactMap { $0.map { String(cString: $0) } }
    let usual: [String] = ["/var/tmp", "/usr/tmp", "/tmp"]
    return (named + usual).first { folder in access(folder, W_OK | X_OK) == 0 } ?? "."
  }
}
