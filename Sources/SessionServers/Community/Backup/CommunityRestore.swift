import SessionBase
public import SessionCore
import SessionNodeCore
import SessionService
public import SessionStorage

/// Makes the folder of a community server from a backup.
public struct CommunityRestore: Sendable {
  /// What was restored.
  public struct Report: Hashable, Sendable {
    /// The public key of the server.
    public var server: [UInt8] = []
    public var files = 0
    /// Milliseconds since 1970.
    public var created: Int64 = 0
  }

  private let folder: String
  /// The file with the server's key, if the backup has none.
  private let key: String?

  /// The folder must be empty or missing.
  public init(toFolder folder: String, key: String? = nil) {
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    self.key = key
  }

  /// Restores a backup. The folder appears when it is whole, with the numbers of everything to come moved on: see
  /// ``skipNumbers(inFolder:)``. `passphrase` is called if the backup has one. Throws `CommunityBackupFailure`.
  public func restore(
    _ path: String, passphrase: @escaping @Sendable () async throws -> SecretBytes?
  ) async throws -> Report {
    try await WorkerQueue("session.community.restore").run {
      guard try Folder.names(in: folder).isEmpty else { throw CommunityBackupFailure.folderInUse(folder) }
    }
    let needsPassphrase = try await WorkerQueue("session.community.restore").run {
      try BackupHeader(reading: OpenFile(reading: path), path: path).protection != nil
    }
    let secret = needsPassphrase ? try await passphrase() : nil
    let stop = Latch()
    return try await withTaskCancellationHandler {
      try await WorkerQueue("session.community.restore").run {
        try fill(from: BackupReader(path) { secret }, stop)
      }
    } onCancel: {
      stop.open()
    }
  }

  /// Moves on what numbers come next in a database whose server does not run, as `restore` does: for backups that other
  /// tools made. The database is in a folder, or at an address.
  public static func skipNumbers(inFolder path: String, database: PostgreSQLAddress? = nil) async throws {
    try await WorkerQueue("session.community.restore").run {
      let folder = CommunityFolder(path: path)
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      if let database {
        let key = try folder.key.read().publicKey
        let alone = try CommunityServer.excludeServers(at: database)
        defer { alone.close() }
        let shared = try PostgreSQLDatabase(database, schema: .community, owner: key.hex)
        defer { shared.close() }
        try shared.write { try $0.skipNumbers() }
        return
      }
      guard OpenFile.exists(folder.database) else { throw CommunityBackupFailure.noDatabase(path) }
      let database = try folder.openFile(try folder.key.read())
      let outcome = Result { try database.write { try $0.skipNumbers() } }
      try database.close()
      try outcome.get()
    }
  }

  private func fill(from reader: BackupReader, _ stop: Latch) throws -> Report {
    try CommunityFolder.make(folder, in: "restoring") {
      CommunityBackupFailure.folderInUse(folder)
    } content: { work in
      try fill(work, from: reader, stop)
    }
  }

  private func fill(_ work: CommunityFolder, from reader: BackupReader, _ stop: Latch) throws -> Report {
    let first = try reader.next()
    guard first.kind == .contents else { throw CommunityBackupFailure.damaged }
    let contents = try first.value(as: BackupFrame.Contents.self)
    var report = Report(created: contents.created)
    var frame = try reader.next()
    let keys = try keys(frame, contents)
    report.server = keys.publicKey
    try work.key.write(keys)
    if frame.kind == .key { frame = try reader.next() }
    frame = try writeDatabase(to: work.database, contents.databaseBytes, from: reader, frame, stop)
    let shelves = FileShelves(folder: work.files)
    try shelves.prepare()
    while frame.kind == .file {
      let file = try frame.value(as: BackupFrame.File.self)
      frame = try write(file, to: shelves, from: reader)
      report.files += 1
      if stop.isOpen { throw CancellationError() }
    }
    guard frame.kind == .end, try frame.value(as: BackupFrame.Totals.self).files == report.files else {
      throw CommunityBackupFailure.damaged
    }
    try reader.expectEnd()
    let database = try work.openFile(keys)
    let outcome = Result {
      try database.write { transaction -> Int in
        try transaction.skipNumbers()
        return try transaction.value("SELECT count(*) FROM file WHERE place = ?1", CommunityFile.inRows) ?? 0
      }
    }
    try database.close()
    report.files += try outcome.get()
    return report
  }

  /// The key in the backup, or the one that was given.
  private func keys(_ frame: BackupFrame, _ contents: BackupFrame.Contents) throws -> ExchangeKeys {
    let keys: ExchangeKeys
    if let key {
      keys = try ExchangeKeyFile(path: key).read()
    } else {
      guard frame.kind == .key else { throw CommunityBackupFailure.keyMissing }
      keys = try ExchangeKeys(secret: SecretBytes(copying: frame.payload))
    }
    guard keys.publicKey.hex == contents.server else { throw CommunityBackupFailure.wrongKey }
    return keys
  }

  /// Writes the database, and returns the frame after it.
  private func writeDatabase(
    to path: String, _ size: Int, from reader: BackupReader, _ first: BackupFrame, _ stop: Latch
  ) throws -> BackupFrame {
    let file = try PendingFile(for: path)
    var (frame, count) = (first, 0)
    while frame.kind == .database {
      try file.write(frame.payload.span)
      count += frame.payload.count
      frame = try reader.next()
      if stop.isOpen { throw CancellationError() }
    }
    guard count == size else { throw CommunityBackupFailure.damaged }
    try file.commit()
    return frame
  }

  /// Writes a file, and returns the frame after it.
  private func write(
    _ file: BackupFrame.File, to shelves: FileShelves, from reader: BackupReader
  ) throws -> BackupFrame {
    // A name from elsewhere must not lead out of the folder.
    guard CommunityShelves.isName(file.place) else { throw CommunityBackupFailure.damaged }
    var (content, frame) = ([UInt8](), try reader.next())
    while frame.kind == .content, content.count + frame.payload.count <= file.size {
      content += frame.payload
      frame = try reader.next()
    }
    guard content.count == file.size else { throw CommunityBackupFailure.damaged }
    try shelves.place(try shelves.receive(content, for: file.place), as: file.place)
    return frame
  }
}
