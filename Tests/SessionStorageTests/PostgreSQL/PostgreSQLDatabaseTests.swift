import Dispatch
import Foundation
import Synchronization
import TestPostgreSQL
import Testing

@testable import SessionStorage

/// The same tables as those of servers need, and some of each type.
private let schema = Schema(
  applicationID: 7,
  migrations: [
    Migration(
      1, "things",
      sql: """
        CREATE TABLE thing (
          id INTEGER PRIMARY KEY AUTOINCREMENT, number INTEGER, text TEXT UNIQUE, bytes BLOB, part REAL);
        CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
        """)
  ])

@Suite(.onPostgreSQL, .timeLimit(.minutes(5))) struct PostgreSQLDatabaseTests {
  /// An empty database, which is given back in the end.
  private func withDatabase(
    _ body: (PostgreSQLInstance, String) async throws -> Void
  ) async throws {
    let instance = try PostgreSQLInstance.shared.get()
    let name = try instance.takeDatabase()
    try await body(instance, name)
    try instance.giveBack(name)
  }

  /// The code with which something fails.
  private func code(_ body: () async throws -> Void) async -> StorageError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  private func open(
    _ instance: PostgreSQLInstance, _ name: String, owner: String = "owner"
  ) throws -> PostgreSQLDatabase {
    try PostgreSQLDatabase(try instance.address(of: name), schema: schema, owner: owner)
  }

  @Test func valuesOfAllTypesComeBack() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      let insertion: SQL = "INSERT INTO thing (number, text, bytes, part) VALUES (?1, ?2, ?3, ?4)"
      let bytes: [UInt8] = [0, 255, 1]
      let numbers = try await database.write { transaction in
        [
          try transaction.insert(insertion, Int64.min, "é'\\", bytes, 0.5),
          try transaction.insert(insertion, Int64?.none, "", [UInt8](), -1.0),
          try transaction.insert(insertion, true, String?.none, [UInt8]?.none, Double?.none),
        ]
      }
      #expect(numbers == [1, 2, 3])
      try await database.read { transaction in
        let rows = try transaction.map("SELECT number, text, bytes, part FROM thing ORDER BY id") {
          (row) throws(StorageError) -> (Int64?, String?, [UInt8]?, Double?) in
          (try row[0], try row[1], try row[2], try row[3])
        }
        #expect(rows.map(\.0) == [Int64.min, nil, 1])
        #expect(rows.map(\.1) == ["é'\\", "", nil])
        #expect(rows.map(\.2) == [bytes, [], nil])
        #expect(rows.map(\.3) == [0.5, -1, nil])
        let found: [Int64] = try transaction.values(
          "SELECT id FROM thing WHERE ?1 IS NULL OR text = ?1 ORDER BY id", String?.none)
        #expect(found == numbers)
      }
    }
  }

  @Test func sumsAreWholeNumbers() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      for numbers: [Int64] in [[], [1], [-3, 1], [10_000, 20_000], [123_456_789_012, 1], [-50_000_000]] {
        let sum: Int64? = try await database.write { transaction in
          try transaction.run("DELETE FROM thing")
          for number in numbers { try transaction.run("INSERT INTO thing (number) VALUES (?1)", number) }
          return try transaction.value("SELECT coalesce(sum(number), 0) FROM thing")
        }
        #expect(sum == numbers.reduce(0, +))
      }
    }
  }

  @Test func savepointsFailAlone() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      try await database.write { transaction in
        try transaction.run("INSERT INTO thing (number) VALUES (1)")
        #expect(throws: StorageError.self) {
          try transaction.savepoint { part in
            try part.run("INSERT INTO thing (number) VALUES (2)")
            throw StorageError(.value, "no")
          }
        }
        #expect(throws: StorageError.self) {
          try transaction.savepoint { part in _ = try part.run("INSERT INTO nowhere VALUES (1)") }
        }
        try transaction.run("INSERT INTO thing (number) VALUES (3)")
      }
      let numbers: [Int64] = try await database.read { try $0.values("SELECT number FROM thing ORDER BY id") }
      #expect(numbers == [1, 3])
    }
  }

  @Test func transactionsThatFailLeaveNothing() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      let undone = Mutex(0)
      let failure = await code {
        try await database.write { transaction in
          transaction.onRollback { undone.withLock { $0 += 1 } }
          try transaction.run("INSERT INTO thing (number) VALUES (1)")
          throw StorageError(.value, "no")
        }
      }
      #expect(failure == .value)
      #expect(undone.withLock { $0 } == 1)
      let duplicate = await code {
        try await database.write { transaction in
          for _ in 0..<2 { try transaction.run("INSERT INTO thing (text) VALUES ('same')") }
        }
      }
      #expect(duplicate == .duplicate)
      #expect(try await database.read { try $0.value("SELECT count(*) FROM thing") } == 0)
    }
  }

  @Test func oneOfTwoInADeadlockRunsAgain() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      try await database.write { transaction in
        for _ in 0..<2 { try transaction.run("INSERT INTO thing (number) VALUES (0)") }
      }
      // Each has its first row before it looks for the other's.
      let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      @Sendable func addBoth(
        _ one: Int64, _ other: Int64, has: DispatchSemaphore, awaits: DispatchSemaphore
      ) async throws {
        try await database.write { transaction in
          try transaction.run("UPDATE thing SET number = number + 1 WHERE id = ?1", one)
          has.signal()
          let isReached = awaits.wait(timeout: .now() + 60) == .success
          #expect(isReached)
          // For the second time that it runs.
          awaits.signal()
          try transaction.run("UPDATE thing SET number = number + 1 WHERE id = ?1", other)
        }
      }
      async let one: Void = addBoth(1, 2, has: first, awaits: second)
      async let other: Void = addBoth(2, 1, has: second, awaits: first)
      _ = try await (one, other)
      let numbers: [Int64] = try await database.read { try $0.values("SELECT number FROM thing ORDER BY id") }
      #expect(numbers == [2, 2])
    }
  }

  @Test(arguments: [CuttingProxy.Cut.beforeCommit, .beforeAnswer])
  func commitsWhoseAnswerIsLostAreNeitherLostNorDoubled(_ cut: CuttingProxy.Cut) async throws {
    let instance = try await PostgreSQLInstance.own()
    try instance.run("CREATE DATABASE cut")
    let proxy = try CuttingProxy(instance)
    let database = try PostgreSQLDatabase(try proxy.address(of: "cut"), schema: schema, owner: "owner")
    defer { database.close() }
    let runs = Mutex(0)
    let commits = Mutex(0)
    proxy.arm(cut)
    let number = try await database.write { transaction in
      runs.withLock { $0 += 1 }
      transaction.onCommit { commits.withLock { $0 += 1 } }
      return try transaction.insert("INSERT INTO thing (number) VALUES (5)")
    }
    #expect(!proxy.isArmed)
    #expect(runs.withLock { $0 } == (cut == .beforeCommit ? 2 : 1))
    #expect(commits.withLock { $0 } == 1)
    #expect(try await database.read { try $0.values("SELECT id FROM thing") } == [number])
  }

  /// The server gets the commit only when the transaction runs for the third time: the second one was cut as well.
  @Test func aCommitThatArrivesLateDoublesNothing() async throws {
    let instance = try await PostgreSQLInstance.own()
    try instance.run("CREATE DATABASE late")
    let proxy = try CuttingProxy(instance)
    let database = try PostgreSQLDatabase(try proxy.address(of: "late"), schema: schema, owner: "owner")
    defer { database.close() }
    let runs = Mutex(0)
    let undone = Mutex<[Int]>([])
    proxy.arm(.lateCommit)
    let number = try await database.write { transaction in
      let run = runs.withLock { runs in
        runs += 1
        return runs
      }
      transaction.onRollback { undone.withLock { $0.append(run) } }
      switch run {
      case 2: proxy.arm(.insertion)
      case 3: proxy.deliverLateCommit()
      default: break
      }
      return try transaction.insert("INSERT INTO thing (number) VALUES (?1)", run)
    }
    #expect(undone.withLock { $0 } == [1, 2])
    #expect(runs.withLock { $0 } == 3)
    #expect(try await database.read { try $0.values("SELECT number FROM thing") } == [3])
    #expect(try await database.read { try $0.values("SELECT id FROM thing") } == [number])
  }

  @Test func marksOfOldCommitsGo() async throws {
    try await withDatabase { instance, name in
      let database = try open(instance, name)
      defer { database.close() }
      for _ in 0..<2 { try await database.write { try $0.run("INSERT INTO thing (number) VALUES (1)") } }
      // One that changes nothing leaves none.
      try await database.write { try $0.run("DELETE FROM thing WHERE number = 2") }
      let marks: SQL = "SELECT count(*) FROM commit_mark"
      #expect(try await database.read { try $0.value(marks) } == 2)
      try instance.run(
        "UPDATE commit_mark SET made = made - interval '2 hours' WHERE mark = (SELECT mark FROM commit_mark LIMIT 1)",
        in: name)
      try await database.removeMarks()
      // The removal is a change itself.
      #expect(try await database.read { try $0.value(marks) } == 2)
    }
  }

  @Test func transactionsRunAgainWhenTheServerHasRestarted() async throws {
    let instance = try await PostgreSQLInstance.own()
    try instance.run("CREATE DATABASE again")
    let database = try open(instance, "again")
    defer { database.close() }
    try await database.write { try $0.run("INSERT INTO thing (number) VALUES (1)") }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM thing") } == 1)
    try instance.stop()
    try instance.start()
    #expect(try await database.read { try $0.value("SELECT count(*) FROM thing") } == 1)
    try await database.write { try $0.run("INSERT INTO thing (number) VALUES (2)") }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM thing") } == 2)
  }

  @Test func oneProcessHasARole() async throws {
    try await withDatabase { instance, name in
      let address = try instance.address(of: name)
      let (one, other) = (PostgreSQLRole(9, at: address), PostgreSQLRole(9, at: address))
      #expect(await one.isHeld())
      #expect(await !other.isHeld())
      #expect(await one.isHeld())
      // The connection on which it was taken is lost, and with it the role.
      try instance.run(
        """
        SELECT pg_terminate_backend(pid, 60000) FROM pg_locks JOIN pg_database d ON d.oid = database
        WHERE locktype = 'advisory' AND objid = 9 AND datname = current_database()
        """, in: name)
      #expect(await other.isHeld())
      #expect(await !one.isHeld())
      other.close()
      #expect(await one.isHeld())
      one.close()
    }
  }

  // MARK: - Databases that are not to be used

  @Test func databasesOfOthersAreRefused() async throws {
    try await withDatabase { instance, name in
      try open(instance, name).close()
      try open(instance, name).close()
      #expect(await code { _ = try open(instance, name, owner: "another") } == .foreign)
      try instance.run("UPDATE meta SET value = '8' WHERE name = 'kind'", in: name)
      #expect(await code { _ = try open(instance, name) } == .foreign)
    }
    try await withDatabase { instance, name in
      try instance.run("CREATE TABLE thing (id BIGINT)", in: name)
      #expect(await code { _ = try open(instance, name) } == .foreign)
    }
  }

  @Test func databasesOfLaterVersionsAreRefused() async throws {
    try await withDatabase { instance, name in
      try open(instance, name).close()
      try instance.run("UPDATE meta SET value = '2' WHERE name = 'schema'", in: name)
      #expect(await code { _ = try open(instance, name) } == .newerSchema)
    }
  }

  @Test func failuresToConnectSayWhatToDo() async throws {
    let instance = try PostgreSQLInstance.shared.get()
    func failure(_ address: PostgreSQLAddress) -> StorageError? {
      #expect(throws: StorageError.self) {
        try PostgreSQLConnection(address).open()
      }
    }
    let missing = failure(try instance.address(of: "nowhere"))
    #expect(missing?.code == .denied)
    #expect(missing?.message.contains("createdb") == true)
    try? instance.run("CREATE ROLE locked LOGIN PASSWORD 'right'")
    let locked = try instance.address(of: "postgres", user: "locked")
    let asked = failure(locked)
    #expect(asked?.code == .denied)
    #expect(asked?.message.contains("needs a password") == true)
    let file = instance.folder + "/passwords"
    try Data("*:*:*:locked:wrong\n".utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let wrong = failure(try PostgreSQLAddress(locked.text + "&passfile=\(file)"))
    #expect(wrong?.code == .denied)
    #expect(wrong?.message.contains("refuses the password") == true)
    try Data("*:*:*:locked:right\n".utf8).write(to: URL(filePath: file))
    let connection = PostgreSQLConnection(try PostgreSQLAddress(locked.text + "&passfile=\(file)"))
    try connection.open()
    connection.close()
    let unreachable = failure(try PostgreSQLAddress("postgresql:///chat?host=%2Fnowhere"))
    #expect(unreachable?.code == .unreachable)
    #expect(unreachable?.message.contains("is PostgreSQL running") == true)
  }

  @Test func databasesInOtherEncodingsAreRefused() async throws {
    let instance = try PostgreSQLInstance.shared.get()
    try? instance.run("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'")
    let error = #expect(throws: StorageError.self) {
      try PostgreSQLConnection(try instance.address(of: "latin")).open()
    }
    #expect(error?.message.contains("UTF-8") == true)
  }

  @Test func statementsThatTakeTooLongFail() async throws {
    try await withDatabase { instance, name in
      let database = try PostgreSQLDatabase(
        try instance.address(of: name), schema: schema, owner: "owner", readLimit: .seconds(3))
      defer { database.close() }
      let endless: SQL =
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
      #expect(
        await code { _ = try await database.read { transaction -> Int64? in try transaction.value(endless) } }
          == .busy)
      #expect(try await database.read { transaction -> Int64? in try transaction.value("SELECT 7") } == 7)
    }
  }

  @Test func onlyReadingHasALimitOfItsOwn() async throws {
    try await withDatabase { instance, name in
      let database = try PostgreSQLDatabase(
        try instance.address(of: name), schema: schema, owner: "owner", readLimit: .milliseconds(50))
      defer { database.close() }
      let limit: SQL = "SELECT current_setting('statement_timeout')"
      #expect(try await database.write { transaction -> String? in try transaction.value(limit) } == "1min")
      // The limit that a transaction has lifted holds for the next one.
      for isLifted in [false, true, false] {
        let read = try await database.read { transaction -> String? in
          if isLifted { try transaction.takeTime() }
          return try transaction.value(limit)
        }
        #expect(read == (isLifted ? "1min" : "50ms"))
      }
    }
  }
}
