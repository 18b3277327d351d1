import SessionBase

/// A connection with the statements that were prepared on it.
// Sendable without the compiler's check: like the connection it goes from thread to thread, and one at a time uses it.
public final class Statements: @unchecked Sendable {
  /// The number of cached statements. One more empties the cache, which does not happen in normal use.
  static let maxKept = 512

  let connection: any SQLConnection
  /// For work on the connection that a task awaits.
  let queue = WorkerQueue("session.storage.reader")

  private final class Kept {
    let statement: any SQLStatement
    var isInUse = false

    init(_ statement: any SQLStatement) { self.statement = statement }
  }

  private var kept: [SQL: Kept] = [:]
  /// The number of statements run in the transaction.
  private(set) var runCount = 0
  fileprivate var isTransaction = false
  /// The reason why SQLite rolled back the transaction itself, as it does when the disk is full. Further statements
  /// would each be a transaction of their own.
  fileprivate var lost: StorageError?

  init(_ connection: any SQLConnection) { self.connection = connection }

  var count: Int { kept.count }

  /// Lends the statement for a text. One that is in use already, by a closure further out, is not disturbed.
  func with<R>(
    _ sql: SQL, _ body: (any SQLStatement) throws(StorageError) -> R
  ) throws(StorageError) -> R {
    if let lost { throw lost }
    runCount += 1
    let kept = try prepared(sql)
    guard !kept.isInUse else { return try body(try connection.prepare(sql.text)) }
    kept.isInUse = true
    defer {
      kept.statement.reset()
      kept.isInUse = false
    }
    do throws(StorageError) {
      return try body(kept.statement)
    } catch {
      if isTransaction, !connection.isInTransaction { lost = error }
      throw error
    }
  }

  private func prepared(_ sql: SQL) throws(StorageError) -> Kept {
    if let found = kept[sql] { return found }
    let made = Kept(try connection.prepare(sql.text))
    if kept.count >= Self.maxKept { kept = kept.filter { $0.value.isInUse } }
    kept[sql] = made
    return made
  }

  /// Runs a statement that gives no rows.
  func run<each Value: DatabaseValue>(_ sql: SQL, _ values: repeat each Value) throws(StorageError) {
    try with(sql) { (statement) throws(StorageError) in
      Self.bind(repeat each values, to: statement)
      _ = try statement.step()
    }
  }

  func forEach<each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value, body: (borrowing Row) throws(StorageError) -> Bool
  ) throws(StorageError) {
    try with(sql) { (statement) throws(StorageError) in
      Self.bind(repeat each values, to: statement)
      let row = Row(statement)
      while try row.advance(), try body(row) {}
    }
  }

  func all<R: Record, each Value: DatabaseValue>(
    _ sql: SQL, _ values: repeat each Value
  ) throws(StorageError) -> [R] {
    try with(sql) { (statement) throws(StorageError) in
      Self.bind(repeat each values, to: statement)
      return try R.readAll(Row(statement))
    }
  }

  private static func bind<each Value: DatabaseValue>(
    _ values: repeat each Value, to statement: any SQLStatement
  ) {
    var index = 0
    for value in repeat each values {
      value.bind(to: Place(statement: statement, index: index))
      index += 1
    }
    precondition(
      index == statement.placeCount, "a statement takes \(statement.placeCount) values, not \(index)")
  }

  /// Forgets the statements, so that the connection can be closed.
  func close() {
    kept = [:]
    connection.close()
  }
}

// MARK: - Transactions

/// These run so often that even creating their texts again would be measurable.
enum TransactionStatements {
  static let begin: SQL = "BEGIN"
  static let beginWriting: SQL = "BEGIN IMMEDIATE"
  static let commit: SQL = "COMMIT"
}

extension Statements {
  func begin(_ sql: SQL) throws(StorageError) {
    lost = nil
    try run(sql)
    runCount = 0
    isTransaction = true
  }

  /// Commits. The transaction is over unless this throws.
  func end(_ sql: SQL) throws(StorageError) {
    try run(sql)
    isTransaction = false
  }

  /// Commits in a way of the engine's own.
  func end(by commit: () throws(StorageError) -> Void) throws(StorageError) {
    try commit()
    isTransaction = false
  }

  /// The real reason of a failed transaction: errors after reading damaged pages can be arbitrary.
  func reason(for error: any Error) -> any Error {
    guard connection.isInTransaction, let damage = connection.damage else { return error }
    return damage
  }

  /// Rolls back, if there is a transaction.
  func abort() {
    isTransaction = false
    lost = nil
    guard connection.isInTransaction else { return }
    // The next open rolls back what cannot be rolled back now.
    try? run("ROLLBACK")
  }
}
