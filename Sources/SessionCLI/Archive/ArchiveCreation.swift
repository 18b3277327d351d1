import Glibc
import SessionBase
import SessionCore
import SessionMessaging
import SessionStorage

/// An archive of an account on this machine that is to be written.
struct ArchiveCreation: Sendable {
  let account: Account
  let secrets: [ArchiveSecret]
  private let folder: AccountFolder
  private let key: DatabaseKey
  private let contents: ArchiveExport.Contents
  private let origin: ArchiveExport.Origin
  private let io: CommandIO

  /// Opens the account. `seal` returns what opens its archive.
  init(
    of folder: AccountFolder, in book: AccountBook, _ contents: ArchiveExport.Contents, _ io: CommandIO,
    for seal: (Account) async throws -> [ArchiveSecret]
  ) async throws {
    let opening = AccountKey(io: io)
    account = try Account(
      try await Messenger.recoveryPhrase(of: folder, secret: try await opening.needed(for: folder)))
    secrets = try await seal(account)
    key = try await opening.key(of: folder)
    var contents = contents
    contents.settings = MessengerSettings.archived
    self.folder = folder
    self.contents = contents
    self.io = io
    origin = ArchiveExport.Origin(
      account: account, name: folder.name, network: try book.network(of: folder, io: io).archiveName(io: io),
      program: "session \(SessionTool.version)", created: Int64(io.now()))
  }

  /// Writes a file. It gets its name once it was read as a reader of it will.
  func write(to path: String, replacing replaces: Bool = false) async throws -> ArchiveSummary {
    let (report, manifest) = try await run { [self] export, stop, tell in
      let file = try PendingFile(for: path, replacing: replaces)
      let report = try write(export, stop, tell, beside: path) { bytes in try file.write(bytes.span) }
      let written = ArchiveFileReader(path: file.temporaryPath)
      let reading = try ArchiveReading.read(opening: [secrets[0]], next: try written.pieces(until: stop))
      try file.commit()
      return (report, reading.manifest)
    }
    return ArchiveSummary(
      path: path, manifest: .init(manifest), report: report, bytes: ArchiveFileReader(path: path).bytes)
  }

  /// Writes to standard output.
  func write() async throws -> ArchiveReport {
    try await run { [self] export, stop, tell in
      try write(export, stop, tell, beside: nil) { bytes in try io.write(bytes.span) }
    }
  }

  private func run<R: Sendable>(
    _ body: @escaping @Sendable (ArchiveExport, Latch, @escaping (ArchiveExport.Progress) -> Void) throws -> R
  ) async throws -> R {
    let (progress, telling) = AsyncStream.makeStream(
      of: ArchiveExport.Progress.self, bufferingPolicy: .bufferingNewest(1))
    let meter = ArchiveMeter("Writing \(folder.name)")
    return try await io.drawing(progress, meter.line) { _ in
      try await stoppable { [self] stop in
        // Like all commands that only read, it migrates nothing.
        try folder.withDatabase(key, confirming: .all) { database in
          let export = ArchiveExport(database, AccountFiles(database, in: folder.data), contents, of: origin)
          return try body(export, stop) { telling.yield($0) }
        }
      }
    }
  }

  /// `path` is that of the file, whose disk needs the space.
  private func write(
    _ export: ArchiveExport, _ stop: Latch, _ tell: (ArchiveExport.Progress) -> Void, beside path: String?,
    to output: ([UInt8]) throws -> Void
  ) throws -> ArchiveReport {
    var isChecked = false
    var told = ContinuousClock.now
    return try export.write(for: secrets) { bytes in
      if !bytes.isEmpty { try output(bytes) }
    } watch: { progress in
      if stop.isOpen { throw CancellationError() }
      if !isChecked, let path { try checkSpace(progress.estimatedFileBytes, beside: path) }
      isChecked = true
      guard told.duration(to: .now) > .milliseconds(250) else { return }
      told = .now
      tell(progress)
    }
  }

  /// Throws `full` if the disk has not the space of the files and of the whole database.
  private func checkSpace(_ fileBytes: Int64, beside path: String) throws {
    var status = stat()
    let rows = stat(folder.database, &status) == 0 ? Int64(status.st_size) : 0
    let needed = (fileBytes + rows) / 20 * 21
    let free = try FreeSpace.inFolder(Folder.of(path)).bytes
    guard free < needed else { return }
    throw StorageError(
      .full, "the archive needs \(ByteCount.text(needed)), and the disk has \(ByteCount.text(Int64(free)))")
  }
}

/// The progress of an archive, as a line of a terminal.
struct ArchiveMeter: Sendable {
  private let label: String
  private let began = ContinuousClock.now

  init(_ label: String) { self.label = label }

  /// Rows first, then the bytes of files.
  @Sendable func line(_ progress: ArchiveExport.Progress?, width: Int) -> String? {
    guard let progress else { return DisplayText.fitted(label, to: max(width, 1)) }
    guard progress.fileBytes > 0 else {
      return ProgressBar.line(
        label, done: progress.rows, total: progress.estimatedRows, in: .messages(hasMore: false),
        elapsed: .zero, width: width)
    }
    return ProgressBar.line(
      label, done: progress.fileBytes, total: progress.estimatedFileBytes,
      elapsed: began.duration(to: .now), width: width)
  }
}
