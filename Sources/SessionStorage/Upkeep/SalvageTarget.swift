/// The new database for salvaged rows, and the repair of their references.
struct SalvageTarget {
  let statements: Statements
  let upkeep: SchemaUpkeep

  private var transaction: WriteTransaction {
    WriteTransaction(statements: statements, log: TransactionLog())
  }

  /// The tables to copy: without SQLite's own, those of a search, the list of migrations, and keys of this device.
  func tables(from source: any SQLConnection) throws(StorageError) -> [DamagedTable] {
    let all = try transaction.map(
      "SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"
    ) { (row) throws(StorageError) -> (name: String, sql: String) in (try row[0], try row[1]) }
    let searches = all.filter { $0.sql.hasPrefix("CREATE VIRTUAL") }.map(\.name)
    var tables: [DamagedTable] = []
    for (name, sql) in all {
      guard !name.hasPrefix("sqlite_"), name != "migration", !upkeep.unsalvaged.contains(name),
        !searches.contains(name),
        !searches.contains(where: { name.hasPrefix("\($0)_") })
      else { continue }
      let (columns, keys) = try columns(of: name)
      let hasNumbers = !sql.hasSuffix("WITHOUT ROWID")
      tables.append(
        DamagedTable(
          name: name, columns: columns, firstKey: hasNumbers ? nil : keys.first, keys: keys, source: source))
    }
    return tables
  }

  /// The columns of a table, and those of its key.
  private func columns(of table: String) throws(StorageError) -> (all: [String], keys: [String]) {
    let info = try statements.connection.prepare("PRAGMA table_info(\"\(table)\")")
    var all: [String] = []
    var keys: [(place: Int64, name: String)] = []
    while try info.step() {
      all.append(info.text(1))
      if info.int64(5) > 0 { keys.append((info.int64(5), info.text(1))) }
    }
    return (all, keys.sorted { $0.place < $1.place }.map(\.name))
  }

  /// Removes triggers, which would count references again. Returns their SQL.
  func removeTriggers() throws(StorageError) -> [String] {
    let triggers = try transaction.map("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'") {
      (row) throws(StorageError) -> (name: String, sql: String) in (try row[0], try row[1])
    }
    for trigger in triggers { try statements.connection.run("DROP TRIGGER \"\(trigger.name)\"") }
    return triggers.map(\.sql)
  }

  /// Takes all rows of a table that can be had.
  func copy(_ table: DamagedTable) throws(StorageError) -> SalvageReport.Table {
    var report = SalvageReport.Table(name: table.name)
    let list = table.columns.map { "\"\($0)\"" }.joined(separator: ", ")
    let places = table.columns.map { _ in "?" }.joined(separator: ", ")
    let insertion = try statements.connection.prepare(
      "INSERT OR IGNORE INTO \"\(table.name)\" (\(list)) VALUES (\(places))")
    report.breaks = try table.forEachRow { (row) throws(StorageError) in
      defer { insertion.reset() }
      for (index, value) in row.enumerated() { insertion.bind(value, index) }
      _ = try insertion.step()
      report.kept += statements.connection.changedRows
    }
    report.lost = report.breaks == 0 ? 0 : try table.count().map { max($0 - report.kept, 0) }
    return report
  }

  /// Numbers that were given once are not given again.
  func copyNumbering(from source: any SQLConnection) throws(StorageError) {
    let sequence = DamagedTable(
      name: "sqlite_sequence", columns: ["name", "seq"], firstKey: nil, keys: [], source: source)
    let raising = try statements.connection.prepare(
      "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?")
    let adding = try statements.connection.prepare(
      "INSERT INTO sqlite_sequence (seq, name) SELECT ?, ? WHERE changes() = 0")
    _ = try sequence.forEachRow { (row) throws(StorageError) in
      for statement in [raising, adding] {
        defer { statement.reset() }
        statement.bind(row[1], 0)
        statement.bind(row[0], 1)
        _ = try statement.step()
      }
    }
  }

  /// Recreates lost rows as far as other rows describe them, then removes or changes rows that still refer to lost
  /// ones. Returns the number for each table.
  func mend(_ tables: [DamagedTable]) throws(StorageError) -> [String: Int] {
    try upkeep.replaceLost(transaction)
    var mended: [String: Int] = [:]
    var hasChanged = true
    while hasChanged {
      hasChanged = false
      for table in tables {
        let count = try mendReferences(of: table.name)
        mended[table.name, default: 0] += count
        hasChanged = hasChanged || count > 0
      }
    }
    return mended
  }

  private func mendReferences(of table: String) throws(StorageError) -> Int {
    let references = try statements.connection.prepare("PRAGMA foreign_key_list(\"\(table)\")")
    var repairs: [String] = []
    while try references.step() {
      let (parent, column, action) = (references.text(2), references.text(3), references.text(6))
      let key =
        references.value(4) == .null ? try columns(of: parent).keys.first ?? "rowid" : references.text(4)
      let dangling =
        "\"\(column)\" IS NOT NULL AND NOT EXISTS "
        + "(SELECT 1 FROM \"\(parent)\" p WHERE p.\"\(key)\" = \"\(table)\".\"\(column)\")"
      // A row whose column must not be null keeps its value, and is deleted below.
      if action != "CASCADE" {
        repairs.append("UPDATE OR IGNORE \"\(table)\" SET \"\(column)\" = NULL WHERE \(dangling)")
      }
      repairs.append("DELETE FROM \"\(table)\" WHERE \(dangling)")
    }
    var count = 0
    for repair in repairs {
      let statement = try statements.connection.prepare(repair)
      _ = try statement.step()
      count += statements.connection.changedRows
    }
    return count
  }

  func derive() throws(StorageError) { try upkeep.derive(transaction) }
}
