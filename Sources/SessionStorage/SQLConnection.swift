/// A connection to one database: the interface of an engine.
///
/// Only the folders `SQLCipher` and `PostgreSQL` know their engines, so another engine needs only another folder. A
/// connection and its statements are used by one thread at a time, which its owner ensures.
protocol SQLConnection: AnyObject {
  /// The words of its catalogue.
  var dialect: SQLDialect { get }
  /// Compiles one statement.
  func prepare(_ text: String) throws(StorageError) -> any SQLStatement
  /// Runs statements that take and give nothing.
  func run(_ script: String) throws(StorageError)
  /// The rowid of the last row inserted.
  var lastInsertedRow: Int64 { get }
  /// The number of rows changed by the last statement.
  var changedRows: Int { get }
  var isInTransaction: Bool { get }
  /// Lets the rest of the transaction take longer than a time limit for reading allows.
  func liftLimit() throws(StorageError)
  /// Makes commits wait for the device, or not. Not inside a transaction.
  func setDurable(_ isDurable: Bool) throws(StorageError)
  /// A number that changes when another connection has committed, of this process or another.
  func dataVersion() throws(StorageError) -> Int64
  /// Moves the log into the database, as far as readers allow, and empties it if they do. False if a part had to
  /// stay.
  func checkpoint() throws(StorageError) -> Bool
  /// The damage seen since the transaction began; nil if there is none.
  ///
  /// SQLite may return zeros for a damaged page and report it only on a later read: check this after the last row.
  var damage: StorageError? { get }
  /// Rewrites the file without the space that nothing uses.
  func compact() throws(StorageError)
  /// Reads the file itself as it is on the disk, encrypted, into the whole of a buffer that ends before the file does.
  ///
  /// Opening and closing the file elsewhere in the process would release all of its locks (POSIX).
  func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError)
  /// Releases memory that is only used as a cache.
  func releaseMemory()
  /// Closes it; everything it prepared is useless from then on.
  func close()
}

extension SQLConnection {
  /// Most connections have no time limit for reading.
  func liftLimit() throws(StorageError) {}
}

/// Statements are written for both engines, but for those that look at the catalogue of a database.
enum SQLDialect {
  case sqlite
  case postgreSQL
}

/// A compiled statement. Places and columns count from zero.
protocol SQLStatement: AnyObject {
  /// Binds a null where values of a kind go: some engines want to know the type of each place.
  func bindNull(_ place: Int, _ kind: EngineContent.Kind)
  func bind(_ value: Int64, _ place: Int)
  func bind(_ value: Double, _ place: Int)
  func bind(_ value: String, _ place: Int)
  func bind(_ value: [UInt8], _ place: Int)
  func bind(_ value: Span<UInt8>, _ place: Int)
  /// The number of its values.
  var placeCount: Int { get }
  /// The next row, if there is one.
  func step() throws(StorageError) -> Bool
  /// Resets it for the next run.
  func reset()

  /// The current row, filled again by each step: always the same object.
  var row: EngineRow { get }
  /// Reads a column as a number or text, whatever its type.
  func int64(_ column: Int) -> Int64
  func text(_ column: Int) -> String
}

/// The columns of a row, until the next step of its statement.
///
/// A step copies all of them at once: asking the statement for each would take longer than reading it.
final class EngineRow {
  let columns: UnsafeMutableBufferPointer<EngineContent>
  /// Texts of rows before. One thread at a time uses a statement, and nothing else happens while one is looked for.
  @exclusivity(unchecked)
  var recurringTexts = RecurringTexts()

  init(columnCount: Int) {
    columns = .allocate(capacity: columnCount)
    columns.initialize(repeating: EngineContent(.null))
  }

  deinit { columns.deallocate() }
}

/// The content of a column; bytes stay in the engine's memory.
struct EngineContent {
  enum Kind: UInt8 {
    case integer = 1
    case real
    case text
    case blob
    case null
  }

  let kind: Kind
  private let count: Int32
  /// The bits of a number, or of the address of the bytes.
  private let bits: UInt64

  init(_ kind: Kind, count: Int32 = 0, bits: UInt64 = 0) {
    self.kind = kind
    self.count = count
    self.bits = bits
  }

  // Each is for what is of its kind.

  var integer: Int64 { Int64(bitPattern: bits) }
  var real: Double { Double(bitPattern: bits) }
  var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: UnsafePointer(bitPattern: UInt(bits)), count: Int(count))
  }
}

/// A value of any type that a database holds.
enum EngineValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLStatement {
  /// The value of a column, by its type.
  func value(_ column: Int) -> EngineValue {
    precondition(column < row.columns.count, "a statement has \(row.columns.count) columns")
    let content = row.columns[column]
    return switch content.kind {
    case .null: .null
    case .integer: .integer(content.integer)
    case .real: .real(content.real)
    case .text: .text(String(decoding: content.bytes, as: UTF8.self))
    case .blob: .blob(Array(content.bytes))
    }
  }

  var columnCount: Int { row.columns.count }

  func bind(_ value: EngineValue, _ place: Int) {
    switch value {
    case .null: bindNull(place, .null)
    case .integer(let value): bind(value, place)
    case .real(let value): bind(value, place)
    case .text(let value): bind(value, place)
    case .blob(let value): bind(value, place)
    }
  }
}
