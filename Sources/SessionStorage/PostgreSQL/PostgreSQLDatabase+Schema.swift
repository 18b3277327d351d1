extension PostgreSQLDatabase {
  /// The lock of those who change the schema; any number.
  private static let schemaLock = 0x5343_4F4D

  /// Brings the tables to the newest version, and makes sure that they are the owner's. Returns the names of those whose
  /// rows have numbers.
  static func prepare(
    _ address: PostgreSQLAddress, _ schema: Schema, owner: String
  ) throws(StorageError) -> Set<String> {
    let connection = PostgreSQLConnection(address)
    defer { connection.close() }
    try connection.open()
    // A migration may take long, and so may that of another process, which has the lock.
    try connection.takeTime()
    let statements = Statements(connection)
    do {
      try statements.begin(TransactionStatements.begin)
      try connection.run("SELECT pg_advisory_xact_lock(\(schemaLock))")
      let transaction = WriteTransaction(statements: statements, log: TransactionLog())
      try migrate(transaction, schema, owner: owner)
      let numbered = try transaction.numberedTables()
      try statements.end(TransactionStatements.commit)
      return numbered
    } catch {
      statements.abort()
      throw error as? StorageError ?? StorageError(.migration, "the database cannot be migrated: \(error)")
    }
  }

  private static func migrate(
    _ transaction: borrowing WriteTransaction, _ schema: Schema, owner: String
  ) throws {
    var version = 0
    if try transaction.hasTables() {
      let known = try transaction.meta("owner")
      guard known == nil || known == owner else {
        throw StorageError(
          .foreign, "the database belongs to another server: its key begins with \(known?.prefix(8) ?? "")")
      }
      guard let number = try transaction.meta("schema").flatMap({ Int($0) }),
        try transaction.meta("kind") == "\(schema.applicationID)"
      else { throw StorageError(.foreign, "the database holds the tables of another program") }
      guard number <= schema.version else {
        throw StorageError(
          .newerSchema, "the database was made by a later version of this program, and cannot be opened")
      }
      version = number
    }
    for migration in schema.migrations.dropFirst(version) { try migration.body(transaction) }
    try transaction.statements.connection.run(CommitMark.table.text)
    try transaction.setMeta("kind", "\(schema.applicationID)")
    try transaction.setMeta("schema", "\(schema.version)")
    try transaction.setMeta("owner", owner)
  }
}

extension WriteTransaction {
  /// True if the schema's first table is there, or one of the same name.
  fileprivate func hasTables() throws(StorageError) -> Bool {
    try value("SELECT count(*) FROM information_schema.tables WHERE table_schema = current_schema()") ?? 0 > 0
  }

  fileprivate func meta(_ name: String) throws(StorageError) -> String? {
    let isThere: Int? = try value(
      """
      SELECT count(*) FROM information_schema.tables
      WHERE table_schema = current_schema() AND table_name = 'meta'
      """)
    guard isThere == 1 else { return nil }
    return try value("SELECT value FROM meta WHERE name = ?1", name)
  }

  fileprivate func setMeta(_ name: String, _ value: String) throws(StorageError) {
    try put(
      "UPDATE meta SET value = ?2 WHERE name = ?1", or: "INSERT INTO meta (name, value) VALUES (?1, ?2)",
      name,
      value)
  }

  /// The tables whose rows have a number, the column `id`.
  fileprivate func numberedTables() throws(StorageError) -> Set<String> {
    let names: [String] = try values(
      """
      SELECT CAST(table_name AS VARCHAR) FROM information_schema.columns
      WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'
      """)
    return Set(names)
  }
}
