/// The operations of both kinds of transactions. All of them see the same snapshot.
///
/// A transaction cannot leave its closure, and the closure cannot await.
public protocol Reading: ~Copyable {
  /// The connection that the transaction runs on.
  var statements: Statements { get }
}

extension Reading where Self: ~Copyable {
  /// Calls a closure for each row until it returns false.
  public func forEach<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value, body: (borrowing Row) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try statements.forEach(sql, repeat each values, body: body)
  }

  /// The results of a closure for each row.
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

  /// The result of a closure for the first row; nil if there is none.
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

  /// True if a statement returns a row.
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

extension ReadTransaction {
  /// Lets the rest of the transaction take longer than a time limit for reading allows. For work that no request
  /// waits for.
  package func takeTime() throws(StorageError) { try statements.connection.liftLimit() }
}

/// A transaction that reads and writes; it takes effect as a whole or not at all.
public struct WriteTransaction: ~Copyable, Reading {
  public let statements: Statements
  let log: TransactionLog

  // Not inlined, as the row is not.
  @inline(never)
  init(statements: Statements, log: TransactionLog) {
    self.statements = statements
    self.log = log
  }

  /// Runs a statement and returns the number of changed rows.
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

  /// Updates a row, or inserts it if there is none. Both statements take the same values in the same order.
  ///
  /// `INSERT OR REPLACE` would delete the old row and everything that refers to it.
  public func put<each Value: DatabaseValue>(
    _ change: SQL, or insertion: SQL, _ values: repeat each Value
  ) throws(StorageError) {
    if try run(change, repeat each values) == 0 { try run(insertion, repeat each values) }
  }

  /// Reports a change to observers after the commit.
  public func note(_ kind: ChangeSet.Kind, _ key: ObservationKey) { log.content.changes.note(kind, key) }

  /// Calls a closure after the commit, before the next transaction. It is dropped if the transaction fails.
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

  /// A nested part that can fail alone: if the closure throws, its writes are rolled back, and the others stay.
  public func savepoint<R>(_ body: (borrowing WriteTransaction) throws -> R) throws -> R {
    let before = log.content
    try statements.run("SAVEPOINT part")
    do {
      let result = try body(self)
      try statements.run("RELEASE part")
      return result
    } catch {
      // If the engine has rolled back the whole transaction, these statements report it.
      try statements.run("ROLLBACK TO part")
      try statements.run("RELEASE part")
      let undone = log.content.onRollback.dropFirst(before.onRollback.count)
      log.content = before
      for body in undone.reversed() { body() }
      throw error
    }
  }
}

/// The state of a write transaction apart from its rows.
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

  /// The number of finalisers, which could otherwise add each other without end.
  static let maxFinalisers = 10_000
}
