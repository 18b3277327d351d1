import SessionService
import SessionStorage

/// The rows in a file of this process alone, whose changes run one after the other and are committed in groups.
final class EmbeddedEngine: CommunityEngine {
  private let database: Database
  private let commits: CommitGroup
  let news: any CommunityNews

  init(_ database: Database) {
    self.database = database
    commits = CommitGroup(database)
    news = database.observations.observeCommunity()
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

  func observeRooms() -> Observation { database.observations.observe(ObservationKey(.communityRoom)) }

  func close() throws(StorageError) { try database.close() }
}
