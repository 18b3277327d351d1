/// What can be asked inside of a transaction of either kind. All of it sees the same state of the database.
///
/// A transaction cannot leave its closure, and nothing in the closure can wait for a task.
public protocol Reading: ~Copyable {
  /// The connection that the transaction runs on.
  var statements: Statements { get }
}

extension Reading where Self: ~Copyable {
  /// Calls a closure with each row until there are no more, or it returns false.
  public func forEach<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value, body: (borrowing Row) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try statements.forEach(sql, repeat each values, body: body)
  }

  /// What a closure makes of each row.
  public func map<R, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value, body: (borrowing Row) throws(StorageError) -> R
  ) throws(StorageError) -> [R] {
    var results: [R] = []
    try statements.forEach(sql, repeat each values) { (row) throws(StorageError) in
      results.append(try body(row))
      return true
    }
    return results
  }

  /// What a closure makes of the first row; nil when there is none.
  public func mapFirst<R, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value, body: (borrowing Row) throws(StorageError) -> R
  ) throws(StorageError) -> R? {
    var result: R?
    try statements.forEach(sql, repeat each values) { (row) throws(StorageError) in
      result = try body(row)
      return false
    }
    return result
  }

  /// All records that a statement finds.
  public func all<R: Record, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> [R] {
    try statements.all(sql, repeat each values)
  }

  /// The first record that a statement finds.
  public func first<R: Record, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> R? {
    try mapFirst(sql, repeat each values) { (row) throws(StorageError) in try R(row) }
  }

  /// The first column of each row.
  public func values<V: DatabaseValue, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> [V] {
    try map(sql, repeat each values) { (row) throws(StorageError) in try row[0] }
  }

  /// The first column of the first row.
  public func value<V: DatabaseValue, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> V? {
    try mapFirst(sql, repeat each values) { (row) throws(StorageError) -> V in try row[0] }
  }

  /// Whether a statement finds anything.
  public func exists<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> Bool {
    var found = false
    try statements.forEach(sql, repeat each values) { _ in
      found = true
      return false
    }
    return found
  }
}

/// A transaction that reads.
public struct ReadTransaction: ~Copyable, Reading {
  public let statements: Statements

  // Not inlined, as the row is not.
  @inline(never)
  init(statements: Statements) { self.statements = statements }
}

/// A transaction that reads and writes: all of what it writes is kept, or nothing.
public struct WriteTransaction: ~Copyable, Reading {
  public let statements: Statements
  let log: TransactionLog

  // Not inlined, as the row is not.
  @inline(never)
  init(statements: Statements, log: TransactionLog) {
    self.statements = statements
    self.log = log
  }

  /// Runs a statement and says how many rows it changed.
  @discardableResult
  public func run<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> Int {
    try statements.run(sql, repeat each values)
    return statements.connection.changedRows
  }

  /// Inserts a row and returns its number.
  @discardableResult
  public func insert<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> Int64 {
    try statements.run(sql, repeat each values)
    return statements.connection.lastInsertedRow
  }

  /// Changes a row, or inserts it when there is none. Both statements take the same values in the same order.
  ///
  /// `INSERT OR REPLACE` would delete the old row, and what refers to it.
  public func put<each Value: DatabaseValue>(
    _ change: SQL, or insertion: SQL, _ values: repeat each Value
  ) throws(StorageError) {
    if try run(change, repeat each values) == 0 { try run(insertion, repeat each values) }
  }

  /// Tells observers, once it is committed, that something has changed.
  public func note(_ kind: ChangeSet.Kind, _ key: ObservationKey) { log.content.changes.note(kind, key) }

  /// Calls a closure once the transaction is committed, before the next one begins. It is forgotten if that never
  /// happens.
  public func onCommit(_ body: @escaping @Sendable () -> Void) { log.content.onCommit.append(body) }

  /// Calls a closure once the transaction, or the part of it that a savepoint holds, is undone.
  public func onRollback(_ body: @escaping @Sendable () -> Void) { log.content.onRollback.append(body) }

  /// Runs a closure right before the commit, once for each key.
  public func finally(
    _ key: ObservationKey, _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> Void
  ) {
    guard log.content.finalised.insert(key).inserted else { return }
    log.content.finalisers.append(body)
  }

  /// Has the whole transaction undone when its closure returns, without that being an error.
  public func abandon() { log.isAbandoned = true }

  /// A part that can fail alone: when the closure throws, what it wrote is undone, and the rest stays.
  public func savepoint<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    let before = log.content
    try statements.run("SAVEPOINT part")
    do {
      let result = try body(self)
      try statements.run("RELEASE part")
      return result
    } catch {
      // Where the engine has undone the whole transaction itself, every statement says so.
      try statements.run("ROLLBACK TO part")
      try statements.run("RELEASE part")
      let undone = log.content.onRollback.dropFirst(before.onRollback.count)
      log.content = before
      for body in undone.reversed() { body() }
      throw error
    }
  }
}

/// What a write transaction gathers beside its rows.
// Only the transaction's own thread has it.
final class TransactionLog {
  struct Content {
    var changes = ChangeSet()
    var onCommit: [@Sendable () -> Void] = []
    var onRollback: [@Sendable () -> Void] = []
    var finalised: Set<ObservationKey> = []
    var finalisers: [@Sendable (borrowing WriteTransaction) throws -> Void] = []
  }

  var content = Content()
  var isAbandoned = false

  /// How many things may be left for the end, so that they cannot call each other for ever.
  static let maxFinalisers = 10_000
}
