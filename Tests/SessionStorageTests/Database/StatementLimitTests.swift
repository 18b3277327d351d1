import Testing

@testable import SessionStorage

/// Statements that would take very long.
@Suite struct StatementLimitTests {
  private static let endless: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

  private let place: Workplace

  init() throws { place = try Workplace() }

  private static let rows: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?1) SELECT x FROM n"

  private func limited() throws -> Database {
    var options = DatabaseOptions()
    options.readers = 1
    options.readLimit = .milliseconds(20)
    return try Database.notes(in: place, options: options)
  }

  @Test func rowsOfOneStatementShareTheTime() throws {
    let database = try limited()
    let error = #expect(throws: StorageError.self) {
      try database.read { transaction in
        try transaction.forEach(Self.rows, Int64(30_000_000)) { _ in true }
      }
    }
    #expect(error?.code == .interrupted)
    try database.close()
  }

  @Test func statementsOfOneTransactionShareTheTime() throws {
    let database = try limited()
    let error = #expect(throws: StorageError.self) {
      try database.read { transaction in
        for _ in 0..<30_000 { try transaction.forEach(Self.rows, Int64(1000)) { _ in true } }
      }
    }
    #expect(error?.code == .interrupted)
    #expect(try database.read { transaction -> Int64? in try transaction.value("SELECT 7") } == 7)
    try database.close()
  }

  @Test func aTransactionMayTakeItsTime() throws {
    let database = try limited()
    var count = 0
    try database.read { transaction in
      try transaction.takeTime()
      try transaction.forEach(Self.rows, Int64(1_000_000)) { _ in
        count += 1
        return true
      }
    }
    #expect(count == 1_000_000)
    try database.close()
  }

  @Test func statementsThatTakeTooLongFailAndLeaveTheConnectionUsable() throws {
    let database = try limited()
    for _ in 0..<2 {
      let error = #expect(throws: StorageError.self) {
        _ = try database.read { transaction -> Int64? in try transaction.value(Self.endless) }
      }
      #expect(error?.code == .interrupted)
      #expect(try database.read { transaction -> Int64? in try transaction.value("SELECT 7") } == 7)
    }
    try database.close()
  }
}
