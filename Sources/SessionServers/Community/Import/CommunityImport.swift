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

  /// `source` is the old server's folder, its `sogs.ini`, or its database, whose key and files may be given. The folder to
  /// import to must be empty or missing.
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
      try place.expectNoUser()
      try work.key.write(keys)
      let copy = try place.copyDatabase(to: work.path)
      var report = try copyRows(of: copy, at: place, to: work, keys)
      for ending in ["", "-wal", "-shm", "-journal"] { try Folder.remove(copy + ending) }
      report.server = keys.publicKey
      (report.settings, report.unknownSettings) = (place.settings.lines, place.settings.unknown)
      return report
    }
  }

  private func copyRows(
    of path: String, at place: PysogsPlace, to work: CommunityFolder, _ keys: ExchangeKeys
  ) throws -> CommunityImportReport {
    let shelves = FileShelves(folder: work.files)
    try shelves.prepare()
    let database = try work.makeFile(keys)
    let rows = PysogsRows(
      server: keys.publicKey, files: ImportedFiles(place: place, shelves: shelves),
      now: Int64(clamping: now()))
    let outcome = Result {
      let old = try ForeignDatabase(path)
      try old.read { source in
        try database.write { target in try rows.copy(from: source, to: target) }
      }
    }
    try database.close()
    do { try outcome.get() } catch let error as StorageError where [.corrupt, .io].contains(error.code) {
      throw CommunityImportFailure.damaged(error.message)
    }
    return rows.report
  }
}
