import Foundation
import SessionCore
import Testing

@testable import SessionStorage

/// The power is cut after every step that the program takes on its disk. Each time the database opens, is sound, and has
/// all that was committed, once.
@Suite struct CrashTests {
  private let place: Workplace

  init() throws { place = try Workplace(inMemory: true) }

  private static func open(_ place: Workplace) throws -> Database { try ExampleAccount.open(in: place) }

  private func fill(_ body: (borrowing WriteTransaction) throws -> Void = { _ in }) throws {
    let database = try Self.open(place)
    try database.write { transaction in
      try ExampleAccount.fill(transaction)
      try body(transaction)
    }
    try database.close()
  }

  /// The messages of a batch that was fetched from a swarm, with all that is written because of them.
  private func receive(_ batch: Int64, _ count: Int64, _ transaction: borrowing WriteTransaction) throws {
    let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
    for number in batch * 1000..<batch * 1000 + count {
      var message = ExampleAccount.message("message \(number) of many", in: thread, at: 1000 + number)
      message.serverHash = "hash \(number)"
      message = try transaction.insert(message)
      try transaction.insert(
        SeenMessage("hash \(number)", in: ExampleAccount.bob, expiresAt: 9, diesWithThread: false))
      try transaction.appendEvent("message", at: number, thread: thread, interaction: message.id)
    }
    try transaction.insert(
      ReceivedHash(
        "hash \(batch)", from: "node", of: ExampleAccount.me, namespace: 0, expiresAt: 5000, storedAt: 0,
        receivedAt: 0))
  }

  /// The kind of database that is created and then filled.
  enum Made: CaseIterable {
    case notes
    case account

    var schema: Schema { self == .notes ? .notes : .account }

    func fill(_ transaction: borrowing WriteTransaction) throws {
      if self == .notes { try transaction.insertNote("one") } else { try ExampleAccount.fill(transaction) }
    }
  }

  /// Making all tables anew for every disk takes a while, so there is little to make unless there is time.
  @Test(arguments: Soak.isOn ? Made.allCases : [.notes]) func makingAnAccount(made: Made) throws {
    let reference = try Workplace(inMemory: true)
    let trial = try CrashTrial(
      { _ in try Database.open(reference.file, key: .example(), schema: made.schema, options: .impatient) },
      in: place)
    let keys = { (place: Workplace) in
      DatabaseKeys(path: place.path("db.key"), cost: .init(passes: 1, memory: 8192))
    }
    let open = { (place: Workplace, key: DatabaseKey) in
      try Database.open(place.file, key: key, schema: made.schema, options: .impatient)
    }
    let database = try open(place, try keys(place).create())
    try trial.write(database) { transaction in try made.fill(transaction) }
    try database.close()
    try trial.survives { copy in
      let hasKey = try keys(copy).protection() != .none
      return try open(copy, try hasKey ? keys(copy).load() : keys(copy).create())
    }
  }

  @Test func migrating() throws {
    let before = try Database.notes(in: place)
    try before.write { transaction in for number in 0..<50 { try transaction.insertNote("note \(number)") } }
    try before.close()
    let schema = Schema(
      applicationID: Schema.notes.applicationID,
      migrations: Schema.notes.migrations + [
        Migration(2, "colours", sql: "ALTER TABLE note ADD COLUMN colour INTEGER NOT NULL DEFAULT 3"),
        Migration(
          3, "renewed", isDestructive: true,
          sql: """
            CREATE TABLE fresh (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, parent INTEGER, mark TEXT);
            INSERT INTO fresh SELECT id, text, parent, 'x' FROM note;
            DROP TABLE note;
            ALTER TABLE fresh RENAME TO note;
            CREATE INDEX noteMark ON note (mark);
            """),
      ])
    let open = { (place: Workplace) in try Database.notes(in: place, schema: schema) }
    let reference = try Workplace(inMemory: true)
    try reference.setContent(try place.content())
    let trial = try CrashTrial({ _ in try open(reference) }, in: place)
    let database = try open(place)
    try trial.write(database) { transaction in _ = try transaction.insertNote("after") }
    try database.close()
    try trial.survives(opening: open) { copy in
      // The copy that was made before something was thrown away is one as soon as it is there.
      guard try copy.names.contains("account.db.bak") else { return }
      let old = try Workplace(inMemory: true)
      try old.setContent(try copy.content(".bak"))
      guard try Database.notes(in: old).notes.count == 50 else { throw NotSurvived("the copy is not whole") }
    }
  }

  @Test func receiving() throws {
    try fill()
    let trial = try CrashTrial(Self.open, in: place)
    let database = try Self.open(place)
    for batch in 0..<Soak.rounds + 1 {
      try trial.write(database) { transaction in try receive(batch, 3, transaction) }
      try trial.write(database, .relaxed) { transaction in
        try transaction.set(Setting<Int64>("cursor"), to: batch)
      }
      // The log is written anew from its beginning, over what was there, or cut off.
      if batch == 0 { try database.maintain { try $0.connection.run("PRAGMA wal_checkpoint(PASSIVE)") } }
      if batch == 1 { try database.maintain { _ = try $0.connection.checkpoint() } }
    }
    try database.close()
    let again = try Self.open(place)
    try trial.write(again) { transaction in try receive(20, 1, transaction) }
    try trial.survives(opening: Self.open)
  }

  @Test func sending() throws {
    try fill()
    let trial = try CrashTrial(Self.open, in: place)
    let database = try Self.open(place)
    for number in 0..<Soak.rounds {
      var message: InteractionRecord?
      var job: JobRecord?
      try trial.write(database) { transaction in
        let thread = try transaction.obtainThread(at: ExampleAccount.bob, .contact, createdAt: 1).id
        var draft = ExampleAccount.message("to Bob", in: thread, at: 2000 + number, by: ExampleAccount.me)
        draft.state = .sending
        message = try transaction.insert(draft)
        job = try transaction.insert(
          JobRecord("messageSend", payload: [1], queue: "send", createdAt: 2000 + number))
        try transaction.appendEvent("message", at: number, thread: thread, interaction: message?.id)
      }
      try trial.write(database) { transaction in
        var sent = try #require(message)
        sent.state = .sent
        sent.serverHash = "sent \(number)"
        try transaction.update(sent)
        try transaction.deleteJob(try #require(job).id)
        try transaction.appendEvent("sent", at: number, interaction: sent.id)
      }
    }
    try trial.survives(opening: Self.open)
  }

  @Test func mergingConfigs() throws {
    try fill()
    let trial = try CrashTrial(Self.open, in: place)
    let database = try Self.open(place)
    for round in 0..<Soak.rounds {
      try trial.write(database) { transaction in
        let content = [UInt8](repeating: UInt8(round), count: 20_000)
        try transaction.put(ConfigDumpRecord("contacts", of: ExampleAccount.me, content: content, at: round))
        for number in 0..<5 {
          try transaction.put(ContactRecord("05contact\(number)", createdAt: round))
          try transaction.put(ProfileRecord("05contact\(number)", name: "Name \(round)", updatedAt: round))
        }
        try transaction.addObsoleteHashes(["merged \(round)"], of: ExampleAccount.me)
        try transaction.appendEvent("config", at: round)
      }
    }
    try trial.survives(opening: Self.open)
  }

  @Test func compacting() throws {
    try fill { transaction in
      try receive(0, 40, transaction)
      try transaction.run("DELETE FROM interaction WHERE id % 8 > 0")
    }
    let trial = try CrashTrial(Self.open, in: place)
    let database = try Self.open(place)
    try trial.write(database) { transaction in try receive(1, 1, transaction) }
    let report = try database.compact()
    #expect(report.bytesAfter < report.bytesBefore)
    try database.close()
    try trial.survives(opening: Self.open)
  }

  @Test func salvaging() throws {
    try fill { transaction in try receive(0, 20, transaction) }
    var content = try place.content()
    content[content.count * 2 / 3] ^= 1
    try place.setContent(content)
    let rescued = { (place: Workplace) in place.path("rescued.db") }
    let salvage = { (place: Workplace) in
      _ = try Database.salvage(place.file, into: rescued(place), key: .example(), schema: .account)
    }
    let open = { (place: Workplace) in
      let database = try Database.open(rescued(place), key: .example(), schema: .account, options: .impatient)
      // Events are numbered from the time of the salvage on.
      try database.write { transaction in
        try transaction.run("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'event'")
      }
      return database
    }
    let reference = try Workplace(inMemory: true)
    try reference.setContent(content)
    try salvage(reference)
    let trial = try CrashTrial({ _ in try open(reference) }, in: place)
    try salvage(place)
    var unfinished = 0
    try trial.survives { copy in
      guard try copy.content() == content else { throw NotSurvived("the damaged file has changed") }
      // Repeat some of the unfinished salvages.
      if try !copy.names.contains("rescued.db") {
        unfinished += 1
        guard unfinished % 32 == 0 else { return nil }
        try salvage(copy)
      }
      return try open(copy)
    }
    #expect(unfinished > 50)
    // Once it is done, it is there.
    let last = try Workplace(inMemory: true)
    try trial.disk.restore(after: trial.disk.count, losing: .everything, into: last)
    #expect(try last.names.contains("rescued.db"))
  }
}
