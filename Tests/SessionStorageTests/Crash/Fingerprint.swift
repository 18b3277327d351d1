@testable import SessionStorage

/// The content of all tables of a database, except the times of migrations.
struct Fingerprint: Hashable {
  private let tables: [String: Table]

  private struct Table: Hashable {
    var rows = 0
    var sum = 0
  }

  /// `others` are the beginnings of names of tables that do not matter.
  init(_ database: Database, without others: [String] = []) throws {
    tables = try database.maintain { statements in
      let names: [String] = try ReadTransaction(statements: statements).values(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'migration'")
      var tables: [String: Table] = [:]
      for name in names where !others.contains(where: name.hasPrefix) {
        tables[name] = try Self.table(name, statements.connection)
      }
      return tables
    }
  }

  private static func table(_ name: String, _ connection: any SQLConnection) throws -> Table {
    var table = Table()
    let statement = try connection.prepare("SELECT * FROM \"\(name)\"")
    while try statement.step() {
      table.rows += 1
      var hasher = Hasher()
      for column in 0..<statement.columnCount { hasher.combine(statement.value(column)) }
      // In any order.
      table.sum &+= hasher.finalize()
    }
    return table
  }
}

extension Fingerprint: CustomStringConvertible {
  var description: String {
    tables.filter { $0.value.rows > 0 }.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.rows) (\(UInt16(truncatingIfNeeded: $0.value.sum)))" }.joined(
        separator: ", ")
  }
}
