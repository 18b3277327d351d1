import SessionCore
import SessionStorage

@testable import SessionMessaging

/// A device of a person. Its database is a file, so that one program can end and another continue.
final class FileDevice {
  let account: Account
  private let path: String
  private let key: DatabaseKey
  private(set) var messenger: Messenger

  /// Creates the database at a path, whose folder exists; `prepare` gets it before the first program does.
  init(
    of account: Account, at path: String, in world: World,
    preparing prepare: ((Database) throws -> Void)? = nil
  ) async throws {
    self.account = account
    self.path = path
    key = try DatabaseKey(SecretBytes(copying: (0..<32).map { _ in UInt8.random(in: 0...255) }))
    if let prepare {
      let database = try Database.open(path, key: key, schema: .account)
      try prepare(database)
      try database.close()
    }
    messenger = try await Self.open(account, path, key, world)
  }

  private static func open(
    _ account: Account, _ path: String, _ key: DatabaseKey, _ world: World
  ) async throws -> Messenger {
    let database = try Database.open(path, key: key, schema: .account)
    let messenger = try Messenger(account, database, world.environment)
    return try await world.start(messenger)
  }

  /// Ends the program immediately, and starts it again. `check` gets the database in between.
  func restart(in world: World, checking check: ((Database) async throws -> Void)? = nil) async throws {
    try? messenger.context.database.close()
    await world.stop(messenger)
    if let check {
      let database = try Database.open(path, key: key, schema: .account)
      try await check(database)
      try database.close()
    }
    messenger = try await Self.open(account, path, key, world)
  }

  /// Ends the program after some of the commits that follow, most likely while `body` runs, and starts it again.
  func crash(
    afterCommits count: Int, in world: World, checking check: ((Database) async throws -> Void)? = nil,
    _ body: (Messenger) async throws -> Void
  ) async throws {
    let database = messenger.context.database
    let changes = database.observations.observe(.jobs, .threads, .events, .communities)
    let ending = Task.detached {
      for _ in 0..<count { _ = await changes.next() }
      try? database.close()
    }
    do { try await body(messenger) } catch let error as StorageError where error.code == .closed {}
    // Finish now, so that the program has ended when this returns.
    ending.cancel()
    try await restart(in: world, checking: check)
  }
}
