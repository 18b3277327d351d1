import SessionCore
import Testing

@testable import SessionStorage

@Suite struct SalvageTests {
  private let place: Workplace

  init() throws { place = try Workplace(inMemory: true) }

  /// Tables of both kinds, rows that are longer than a page among them.
  private static let schema = Schema(
    applicationID: 79,
    migrations: [
      Migration(
        1, "entries",
        sql: """
          CREATE TABLE entry (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, content BLOB);
          CREATE INDEX entryText ON entry (text);
          CREATE TABLE word (name TEXT NOT NULL PRIMARY KEY, count INTEGER NOT NULL) WITHOUT ROWID;
          """)
    ])

  private struct Entry: Hashable {
    let id: Int64
    let text: String
    let content: [UInt8]
  }

  private static let entries = (1...1500 as ClosedRange<Int64>).map { id in
    // Numbers with gaps.
    Entry(
      id: id * 3 + (id > 700 ? 40_000 : 0), text: "entry \(id)",
      content: Array(repeating: UInt8(truncatingIfNeeded: id), count: id % 100 == 0 ? 9000 : 20))
  }
  private static let words = (0..<1500).map { "word \($0 * 7919 % 100_000)" }.sorted()

  private func fill() throws {
    let database = try Database.open(place.file, key: .example(), schema: Self.schema, options: .impatient)
    try database.write { transaction in
      for entry in Self.entries {
        try transaction.run(
          "INSERT INTO entry (id, text, content) VALUES (?, ?, ?)", entry.id, entry.text, entry.content)
      }
      for word in Self.words { try transaction.run("INSERT INTO word (name, count) VALUES (?, 1)", word) }
    }
    try database.close()
  }

  private func salvage() throws -> (database: Database, report: SalvageReport) {
    let target = place.path("rescued.db")
    let report = try Database.salvage(place.file, into: target, key: .example(), schema: Self.schema)
    let database = try Database.open(target, key: .example(), schema: Self.schema, options: .impatient)
    #expect(try database.integrityCheck().isSound)
    return (database, report)
  }

  private func entries(of database: Database) throws -> Set<Entry> {
    try database.read { transaction in
      Set(
        try transaction.map("SELECT id, text, content FROM entry") { (row) throws(StorageError) in
          Entry(id: try row[0], text: try row[1], content: try row[2])
        })
    }
  }

  /// The rows that can be read one at a time.
  private func readable() throws -> (entries: Set<Entry>, words: Set<String>) {
    let source = try SQLCipherConnection.open(
      place.file, key: .example(), for: .rescuing, busyTimeout: .zero)
    defer { source.close() }
    func has(_ sql: String, _ value: EngineValue) -> Bool {
      try? source.run("BEGIN")
      defer { try? source.run("ROLLBACK") }
      guard let statement = try? source.prepare(sql) else { return false }
      statement.bind(value, 0)
      return (try? statement.step()) == true && statement.value(0) != .null && source.damage == nil
    }
    return (
      Set(
        Self.entries.filter { has("SELECT content FROM entry NOT INDEXED WHERE id = ?", .integer($0.id)) }),
      Set(Self.words.filter { has("SELECT count FROM word WHERE name = ?", .text($0)) })
    )
  }

  @Test func allOfASoundDatabaseComesOut() throws {
    try fill()
    let (database, report) = try salvage()
    #expect(report.isWhole && report.kept == 3000)
    #expect(try entries(of: database) == Set(Self.entries))
    #expect(try database.values("SELECT name FROM word ORDER BY name") == Self.words)
    // Numbers that were given are not given again.
    try database.write { transaction in
      try transaction.run("DELETE FROM entry")
      let next = try transaction.insert("INSERT INTO entry (text) VALUES ('next')")
      #expect(next > Self.entries.last?.id ?? .max)
    }
  }

  /// Pages are overwritten at random. Every row that can be read by itself comes out, as it was, and no other; but none
  /// of a table with keys that has lost both of its ends.
  @Test(arguments: Soak.isOn ? Array(0..<300) : Array(0..<12) + [65, 203])
  func readableRowsAreSalvaged(seed: Int) throws {
    try fill()
    var content = try place.content()
    let pages = content.count / 4096
    // Not the first, without which there is nothing; a number that has no factor in common goes everywhere.
    for number in 0..<1 + seed % 6 {
      let page = 1 + (seed * 7919 + number * 104_729) % (pages - 1)
      for index in page * 4096..<(page + 1) * 4096 { content[index] = UInt8(truncatingIfNeeded: index &* 31) }
    }
    try place.setContent(content)
    let (readableEntries, readableWords) = try readable()
    let (database, report) = try salvage()
    let found = try entries(of: database)
    #expect(found.isSuperset(of: readableEntries) && found.isSubset(of: Self.entries), "seed \(seed)")
    let words: Set<String> = Set(try database.values("SELECT name FROM word"))
    let ends = [Self.words.first, Self.words.last].compactMap(\.self)
    let hasEnd = ends.contains { readableWords.contains($0) }
    #expect(
      words.isSuperset(of: hasEnd ? readableWords : []) && words.isSubset(of: Self.words), "seed \(seed)")
    for table in report.tables {
      let (kept, all) = table.name == "entry" ? (found.count, 1500) : (words.count, 1500)
      #expect(table.kept == kept, "seed \(seed)")
      #expect(table.lost == nil || table.lost == all - kept, "seed \(seed)")
      #expect((table.breaks == 0) == (kept == all), "seed \(seed): \(table)")
    }
    #expect(try place.content() == content)
  }

  /// Pages that come one after the other: among them are such that a long row goes on in the first that is missing.
  @Test(arguments: 0..<(Soak.isOn ? 48 : 14)) func aFileThatWasCutOffGivesItsBeginning(number: Int) throws {
    try fill()
    let content = try place.content()
    // Every other time within a page.
    let pages = content.count / 4096
    let size = (pages / 3 + number % (pages - pages / 3)) * 4096 - (number % 2) * 100
    try place.setContent(content.prefix(size))
    let (readableEntries, readableWords) = try readable()
    let (database, report) = try salvage()
    let found = try entries(of: database)
    #expect(found.isSuperset(of: readableEntries) && found.isSubset(of: Self.entries), "\(report)")
    let words: Set<String> = Set(try database.values("SELECT name FROM word"))
    #expect(words.isSuperset(of: readableWords) && words.isSubset(of: Self.words))
    #expect(!report.isWhole && report.kept > 100)
    #expect(try place.content().count == size)
  }

  @Test func withoutItsFirstPageNothingCanBeRead() throws {
    try fill()
    var content = try place.content()
    content[100] ^= 1
    try place.setContent(content)
    expectFailure(.wrongKey) { _ = try salvage() }
    #expect(try place.names.filter { $0.hasPrefix("rescued") } == [])
  }

  @Test func nothingIsWrittenOver() throws {
    try fill()
    try place.write([1], to: "rescued.db")
    expectFailure(.duplicate) { _ = try salvage() }
    #expect(try place.read("rescued.db") == [1])
  }

  @Test func theDatabaseOfAnotherProgramIsRefused() throws {
    try Database.notes(in: place).close()
    expectFailure(.foreign) { _ = try salvage() }
  }

  @Test func aDatabaseFromTheFutureIsRefused() throws {
    let later = Schema(
      applicationID: Self.schema.applicationID,
      migrations: Self.schema.migrations + [Migration(2, "later", sql: "CREATE TABLE later (id INTEGER)")])
    try Database.open(place.file, key: .example(), schema: later, options: .impatient).close()
    expectFailure(.newerSchema) { _ = try salvage() }
  }

  @Test func rowsOnlyInTheLogAreSalvaged() throws {
    try fill()
    let database = try Database.open(place.file, key: .example(), schema: Self.schema, options: .impatient)
    try database.write { transaction in
      _ = try transaction.run("INSERT INTO entry (text, content) VALUES ('log', x'01')")
    }
    let copy = try Workplace(inMemory: true)
    for ending in ["", "-wal"] { try copy.setContent(try place.content(ending), ending) }
    let target = copy.path("rescued.db")
    let report = try Database.salvage(copy.file, into: target, key: .example(), schema: Self.schema)
    #expect(report.isWhole && report.kept == 3001)
  }

  // MARK: - Accounts

  private func salvageAccount(_ damage: String) throws -> (database: Database, report: SalvageReport) {
    let database = try ExampleAccount.open(in: place)
    try database.write { transaction in try ExampleAccount.fill(transaction) }
    try database.close()
    let connection = try SQLCipherConnection.open(
      place.file, key: .example(), for: .writing, busyTimeout: .zero)
    try connection.run("PRAGMA foreign_keys = OFF; \(damage)")
    connection.close()
    let target = place.path("rescued.db")
    let report = try Database.salvage(place.file, into: target, key: .example(), schema: .account)
    let rescued = try Database.open(target, key: .example(), schema: .account, options: .impatient)
    #expect(try rescued.integrityCheck().isSound)
    return (rescued, report)
  }

  @Test func allOfASoundAccountComesOut() throws {
    let (rescued, report) = try salvageAccount("")
    #expect(report.isWhole)
    try rescued.read { transaction in
      try ExampleAccount.check(transaction, hasEvents: false, hasDevices: false)
      // Its keys may be in use elsewhere.
      #expect(
        try transaction.ratchetSelf() == nil && transaction.ratchetDevices(of: ExampleAccount.bob) == [])
      #expect(try transaction.ratchetPrekeys(7) == nil && transaction.ratchetTagKeys().isEmpty)
    }
    let original = try ExampleAccount.open(in: place)
    let others = ["messageSearch_", "event", "sqlite_sequence", "sr"]
    #expect(try Fingerprint(rescued, without: others) == Fingerprint(original, without: others))
  }

  @Test func messagesWhoseConversationIsLostAreInOneWithTheirAuthor() throws {
    let (rescued, report) = try salvageAccount("DELETE FROM thread")
    let message = try rescued.read { transaction in
      let thread = try #require(try transaction.thread(at: ExampleAccount.bob))
      return try transaction.page(of: thread.id, limit: 9).map(\.body)
    }
    #expect(message == ["hello world", nil, nil, nil, nil])
    #expect(report.tables.first { $0.name == "community" }?.orphaned == 1)
  }

  @Test func danglingReferencesAreClearedOrDeleted() throws {
    let (rescued, report) = try salvageAccount("DELETE FROM file; DELETE FROM job WHERE id = 1")
    // That of the message that is sent later never had a file.
    #expect(try rescued.value("SELECT count(*) FROM attachment WHERE fileID IS NULL") == 2)
    #expect(try rescued.values("SELECT ifnull(event, '') FROM jobDependency") == ["pushed"])
    #expect(report.tables.first { $0.name == "attachment" }?.orphaned == 1)
    #expect(report.tables.first { $0.name == "jobDependency" }?.orphaned == 1)
  }

  /// What a reader has missed is not known, so that all of them have to look at the conversations again.
  @Test func allReadersOfASalvagedAccountHaveMissedEvents() throws {
    let (rescued, _) = try salvageAccount("")
    let first = try rescued.write { transaction in try transaction.appendEvent("next", at: 1) }
    #expect(first.rawValue > 1_600_000_000 << 20)
    try rescued.read { transaction in
      let reader = try #require(try transaction.eventReader("bot"))
      let (floor, events) = (
        try transaction.eventFloor(), try transaction.events(after: reader.acknowledged, limit: 9)
      )
      #expect(reader.acknowledged.rawValue == 1)
      #expect(floor.rawValue == first.rawValue - 1 && events.map(\.id) == [first])
    }
  }

  @Test func eventsThatWereAcknowledgedDoNotComeAgain() throws {
    let last = 2_000_000_000_000_000
    let (rescued, _) = try salvageAccount(
      "DELETE FROM event; DELETE FROM sqlite_sequence; UPDATE eventReader SET acknowledged = \(last)")
    let id = try rescued.write { transaction in try transaction.appendEvent("next", at: 1) }
    #expect(id.rawValue == last + 1)
  }
}
