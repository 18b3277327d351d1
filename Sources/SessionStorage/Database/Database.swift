import CLinux
import Glibc
import Synchronization

/// A database: one connection that writes, and several that read what was committed while it does.
///
///     let database = try Database.open("account.db", key: key, schema: .account)
///     let id = try await database.write { transaction in try transaction.insert(message) }
///     let page = try database.read { transaction in try transaction.page(of: thread) }
///
/// Closures run to their end without waiting for anything: they may be called on any thread, and must not begin another
/// transaction.
public final class Database: Sendable {
  /// When a commit returns.
  public enum Durability: Sendable {
    /// Returns once it is on the disk and survives a power cut. Required for anything reported to others.
    case durable
    /// When this and other processes see it. It survives the end of the program; after a power cut it may be
    /// missing, with all later commits. For data that can be recreated: drafts, progress.
    case relaxed
  }

  public let path: String?
  public let observations = ObservationCenter()
  /// True if the program that used the database before ended without closing it.
  public let wasInterrupted: Bool

  let schema: Schema
  private let writer: WriteQueue
  /// Nil if the writing connection also reads, because no other connection can see its data.
  private let readers: ReaderPool?
  private let beacon: ChangeBeacon?
  /// The roles taken in memory, if there is no file for them.
  let roles = RoleRegister()
  private let stopwatch: Stopwatch
  /// Nil if it keeps what it has for speed.
  private let memoryRelease: MemoryRelease?
  private let state = Mutex(State())

  private struct State {
    var use: DatabaseUse?
    var commits: UInt64 = 0
    var damage: StorageError?
    var dataVersion: Int64 = 0
  }

  init(
    path: String?, use: DatabaseUse? = nil, schema: Schema, writer: Statements, readers: ReaderPool?,
    beacon: ChangeBeacon?,
    wasInterrupted: Bool, damage: StorageError?, stopwatch: Stopwatch, memoryRelease: MemoryRelease? = nil
  ) throws(StorageError) {
    self.path = path
    self.schema = schema
    self.stopwatch = stopwatch
    self.memoryRelease = memoryRelease
    self.readers = readers
    self.beacon = beacon
    self.wasInterrupted = wasInterrupted
    let dataVersion = try writer.connection.dataVersion()
    self.writer = WriteQueue(writer)
    state.withLock { state in
      state.use = use
      state.dataVersion = dataVersion
      state.damage = damage
    }
    beacon?.watch { [weak self] in self?.checkForForeignCommits() }
  }

  deinit { end() }

  /// The damage after which the database refuses to write; nil if there is none.
  public var damage: StorageError? { state.withLock { $0.damage } }

  /// Closes the database: waiting transactions fail with `closed`, the log is emptied, the files are closed.
  public func close() throws(StorageError) {
    guard readers?.isInside != true, !writer.isInside else { throw StorageError.nested }
    end()
  }

  private func end() {
    readers?.close()
    writer.close { statements in
      // The next open moves what cannot be moved now.
      _ = try? statements.connection.checkpoint()
    }
    beacon?.stop()
    state.withLock { $0.use = nil }
    observations.finish()
  }
}

// MARK: - Transactions

extension Database {
  /// Reads a consistent snapshot, whatever is committed meanwhile.
  public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    guard !writer.isInside else { throw StorageError.nested }
    let requested = stopwatch.now()
    guard let readers else { return try writer.perform { try self.readAlone($0, requested, body) } }
    return try readers.perform { try self.read($0, requested, body) }
  }

  /// Reads on another thread.
  public func read<R: Sendable>(
    _ body: @escaping @Sendable (borrowing ReadTransaction) throws -> R
  ) async throws -> R {
    let requested = stopwatch.now()
    guard let readers else { return try await writer.perform { try self.readAlone($0, requested, body) } }
    return try await readers.perform { try self.read($0, requested, body) }
  }

  /// Writes in one transaction: it is committed when the closure returns, and rolled back when it throws.
  @discardableResult
  public func write<R>(
    _ durability: Durability = .durable, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    guard readers?.isInside != true else { throw StorageError.nested }
    let requested = stopwatch.now()
    return try writer.perform { try self.write($0, requested, durability, body) }
  }

  /// Writes on another thread, after all earlier writes.
  @discardableResult
  public func write<R: Sendable>(
    _ durability: Durability = .durable,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    let requested = stopwatch.now()
    return try await writer.perform { try self.write($0, requested, durability, body) }
  }

  private func read<R>(
    _ statements: Statements, _ requested: Stopwatch.Instant, _ body: (borrowing ReadTransaction) throws -> R
  ) throws -> R {
    try stopwatch.time(.read, since: requested, on: statements) {
      do {
        try statements.begin(TransactionStatements.begin)
        let result = try body(ReadTransaction(statements: statements))
        if let damage = statements.connection.damage { throw damage }
        try statements.end(TransactionStatements.commit)
        return result
      } catch {
        let error = statements.reason(for: error)
        statements.abort()
        noteDamage(error)
        throw error
      }
    }
  }

  /// Reads on the connection that writes.
  private func readAlone<R>(
    _ statements: Statements, _ requested: Stopwatch.Instant, _ body: (borrowing ReadTransaction) throws -> R
  ) throws -> R {
    try statements.run("PRAGMA query_only = ON")
    defer { try? statements.run("PRAGMA query_only = OFF") }
    return try read(statements, requested, body)
  }

  private func write<R>(
    _ statements: Statements, _ requested: Stopwatch.Instant, _ durability: Durability,
    _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    try stopwatch.time(.write, since: requested, on: statements) { try write(statements, durability, body) }
  }

  private func write<R>(
    _ statements: Statements, _ durability: Durability, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R {
    if let damage { throw damage }
    let log = TransactionLog()
    let result: R
    do {
      try statements.connection.setDurable(durability == .durable)
      try statements.begin(TransactionStatements.beginWriting)
      let transaction = WriteTransaction(statements: statements, log: log)
      result = try body(transaction)
      try finalise(transaction)
      if let damage = statements.connection.damage { throw damage }
      if log.isAbandoned {
        statements.abort()
      } else {
        try statements.end(TransactionStatements.commit)
      }
    } catch {
      let error = statements.reason(for: error)
      statements.abort()
      noteDamage(error)
      undone(log)
      throw error
    }
    if log.isAbandoned { undone(log) } else { committed(log) }
    return result
  }

  private func finalise(_ transaction: borrowing WriteTransaction) throws {
    let log = transaction.log
    var index = 0
    // A finaliser may add further finalisers.
    while index < log.content.finalisers.count {
      guard index < TransactionLog.maxFinalisers else {
        throw StorageError(.overloaded, "a transaction leaves too much for its end")
      }
      try log.content.finalisers[index](transaction)
      index += 1
    }
  }

  private func committed(_ log: TransactionLog) {
    let number = state.withLock { state in
      state.commits += 1
      return state.commits
    }
    log.content.changes.number = number
    for body in log.content.onCommit { body() }
    observations.deliver(log.content.changes)
    if beacon?.signal() == true { checkForForeignCommits() }
    memoryRelease?.noteCommit { [weak self] in self?.releaseMemory() }
  }

  private func undone(_ log: TransactionLog) {
    for body in log.content.onRollback.reversed() { body() }
  }

  func noteDamage(_ error: any Error) {
    guard let error = error as? StorageError, error.isDamage else { return }
    let isNews = state.withLock { state in
      guard state.damage == nil else { return false }
      state.damage = error
      return true
    }
    if isNews { observations.announce(.damage) }
  }
}

// MARK: - Other processes

extension Database {
  /// Finds out whether another process has committed, in turn with the commits of this one.
  private func checkForForeignCommits() {
    writer.post { [weak self] statements in
      guard let self, let version = try? statements.connection.dataVersion() else { return }
      let isNews = state.withLock { state in
        defer { state.dataVersion = version }
        return state.dataVersion != version
      }
      if isNews { observations.deliver(.external) }
    }
  }
}

// MARK: - Upkeep

extension Database {
  /// The number of tasks that wait to write.
  var waitingWrites: Int { writer.waiting }

  /// The bytes of its files; none for one in memory.
  package var bytesOnDisk: Int {
    guard let path else { return 0 }
    return [path, path + "-wal"].reduce(0) { sum, path in
      var status = stat()
      return sum + (stat(path, &status) == 0 ? Int(status.st_size) : 0)
    }
  }

  /// Since when the writing connection has been at the same work; nil if it has none.
  package var writingSince: ContinuousClock.Instant? { writer.busySince }

  /// Does something on the connection that writes, outside of a transaction.
  func maintain<R>(_ body: (Statements) throws -> R) throws -> R {
    guard readers?.isInside != true else { throw StorageError.nested }
    return try writer.perform(body)
  }

  /// Moves what is in the log into the database file, and empties the log. False if another connection still reads from it.
  public func emptyLog() async throws -> Bool {
    try await writer.perform { statements in try statements.connection.checkpoint() }
  }

  /// Releases memory that is only used as a cache, and gives back to the system what is not used at all.
  public func releaseMemory() {
    readers?.releaseMemory()
    writer.post { statements in
      statements.connection.releaseMemory()
      malloc_trim(0)
    }
  }
}

extension ObservationKey {
  /// The database turned out to be damaged.
  public static let damage = ObservationKey(Topic(rawValue: "damage"))
}
