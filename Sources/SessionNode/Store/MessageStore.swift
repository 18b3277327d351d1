import SessionCore
import SessionService
public import SessionStorage
import Synchronization

/// The messages of a swarm's accounts, in a database. Changes are durable when a call returns.
public final class MessageStore: Sendable {
  /// The number of revoked tokens of an account; the newest are kept.
  static let maxRevocations = 50
  private static let pageSize = 4096

  let database: Database
  let commits: CommitGroup
  private let maxBytes: Int
  /// Bytes in use: those of the last sweep, and those added since.
  private let used = Mutex(0)
  let remembered: RememberedLimits
  /// The number of revocations; nil if unknown.
  let revocationCount = Shared<Int?>(nil)
  /// True if messages were deleted since the last sweep, so that accounts may have none left.
  let hasDeleted = Shared(false)

  /// Opens or creates a file. The database is not shared with other processes.
  public convenience init(
    path: String, key: DatabaseKey, maxBytes: Int = .max
  ) throws(StorageError) {
    var options = DatabaseOptions()
    options.isShared = false
    options.readers = 2
    options.cacheBytes = 2 * 1024 * 1024
    self.init(try Database.open(path, key: key, schema: .node, options: options), maxBytes: maxBytes)
  }

  /// A store in memory.
  public static func inMemory(maxBytes: Int = .max) throws(StorageError) -> MessageStore {
    MessageStore(try Database.inMemory(schema: .node), maxBytes: maxBytes)
  }

  private init(_ database: Database, maxBytes: Int) {
    self.database = database
    self.maxBytes = maxBytes
    remembered = RememberedLimits(ofStoreWith: maxBytes)
    commits = CommitGroup(database)
  }

  public func close() throws(StorageError) { try database.close() }

  /// Deletes expired messages, and computes the free space. Returns the number of deleted messages.
  @discardableResult
  public func sweep(now: UInt64) async throws -> Int {
    let (removed, bytes) = try await commits.perform { [hasDeleted, revocationCount] transaction in
      let removed = try transaction.run("DELETE FROM messages WHERE expiry <= ?", Int64(clamping: now))
      for table in ["debts", "deletions", "clearings", "absences"] as [SQL] {
        try transaction.run("DELETE FROM \(table) WHERE ends <= ?", Int64(clamping: now))
      }
      if hasDeleted.exchange(false) || removed > 0 {
        try transaction.run("DELETE FROM owners WHERE id NOT IN (SELECT owner FROM messages)")
      }
      try transaction.run(
        "DELETE FROM revocations WHERE ends <= ? AND account NOT IN (SELECT account FROM owners)",
        Int64(clamping: now))
      revocationCount.set(try transaction.revocationCount())
      let pages: Int = try transaction.value("PRAGMA page_count") ?? 0
      let unused: Int = try transaction.value("PRAGMA freelist_count") ?? 0
      return (removed, (pages - unused) * Self.pageSize)
    }
    used.withLock { $0 = bytes }
    return removed
  }

  /// Commits that were made so far.
  public var commitCount: UInt64 { commits.commits }

  /// Takes room for so many bytes.
  func takeRoom(_ bytes: Int) throws(NodeFailure) {
    try used.withLock { (used) throws(NodeFailure) in
      guard bytes <= maxBytes - used else { throw .full }
      used += bytes
    }
  }
}

/// A value that several tasks use.
final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) { self.value = Mutex(value) }

  var now: Value { value.withLock { $0 } }

  func set(_ new: Value) { value.withLock { $0 = new } }

  /// Sets a value, and returns the one before.
  func exchange(_ new: Value) -> Value {
    value.withLock { value in
      defer { value = new }
      return value
    }
  }
}

// MARK: - Storing

extension MessageStore {
  /// The result of storing a message.
  public struct Stored: Sendable {
    public let hash: String
    public let expiry: UInt64
    /// True if it did not exist before.
    public let isNew: Bool
  }

  /// Keeps a message, or lets one that is there live longer. In an outbox it takes the place of what was there.
  ///
  /// For a request that arrives late, `requestedAt` is the time at which it was made, in milliseconds since 1970: a message
  /// that was deleted or replaced since then is not stored.
  public func store(
    _ data: [UInt8], of account: [UInt8], namespace: Int16, timestamp: UInt64, expiry: UInt64,
    requestedAt: UInt64? = nil
  ) async throws -> Stored {
    try takeRoom(StoredMessage.room(for: data))
    let hash = StoredMessage.hash(of: data, account: account, namespace: namespace)
    let message = StoredMessage(hash: hash, timestamp: timestamp, expiry: expiry, data: data)
    return try await commits.perform { transaction in
      if let requestedAt,
        try transaction.isOvertaken(message, of: account, namespace: namespace, requestedAt: requestedAt)
      {
        return Stored(hash: hash, expiry: expiry, isNew: false)
      }
      return try transaction.store(message, of: account, namespace: namespace)
    }
  }
}

extension WriteTransaction {
  func store(
    _ message: StoredMessage, of account: [UInt8], namespace: Int16
  ) throws(StorageError) -> MessageStore.Stored {
    let owner = try owner(of: account)
    if namespace.isOutbox {
      try run(
        "DELETE FROM messages WHERE owner = ? AND namespace = ? AND hash <> ?", owner, Int(namespace),
        message.hash)
    }
    let inserted = try run(
      """
      INSERT OR IGNORE INTO messages (hash, owner, namespace, timestamp, expiry, data) VALUES (?, ?, ?, ?, ?, ?)
      """, message.hash, owner, Int(namespace), Int64(clamping: message.timestamp),
      Int64(clamping: message.expiry),
      message.data)
    guard inserted == 0 else {
      return MessageStore.Stored(hash: message.hash, expiry: message.expiry, isNew: true)
    }
    let known: Int64 = try value("SELECT expiry FROM messages WHERE hash = ?", message.hash) ?? 0
    let expiry = max(UInt64(known), message.expiry)
    if expiry > known {
      try run("UPDATE messages SET expiry = ? WHERE hash = ?", Int64(clamping: expiry), message.hash)
    }
    return MessageStore.Stored(hash: message.hash, expiry: expiry, isNew: false)
  }

  private func owner(of account: [UInt8]) throws(StorageError) -> Int64 {
    if let known: Int64 = try value("SELECT id FROM owners WHERE account = ?", account) { return known }
    return try insert("INSERT INTO owners (account) VALUES (?)", account)
  }
}

extension StoredMessage {
  /// The size of a message in the store, including indexes.
  static func room(for data: [UInt8]) -> Int { data.count + 256 }
}

extension Int16 {
  /// True if a namespace holds only one message, which anyone may read.
  var isOutbox: Bool { self < 0 && -Int(self) % 20 == 1 }
}
