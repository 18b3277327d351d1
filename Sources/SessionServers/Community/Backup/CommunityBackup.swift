import FoundationEssentials
import SessionBase
public import SessionCore
import SessionNodeCore
import SessionService
import SessionStorage

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
  /// The folder of the files.
  private let files: String
  private let passphrase: SecretBytes?
  /// False if the key of the server is left out.
  private let includesKey: Bool
  private let cost: PassphraseKey.Cost
  private let now: @Sendable () -> UInt64

  /// Without a passphrase, everybody who has the file can read it, and with the key of the server take its place. `files` is
  /// the folder of the files, if it is not in that of the server.
  public init(
    ofFolder folder: String, files: String? = nil, passphrase: SecretBytes?, includesKey: Bool = true,
    cost: PassphraseKey.Cost = .standard,
    now: (@Sendable () -> UInt64)? = nil
  ) {
    self.folder = CommunityFolder(path: folder)
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
      (try folder.key.read(), try folder.lockBackup())
    }
    defer { withExtendedLifetime(lock) {} }
    return try await FileWriter.write(path) { file in
      try await write(keys, to: file)
    }
  }

  private func write(_ keys: ExchangeKeys, to file: FileWriter) async throws -> Report {
    let writer = try await BackupWriter.begin(file, passphrase: passphrase, cost: cost)
    let created = Int64(clamping: now())
    let snapshot = try await DatabaseSnapshot.take(
      of: folder.database, key: try CommunityFolder.databaseKey(keys), at: folder.snapshot)
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
    try await writeFiles(of: snapshot, to: writer, &report)
    try await writer.write(try BackupFrame(.end, json: BackupFrame.Totals(files: report.files)))
    try await writer.finish()
    return report
  }

  private func counts(_ snapshot: DatabaseSnapshot) async throws -> Report {
    try await snapshot.read { transaction in
      Report(
        rooms: try transaction.value("SELECT count(*) FROM room") ?? 0,
        messages: try transaction.value("SELECT count(*) FROM message WHERE data IS NOT NULL") ?? 0)
    }
  }

  private func writeFiles(
    of snapshot: DatabaseSnapshot, to writer: BackupWriter, _ report: inout Report
  ) async throws {
    let (shelves, reading) = (FileShelves(folder: files), WorkerQueue("session.community.backup"))
    var last: Int64 = 0
    while true {
      let after = last
      let files = try await snapshot.read { transaction -> [CommunityFile] in
        try transaction.all(
          "SELECT \(CommunityFile.columns) FROM file WHERE id > ?1 ORDER BY id LIMIT ?2", after,
          Self.pageCount)
      }
      guard let end = files.last?.id else { return }
      last = end
      for file in files {
        let content = await reading.run { Self.content(of: file, in: shelves) }
        guard let content else {
          report.missing += 1
          continue
        }
        try await writer.write(
          try BackupFrame(.file, json: BackupFrame.File(place: file.place, size: content.count)))
        try await writer.write(.content, content)
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

  /// True while a backup is being written: the content of files must stay.
  var isBackedUp: Bool { FileLock.isHeld(backupLock) }

  fileprivate func lockBackup() throws -> FileLock {
    do throws(FileError) {
      return try FileLock(backupLock, of: path, purpose: "session server community backup")
    } catch {
      guard error.code == .inUse else { throw error }
      throw CommunityBackupFailure.alreadyRunning
    }
  }
}
