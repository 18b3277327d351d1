import Synchronization

@testable package import SessionStorage

/// A connection on which a write fails, as if the program had ended there, for all that is left of the transaction; or
/// on which nothing can be written after some transaction, as if the program had ended behind it.
// Sendable without the compiler's check: like the connection it stands before, one at a time uses it.
package final class FailingConnection: SQLConnection, @unchecked Sendable {
  /// Decides how many statements that write go well before one fails, and how many transactions before all do.
  package final class Fuse: Sendable {
    private let rest = Mutex<Int?>(nil)
    private let commits = Mutex<Int?>(nil)
    private let count = Mutex(0)
    private let durability = Mutex(false)

    /// True if the last write transaction was durable.
    package var isDurable: Bool {
      get { durability.withLock { $0 } }
      set { durability.withLock { $0 = newValue } }
    }

    /// How many statements have written since the fuse was set.
    package var used: Int { count.withLock { $0 } }

    package init() {}

    package func set(_ rest: Int?) {
      self.rest.withLock { $0 = rest }
      count.withLock { $0 = 0 }
    }

    /// Ends the program after so many transactions; nil for never.
    package func end(afterCommits commits: Int?) { self.commits.withLock { $0 = commits } }

    /// True if the program has ended.
    package var hasEnded: Bool { commits.withLock { $0 == 0 } }

    fileprivate func useCommit() { commits.withLock { $0 = $0.map { max(0, $0 - 1) } } }

    fileprivate func use() throws(StorageError) {
      if hasEnded { throw StorageError(.closed, "the program has ended") }
      count.withLock { $0 += 1 }
      let fails = rest.withLock { rest -> Bool in
        guard let left = rest else { return false }
        rest = left - 1
        return left == 0
      }
      if fails { throw StorageError(.io, "the disk has gone") }
    }
  }

  private let connection: any SQLConnection
  private let fuse: Fuse

  init(_ connection: any SQLConnection, _ fuse: Fuse) {
    self.connection = connection
    self.fuse = fuse
  }

  package func prepare(_ text: String) throws(StorageError) -> any SQLStatement {
    let writes = ["INSERT", "UPDATE", "DELETE", "COMMIT"].contains { text.hasPrefix($0) }
    let isCommit = text.hasPrefix("COMMIT")
    return FailingStatement(try connection.prepare(text), writes ? fuse : nil, isCommit: isCommit)
  }

  package func run(_ script: String) throws(StorageError) { try connection.run(script) }
  package var dialect: SQLDialect { connection.dialect }
  package var lastInsertedRow: Int64 { connection.lastInsertedRow }
  package var changedRows: Int { connection.changedRows }
  package var isInTransaction: Bool { connection.isInTransaction }
  package func setDurable(_ isDurable: Bool) throws(StorageError) {
    fuse.isDurable = isDurable
    try connection.setDurable(isDurable)
  }
  package func dataVersion() throws(StorageError) -> Int64 { try connection.dataVersion() }
  package func checkpoint() throws(StorageError) -> Bool { try connection.checkpoint() }
  package var damage: StorageError? { connection.damage }
  package func compact() throws(StorageError) { try connection.compact() }
  package func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError) {
    try connection.readFile(at: offset, into: out)
  }
  package func releaseMemory() { connection.releaseMemory() }
  /// Does nothing: the wrapped connection outlives this one.
  package func close() {}
}

private final class FailingStatement: SQLStatement {
  private let statement: any SQLStatement
  private let fuse: FailingConnection.Fuse?
  private let isCommit: Bool

  init(_ statement: any SQLStatement, _ fuse: FailingConnection.Fuse?, isCommit: Bool) {
    self.statement = statement
    self.fuse = fuse
    self.isCommit = isCommit
  }

  func step() throws(StorageError) -> Bool {
    try fuse?.use()
    let hasRow = try statement.step()
    if isCommit { fuse?.useCommit() }
    return hasRow
  }

  func bindNull(_ place: Int, _ kind: EngineContent.Kind) { statement.bindNull(place, kind) }
  func bind(_ value: Int64, _ place: Int) { statement.bind(value, place) }
  func bind(_ value: Double, _ place: Int) { statement.bind(value, place) }
  func bind(_ value: String, _ place: Int) { statement.bind(value, place) }
  func bind(_ value: [UInt8], _ place: Int) { statement.bind(value, place) }
  func bind(_ value: Span<UInt8>, _ place: Int) { statement.bind(value, place) }
  var placeCount: Int { statement.placeCount }
  func reset() { statement.reset() }
  var row: EngineRow { statement.row }
  func int64(_ column: Int) -> Int64 { statement.int64(column) }
  func text(_ column: Int) -> String { statement.text(column) }
}

extension Database {
  /// A database in memory whose writes fail when the fuse says so.
  package static func failing(_ fuse: FailingConnection.Fuse) throws -> Database {
    try FailingMemory(fuse).open()
  }
}

/// The memory of a database, which outlives the programs that use it.
package final class FailingMemory {
  private let connection: SQLCipherConnection
  private let fuse: FailingConnection.Fuse

  package init(_ fuse: FailingConnection.Fuse) throws {
    connection = try SQLCipherConnection.openInMemory()
    self.fuse = fuse
  }

  /// The database of the next program. The one before must have ended.
  package func open() throws -> Database {
    let writer = Statements(FailingConnection(connection, fuse))
    try Migrator(schema: .account, file: nil, confirming: .none).run(writer)
    return try Database(
      path: nil, schema: .account, writer: writer, readers: nil, beacon: nil, wasInterrupted: false,
      damage: nil, stopwatch: DatabaseOptions().stopwatch)
  }
}
