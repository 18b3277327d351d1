import FoundationEssentials
import SessionBase
public import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

/// Writes all that a community server stores into one file, while the server runs or not.
public struct CommunityBackup: Sendable {
  /// What a backup holds.
  public struct Report: Hashable, Sendable {
    public var rooms = 0
    public var messages = 0
    public var files = 0
    /// Files whose content is lost.
    public var missing = 0
    /// Bytes of the database and the files.
    public var bytes = 0
  }

  private static let pieceBytes = BackupFrame.maxPayload
  /// Rows of files that are read at a time.
  private static let pageCount = 1000

  private let folder: CommunityFolder
  private let database: PostgreSQLAddress?
  /// The folder of the files.
  private let files: String
  private let passphrase: SecretBytes?
  /// False if the key of the server is left out.
  private let includesKey: Bool
  private let cost: PassphraseKey.Cost
  private let now: @Sendable () -> UInt64

  /// Without a passphrase, everybody who has the file can read it, and with the key of the server take its place. `database` is
  /// the address of the rows, and `files` the folder of the files, if they are not in the folder of the server.
  public init(
    ofFolder folder: String, database: PostgreSQLAddress? = nil, files: String? = nil,
    passphrase: SecretBytes?, includesKey: Bool = true,
    cost: PassphraseKey.Cost = .standard,
    now: (@Sendable () -> UInt64)? = nil
  ) {
    self.folder = CommunityFolder(path: folder)
    self.database = database
    self.files = files ?? self.folder.files
    (self.passphrase, self.includesKey, self.cost, self.now) = (
      passphrase, includesKey, cost, now ?? { MachineClock.wallMilliseconds }
    )
  }

  /// Writes the backup to a file, which appears when it is whole. Throws `CommunityBackupFailure`, and `FileError.exists`
  /// for a file that is there.
  public func write(to path: String) async throws -> Report {
    let folder = folder
    let (keys, lock) = try await WorkerQueue("session.community.backup").run {
      (try folder.key.read(), try folder.holdContent("session server community backup"))
    }
    defer { withExtendedLifetime(lock) {} }
    return try await FileWriter.write(path) { file in
      try await write(keys, to: file)
    }
  }

  private func write(_ keys: ExchangeKeys, to file: FileWriter) async throws -> Report {
    let writer = try await BackupWriter.begin(file, passphrase: passphrase, cost: cost)
    let created = Int64(clamping: now())
    return try await snapshot(keys).use { snapshot in
      try await write(snapshot, keys, created: created, to: writer)
    }
  }

  private func write(
    _ snapshot: DatabaseSnapshot, _ keys: ExchangeKeys, created: Int64, to writer: BackupWriter
  ) async throws -> Report {
    try await writer.write(
      try BackupFrame(
        .contents,
        json: BackupFrame.Contents(
          server: keys.publicKey.hex, created: created, databaseBytes: snapshot.size)))
    if includesKey { try await writer.write(BackupFrame(.key, try keys.secret().reveal())) }
    for offset in stride(from: 0, to: snapshot.size, by: Self.pieceBytes) {
      try await writer.write(
        .database,
        try await snapshot.bytes(at: offset, count: min(Self.pieceBytes, snapshot.size - offset)))
    }
    var report = try await counts(snapshot)
    report.bytes = snapshot.size
    let count = try await writeFiles(of: snapshot, to: writer, &report)
    try await writer.write(try BackupFrame(.end, json: BackupFrame.Totals(files: count)))
    try await writer.finish()
    return report
  }

  private func snapshot(_ keys: ExchangeKeys) async throws -> DatabaseSnapshot {
    let (folder, key) = (folder, try CommunityFolder.databaseKey(keys))
    guard let database else {
      return try await DatabaseSnapshot.take(of: folder.database, key: key, at: folder.snapshot)
    }
    // The backup holds a file, whatever the rows were in.
    let copying = WorkerQueue("session.community.backup")
    do {
      try await copying.run { try folder.copyRows(from: database, keys) }
      let snapshot = try await DatabaseSnapshot.take(
        of: folder.copiedRows.database, key: key, at: folder.snapshot)
      await copying.run { folder.removeCopiedRows() }
      return snapshot
    } catch {
      await copying.run { folder.removeCopiedRows() }
      throw error
    }
  }

  private func counts(_ snapshot: DatabaseSnapshot) async throws -> Report {
    try await snapshot.read { transaction in
      Report(
        rooms: try transaction.value("SELECT count(*) FROM room") ?? 0,
        messages: try transaction.value("SELECT count(*) FROM message WHERE data IS NOT NULL") ?? 0)
    }
  }

  /// Writes the content of files that is not in rows. Returns the number of these files.
  private func writeFiles(
    of snapshot: DatabaseSnapshot, to writer: BackupWriter, _ report: inout Report
  ) async throws -> Int {
    let (shelves, reading) = (FileShelves(folder: files), WorkerQueue("session.community.backup"))
    var (last, count): (Int64, Int) = (0, 0)
    while true {
      let after = last
      let (files, lost) = try await snapshot.read { transaction -> ([CommunityFile], Set<Int64>) in
        let files: [CommunityFile] = try transaction.all(
          "SELECT \(CommunityFile.columns) FROM file WHERE id > ?1 ORDER BY id LIMIT ?2", after,
          Self.pageCount)
        var lost: Set<Int64> = []
        for file in files where file.isInRows {
          if try transaction.contentSize(of: file) != file.size { lost.insert(file.id) }
        }
        return (files, lost)
      }
      guard let end = files.last?.id else { return count }
      last = end
      for file in files {
        guard !file.isInRows else {
          if lost.contains(file.id) { report.missing += 1 } else { report.files += 1 }
          continue
        }
        let content = await reading.run { Self.content(of: file, in: shelves) }
        guard let content else {
          report.missing += 1
          continue
        }
        try await writer.write(
          try BackupFrame(.file, json: BackupFrame.File(place: file.place, size: content.count)))
        try await writer.write(.content, content)
        count += 1
        report.files += 1
        report.bytes += content.count
      }
    }
  }

  /// The content of a file; nil if it is lost.
  private static func content(of file: CommunityFile, in shelves: FileShelves) -> [UInt8]? {
    guard let content = try? OpenFile(reading: shelves.path(of: file.place)).readAll(upTo: file.size) else {
      return nil
    }
    return content.count == file.size ? content : nil
  }
}

extension CommunityFolder {
  private var backupLock: String { path + "/backup.lock" }
  /// The database of the moment that a backup is of.
  fileprivate var snapshot: String { path + "/backup.db" }

  /// The rows of PostgreSQL, as a file.
  fileprivate var copiedRows: CommunityFolder { CommunityFolder(path: path + "/backup-rows") }

  /// Copies what is in PostgreSQL at one moment.
  fileprivate func copyRows(from address: PostgreSQLAddress, _ keys: ExchangeKeys) throws {
    removeCopiedRows()
    try FolderLock.prepare(copiedRows.path)
    let server = try PostgreSQLDatabase(address, schema: .community, owner: keys.publicKey.hex)
    defer { server.close() }
    let file = try copiedRows.makeFile(keys)
    let outcome = Result {
      try server.read { source in
        try file.write { target in _ = try CommunityTable.copyAll(from: source, to: target) }
      }
    }
    try file.close()
    try outcome.get()
  }

  /// They are removed before the next copy otherwise.
  fileprivate func removeCopiedRows() { try? Folder.remove(copiedRows.path) }

  /// True while a backup is being written or the files are checked: their content must stay.
  var isBackedUp: Bool { FileLock.isHeld(backupLock) }

  /// Has the content of files stay until the lock goes, also of those whose rows are removed meanwhile.
  func holdContent(_ purpose: String) throws -> FileLock {
    do throws(FileError) {
      return try FileLock(backupLock, of: path, purpose: purpose)
    } catch {
      guard error.code == .inUse else { throw error }
      throw CommunityBackupFailure.alreadyRunning
    }
  }
}
