import Glibc
import SessionBase
public import SessionCore
import Synchronization

/// The export of an account into an archive: the rows of one moment, then the files that they refer to.
///
/// Other programs may work on the account meanwhile. It takes no more memory for a larger account, but for the numbers of
/// its files.
public struct ArchiveExport: Sendable {
  /// What travels.
  public struct Contents: Sendable {
    public var files = ArchiveManifest.Files.all
    /// True if messages travel that disappear.
    public var hasDisappearing = false
    /// True if the archive contains the account itself.
    public var hasSeed = true
    public var isCompressed = true
    /// The names of the settings that travel.
    public var settings: [String] = []

    public init() {}
  }

  /// The account, as the archive names it.
  public struct Origin: Sendable {
    public let account: Account
    public let name: String
    /// `main`, `test`, or the key of a private network's operator.
    public let network: String
    /// The name and version of this program.
    public let program: String
    /// In milliseconds since 1970.
    public let created: Int64

    public init(account: Account, name: String, network: String, program: String, created: Int64) {
      self.account = account
      self.name = name
      self.network = network
      self.program = program
      self.created = created
    }
  }

  /// How far an export is.
  public struct Progress: Sendable {
    public internal(set) var rows: Int64 = 0
    public internal(set) var fileBytes: Int64 = 0
    public internal(set) var estimatedRows: Int64 = 0
    public internal(set) var estimatedFileBytes: Int64 = 0
  }

  /// The size of the database's log at which an export ends: writers cannot empty it meanwhile.
  static let maxLog = 1 << 30
  /// After so many rows it looks whether it is to go on.
  private static let stride: Int64 = 500

  let database: Database
  let files: AccountFiles
  let contents: Contents
  let origin: Origin

  public init(_ database: Database, _ files: AccountFiles, _ contents: Contents, of origin: Origin) {
    self.database = database
    self.files = files
    self.contents = contents
    self.origin = origin
  }

  /// Writes an archive that each of the secrets opens, and returns what it contains. Blocks its thread. `write` gets the
  /// bytes of the file; `watch` is called often, and ends the export by throwing. Throws `overloaded` if the database's log
  /// grows too large meanwhile.
  public func write(
    for secrets: [ArchiveSecret], to write: ([UInt8]) throws -> Void,
    watch: (Progress) throws -> Void = { _ in }
  ) throws -> ArchiveReport {
    let archive = try ArchiveWriter(secrets: secrets, isCompressed: contents.isCompressed)
    var (report, progress) = (ArchiveReport(), Progress())
    let ids = try database.read { transaction in
      try writeRows(transaction.statements, to: archive, &report, &progress, write, watch)
    }
    for id in ids {
      try writeFile(id, to: archive, &report, &progress, write, watch)
      try write(archive.drain())
    }
    try archive.finish()
    try write(archive.drain())
    return report
  }

  // MARK: - Rows

  /// Writes the manifest and all rows. Returns the numbers of the files that travel.
  private func writeRows(
    _ statements: Statements, to archive: ArchiveWriter, _ report: inout ArchiveReport,
    _ progress: inout Progress, _ write: ([UInt8]) throws -> Void, _ watch: (Progress) throws -> Void
  ) throws -> [FileRecord.ID] {
    let scope = ArchiveTable.Scope(files: contents.files, hasDisappearing: contents.hasDisappearing)
    let tables = ArchiveTable.all.map {
      ArchiveRows(table: $0, scope: scope, settings: contents.settings, statements: statements)
    }
    for table in tables { progress.estimatedRows += try table.count() }
    progress.estimatedFileBytes = try tables.first { $0.table.name == "file" }?.fileBytes() ?? 0
    try archive.write(try manifest(statements, progress))
    var ids: [FileRecord.ID] = []
    for table in tables {
      try table.forEach { columns in
        try archive.beginTable(table.table.name, columns: columns)
        report.begin(table.table.name)
      } take: { row, item in
        if try archive.write(row: row) {
          report.countRow()
          if table.table.name == "file", case .integer(let id) = row[0] { ids.append(.init(rawValue: id)) }
        } else {
          try note(
            ArchiveProblem(kind: "rowInvalid", item: item, detail: "a value that no archive can hold"),
            archive, &report)
        }
        progress.rows += 1
        try write(archive.drain())
        if progress.rows % Self.stride == 0 {
          try checkLog()
          try watch(progress)
        }
      }
    }
    try write(archive.drain())
    try watch(progress)
    return ids
  }

  private func manifest(_ statements: Statements, _ progress: Progress) throws -> ArchiveManifest {
    let numbers = try statements.connection.prepare("SELECT name, seq FROM sqlite_sequence ORDER BY name")
    var sequences: [(table: String, number: Int64)] = []
    let names = ArchiveTable.all.map(\.name)
    while try numbers.step() {
      if names.contains(numbers.text(0)) { sequences.append((numbers.text(0), numbers.int64(1))) }
    }
    return ArchiveManifest(
      account: origin.account.id.description, name: origin.name, network: origin.network,
      seed: contents.hasSeed ? try origin.account.archiveSeed() : nil, created: origin.created,
      program: origin.program, schema: Int64(database.schema.version), tables: names, sequences: sequences,
      files: contents.files, hasDisappearing: contents.hasDisappearing,
      estimatedRows: progress.estimatedRows, estimatedFileBytes: progress.estimatedFileBytes)
  }

  private func checkLog() throws {
    guard let path = database.path else { return }
    var status = stat()
    guard stat(path + "-wal", &status) == 0, status.st_size > Self.maxLog else { return }
    throw StorageError(.overloaded, "too much was stored during the export")
  }

  private func note(
    _ problem: ArchiveProblem, _ archive: ArchiveWriter, _ report: inout ArchiveReport
  ) throws {
    report.note(problem)
    // Each takes space in the archive.
    if report.problemCount <= ArchiveReport.maxProblems { try archive.note(problem) }
  }

  // MARK: - Files

  private func writeFile(
    _ id: FileRecord.ID, to archive: ArchiveWriter, _ report: inout ArchiveReport, _ progress: inout Progress,
    _ write: ([UInt8]) throws -> Void, _ watch: (Progress) throws -> Void
  ) throws {
    let item = "file \(id)"
    // Its row may be gone by now, and the file with it.
    guard let file = try database.read({ transaction in try transaction.file(id) }) else {
      return try note(
        ArchiveProblem(kind: "fileMissing", item: item, detail: "it was deleted meanwhile"), archive, &report)
    }
    let folder =
      file.path.hasPrefix("\(AccountFiles.Shelf.avatars.rawValue)/")
      ? ArchiveFile.Folder.avatars : .attachments
    try archive.beginFile(ArchiveFile(id: id.rawValue, size: file.byteCount, folder: folder))
    do {
      try files.read(file) { piece in
        try archive.write(content: piece)
        progress.fileBytes += Int64(piece.count)
        try write(archive.drain())
        try watch(progress)
      }
    } catch let error as StorageError where error.code == .value {
      return try breakFile(archive, "fileUnreadable", item, error.message, &report)
    } catch let error as SessionError where error.code == .fileUnreadable {
      return try breakFile(archive, "fileMissing", item, "it is not there", &report)
    } catch let error as SessionError where error.code.family == .attachment || error.code == .truncated {
      return try breakFile(archive, "fileUnreadable", item, error.message, &report)
    }
    guard try archive.endFile() else {
      return try note(
        ArchiveProblem(kind: "fileSize", item: item, detail: "it has another size than stored"), archive,
        &report)
    }
    report.files += 1
    report.fileBytes += file.byteCount
  }

  private func breakFile(
    _ archive: ArchiveWriter, _ kind: String, _ item: String, _ detail: String, _ report: inout ArchiveReport
  ) throws {
    try archive.breakFile(because: kind)
    try note(ArchiveProblem(kind: kind, item: item, detail: detail), archive, &report)
  }
}
