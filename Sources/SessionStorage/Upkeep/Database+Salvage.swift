import Glibc

extension Database {
  /// Copies the readable rows of a damaged database into a new one with the same key, and reports the losses. The
  /// damaged file is only read, and should be kept; no process may use it meanwhile. The new one appears when it is
  /// complete.
  ///
  /// Throws `wrongKey` if the first page is damaged, because nothing can be read then; `duplicate` if a file of the
  /// new name exists.
  public static func salvage(
    _ path: String, into target: String, key: DatabaseKey, schema: Schema
  ) throws(StorageError) -> SalvageReport {
    let file = DatabaseFile(path: path)
    try file.undoReplacement()
    try file.prepare(mayCreate: false)
    guard access(target, F_OK) != 0 else {
      throw StorageError(.duplicate, "\(target) already exists")
    }
    let source = try SQLCipherConnection.open(path, key: key, for: .rescuing, busyTimeout: .zero)
    defer { source.close() }
    let unfinished = DatabaseFile(path: target + ".part")
    unfinished.remove()
    do throws(StorageError) {
      let report = try fill(unfinished, key, from: source, schema.upTo(try version(of: source, path, schema)))
      try unfinished.rename(to: target)
      return report
    } catch {
      unfinished.remove()
      throw error
    }
  }

  /// A setting in a file of any version, which may be damaged and is not written to; nil where it has none.
  public static func value<V>(
    of setting: Setting<V>, in path: String, key: DatabaseKey
  ) throws(StorageError) -> V? {
    try DatabaseFile(path: path).prepare(mayCreate: false)
    let source = try SQLCipherConnection.open(path, key: key, for: .rescuing, busyTimeout: .seconds(5))
    defer { source.close() }
    return try ReadTransaction(statements: Statements(source)).value(of: setting)
  }

  /// The version of the tables in a file.
  private static func version(
    of source: SQLCipherConnection, _ path: String, _ schema: Schema
  ) throws(StorageError) -> Int {
    let transaction = ReadTransaction(statements: Statements(source))
    let version: Int = try transaction.value("PRAGMA user_version") ?? 0
    let application: Int = try transaction.value("PRAGMA application_id") ?? 0
    guard version > 0, Int32(truncatingIfNeeded: application) == schema.applicationID else {
      throw StorageError(.foreign, "\(path) is empty, or the database of another program")
    }
    guard version <= schema.version else {
      throw StorageError(
        .newerSchema, "\(path) was written by a later version of this program: use that version")
    }
    return version
  }

  private static func fill(
    _ file: DatabaseFile, _ key: DatabaseKey, from source: SQLCipherConnection, _ schema: Schema
  ) throws(StorageError) -> SalvageReport {
    try file.prepare(mayCreate: true)
    let statements = Statements(
      try SQLCipherConnection.open(file.path, key: key, for: .writing, busyTimeout: .zero))
    defer { statements.close() }
    try Migrator(schema: schema, file: file, confirming: .none).run(statements)
    try statements.connection.run("PRAGMA foreign_keys = OFF")
    let target = SalvageTarget(statements: statements, upkeep: schema.upkeep)
    let report = try copy(from: source, to: target)
    guard try statements.connection.checkpoint() else {
      throw StorageError(.busy, "\(file.path) is in use by another process")
    }
    return report
  }

  private static func copy(
    from source: SQLCipherConnection, to target: SalvageTarget
  ) throws(StorageError) -> SalvageReport {
    let statements = target.statements
    let tables = try target.tables(from: source)
    let triggers = try target.removeTriggers()
    var reports: [SalvageReport.Table] = []
    do throws(StorageError) {
      for table in tables {
        try statements.begin("BEGIN IMMEDIATE")
        reports.append(try target.copy(table))
        try statements.end("COMMIT")
      }
      try statements.begin("BEGIN IMMEDIATE")
      let mended = try target.mend(tables)
      for index in reports.indices { reports[index].orphaned = mended[reports[index].name] ?? 0 }
      try target.derive()
      try target.copyNumbering(from: source)
      for trigger in triggers { try statements.connection.run(trigger) }
      try statements.end("COMMIT")
    } catch {
      statements.abort()
      throw error
    }
    return SalvageReport(tables: reports)
  }
}
