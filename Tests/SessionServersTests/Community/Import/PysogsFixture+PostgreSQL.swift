import CSQLCipher
import SessionStorage
import TestPostgreSQL
import Testing

extension PysogsFixture {
  /// Copies all tables into a database of PostgreSQL, with the types that pysogs uses there.
  func copy(to database: String, of instance: PostgreSQLInstance) throws {
    let tables = Self.schema.components(before: "INSERT")
      .replacing("INTEGER PRIMARY KEY AUTOINCREMENT", with: "BIGSERIAL PRIMARY KEY")
      .replacing("INTEGER", with: "BIGINT").replacing("BLOB", with: "BYTEA")
      .replacing("FLOAT", with: "DOUBLE PRECISION")
    try instance.run(tables, in: database)
    for table in try texts("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    {
      let columns = try texts("PRAGMA table_info(\(table[0]))")
      let values = columns.map { column in
        let name = "\"\(column[1])\""
        return switch column[2] {
        case "BOOLEAN": "CASE WHEN \(name) IS NULL THEN 'NULL' WHEN \(name) THEN 'true' ELSE 'false' END"
        case "BLOB": #"CASE WHEN \#(name) IS NULL THEN 'NULL' ELSE '''\x' || hex(\#(name)) || '''' END"#
        default: "quote(\(name))"
        }
      }
      let rows = try texts("SELECT \(values.joined(separator: " || ', ' || ")) FROM \(table[0])")
      let insertions = rows.map { "INSERT INTO \(table[0]) VALUES (\($0[0]));" }
      if !insertions.isEmpty { try instance.run(insertions.joined(), in: database) }
    }
    for row in try texts("SELECT name, seq FROM sqlite_sequence") {
      try instance.run("SELECT setval(pg_get_serial_sequence('\(row[0])', 'id'), \(row[1]))", in: database)
    }
  }

  /// The columns of rows as texts.
  private func texts(_ sql: String) throws -> [[String]] {
    var (database, statement): (OpaquePointer?, OpaquePointer?)
    try #require(sqlite3_open(self.database, &database) == SQLITE_OK)
    defer { sqlite3_close(database) }
    let status = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    defer { sqlite3_finalize(statement) }
    try #require(status == SQLITE_OK, "\(String(cString: sqlite3_errmsg(database)))")
    var rows: [[String]] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
        })
    }
    return rows
  }
}

extension String {
  fileprivate func components(before word: String) -> String {
    firstRange(of: word).map { String(self[..<$0.lowerBound]) } ?? self
  }
}
