import SessionBase
import SessionNodeCore
import SessionService
import SessionStorage

/// Makes the folder of a community server from a pysogs server that does not run. The old server is only read.
public struct CommunityImport: Sendable {
  private let source: String
  private let key: String?
  private let uploads: String?
  private let folder: String
  private let now: @Sendable () -> UInt64

  /// `source` is the old server's folder, its `sogs.ini`, its database, whose key and files may be given, or the address of
  /// its database of PostgreSQL, with which they must. The folder to import to must be empty or missing.
  public init(
    from source: String, key: String? = nil, uploads: String? = nil, toFolder folder: String,
    now: (@Sendable () -> UInt64)? = nil
  ) {
    (self.source, self.key, self.uploads, self.now) = (
      source, key, uploads, now ?? { MachineClock.wallMilliseconds }
    )
    self.folder = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
  }

  /// Imports the server. The folder appears when everything is in it. Throws `CommunityImportFailure`.
  public func run() async throws -> CommunityImportReport {
    try await WorkerQueue("session.community.import").run { try fill() }
  }

  private func fill() throws -> CommunityImportReport {
    let place = try PysogsPlace(source, key: key, uploads: uploads)
    let keys = try place.keys()
    return try CommunityFolder.make(folder, in: "importing") {
      CommunityImportFailure.folderInUse(folder)
    } content: { work in
      var report = try copyRows(of: place, to: work, keys)
      try work.key.write(keys)
      try place.removeCopy(in: work.path)
      report.server = keys.publicKey
      var settings = place.settings
      if settings.words != nil { settings.settle(words: place.copyWords(to: work.path)) }
      (report.settings, report.unknownSettings) = (settings.lines, settings.unknown)
      return report
    }
  }

  private func copyRows(
    of place: PysogsPlace, to work: CommunityFolder, _ keys: ExchangeKeys
  ) throws -> CommunityImportReport {
    let old = try readable { try place.open(copyingTo: work.path) }
    let shelves = FileShelves(folder: work.files)
    try shelves.prepare()
    let database = try work.makeFile(keys)
    let rows = PysogsRows(
      server: keys.publicKey, files: ImportedFiles(place: place, shelves: shelves),
      now: Int64(clamping: now()))
    let outcome = Result {
      try old.read { source in
        try database.write { target in try rows.copy(from: source, to: target) }
      }
    }
    try database.close()
    try readable { try outcome.get() }
    return rows.report
  }

  /// Throws `damaged` for a database that cannot be read.
  private func readable<R>(_ body: () throws -> R) throws -> R {
    do { return try body() } catch let error as StorageError where [.corrupt, .io].contains(error.code) {
      throw CommunityImportFailure.damaged(error.message)
    }
  }
}
