import TestPostgreSQL
import Testing

@testable import SessionStorage

/// How processes hear of each other's changes.
@Suite(.onPostgreSQL) struct PostgreSQLListenerTests {
  private static let schema = Schema(
    applicationID: 7,
    migrations: [
      Migration(
        1, "things",
        sql: """
          CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT);
          CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
          """)
    ])

  private let thing = ObservationKey.Topic(rawValue: "thing")

  private func withTwo(
    _ body: (PostgreSQLDatabase, PostgreSQLDatabase, PostgreSQLInstance, String) async throws -> Void
  ) async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    let address = try instance.address(of: name)
    let one = try PostgreSQLDatabase(address, schema: Self.schema, owner: "us")
    let other = try PostgreSQLDatabase(address, schema: Self.schema, owner: "us")
    try await body(one, other, instance, name)
    one.close()
    other.close()
    try instance.giveBack(name)
  }

  /// Returns when a listener hears.
  private func hears(_ listener: PostgreSQLListener) async throws {
    while !listener.isHearing {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test(.timeLimit(.minutes(1))) func changesOfOneProcessAreHeardInTheOther() async throws {
    try await withTwo { one, other, _, _ in
      let observation = other.observations.observe(ObservationKey(thing))
      let listener = PostgreSQLListener(to: other)
      // Once it hears, anything may have changed.
      #expect(await observation.next()?.isExternal == true)
      let key = ObservationKey(thing, .row(7))
      try await one.write { transaction in
        try transaction.run("INSERT INTO thing DEFAULT VALUES")
        transaction.note(.inserted, key)
      }
      #expect(await observation.next()?.changes.keys.contains(key) == true)
      #expect(listener.isHearing)
      listener.close()
      #expect(!listener.isHearing)
    }
  }

  @Test(.timeLimit(.minutes(1))) func ownChangesAreToldBeforeTheWriteReturns() async throws {
    try await withTwo { one, _, _, _ in
      let observation = one.observations.observe(ObservationKey(thing))
      let key = ObservationKey(thing)
      try await one.write { $0.note(.updated, key) }
      #expect(observation.fetch()?.changes.keys.contains(key) == true)
    }
  }

  @Test(.timeLimit(.minutes(1))) func whatFailsIsNotTold() async throws {
    try await withTwo { one, other, _, _ in
      let observation = other.observations.observe(ObservationKey(thing))
      let listener = PostgreSQLListener(to: other)
      #expect(await observation.next()?.isExternal == true)
      let (failed, done) = (ObservationKey(thing, .row(1)), ObservationKey(thing, .row(2)))
      await #expect(throws: StorageError.self) {
        try await one.write { transaction in
          transaction.note(.updated, failed)
          throw StorageError(.missing, "on purpose")
        }
      }
      try await one.write { $0.note(.updated, done) }
      #expect(await observation.next()?.changes.keys.sorted { "\($0)" < "\($1)" } == [done])
      listener.close()
    }
  }

  @Test(.timeLimit(.minutes(1))) func aLostConnectionMakesEverythingUncertain() async throws {
    try await withTwo { _, other, instance, name in
      let observation = other.observations.observe(ObservationKey(thing))
      let listener = PostgreSQLListener(to: other)
      #expect(await observation.next()?.isExternal == true)
      try await hears(listener)
      try instance.run(
        """
        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = '\(name)' AND (query LIKE 'LISTEN%' OR query = 'SELECT 1')
        """, in: name)
      // Observers hear when the connection ends, and again when the next one works; both may come as one.
      #expect(await observation.next()?.isExternal == true)
      try await hears(listener)
      listener.close()
    }
  }
}

/// The form in which changes are announced.
@Suite struct AnnouncementTests {
  @Test func changesComeBackAsTheyWere() {
    var changes = ChangeSet()
    let topic = ObservationKey.Topic(rawValue: "room")
    for key in [ObservationKey(topic, .row(1)), ObservationKey(topic, .row(-2)), ObservationKey(topic)] {
      changes.note(.updated, key)
    }
    let heard = ChangeSet(announcements: Array(changes.announcements))
    #expect(heard.changes == changes.changes)
    #expect(!heard.isExternal)
  }

  @Test func namedRowsAreAnnouncedAsAllOfTheirKind() {
    var changes = ChangeSet()
    changes.note(.updated, ObservationKey(ObservationKey.Topic(rawValue: "room"), .name("a b")))
    #expect(changes.announcements == ["room"])
  }

  @Test(arguments: ["", " ", "room x", "room 1 2", "room 99999999999999999999", " 1"])
  func whatCannotBeReadMayBeAnything(text: String) {
    #expect(ChangeSet(announcements: ["room 1", text]).isExternal)
  }
}
