import SessionCore
import SessionService
import SessionStorage
import Synchronization

/// The rows in a database of PostgreSQL, which several processes share.
///
/// A change locks what it is about before it looks at rights: the server first, then a room, then people in the order of
/// their numbers. So a ban holds for all processes from its commit on. What they remember for readers is forgotten a moment
/// later, when they hear of it.
final class SharedEngine: CommunityEngine {
  /// The lock of those that change anything; changes of a room or a letter share it.
  private static let serverLock: Int64 = 0x5343_4F4C
  /// The role of the process that keeps house.
  private static let keeperRole: Int64 = 0x534F_4753
  /// The role of all processes that serve the database. A process that has it alone knows that none does.
  private static let servingRole: Int64 = 0x534F_4754

  private let database: PostgreSQLDatabase
  private let keeper: PostgreSQLRole
  private let serving: PostgreSQLRole
  private let commits = Atomic<UInt64>(0)
  private let listener: PostgreSQLListener
  let news: any CommunityNews

  /// `key` is the public key of the server, whose database this must be, and `readLimit` the time limit of a
  /// statement that reads. Throws `ServiceFailure.request` while its rows are moved.
  init(_ address: PostgreSQLAddress, key: [UInt8], readLimit: Duration? = nil) throws {
    database = try PostgreSQLDatabase(address, schema: .community, owner: key.hex, readLimit: readLimit)
    keeper = PostgreSQLRole(Self.keeperRole, at: address)
    serving = PostgreSQLRole(Self.servingRole, isShared: true, at: address)
    let news = SharedNews(database)
    (listener, self.news) = (news.listener, news)
    guard serving.isHeldBlocking() else {
      listener.close()
      database.close()
      throw ServiceFailure.request("the rows in \(address) are being moved; wait until they are elsewhere")
    }
  }

  var commitCount: UInt64 { commits.load(ordering: .relaxed) }
  var isShared: Bool { true }

  func write<R: Sendable>(
    _ scope: WriteScope, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    commits.wrappingAdd(1, ordering: .relaxed)
    return try await database.write { transaction in
      try transaction.lock(scope, serverLock: Self.serverLock, servingRole: Self.servingRole)
      return try body(transaction)
    }
  }

  func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    try await database.read(body)
  }

  func readHere<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R { try database.read(body) }

  /// Keeps servers from starting until it is closed; nil if one works.
  static func excludeServers(at address: PostgreSQLAddress) -> PostgreSQLRole? {
    let alone = PostgreSQLRole(servingRole, at: address)
    guard alone.isHeldBlocking() else {
      alone.close()
      return nil
    }
    return alone
  }

  func keepsHouse() async -> Bool {
    // The connection may have been lost, and the role with it.
    _ = await serving.isHeld()
    guard await keeper.isHeld() else { return false }
    // The next time will do if it fails.
    try? await database.removeMarks()
    return true
  }

  func observeRooms() -> Observation { database.observations.observe(ObservationKey(.communityRoom)) }

  func close() throws(StorageError) {
    keeper.close()
    serving.close()
    listener.close()
    database.close()
  }
}

/// The changes that this process makes, and those that it hears of.
private struct SharedNews: CommunityNews {
  let listener: PostgreSQLListener
  private let observation: Observation

  init(_ database: PostgreSQLDatabase) {
    observation = database.observations.observeCommunity()
    listener = PostgreSQLListener(to: database)
  }

  var isComplete: Bool { listener.isHearing }

  func fetch() -> ChangeSet? { observation.fetch() }
}

extension WriteTransaction {
  /// Throws while the rows are moved elsewhere: the process may have lost its role with its connection, and what it wrote
  /// here would be lost.
  fileprivate func lock(
    _ scope: WriteScope, serverLock: Int64, servingRole: Int64
  ) throws(StorageError) {
    let locking: SQL = scope == .server ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared"
    let isServed: Int64? = try mapFirst(
      "SELECT \(locking)(?1), CASE WHEN pg_try_advisory_xact_lock_shared(?2) THEN 1 ELSE 0 END", serverLock,
      servingRole
    ) { (row) throws(StorageError) in try row[1] }
    guard isServed == 1 else { throw StorageError(.busy, "the rows of the server are being moved") }
    switch scope {
    case .server, .content: break
    case .room(let token):
      _ = try exists("SELECT id FROM room WHERE folded = ?1 FOR NO KEY UPDATE", RoomRow.folded(token))
    case .letter(let one, let other):
      _ = try exists(
        "SELECT id FROM person WHERE key = ?1 OR key = ?2 ORDER BY id FOR NO KEY UPDATE", one, other)
    }
  }
}
