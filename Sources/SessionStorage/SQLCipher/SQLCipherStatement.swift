import CSQLCipher

/// A compiled statement of SQLCipher.
final class SQLCipherStatement: SQLStatement {
  private let statement: OpaquePointer
  private let connection: SQLCipherConnection
  let row: EngineRow

  init(_ statement: OpaquePointer, of connection: SQLCipherConnection) {
    self.statement = statement
    self.connection = connection
    row = EngineRow(columnCount: Int(sqlite3_column_count(statement)))
  }

  // Finalising returns the error of the last step, which was reported already.
  deinit { sqlite3_finalize(statement) }

  // Binding fails for places that there are not, which is a defect of the statement, for want of memory, and for
  // values beyond a gigabyte; the last two show as a null that the tables refuse.

  func bindNull(_ place: Int, _ kind: EngineContent.Kind) { sqlite3_bind_null(statement, Int32(place + 1)) }

  func bind(_ value: Int64, _ place: Int) { sqlite3_bind_int64(statement, Int32(place + 1), value) }

  func bind(_ value: Double, _ place: Int) { sqlite3_bind_double(statement, Int32(place + 1), value) }

  func bind(_ value: String, _ place: Int) {
    var value = value
    value.withUTF8 { utf8 in
      _ = sqlcipher_bind_text(statement, Int32(place + 1), utf8.baseAddress, Int32(utf8.count))
    }
  }

  func bind(_ value: [UInt8], _ place: Int) { bind(value.span, place) }

  func bind(_ value: Span<UInt8>, _ place: Int) {
    value.withUnsafeBytes { bytes in
      _ = sqlcipher_bind_blob(statement, Int32(place + 1), bytes.baseAddress, Int32(bytes.count))
    }
  }

  var placeCount: Int { Int(sqlite3_bind_parameter_count(statement)) }

  func step() throws(StorageError) -> Bool {
    connection.noteStep()
    switch sqlite3_step(statement) {
    case SQLITE_ROW:
      takeRow()
      return true
    case SQLITE_DONE: return false
    default: throw connection.failure()
    }
  }

  private func takeRow() {
    let columns = row.columns
    for index in columns.indices {
      let content = sqlcipher_column(statement, Int32(truncatingIfNeeded: index))
      // The kinds have the numbers of the library.
      let kind = EngineContent.Kind(rawValue: UInt8(truncatingIfNeeded: content.type)) ?? .null
      columns[index] = EngineContent(kind, count: content.count, bits: content.bits)
    }
  }

  func reset() {
    // Values stay bound until others take their place, which all of them do.
    sqlite3_reset(statement)
  }

  func int64(_ column: Int) -> Int64 { sqlite3_column_int64(statement, Int32(column)) }

  func text(_ column: Int) -> String {
    guard let start = sqlite3_column_text(statement, Int32(column)) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}
