/// A connection to one database: what an engine has to offer.
///
/// Nothing outside of the folder `SQLCipher` knows more of the engine, so that another one needs one folder. One thread
/// at a time uses a connection and what it prepared; who owns it sees to that.
protocol EngineConnection: AnyObject {
  /// Compiles one statement.
  func prepare(_ text: String) throws(StorageError) -> any EngineStatement
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
  /// A damaged page may be read as zeros, and nothing said of it until something else is read: whoever has read the last
  /// row has to ask.
  var damage: StorageError? { get }
  /// Rewrites the file without the space that nothing uses.
  func compact() throws(StorageError)
  /// Gives memory back that is only kept for speed.
  func releaseMemory()
  /// Closes it; everything it prepared is useless from then on.
  func close()
}

/// A compiled statement. Places and columns count from zero.
protocol EngineStatement: AnyObject {
  func bindNull(_ place: Int)
  func bind(_ value: Int64, _ place: Int)
  func bind(_ value: Double, _ place: Int)
  func bind(_ value: String, _ place: Int)
  func bind(_ value: [UInt8], _ place: Int)
  /// How many values it takes.
  var placeCount: Int { get }
  /// The next row, if there is one.
  func step() throws(StorageError) -> Bool
  /// Makes it ready to be run again.
  func reset()

  /// What a column holds, until the next step.
  func content(_ column: Int) -> EngineContent
  /// What it holds as a number or a text, whatever its type.
  func int64(_ column: Int) -> Int64
  func text(_ column: Int) -> String
  var columnCount: Int { get }
}

/// What a column of the row holds that a statement has come to: bytes are where the engine has them.
struct EngineContent {
  enum Kind {
    case null
    case integer
    case real
    case text
    case blob
  }

  let kind: Kind
  // What is not of its kind is zero.
  let integer: Int64
  let real: Double
  let bytes: UnsafeBufferPointer<UInt8>
}

/// A value of any type that a database holds.
enum EngineValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension EngineStatement {
  /// The value of a column as its type says.
  func value(_ column: Int) -> EngineValue {
    let content = content(column)
    return switch content.kind {
    case .null: .null
    case .integer: .integer(content.integer)
    case .real: .real(content.real)
    case .text: .text(String(decoding: content.bytes, as: UTF8.self))
    case .blob: .blob(Array(content.bytes))
    }
  }

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
