import SessionCore

/// The rows of one table, on their way into an archive.
struct ArchiveRows {
  let table: ArchiveTable
  let scope: ArchiveTable.Scope
  /// The names of the settings that travel.
  let settings: [String]
  let statements: Statements

  /// The columns that travel, in the order of the table, and those of its key.
  private func columns() throws(StorageError) -> (all: [String], keys: [String]) {
    let info = try statements.connection.prepare("PRAGMA table_info(\"\(table.name)\")")
    var all: [String] = []
    var keys: [(place: Int64, name: String)] = []
    while try info.step() {
      let name = info.text(1)
      if !table.omitted.contains(name) { all.append(name) }
      if info.int64(5) > 0 { keys.append((info.int64(5), name)) }
    }
    return (all, keys.sorted { $0.place < $1.place }.map(\.name))
  }

  private var condition: String {
    guard table.name != "setting" else {
      return " WHERE name IN (\(settings.map { _ in "?" }.joined(separator: ", ")))"
    }
    return table.condition(scope).map { " WHERE \($0)" } ?? ""
  }

  private func prepared(_ selection: String, order: [String] = []) throws(StorageError) -> any SQLStatement {
    let order = order.isEmpty ? "" : " ORDER BY " + order.map { "\"\($0)\"" }.joined(separator: ", ")
    let statement = try statements.connection.prepare(
      "SELECT \(selection) FROM \"\(table.name)\"\(condition)\(order)")
    if table.name == "setting" {
      for (place, name) in settings.enumerated() { statement.bind(name, place) }
    }
    return statement
  }

  func count() throws(StorageError) -> Int64 {
    let statement = try prepared("count(*)")
    return try statement.step() ? statement.int64(0) : 0
  }

  /// The number of bytes of the files that travel.
  func fileBytes() throws(StorageError) -> Int64 {
    let statement = try prepared("ifnull(sum(byteCount), 0)")
    return try statement.step() ? statement.int64(0) : 0
  }

  /// Gives each row, ordered by its key, with the number that identifies it where it has one. `begin` gets the columns
  /// before the first one.
  func forEach(
    begin: (_ columns: [String]) throws -> Void,
    take: (_ row: [ArchiveValue], _ item: String) throws -> Void
  ) throws {
    let (names, keys) = try columns()
    let changes = table.changes(scope)
    let list = names.map { changes[$0] ?? "\"\($0)\"" }.joined(separator: ", ")
    let statement = try prepared(list, order: keys)
    let number = keys.count == 1 ? names.firstIndex(of: keys[0]) : nil
    var hasBegun = false
    while try statement.step() {
      if !hasBegun { try begin(names) }
      hasBegun = true
      let row = (0..<names.count).map { ArchiveValue(statement.row.columns[$0]) }
      if let damage = statements.connection.damage { throw damage }
      var item = table.name
      if let number, case .integer(let id) = row[number] { item += " \(id)" }
      try take(row, item)
    }
  }
}

extension ArchiveValue {
  init(_ content: EngineContent) {
    switch content.kind {
    case .null: self = .null
    case .integer: self = .integer(content.integer)
    case .real: self = .real(content.real)
    case .text: self = String(validating: content.bytes, as: UTF8.self).map { .text($0) } ?? .invalid
    case .blob: self = .blob(Array(content.bytes))
    }
  }
}
