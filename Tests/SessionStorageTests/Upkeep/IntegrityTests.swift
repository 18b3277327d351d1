import Testing

@testable import SessionStorage

@Suite struct IntegrityTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func fill() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in
      for number in 0..<2000 { try transaction.insertNote("note \(number)") }
    }
    try database.close()
  }

  /// A folder as it is left by a program that was killed.
  private func interrupted(_ change: (inout [UInt8]) -> Void) throws -> Workplace {
    let database = try Database.notes(in: place)
    try database.write { transaction in _ = try transaction.insertNote("last") }
    let copy = try Workplace()
    var content = try place.content()
    change(&content)
    try copy.setContent(content)
    try copy.setContent(try place.content("-wal"), "-wal")
    try database.close()
    return copy
  }

  @Test(arguments: Kind.allCases) func aSoundDatabaseIsFoundSound(kind: Kind) throws {
    let database = try kind.open(place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    #expect(try database.integrityCheck().isSound)
  }

  @Test func aDamagedPageIsFoundAndNothingIsWrittenAnyMore() throws {
    try fill()
    var content = try place.content()
    content[content.count / 2] ^= 1
    try place.setContent(content)
    let database = try Database.notes(in: place)
    #expect(database.damage == nil)
    #expect(try !database.integrityCheck().damage.isEmpty)
    #expect(database.damage?.code == .corrupt)
    expectFailure(.corrupt) { try database.write { _ in } }
  }

  @Test func danglingReferencesAreFound() throws {
    try fill()
    let connection = try SQLCipherConnection.open(
      place.file, key: .example(), for: .writing, busyTimeout: .zero)
    try connection.run("PRAGMA foreign_keys = OFF; UPDATE note SET parent = 99999 WHERE id = 7")
    connection.close()
    let database = try Database.notes(in: place)
    let report = try database.integrityCheck()
    #expect(report.damage == [] && report.problems == ["note: row 7 refers to a missing note"])
    #expect(database.damage == nil)
  }

  @Test func theIntegrityCheckFindsWrongCounts() throws {
    let database = try ExampleAccount.open(in: place)
    try database.write { transaction in try ExampleAccount.fill(transaction) }
    #expect(try database.integrityCheck().isSound)
    try database.write { transaction in
      try transaction.run("UPDATE attachment SET referenceCount = 7")
      try transaction.run("UPDATE file SET referenceCount = 7")
      try transaction.run("DELETE FROM messageSearch WHERE docid = (SELECT min(place) FROM messageText)")
    }
    let report = try database.integrityCheck()
    #expect(report.problems.map { $0.prefix { $0 != ":" } } == ["file", "attachment", "messageSearch"])
    #expect(database.damage == nil)
    #expect(try database.value("SELECT max(referenceCount) FROM file") == 7)
  }

  @Test(
    arguments: [
      ("05" + String(repeating: "A", count: 64), 0), ("05" + String(repeating: "a", count: 63), 0),
      ("03" + String(repeating: "a", count: 65), 3), ("00" + String(repeating: "a", count: 64), 0),
      ("07" + String(repeating: "a", count: 64), 0), ("", 0), ("somewhere", 2), ("somewhere", 3),
      ("https://Example.org/lobby", 2), ("https://example.org/r/lobby", 2), ("https://example.org", 2),
      ("https://example.org/lobby?public_key=" + String(repeating: "a", count: 64), 2),
      ("03" + String(repeating: "a", count: 64), 1), ("05" + String(repeating: "a", count: 64), 7),
    ]) func conversationsWithMalformedAddressesAreReported(address: String, kind: Int) throws
  {
    let database = try ExampleAccount.open(in: place)
    try database.write { transaction in
      _ = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1)
      let row = try transaction.obtainThread(at: "x", .contact, createdAt: 1)
      try transaction.run("UPDATE thread SET address = ?, kind = ? WHERE id = ?", address, kind, row.id)
    }
    let problems = try database.integrityCheck().problems
    #expect(
      problems == ["thread: 1 rows have a malformed address, or one of another kind, and are not shown"])
  }

  @Test func conversationsWhoseAddressIsOfAnotherKindAreReported() throws {
    let database = try ExampleAccount.open(in: place)
    let (person, group) = ("05" + String(repeating: "a", count: 64), "03" + String(repeating: "a", count: 64))
    try database.write { transaction in
      _ = try transaction.obtainThread(at: person, .contact, createdAt: 1)
      _ = try transaction.obtainThread(at: group, .group, createdAt: 1)
      _ = try transaction.obtainThread(at: "https://example.org/lobby", .community, createdAt: 1)
    }
    #expect(try database.integrityCheck().problems == [])
    try database.write { transaction in
      try transaction.run("UPDATE thread SET kind = 0 WHERE address LIKE '03%' OR address LIKE 'http%'")
    }
    let problems = try database.integrityCheck().problems
    #expect(
      problems == ["thread: 2 rows have a malformed address, or one of another kind, and are not shown"])
  }

  @Test func aDatabaseThatWasNotClosedIsLookedAt() throws {
    try fill()
    let copy = try interrupted { $0[$0.count / 2] ^= 1 }
    let database = try Database.notes(in: copy)
    #expect(database.damage?.code == .corrupt)
    expectFailure(.corrupt) { try database.write { _ in } }
    #expect(try database.value("SELECT text FROM note WHERE id = 1") == "note 0")
  }

  @Test func aLargeOneIsNotLookedAt() throws {
    try fill()
    let copy = try interrupted { $0[$0.count / 2] ^= 1 }
    var options = DatabaseOptions.impatient
    options.checkedSize = try copy.content().count - 1
    #expect(try Database.notes(in: copy, options: options).damage == nil)
  }

  @Test func aSoundOneThatWasNotClosedCanBeWritten() throws {
    try fill()
    let copy = try interrupted { _ in }
    let database = try Database.notes(in: copy)
    #expect(database.wasInterrupted && database.damage == nil)
    try database.write { transaction in _ = try transaction.insertNote("goes on") }
  }
}
