import FailingStorage
import SessionCore
import SessionStorage

@testable import SessionMessaging

/// A device of a person, whose programs can end behind any commit. Its database is in memory and outlives them.
final class MemoryDevice {
  private let account: Account
  private let fuse = FailingConnection.Fuse()
  private let memory: FailingMemory
  private let environment: MessengerEnvironment
  private(set) var messenger: Messenger

  /// Its environment is that of the world, unless another one is given.
  init(of account: Account, in world: World, _ environment: MessengerEnvironment? = nil) async throws {
    self.account = account
    self.environment = environment ?? world.environment
    memory = try FailingMemory(fuse)
    messenger = try await world.start(Messenger(account, memory.open(), self.environment))
  }

  /// The database for a program elsewhere. The program before must have ended.
  func database() throws -> Database {
    try? messenger.context.database.close()
    return try memory.open()
  }

  /// Ends the program behind that many further commits, at the latest when `body` returns, and starts the next one.
  /// Returns false if it had not made so many. `check` gets the database in between.
  func crash(
    afterCommits count: Int, in world: World, checking check: ((Database) async throws -> Void)? = nil,
    _ body: (Messenger) async throws -> Void
  ) async throws -> Bool {
    fuse.end(afterCommits: count)
    do { try await body(messenger) } catch  where fuse.hasEnded {}
    let hasEnded = fuse.hasEnded
    fuse.end(afterCommits: 0)
    await world.stop(messenger)
    try? messenger.context.database.close()
    fuse.end(afterCommits: nil)
    if let check {
      let database = try memory.open()
      try await check(database)
      try database.close()
    }
    messenger = try await world.start(Messenger(account, memory.open(), environment))
    return hasEnded
  }
}
