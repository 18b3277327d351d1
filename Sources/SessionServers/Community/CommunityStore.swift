import SessionBase
import SessionService
import SessionStorage

/// The rows of a community server. What a call has changed is on the device when it returns.
final class CommunityStore: Sendable {
  let database: Database
  private let commits: CommitGroup

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
