import SessionBase
import SessionService
import SessionStorage
import Synchronization

/// The rows of a community server. What a call has changed is on the device when it returns.
final class CommunityStore: Sendable {
  let database: Database
  private let commits: CommitGroup
  /// When all rows were last looked at for what is over: milliseconds since 1970.
  let lastSweep = Mutex<Int64>(0)

  /// Opens or creates the database of a folder. It is not shared with other processes.
  init(path: String, key: DatabaseKey) throws {
    var options = DatabaseOptions()
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 8 * 1024 * 1024
    database = try Database.open(path, key: key, schema: .community, options: options)
    commits = CommitGroup(database)
  }

  /// The number of commits so far.
  var commitCount: UInt64 { commits.commits }

  /// Repairs made when a server starts.
  struct Findings: Hashable, Sendable {
    /// Content that no row knew; it is removed.
    var orphans = 0
    /// Rows without content.
    var lost = 0
  }

  /// Brings rows and content together. Rows without content stay: their numbers are in messages.
  func tidy(_ shelves: CommunityShelves) throws -> Findings {
    var findings = Findings()
    findings.orphans = try shelves.shelves.removeIncoming()
    let files = try database.read { transaction in
      try transaction.map("SELECT place, size FROM file") { (row) throws(StorageError) -> (String, Int) in
        (try row[0], try row[1])
      }
    }
    shelves.occupy(files.reduce(0) { $0 + $1.1 })
    let known = Set(files.map(\.0))
    var found = 0
    for shelf in try shelves.shelves.shelves() {
      for name in try shelves.shelves.names(on: shelf) {
        if known.contains(name) {
          found += 1
        } else {
          shelves.shelves.remove(name, on: shelf)
          findings.orphans += 1
        }
      }
    }
    findings.lost = known.count - found
    return findings
  }

  /// Removes the content of files whose rows are gone.
  func removeContent(of files: [CommunityFile], from shelves: CommunityShelves) async {
    await WorkerQueue("session.community.removing").run {
      for file in files { try? shelves.shelves.remove(file.place) }
    }
    shelves.release(files.reduce(0) { $0 + $1.size })
  }

  func close() throws(StorageError) { try database.close() }

  /// Writes in a transaction of its own, or one that fails without harm for those that share the commit.
  @discardableResult
  func write<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await commits.perform(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await database.read(body)
  }
}
