import Foundation
import Testing

@testable import SessionStorage

@Suite struct AccountSchemaTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private static func golden(_ name: String) -> URL {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Golden/\(name)").standardized
  }

  private static let documents = URL(filePath: #filePath).appending(path: "../../../../docs").standardized

  /// The statements that make up the schema of a database, as the engine keeps them.
  private func statements(of database: Database) throws -> String {
    let all: [String] = try database.values(
      "SELECT sql || ';' FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'trigger', type = 'index', tbl_name, name"
    )
    return all.joined(separator: "\n") + "\n"
  }

  /// The schema is pinned in docs/full_schema.sql. To accept a change, run the tests with UPDATE_GOLDEN=1 and read the
  /// difference: it has to come from a new migration.
  @Test func theMigrationsMakeTheSchemaThatWasPinned() throws {
    let made = try statements(of: try ExampleAccount.inMemory())
    let pinned = Self.documents.appending(path: "full_schema.sql")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil { try Data(made.utf8).write(to: pinned) }
    #expect(made == String(decoding: try Data(contentsOf: pinned), as: UTF8.self))
  }

  @Test func thePinnedSchemaCanBeMadeInOneStep() throws {
    let text = String(
      decoding: try Data(contentsOf: Self.documents.appending(path: "full_schema.sql")), as: UTF8.self)
    let connection = try SQLCipherConnection.openInMemory()
    // The engine creates its own tables for counting and searching, which must not be created by hand.
    let own = text.components(separatedBy: ";\nCREATE").enumerated().map { $0 == 0 ? $1 : "CREATE" + $1 }
      .filter { !$0.contains("sqlite_sequence") && !$0.contains("'messageSearch_") }
    for statement in own { try connection.run(statement) }
  }

  /// A database of each schema that was released is kept, with something in every table.
  @Test(arguments: 1...Schema.account.version)
  func databasesOfEveryReleaseAreMigrated(version: Int) throws {
    let golden = Self.golden("schema-\(version).db")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil, version == Schema.account.version {
      let database = try ExampleAccount.open(in: place)
      try database.write { transaction in try ExampleAccount.fill(transaction) }
      try database.close()
      try Data(try place.content()).write(to: golden)
    }
    let copy = try Workplace()
    try copy.setContent(try Data(contentsOf: golden))
    let database = try ExampleAccount.open(in: copy)
    try database.read { transaction in try ExampleAccount.check(transaction, since: version) }
    #expect(try database.values("SELECT id FROM migration ORDER BY id") == Array(1...Schema.account.version))
  }

  /// Otherwise the migration of notes would be tested with rows that it has nothing to do with.
  @Test func theDatabaseOfTheFifthReleaseHasTheOldNumbersOfNotes() throws {
    let copy = try Workplace()
    try copy.setContent(try Data(contentsOf: Self.golden("schema-5.db")))
    func notes(in version: Int) throws -> [Int] {
      let database = try Database.open(
        copy.file, key: .example(), schema: Schema.account.upTo(version), options: .impatient)
      defer { try? database.close() }
      return try database.values("SELECT kind FROM interaction WHERE kind >= 1000 ORDER BY id")
    }
    #expect(try notes(in: 5) == [1000, 1001, 1002, 1003])
    #expect(try notes(in: 6) == [4000, 2000, 3001, 5000])
  }

  /// Earlier releases deleted events and wrote down nothing of it.
  @Test(arguments: 1...Schema.account.version)
  func eventsThatAnEarlierReleaseDeletedAreMissed(version: Int) throws {
    let copy = try Workplace()
    try copy.setContent(try Data(contentsOf: Self.golden("schema-\(version).db")))
    let database = try ExampleAccount.open(in: copy)
    func floor() throws -> Int64 {
      try database.read { transaction in try transaction.eventFloor().rawValue }
    }
    let last = try database.write { transaction in
      for number in 0..<5 { try transaction.appendEvent("e\(number)", at: 1) }
      return try #require(try transaction.lastEvent()).rawValue
    }
    #expect(try floor() == 0)
    try database.write { transaction in _ = try transaction.run("DELETE FROM event WHERE id <= ?", last - 2) }
    #expect(try floor() == last - 2)
    try database.write { transaction in _ = try transaction.run("DELETE FROM event") }
    #expect(try floor() == last)
  }

  @Test func theExampleHasSomethingInEveryTable() throws {
    let database = try ExampleAccount.inMemory()
    try database.write { transaction in try ExampleAccount.fill(transaction) }
    let tables: [String] = try database.values(
      "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    let empty = try database.maintain { statements in
      try tables.filter { table in
        try !statements.connection.prepare("SELECT 1 FROM \"\(table)\" LIMIT 1").step()
      }
    }
    // Only searches of many words have more than the one segment.
    #expect(empty == ["messageSearch_segments"])
  }

  @Test(arguments: [true, false]) func everythingIsReadAsItWasWritten(isInMemory: Bool) throws {
    let database = try isInMemory ? ExampleAccount.inMemory() : ExampleAccount.open(in: place)
    try database.write { transaction in try ExampleAccount.fill(transaction) }
    try database.read { transaction in try ExampleAccount.check(transaction) }
  }

  /// Rows that refer to others are found by what they refer to, or every deletion would read all of them.
  @Test func everyReferenceHasAnIndex() throws {
    let database = try ExampleAccount.inMemory()
    let tables: [String] = try database.values(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE '%REFERENCES%'")
    let slow = try database.maintain { statements in
      try tables.flatMap { table in
        let keys = try statements.connection.prepare("PRAGMA foreign_key_list(\"\(table)\")")
        var slow: [String] = []
        while try keys.step() {
          let column = keys.text(3)
          let plan = try statements.connection.prepare(
            "EXPLAIN QUERY PLAN SELECT 1 FROM \"\(table)\" WHERE \"\(column)\" = 1")
          guard try plan.step(), plan.text(3).hasPrefix("SCAN") else { continue }
          slow.append("\(table).\(column)")
        }
        return slow
      }
    }
    #expect(slow == [])
  }
}
