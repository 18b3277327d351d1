import Testing

@testable import SessionStorage

/// Statements that would take for ever.
@Suite struct StatementLimitTests {
  private static let endless: SQL =
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"

  @Test func statementsThatTakeTooLongFailAndLeaveTheConnectionUsable() throws {
    let place = try Workplace()
    var options = DatabaseOptions()
    options.readers = 1
    options.readLimit = .milliseconds(20)
    let database = try Database.notes(in: place, options: options)
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
