/// The row that a statement has come to, for as long as it is there.
public struct Row: ~Copyable {
  private let statement: any SQLStatement
  /// The columns of the statement, which is retained.
  private let columns: UnsafeMutableBufferPointer<EngineContent>

  // Not inlined: the optimizer of Swift 6.3 crashes over generic functions that put together what cannot be copied.
  @inline(never)
  init(_ statement: any SQLStatement) {
    self.statement = statement
    columns = statement.row.columns
  }

  /// Advances to the next row, if there is one.
  func advance() throws(StorageError) -> Bool { try statement.step() }

  /// The value of a column, counted from zero: `value` for one that cannot be read, or is null and may not be.
  public subscript<Value: DatabaseValue>(_ column: Int) -> Value {
    get throws(StorageError) {
      precondition(column < columns.count, "a statement has \(columns.count) columns, not \(column + 1)")
      let column = Column(index: column, content: columns[column])
      guard column.content.kind == .null else { return try Value(column: column) }
      guard let null = Value.null else {
        throw StorageError(.value, "column \(column.index) is null, and must not be")
      }
      return null
    }
  }

  /// The text of a column that holds few different ones, as that of authors does: each is made once, for all rows.
  public subscript(recurring column: Int) -> String {
    get throws(StorageError) {
      precondition(column < columns.count, "a statement has \(columns.count) columns, not \(column + 1)")
      let column = Column(index: column, content: columns[column])
      return statement.row.recurringTexts.text(try column.textBytes)
    }
  }
}

/// A row as a value of the program.
public protocol Record: Sendable {
  /// Reads the columns, in the order in which the record's statements name them.
  init(_ row: borrowing Row) throws(StorageError)
  /// Reads all following rows. A requirement only so that each record has its own version, in which the compiler
  /// knows the type; do not implement it.
  static func readAll(_ row: borrowing Row) throws(StorageError) -> [Self]
}

/// The initial capacity; more rows are reallocated.
private let usualCount = 64

extension Record {
  public static func readAll(_ row: borrowing Row) throws(StorageError) -> [Self] {
    var records: [Self] = []
    records.reserveCapacity(usualCount)
    while try row.advance() { records.append(try Self(row)) }
    return records
  }
}
