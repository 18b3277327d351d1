/// The result of checking a database.
public struct IntegrityReport: Sendable {
  /// Damage of the file: unreadable pages, tables and indexes that contradict each other. Such a database is no
  /// longer written; its readable rows can be salvaged.
  public let damage: [String]
  /// Inconsistent rows, which do not prevent writing.
  public let problems: [String]

  public init(damage: [String], problems: [String]) {
    self.damage = damage
    self.problems = problems
  }

  public var isSound: Bool { damage.isEmpty && problems.isEmpty }
}

private enum IntegrityStatements {
  static let whole: SQL = "PRAGMA integrity_check(100)"
  static let quick: SQL = "PRAGMA quick_check(1)"
  static let references: SQL = "PRAGMA foreign_key_check"
}

extension Database {
  /// Checks every page and every row. It takes time in proportion to the file; others can read and write meanwhile.
  public func integrityCheck() throws -> IntegrityReport {
    var damage: [String] = []
    do {
      try read { transaction in damage = try transaction.damage(IntegrityStatements.whole) }
    } catch let error as StorageError {
      guard error.isDamage else { throw error }
      if damage.isEmpty { damage = [error.message] }
    }
    if let first = damage.first { noteDamage(StorageError(.corrupt, "the database is damaged: \(first)")) }
    guard damage.isEmpty else { return IntegrityReport(damage: damage, problems: []) }
    let dangling = try read { transaction in try transaction.danglingReferences() }
    let problems = try write(.relaxed) { transaction in
      let problems = try schema.upkeep.problems(transaction)
      transaction.abandon()
      return problems
    }
    return IntegrityReport(damage: [], problems: dangling + problems)
  }

  /// Why a database that was not closed should not be written to; nil when it may.
  static func quickCheck(_ statements: Statements, name: String) throws(StorageError) -> StorageError? {
    let found = try ReadTransaction(statements: statements).damage(IntegrityStatements.quick)
    return found.first.map { StorageError(.corrupt, "\(name) is damaged: \($0)") }
  }
}

extension DatabaseSnapshot {
  /// Checks every page of the moment, and what its rows refer to. `problems` finds what else is wrong with the rows.
  public func integrityCheck(
    problems: @escaping @Sendable (borrowing ReadTransaction) throws -> [String]
  ) async throws -> IntegrityReport {
    try await read { transaction in
      let damage = try transaction.damage(IntegrityStatements.whole)
      guard damage.isEmpty else { return IntegrityReport(damage: damage, problems: []) }
      return IntegrityReport(
        damage: [], problems: try transaction.danglingReferences() + problems(transaction))
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The damage that SQLite reports, in its own words.
  fileprivate func damage(_ check: SQL) throws(StorageError) -> [String] {
    do throws(StorageError) {
      let found: [String] = try values(check)
      return found == ["ok"] ? [] : found
    } catch {
      // Damage can stop the check itself, which then may not name it.
      guard error.isDamage || error.code == .statement else { throw error }
      return ["a page cannot be read (\(error.message))"]
    }
  }

  /// Rows that refer to missing rows.
  func danglingReferences() throws(StorageError) -> [String] {
    try map(IntegrityStatements.references) { (row) throws(StorageError) in
      let (table, id, target): (String, Int64?, String) = (try row[0], try row[1], try row[2])
      return "\(table): \(id.map { "row \($0)" } ?? "a row") refers to a missing \(target)"
    }
  }
}
