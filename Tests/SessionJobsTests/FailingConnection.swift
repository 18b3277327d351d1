import Synchronization

@testable import SessionStorage

/// A connection on which a write fails, or many: as if the program had ended there, for all that is left of the
/// transaction.
// Sendable without the compiler's check: like the connection it stands before, one at a time uses it.
final class FailingConnection: SQLConnection, @unchecked Sendable {
  /// How many statements that write go well before one fails; nil for all of them.
  final class Fuse: Sendable {
    private let rest = Mutex<Int?>(nil)
    private let count = Mutex(0)
    private let durability = Mutex(false)

    /// Whether the last transaction that wrote was to last.
    var isDurable: Bool {
      get { durability.withLock { $0 } }
      set { durability.withLock { $0 = newValue } }
    }

    /// How many statements have written since the fuse was set.
    var used: Int { count.withLock { $0 } }

    func set(_ rest: Int?) {
      self.rest.withLock { $0 = rest }
      count.withLock { $0 = 0 }
    }

    func use() throws(StorageError) {
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

  func prepare(_ text: String) throws(StorageError) -> any SQLStatement {
    let writes = ["INSERT", "UPDATE", "DELETE", "COMMIT"].contains { text.hasPrefix($0) }
    return FailingStatement(try connection.prepare(text), writes ? fuse : nil)
  }

  func run(_ script: String) throws(StorageError) { try connection.run(script) }
  var lastInsertedRow: Int64 { connection.lastInsertedRow }
  var changedRows: Int { connection.changedRows }
  var isInTransaction: Bool { connection.isInTransaction }
  func setDurable(_ isDurable: Bool) throws(StorageError) {
    fuse.isDurable = isDurable
    try connection.setDurable(isDurable)
  }
  func dataVersion() throws(StorageError) -> Int64 { try connection.dataVersion() }
  func checkpoint() throws(StorageError) -> Bool { try connection.checkpoint() }
  var damage: StorageError? { connection.damage }
  func compact() throws(StorageError) { try connection.compact() }
  func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError) {
    try connection.readFile(at: offset, into: out)
  }
  func releaseMemory() { connection.releaseMemory() }
  func close() { connection.close() }
}

private final class FailingStatement: SQLStatement {
  private let statement: any SQLStatement
  private let fuse: FailingConnection.Fuse?

  init(_ statement: any SQLStatement, _ fuse: FailingConnection.Fuse?) {
    self.statement = statement
    self.fuse = fuse
  }

  func step() throws(StorageError) -> Bool {
    try fuse?.use()
    return try statement.step()
  }

  func bindNull(_ place: Int) { statement.bindNull(place) }
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
  static func failing(_ fuse: FailingConnection.Fuse) throws -> Database {
    let writer = Statements(FailingConnection(try SQLCipherConnection.openInMemory(), fuse))
    try Migrator(schema: .account, file: nil, confirming: .none).run(writer)
    return try Database(
      path: nil, schema: .account, writer: writer, readers: nil, beacon: nil, wasInterrupted: false,
      damage: nil, stopwatch: DatabaseOptions().stopwatch)
  }
}
