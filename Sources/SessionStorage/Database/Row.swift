/// The row that a statement has come to, for as long as it is there.
public struct Row: ~Copyable {
  private let statement: any EngineStatement

  // Not inlined: the optimizer of Swift 6.3 crashes over generic functions that put together what cannot be copied.
  @inline(never)
  init(_ statement: any EngineStatement) { self.statement = statement }

  /// Goes on to the next row, if there is one.
  func advance() throws(StorageError) -> Bool { try statement.step() }

  /// The value of a column, counted from zero: `value` for one that cannot be read, or is null and may not be.
  public subscript<Value: DatabaseValue>(_ column: Int) -> Value {
    get throws(StorageError) {
      let column = Column(index: column, content: statement.content(column))
      guard column.content.kind == .null else { return try Value(column: column) }
      guard let null = Value.null else {
        throw StorageError(.value, "column \(column.index) is null, and must not be")
      }
      return null
    }
  }
}

/// A row as a value of the program.
public protocol Record: Sendable {
  /// Reads the columns, in the order in which the record's statements name them.
  init(_ row: borrowing Row) throws(StorageError)
  /// Reads all rows that follow; there is no need to write it. It is a requirement so that every record has its own,
  /// for which the compiler knows the type.
  static func readAll(_ row: borrowing Row) throws(StorageError) -> [Self]
}

extension Record {
  public static func readAll(_ row: borrowing Row) throws(StorageError) -> [Self] {
    var records: [Self] = []
    records.reserveCapacity(32)
    while try row.advance() { records.append(try Self(row)) }
    return records
  }
}
