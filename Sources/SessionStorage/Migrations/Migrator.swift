import SessionBase

/// Migrates a database to the newest schema before it is used.
struct Migrator {
  let schema: Schema
  /// Nil for a database in memory.
  let file: DatabaseFile?
  let confirming: DatabaseOptions.Confirmation

  /// The current schema of a file.
  struct Position {
    let version: Int
    let applicationID: Int32
    let isEmpty: Bool
  }

  func run(_ statements: Statements) throws(StorageError) {
    let position = try position(of: statements)
    try judge(position)
    if !position.isEmpty { try compareSchema(statements) }
    let pending = schema.migrations.dropFirst(position.version)
    guard !pending.isEmpty else { return }
    try confirm(pending, isNew: position.isEmpty)
    if let file, !position.isEmpty, pending.contains(where: \.isDestructive) {
      try BackupCopy(file: file).make(statements)
    }
    // Tables that are made anew under an old name would lose what refers to them.
    try statements.connection.run("PRAGMA foreign_keys = OFF")
    defer { try? statements.connection.run("PRAGMA foreign_keys = ON") }
    try statements.connection.setDurable(true)
    for migration in pending { try apply(migration, statements) }
  }

  private func position(of statements: Statements) throws(StorageError) -> Position {
    let transaction = ReadTransaction(statements: statements)
    return Position(
      version: try transaction.value("PRAGMA user_version") ?? 0,
      applicationID: Int32(truncatingIfNeeded: try transaction.value("PRAGMA application_id") ?? 0 as Int),
      isEmpty: try !transaction.exists("SELECT 1 FROM sqlite_master LIMIT 1"))
  }

  private func judge(_ position: Position) throws(StorageError) {
    guard !(position.isEmpty && position.version == 0 && position.applicationID == 0) else { return }
    guard position.applicationID == schema.applicationID else {
      throw StorageError(.foreign, "\(name) is the database of another program")
    }
    guard position.version <= schema.version else {
      throw StorageError(
        .newerSchema,
        "\(name) was written by a later version of this program (schema \(position.version), this one knows "
          + "\(schema.version)): use that version")
    }
  }

  /// The tables must be those that the last migration left.
  private func compareSchema(_ statements: Statements) throws(StorageError) {
    let transaction = ReadTransaction(statements: statements)
    do {
      let noted: Int64? = try transaction.value("SELECT checksum FROM migration ORDER BY id DESC LIMIT 1")
      if let noted, try transaction.schemaChecksum() == noted { return }
    } catch StorageError.Code.statement {
      // The list of migrations itself is another one.
    }
    throw StorageError(
      .alteredSchema,
      "the tables in \(name) were changed by another program: undo the change, or salvage the database"
    )
  }

  private func confirm(_ pending: ArraySlice<Migration>, isNew: Bool) throws(StorageError) {
    guard confirming == .all || (confirming == .upgrades && !isNew) else { return }
    let names = pending.map { "\($0.number) (\($0.name))" }.joined(separator: ", ")
    throw StorageError(.unconfirmed, "\(name) must be migrated, which needs confirmation: \(names)")
  }

  private func apply(_ migration: Migration, _ statements: Statements) throws(StorageError) {
    do {
      try statements.begin("BEGIN EXCLUSIVE")
      let transaction = WriteTransaction(statements: statements, log: TransactionLog())
      // Another process may have done it while this one waited.
      let version: Int = try transaction.value("PRAGMA user_version") ?? 0
      if version < migration.number {
        try step(migration, transaction)
      }
      try statements.end("COMMIT")
    } catch {
      statements.abort()
      throw Self.failure(error, of: migration, name)
    }
  }

  private func step(_ migration: Migration, _ transaction: borrowing WriteTransaction) throws {
    if migration.number == 1 {
      try transaction.run(
        """
        CREATE TABLE migration (id INTEGER PRIMARY KEY, name TEXT NOT NULL, at INTEGER NOT NULL, \
        checksum INTEGER NOT NULL)
        """)
      try transaction.statements.connection.run("PRAGMA application_id = \(schema.applicationID)")
    }
    try migration.body(transaction)
    guard try !transaction.exists("PRAGMA foreign_key_check") else {
      throw StorageError(.reference, "rows refer to missing rows")
    }
    try transaction.run(
      """
      INSERT INTO migration (id, name, checksum, at) VALUES (?, ?, ?, strftime('%s', 'now') * 1000)
      """, migration.number, migration.name, try transaction.schemaChecksum())
    try transaction.statements.connection.run("PRAGMA user_version = \(migration.number)")
  }

  /// Temporary failures and failures of the disk are passed on unchanged.
  private static func failure(_ error: any Error, of migration: Migration, _ name: String) -> StorageError {
    guard let error = error as? StorageError else {
      return StorageError(
        .migration, "migration \(migration.number) (\(migration.name)) of \(name) failed: \(error)")
    }
    switch error.code {
    case .statement, .constraint, .duplicate, .reference, .value, .tooLarge:
      return StorageError(
        .migration, "migration \(migration.number) (\(migration.name)) of \(name) failed: \(error.message)",
        engineCode: error.engineCode)
    default: return error
    }
  }

  private var name: String { file?.path ?? "the database in memory" }
}
