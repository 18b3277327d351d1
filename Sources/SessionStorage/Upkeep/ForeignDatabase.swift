/// A database of another program, which is not encrypted, to import from. Its tables can be read, whatever views and
/// triggers it has. Used on one thread.
public final class ForeignDatabase {
  private let statements: Statements

  /// Opens a file that no other process uses: what its log has is moved into it. Throws `corrupt` for a file that is no
  /// database or is truncated, here or when it is read.
  public init(_ path: String) throws(StorageError) {
    statements = Statements(try SQLCipherConnection.openForeign(path))
  }

  /// Connects to a database of a PostgreSQL server, whose tables are found without the name of their schema.
  public init(_ address: PostgreSQLAddress) throws(StorageError) {
    let connection = PostgreSQLConnection(address)
    statements = Statements(connection)
    try connection.open()
    try connection.takeTime()
  }

  deinit { statements.close() }

  /// Reads its rows, all of one state.
  public func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R {
    switch statements.connection.dialect {
    case .sqlite: try statements.begin(TransactionStatements.begin)
    case .postgreSQL: try statements.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }
    defer { statements.abort() }
    return try body(ReadTransaction(statements: statements))
  }
}

extension Reading where Self: ~Copyable {
  /// The columns of a table; none if there is no such table.
  public func columns(of table: SQL) throws(StorageError) -> Set<String> {
    let query: SQL =
      switch statements.connection.dialect {
      case .sqlite: "PRAGMA table_info(\(table))"
      case .postgreSQL:
        """
        SELECT 0, column_name::text FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = '\(table)'
        """
      }
    return Set(try map(query) { (row) throws(StorageError) -> String in try row[1] })
  }

  /// The greatest number `id` that a table has given to a row; nil if the database does not know.
  public func lastNumber(of table: SQL) throws(StorageError) -> Int64? {
    let query: SQL
    switch statements.connection.dialect {
    case .sqlite:
      guard try exists("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'") else { return nil }
      query = "SELECT seq FROM sqlite_sequence WHERE name = '\(table)'"
    case .postgreSQL:
      query = "SELECT pg_sequence_last_value(pg_get_serial_sequence('\(table)', 'id')::regclass)"
    }
    return try map(query) { (row) throws(StorageError) -> Int64? in try row[0] }.first ?? nil
  }

  /// Calls a closure for each row of a table, of which few are in memory at a time.
  public func forEachOfMany(
    _ sql: SQL, body: (borrowing Row) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch statements.connection.dialect {
    case .sqlite:
      try forEach(sql) { (row) throws(StorageError) in
        try body(row)
        return true
      }
    case .postgreSQL:
      try statements.run("DECLARE piece NO SCROLL CURSOR FOR \(sql)")
      let fetch = try statements.connection.prepare("FETCH 500 FROM piece")
      let row = Row(fetch)
      var count: Int
      repeat {
        count = 0
        while try row.advance() {
          count += 1
          try body(row)
        }
        fetch.reset()
      } while count > 0
      try statements.run("CLOSE piece")
    }
  }

  /// The number of other programs that are connected to the database; 0 for a file. Who is no superuser may not see what
  /// kind of program one is.
  public func otherClients() throws(StorageError) -> Int {
    switch statements.connection.dialect {
    case .sqlite: return 0
    case .postgreSQL:
      return try value(
        """
        SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND usesysid IS NOT NULL
          AND coalesce(backend_type, 'client backend') = 'client backend'
        """) ?? 0
    }
  }
}
