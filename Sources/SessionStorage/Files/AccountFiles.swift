internal import SessionCore

/// The encrypted files of an account together with the rows that know them.
///
/// A name is announced before its file is written, and the row that refers to it takes that back, so that no crash
/// leaves an unknown file. A file is deleted after the last row that refers to it: first the row, then, once that is
/// committed, the file.
///
///     let message = try await files.add(pieces, to: .attachments, at: now) { transaction, file in
///       attachment.fileID = file
///       …
///     }
public struct AccountFiles: Sendable {
  /// The folders of files, next to the database.
  public enum Shelf: String, Sendable, CaseIterable {
    case attachments
    case avatars
  }

  /// The age at which an unreferenced file counts as an orphan, in milliseconds.
  public static let grace: Int64 = 24 * 3600 * 1000

  private let database: Database
  /// The folder of the account.
  private let folder: String

  public init(_ database: Database, in folder: String) {
    self.database = database
    self.folder = folder
  }

  private func vault(_ shelf: Shelf) -> FileVault { FileVault("\(folder)/\(shelf.rawValue)") }

  // MARK: - Writing and reading

  /// Writes a file, and calls a closure in the transaction that keeps it, which has to make some row refer to it. Nothing
  /// is left of either when this fails: `reference` when no row does.
  public func add<Content: AsyncSequence, R: Sendable>(
    _ content: Content, to shelf: Shelf, at now: Int64,
    keeping body: @escaping @Sendable (borrowing WriteTransaction, FileRecord.ID) throws -> R
  ) async throws -> R where Content.Element == [UInt8] {
    let name = try FileVault.newName()
    let path = "\(shelf.rawValue)/\(name)"
    try await database.write { transaction in try transaction.announceFile(at: path, at: now) }
    let entry: FileVault.Entry
    do {
      entry = try await vault(shelf).write(content, as: name)
    } catch {
      try? await database.write { transaction in try transaction.forgetOrphan(at: path) }
      throw error
    }
    // When this fails, the file is left to the sweep: a commit that was told to have failed may yet be found to be on
    // the device.
    return try await database.write { transaction in
      let id = try transaction.insertFile(
        at: path, localKey: entry.key.reveal(), byteCount: Int64(entry.size), createdAt: now)
      let result = try body(transaction, id)
      guard try transaction.referenceCount(of: id) > 0 else {
        throw StorageError(.reference, "no row refers to the file that was written")
      }
      return result
    }
  }

  /// The content of a file, piece by piece.
  public func content(of file: FileRecord) throws(StorageError) -> FileContent {
    let (shelf, name) = try Self.place(file.path)
    let key = try StorageError.keys("cannot keep the key of a file in memory") { () throws(SessionError) in
      try SecretBytes(copying: file.localKey)
    }
    return try vault(shelf).content(of: FileVault.Entry(name: name, key: key, size: UInt64(file.byteCount)))
  }

  /// Gives the content of a file piece by piece. Blocks its thread.
  func read(_ file: FileRecord, _ take: ([UInt8]) throws -> Void) throws {
    let (shelf, name) = try Self.place(file.path)
    let entry = FileVault.Entry(
      name: name, key: try SecretBytes(copying: file.localKey), size: UInt64(clamping: file.byteCount))
    try vault(shelf).read(entry, take)
  }

  /// Takes the file of a path from another folder on the same disk, under the same path and key. Blocks its thread.
  func adopt(_ path: String, from folder: String) throws(StorageError) {
    let (shelf, name) = try Self.place(path)
    try vault(shelf).adopt(name, from: FileVault("\(folder)/\(shelf.rawValue)"))
  }

  /// The shelf and the name of a file.
  private static func place(_ path: String) throws(StorageError) -> (Shelf, String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let shelf = Shelf(rawValue: String(parts[0])) else {
      throw StorageError(.value, "\"\(path)\" is not the path of a file")
    }
    return (shelf, String(parts[1]))
  }

  // MARK: - Sweeping

  /// Removes the files of rows that are gone. Call it after transactions that may have deleted the last row that refers
  /// to a file; what is not swept now is the next time.
  public func removeReleased() throws -> FileSweep {
    var sweep = FileSweep()
    try removeOrphans(announcedBefore: .min, &sweep)
    return sweep
  }

  /// Removes every file that nothing refers to: those of rows that are gone, those that were announced and never came,
  /// those that no row knows, and what was being written when a program ended. Files younger than the grace time may
  /// still be on their way. Says which files are missing.
  public func sweep(at now: Int64, grace: Int64 = grace) throws -> FileSweep {
    var sweep = FileSweep()
    try removeOrphans(announcedBefore: now - grace, &sweep)
    for shelf in Shelf.allCases {
      try vault(shelf).sweep(&sweep, writtenBefore: now - grace) { (name) throws(StorageError) in
        try isKnown("\(shelf.rawValue)/\(name)")
      }
    }
    sweep.missing = try missing()
    return sweep
  }

  private func removeOrphans(announcedBefore time: Int64, _ sweep: inout FileSweep) throws {
    let orphans = try database.read { transaction in try transaction.orphanFiles(announcedBefore: time) }
    var gone: [String] = []
    for orphan in orphans {
      let isGone = sweep.remove(orphan.path) { () throws(StorageError) in
        let (shelf, name) = try Self.place(orphan.path)
        try vault(shelf).remove(name)
      }
      if isGone { gone.append(orphan.path) }
    }
    guard !gone.isEmpty else { return }
    // If the program ends before this, the next sweep removes them again, which does no harm.
    try database.write(.relaxed) { transaction in
      for path in gone { try transaction.forgetOrphan(at: path) }
    }
  }

  private func isKnown(_ path: String) throws(StorageError) -> Bool {
    do {
      return try database.read { transaction in try transaction.isFileKnown(at: path) }
    } catch {
      throw (error as? StorageError) ?? StorageError(.io, "\(error)")
    }
  }

  /// Rows whose files are not there.
  private func missing() throws -> [FileRecord] {
    let all = try database.read { transaction in try transaction.files() }
    let missing = all.filter { file in
      guard let (shelf, name) = try? Self.place(file.path) else { return true }
      return !vault(shelf).has(name)
    }
    // A file whose row was deleted in the meantime is not missing.
    return try database.read { transaction in
      try missing.filter { file in try transaction.file(file.id) != nil }
    }
  }
}
