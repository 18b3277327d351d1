import SessionService
import SessionStorage

/// The rows in a file of this process alone, whose changes run one after the other and are committed in groups.
final class EmbeddedEngine: CommunityEngine {
  let database: Database
  private let commits: CommitGroup

  init(path: String, key: DatabaseKey) throws {
    var options = DatabaseOptions()
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 8 * 1024 * 1024
    database = try Database.open(path, key: key, schema: .community, options: options)
    commits = CommitGroup(database)
  }

  var commitCount: UInt64 { commits.commits }
  var isShared: Bool { false }

  func write<R: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await commits.perform(body)
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await database.read(body)
  }

  func readHere<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R { try database.read(body) }

  func keepsHouse() async -> Bool { true }

  func close() throws(StorageError) { try database.close() }
}
