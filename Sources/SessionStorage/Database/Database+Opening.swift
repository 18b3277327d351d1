import Glibc

/// The options for opening a database.
public struct DatabaseOptions: Sendable {
  /// Creates a missing or empty file.
  public var mayCreate = true
  /// The number of reading connections, at most ten.
  public var readers = 4
  /// How long to wait for another process that writes.
  public var busyTimeout = Duration.seconds(5)
  /// The time limit of a transaction that reads, whose statements then fail with `interrupted`; nil for none.
  /// Transactions that write have none: the engine rolls back the whole of one that is interrupted.
  public var readLimit: Duration?
  /// The delays between attempts to open when the file is in use or cannot be opened.
  public var retries: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2)]
  /// Which migrations have to be confirmed first.
  public var confirming = Confirmation.none
  /// True if observers see commits of other processes, and other processes see ours.
  public var isShared = true
  /// The page cache of each connection; nil for SQLite's default.
  public var cacheBytes: Int?
  /// True if memory is released after bursts of commits, because the database may be open for days with little to do.
  public var releasesMemory = false
  /// The largest file that is checked as a whole when it is opened after an unclean end; the check takes time in
  /// proportion to the file. For larger files use ``Database/integrityCheck()``.
  public var checkedSize = 32 << 20
  /// After how long a transaction is slow, waiting for its turn included.
  public var slowAfter = Duration.seconds(3)
  /// Called for slow transactions, on their threads, when they end; must be quick.
  public var onSlowTransaction: @Sendable (SlowTransaction) -> Void = { _ in }
  /// The clock that they are measured by.
  var now: @Sendable () -> ContinuousClock.Instant = { .now }

  public init() {}

  /// The changes of a file that need the user's or program's confirmation.
  public enum Confirmation: String, Sendable, CaseIterable {
    case none
    /// Changes of the schema of a file that is there.
    case upgrades
    /// Those, and creating a new file.
    case all
  }
}

extension DatabaseOptions {
  var stopwatch: Stopwatch { Stopwatch(limit: slowAfter, now: now, tell: onSlowTransaction) }
}

extension Database {
  /// Opens a file, and brings it to the newest schema. `locked` while another process puts a new file in its place.
  public static func open(
    _ path: String, key: DatabaseKey, schema: Schema, options: DatabaseOptions = DatabaseOptions()
  ) throws(StorageError) -> Database {
    let file = DatabaseFile(path: path)
    let use = try DatabaseUse(.part, of: file)
    try file.undoReplacement()
    let wasInterrupted = file.hasLog
    let writer = try retrying(options.retries) { () throws(StorageError) in
      try file.prepare(mayCreate: options.mayCreate)
      return try connect(path, key, .writing, options)
    }
    let migrator = Migrator(schema: schema, file: file, confirming: options.confirming)
    try migrator.run(writer)
    let readers = ReaderPool(limit: options.readers) { () throws(StorageError) in
      try connect(path, key, .reading, options)
    }
    let damage =
      wasInterrupted && file.size <= options.checkedSize ? try quickCheck(writer, name: path) : nil
    return try Database(
      path: path, use: use, schema: schema, writer: writer, readers: readers,
      beacon: options.isShared ? try ChangeBeacon(path + ".change") : nil, wasInterrupted: wasInterrupted,
      damage: damage, stopwatch: options.stopwatch,
      memoryRelease: options.releasesMemory ? MemoryRelease() : nil)
  }

  private static func connect(
    _ path: String, _ key: DatabaseKey, _ use: SQLCipherConnection.Use, _ options: DatabaseOptions
  ) throws(StorageError) -> Statements {
    let connection = try SQLCipherConnection.open(
      path, key: key, for: use, busyTimeout: options.busyTimeout)
    if let bytes = options.cacheBytes { try connection.run("PRAGMA cache_size = -\(bytes / 1024)") }
    if use == .reading, let limit = options.readLimit { connection.limitTime(to: limit) }
    return Statements(connection)
  }

  /// A database that disappears when it is closed, for tests. It behaves like one in a file, except that reads wait
  /// for writes.
  public static func inMemory(
    schema: Schema, options: DatabaseOptions = DatabaseOptions()
  ) throws(StorageError) -> Database {
    let writer = Statements(try SQLCipherConnection.openInMemory())
    try Migrator(schema: schema, file: nil, confirming: .none).run(writer)
    return try Database(
      path: nil, schema: schema, writer: writer, readers: nil, beacon: nil, wasInterrupted: false,
      damage: nil,
      stopwatch: options.stopwatch)
  }

  private static func retrying<R>(
    _ pauses: [Duration], _ body: () throws(StorageError) -> R
  ) throws(StorageError) -> R {
    for pause in pauses {
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.code == .busy || error.code == .cannotOpen && error.engineCode != nil else { throw error }
        usleep(UInt32(pause.wholeMilliseconds) * 1000)
      }
    }
    return try body()
  }
}
