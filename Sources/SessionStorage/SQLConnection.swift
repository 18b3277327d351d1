/// A connection to one database: what an engine has to offer.
///
/// Nothing outside of the folder `SQLCipher` knows more of the engine, so that another one needs one folder. One thread
/// at a time uses a connection and what it prepared; who owns it sees to that.
protocol SQLConnection: AnyObject {
  /// Compiles one statement.
  func prepare(_ text: String) throws(StorageError) -> any SQLStatement
  /// Runs statements that take and give nothing.
  func run(_ script: String) throws(StorageError)
  /// The rowid of the last row inserted.
  var lastInsertedRow: Int64 { get }
  /// How many rows the last statement changed.
  var changedRows: Int { get }
  var isInTransaction: Bool { get }
  /// Makes commits wait until they are on the device, or not. Not inside of a transaction.
  func setDurable(_ isDurable: Bool) throws(StorageError)
  /// A number that changes when another connection has committed, of this process or another.
  func dataVersion() throws(StorageError) -> Int64
  /// Moves what was committed from the log into the database, as far as readers allow, and empties the log if they do.
  /// False when some of it had to stay.
  func checkpoint() throws(StorageError) -> Bool
  /// Why what was read since the transaction began cannot be relied on; nil when it can.
  ///
  /// SQLite may return zeros for a damaged page and report it only on a later read: check this after the last row.
  var damage: StorageError? { get }
  /// Rewrites the file without the space that nothing uses.
  func compact() throws(StorageError)
  /// Reads the file itself as it is on the disk, encrypted, into the whole of a buffer that ends before the file does.
  ///
  /// Opening and closing the file elsewhere in the process would release all of its locks (POSIX).
  func readFile(at offset: Int, into out: UnsafeMutableRawBufferPointer) throws(StorageError)
  /// Gives memory back that is only kept for speed.
  func releaseMemory()
  /// Closes it; everything it prepared is useless from then on.
  func close()
}

/// A compiled statement. Places and columns count from zero.
protocol SQLStatement: AnyObject {
  func bindNull(_ place: Int)
  func bind(_ value: Int64, _ place: Int)
  func bind(_ value: Double, _ place: Int)
  func bind(_ value: String, _ place: Int)
  func bind(_ value: [UInt8], _ place: Int)
  func bind(_ value: Span<UInt8>, _ place: Int)
  /// How many values it takes.
  var placeCount: Int { get }
  /// The next row, if there is one.
  func step() throws(StorageError) -> Bool
  /// Makes it ready to be run again.
  func reset()

  /// The row that it has come to, filled anew by each step: the same object all the time.
  var row: EngineRow { get }
  /// What a column holds as a number or a text, whatever its type.
  func int64(_ column: Int) -> Int64
  func text(_ column: Int) -> String
}

/// What the columns of a row hold, until the next step of its statement.
///
/// A step hands all of them over at once: to ask the statement for each of them would take longer than to read it.
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

/// What a column holds: bytes are where the engine has them.
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
  /// Those of a number, or of the address of the bytes.
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
  /// The value of a column as its type says.
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
    case .null: bindNull(place)
    case .integer(let value): bind(value, place)
    case .real(let value): bind(value, place)
    case .text(let value): bind(value, place)
    case .blob(let value): bind(value, place)
    }
  }
}
