import Testing

@testable import SessionStorage

@Suite struct MigrationTests {
  private struct Refusal: Error {}

  private let place: Workplace

  init() throws { place = try Workplace() }

  /// The notes with more steps.
  private func schema(_ more: Migration...) -> Schema {
    Schema(applicationID: Schema.notes.applicationID, migrations: Schema.notes.migrations + more)
  }

  private func fill() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    try database.close()
  }

  private let colour = Migration(
    2, "colours", sql: "ALTER TABLE note ADD COLUMN colour INTEGER NOT NULL DEFAULT 3")

  @Test func onlyMissingMigrationsRun() throws {
    try fill()
    let database = try Database.notes(in: place, schema: schema(colour))
    #expect(try database.value("SELECT colour FROM note") == 3)
    #expect(try database.values("SELECT name FROM migration ORDER BY id") == ["notes", "colours"])
    #expect(try database.value("PRAGMA user_version") == 2)
    try database.close()
    // Another time nothing is to be done, or the column would be there twice.
    _ = try Database.notes(in: place, schema: schema(colour))
  }

  @Test func aFailureLeavesEverythingAsItWas() throws {
    try fill()
    let broken = Migration(3, "broken") { transaction in
      try transaction.run("DELETE FROM note")
      try transaction.run("INSERT INTO nothing VALUES (1)")
    }
    expectFailure(.migration) { _ = try Database.notes(in: place, schema: schema(colour, broken)) }
    let database = try Database.notes(in: place, schema: schema(colour))
    #expect(try database.notes == ["one"])
    #expect(try database.value("PRAGMA user_version") == 2)
  }

  @Test func anErrorOfItsOwnIsToldAsFailure() throws {
    expectFailure(.migration) {
      _ = try Database.notes(in: place, schema: schema(Migration(2, "refusing") { _ in throw Refusal() }))
    }
  }

  @Test func danglingReferencesAreRefused() throws {
    try fill()
    let dangling = Migration(2, "dangling", sql: "INSERT INTO note (text, parent) VALUES ('two', 99)")
    expectFailure(.migration) { _ = try Database.notes(in: place, schema: schema(dangling)) }
    #expect(try Database.notes(in: place).notes == ["one"])
  }

  @Test func tablesThatAreMadeAnewKeepWhatRefersToThem() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in
      let one = try transaction.insertNote("one")
      try transaction.insertNote("two", parent: one)
    }
    try database.close()
    let renewed = Migration(
      2, "renewed", isDestructive: true,
      sql: """
        CREATE TABLE fresh (id INTEGER PRIMARY KEY, text TEXT NOT NULL, parent INTEGER REFERENCES note);
        INSERT INTO fresh SELECT id, text, parent FROM note;
        DROP TABLE note;
        ALTER TABLE fresh RENAME TO note;
        """)
    let migrated = try Database.notes(in: place, schema: schema(renewed))
    #expect(try migrated.notes == ["one", "two"])
    expectFailure(.reference) {
      try migrated.write { transaction in _ = try transaction.insertNote("three", parent: 99) }
    }
  }

  @Test func aDatabaseFromTheFutureIsRefusedByName() throws {
    try Database.notes(in: place, schema: schema(colour)).close()
    let before = try place.content()
    do {
      _ = try Database.notes(in: place)
      Issue.record("it was opened")
    } catch let error as StorageError {
      #expect(error.code == .newerSchema)
      #expect(error.message.contains(place.file) && error.message.contains("later version"))
      #expect(MigrationOutcome(error, file: "f") == .errorMigration(file: "f", detail: .downgrade))
    }
    #expect(try place.content() == before)
  }

  @Test func theDatabaseOfAnotherProgramIsRefused() throws {
    try fill()
    let other = Schema(applicationID: 78, migrations: Schema.notes.migrations)
    expectFailure(.foreign) { _ = try Database.notes(in: place, schema: other) }
  }

  @Test(arguments: [
    "CREATE INDEX other ON note (parent)", "CREATE TRIGGER other AFTER DELETE ON note BEGIN SELECT 1; END",
    "ALTER TABLE migration RENAME TO other", "DELETE FROM migration",
  ]) func tablesThatWereChangedFromOutsideAreTold(_ change: String) throws {
    try fill()
    let connection = try SQLCipherConnection.open(
      place.file, key: .example(), for: .writing, busyTimeout: .zero)
    try connection.run(change)
    connection.close()
    expectFailure(.alteredSchema) { _ = try Database.notes(in: place) }
  }

  @Test func statisticsOfTheEngineAreNoChangeOfTables() throws {
    try fill()
    let connection = try SQLCipherConnection.open(
      place.file, key: .example(), for: .writing, busyTimeout: .zero)
    try connection.run("ANALYZE")
    connection.close()
    #expect(try Database.notes(in: place).notes == ["one"])
  }

  @Test(arguments: DatabaseOptions.Confirmation.allCases)
  func unconfirmedMigrationsAreNotDone(confirming: DatabaseOptions.Confirmation) throws {
    var options = DatabaseOptions.impatient
    options.confirming = confirming
    if confirming == .all {
      expectFailure(.unconfirmed) { _ = try Database.notes(in: place, options: options) }
    } else {
      _ = try Database.notes(in: place, options: options)
    }
    try fill()
    if confirming == .none {
      _ = try Database.notes(in: place, schema: schema(colour), options: options)
    } else {
      expectFailure(.unconfirmed) {
        _ = try Database.notes(in: place, schema: schema(colour), options: options)
      }
      #expect(try Database.notes(in: place).notes == ["one"])
    }
    // Without a migration there is nothing to confirm.
    let current = confirming == .none ? schema(colour) : .notes
    #expect(try Database.notes(in: place, schema: current, options: options).notes == ["one"])
  }

  @Test func theFileIsCopiedBeforeSomethingIsThrownAway() throws {
    try fill()
    let before = try place.content()
    let forgetting = Migration(2, "forgetting", isDestructive: true, sql: "DELETE FROM note")
    let database = try Database.notes(in: place, schema: schema(forgetting))
    #expect(try database.notes == [])
    try database.close()
    #expect(try place.content(".bak") == before)
    // The copy is a database of its own.
    try place.setContent(try place.content(".bak"))
    #expect(try Database.notes(in: place).notes == ["one"])
  }

  @Test func nothingIsCopiedForANewFileOrAHarmlessChange() throws {
    let forgetting = Migration(2, "forgetting", isDestructive: true, sql: "DELETE FROM note")
    try Database.notes(in: place, schema: schema(forgetting)).close()
    #expect(try !place.names.contains("account.db.bak"))
  }

  @Test func backupIncludesTheWriteAheadLog() throws {
    let database = try Database.notes(in: place)
    try database.write { transaction in _ = try transaction.insertNote("in the log") }
    let copy = try Workplace()
    for ending in ["", "-wal"] { try copy.setContent(try place.content(ending), ending) }
    let forgetting = Migration(2, "forgetting", isDestructive: true, sql: "DELETE FROM note")
    try Database.notes(in: copy, schema: schema(forgetting)).close()
    try copy.setContent(try copy.content(".bak"))
    #expect(try Database.notes(in: copy).notes == ["in the log"])
  }

  /// The last of all who use a database takes its log away.
  @Test func locksSurviveMakingACopy() async throws {
    try fill()
    let forgetting = Migration(2, "forgetting", isDestructive: true, sql: "DELETE FROM note")
    let database = try Database.notes(in: place, schema: schema(forgetting))
    #expect(try place.names.contains("account.db.bak"))
    await #expect(processExitsWith: .success) { [file = place.file as String] in
      let other = Schema(
        applicationID: Schema.notes.applicationID,
        migrations: Schema.notes.migrations + [Migration(2, "forgetting", sql: "DELETE FROM note")])
      let database = try Database.open(file, key: .example(), schema: other, options: .impatient)
      try database.write { transaction in _ = try transaction.insertNote("there") }
      try database.close()
    }
    #expect(try place.names.contains("account.db-wal"))
    try await database.write { transaction in _ = try transaction.insertNote("here") }
    let again = try Database.notes(in: place, schema: schema(forgetting))
    #expect(try again.notes == ["there", "here"])
  }

  @Test func everyFailureHasTheNameOfAnOutcome() {
    let names = StorageError.Code.all.map { code in
      (code, MigrationOutcome(StorageError(code, "text"), file: "f").name)
    }
    let expected: [StorageError.Code: String] = [
      .unconfirmed: "invalidConfirmation", .wrongKey: "errorNotADatabase", .notADatabase: "errorNotADatabase",
      .notEncrypted: "errorNotADatabase", .corrupt: "errorNotADatabase", .newerSchema: "errorMigration",
      .migration: "errorMigration", .foreign: "errorMigration",
      .alteredSchema: "errorMigration", .statement: "errorSQL",
      .constraint: "errorSQL",
      .duplicate: "errorSQL", .reference: "errorSQL", .value: "errorSQL",
      .keyMissing: "errorKeychain", .keyDamaged: "errorKeychain", .keyExposed: "errorKeychain",
      .passphraseNeeded: "errorKeychain", .wrongPassphrase: "errorKeychain",
      .tooManyAttempts: "errorKeychain",
    ]
    for (code, name) in names { #expect(name == expected[code] ?? "unknown", "\(code)") }
  }
}
