/// Copies the rows of tables between databases of one schema, whatever their engines are.
package enum TableCopy {
  /// A table, by what is in it.
  package struct Content: Hashable, Sendable {
    package let table: String
    package var rows = 0
    /// A sum over all rows, in whatever order they come.
    package fileprivate(set) var checksum: UInt64 = 0
  }

  /// Rows that are in memory at a time.
  private static let fetched = 500
  /// The same for tables with large rows.
  private static let fewFetched = ["file_chunk": 8]

  /// Copies tables in their order, of which those in `numbered` never give a number twice, and compares what has arrived.
  /// `duplicate` if there are other rows in the target, `corrupt` if something else has arrived. Rows that an earlier copy
  /// has brought are as good as copied.
  package static func copy(
    _ tables: [String], numbered: Set<String>, from source: borrowing ReadTransaction,
    to target: borrowing WriteTransaction
  ) throws(StorageError) -> [Content] {
    let there = try contents(of: tables, in: target.statements)
    if let first = there.first(where: { $0.rows > 0 }) {
      guard try there == contents(of: tables, in: source.statements) else {
        throw StorageError(.duplicate, "the new database is not empty: there are rows in \(first.table)")
      }
      return there
    }
    var copied: [Content] = []
    for table in tables {
      let sent = try copy(table, from: source.statements, to: target.statements)
      guard try contents(of: table, in: target.statements) == sent else {
        throw StorageError(.corrupt, "the rows of \(table) are others in the new database")
      }
      if numbered.contains(table) {
        try target.statements.connection.giveNoNumber(
          of: table, upTo: try source.statements.connection.lastNumber(of: table))
      }
      copied.append(sent)
    }
    return copied
  }

  /// What is in tables.
  package static func contents(
    of tables: [String], in source: borrowing ReadTransaction
  ) throws(StorageError) -> [Content] {
    try contents(of: tables, in: source.statements)
  }

  private static func contents(
    of tables: [String], in statements: Statements
  ) throws(StorageError) -> [Content] {
    var found: [Content] = []
    for table in tables { found.append(try contents(of: table, in: statements)) }
    return found
  }

  private static func contents(
    of table: String, in statements: Statements
  ) throws(StorageError) -> Content {
    var content = Content(table: table)
    try forEachRow(of: table, in: statements) { (row) throws(StorageError) in content.add(row) }
    return content
  }

  private static func copy(
    _ table: String, from source: Statements, to target: Statements
  ) throws(StorageError) -> Content {
    var content = Content(table: table)
    var insertion: (any SQLStatement)?
    try forEachRow(of: table, in: source) { (row) throws(StorageError) in
      let adding: any SQLStatement
      if let insertion {
        adding = insertion
      } else {
        let places = (1...row.columnCount).map { "?\($0)" }.joined(separator: ", ")
        adding = try target.connection.prepare("INSERT INTO \(table) VALUES (\(places))")
        insertion = adding
      }
      for column in 0..<row.columnCount { adding.bind(row.value(column), column) }
      _ = try adding.step()
      adding.reset()
      content.add(row)
    }
    return content
  }

  private static func forEachRow(
    of table: String, in statements: Statements,
    _ body: (any SQLStatement) throws(StorageError) -> Void
  ) throws(StorageError) {
    let connection = statements.connection
    guard connection is PostgreSQLConnection else {
      let rows = try connection.prepare("SELECT * FROM \(table)")
      while try rows.step() { try body(rows) }
      return
    }
    // Otherwise all rows would be in memory at once.
    try connection.run("DECLARE copied NO SCROLL CURSOR FOR SELECT * FROM \(table)")
    let count = fewFetched[table] ?? fetched
    let rows = try connection.prepare("FETCH \(count) FROM copied")
    var isAtEnd = false
    while !isAtEnd {
      isAtEnd = true
      while try rows.step() {
        try body(rows)
        isAtEnd = false
      }
      rows.reset()
    }
    try connection.run("CLOSE copied")
  }
}

extension TableCopy.Content {
  fileprivate mutating func add(_ row: any SQLStatement) {
    var hash = RowHash()
    for column in 0..<row.columnCount { hash.add(row.value(column)) }
    rows += 1
    checksum &+= hash.value
  }
}

/// FNV-1a over the values of a row: it finds what was copied wrong, not what somebody has forged.
private struct RowHash {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ content: EngineValue) {
    switch content {
    case .null: add([0])
    case .integer(let number): add([1] + bytes(of: UInt64(bitPattern: number)))
    case .real(let number): add([2] + bytes(of: number.bitPattern))
    case .text(let text): add([3] + bytes(of: UInt64(text.utf8.count)) + Array(text.utf8))
    case .blob(let blob): add([4] + bytes(of: UInt64(blob.count)) + blob)
    }
  }

  private func bytes(of number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }

  private mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
  }
}

extension WriteTransaction {
  /// Has a table leave out so many of the numbers that it would give next.
  package func skipNumbers(of table: String, _ count: Int64) throws(StorageError) {
    let connection = statements.connection
    try connection.giveNoNumber(of: table, upTo: try connection.lastNumber(of: table) + count)
  }
}

extension SQLConnection {
  private func number(_ text: String) throws(StorageError) -> Int64 {
    let statement = try prepare(text)
    return try statement.step() ? statement.int64(0) : 0
  }

  /// The last number that a table has given.
  fileprivate func lastNumber(of table: String) throws(StorageError) -> Int64 {
    guard self is PostgreSQLConnection else {
      return try number("SELECT seq FROM sqlite_sequence WHERE name = '\(table)'")
    }
    return try number(
      """
      SELECT coalesce(last_value, 0) FROM pg_sequences
      WHERE schemaname || '.' || sequencename = pg_get_serial_sequence('\(table)', 'id')
      """)
  }

  /// Has a table give greater numbers only.
  fileprivate func giveNoNumber(of table: String, upTo number: Int64) throws(StorageError) {
    guard number > 0 else { return }
    guard self is PostgreSQLConnection else {
      try run(
        """
        DELETE FROM sqlite_sequence WHERE name = '\(table)';
        INSERT INTO sqlite_sequence (name, seq) VALUES ('\(table)', \(number));
        """)
      return
    }
    try run("SELECT setval(pg_get_serial_sequence('\(table)', 'id'), \(number))")
  }
}
