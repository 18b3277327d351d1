import Dispatch
import Synchronization
import Testing

@testable import SessionStorage

/// The behaviour of transactions in files and in memory alike.
@Suite(.timeLimit(.minutes(5))) struct TransactionTests {
  private struct Refusal: Error {}

  private let place: Workplace

  init() throws { place = try Workplace() }

  @Test(arguments: Kind.allCases) func writtenRowsAreRead(kind: Kind) throws {
    let database = try kind.open(place)
    let id = try database.write { transaction in try transaction.insertNote("one") }
    #expect(id == 1)
    #expect(try database.notes == ["one"])
  }

  @Test(arguments: Kind.allCases) func anErrorUndoesEverything(kind: Kind) throws {
    let database = try kind.open(place)
    try database.write { transaction in _ = try transaction.insertNote("kept") }
    #expect(throws: Refusal.self) {
      try database.write { transaction in
        try transaction.insertNote("lost")
        throw Refusal()
      }
    }
    #expect(try database.notes == ["kept"])
  }

  @Test(arguments: Kind.allCases) func abandonedTransactionsAreRolledBackSilently(kind: Kind) throws {
    let database = try kind.open(place)
    let told = Told()
    let id = try database.write { transaction in
      transaction.onRollback { told.add("undone") }
      transaction.onCommit { told.add("committed") }
      transaction.abandon()
      return try transaction.insertNote("lost")
    }
    #expect(id == 1)
    #expect(told.all == ["undone"])
    #expect(try database.notes == [])
  }

  @Test(arguments: Kind.allCases) func aReadCannotWrite(kind: Kind) throws {
    let database = try kind.open(place)
    expectFailure(.readOnly) {
      try database.read { transaction in
        try transaction.statements.run("INSERT INTO note (text) VALUES ('no')")
      }
    }
    try database.write { transaction in _ = try transaction.insertNote("yes") }
    #expect(try database.notes == ["yes"])
  }

  @Test(arguments: Kind.allCases) func transactionsDoNotNest(kind: Kind) throws {
    let database = try kind.open(place)
    try database.write { transaction in
      try transaction.insertNote("one")
      expectFailure(.nested) { try database.write { _ in } }
      expectFailure(.nested) { try database.read { _ in } }
    }
    try database.read { _ in
      expectFailure(.nested) { try database.write { _ in } }
      expectFailure(.nested) { try database.read { _ in } }
      expectFailure(.nested) { try database.close() }
    }
    #expect(try database.notes == ["one"])
  }

  @Test(arguments: Kind.allCases) func aSavepointIsUndoneAlone(kind: Kind) throws {
    let database = try kind.open(place)
    let told = Told()
    try database.write { transaction in
      try transaction.insertNote("before")
      transaction.onCommit { told.add("before") }
      #expect(throws: Refusal.self) {
        try transaction.savepoint { part in
          try part.insertNote("lost")
          part.onCommit { told.add("lost") }
          part.onRollback { told.add("undone") }
          throw Refusal()
        }
      }
      try transaction.savepoint { part in
        try part.savepoint { inner in _ = try inner.insertNote("kept") }
      }
    }
    #expect(try database.notes == ["before", "kept"])
    #expect(told.all == ["undone", "before"])
  }

  @Test(arguments: Kind.allCases) func observersAreNotToldOfWhatASavepointLost(kind: Kind) throws {
    let database = try kind.open(place)
    let observation = database.observations.observe(.note(1), .note(2))
    try database.write { transaction in
      try transaction.insertNote("one")
      try? transaction.savepoint { part in
        try part.insertNote("two")
        throw Refusal()
      }
    }
    #expect(observation.fetch()?.changes == [.note(1): .inserted])
  }

  @Test(arguments: Kind.allCases) func completionsRunInOrderBeforeTheNextTransaction(kind: Kind) async throws
  {
    let database = try kind.open(place)
    let told = Told()
    try await withThrowingTaskGroup { group in
      for number in 1...20 {
        group.addTask {
          try await database.write { transaction in
            told.add("begin")
            try transaction.insertNote("\(number)")
            transaction.onCommit { told.add("commit") }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(told.all == Array(repeating: ["begin", "commit"], count: 20).flatMap { $0 })
  }

  @Test(arguments: Kind.allCases) func finalisersRunOnceAKeyRightBeforeTheCommit(kind: Kind) throws {
    let database = try kind.open(place)
    let told = Told()
    try database.write { transaction in
      for _ in 0..<3 {
        transaction.finally(.note(7)) { last in
          told.add("seven")
          try last.insertNote("at the end")
          last.finally(.note(8)) { _ in told.add("eight") }
        }
      }
      transaction.onCommit { told.add("commit") }
      try transaction.insertNote("first")
    }
    #expect(told.all == ["seven", "eight", "commit"])
    #expect(try database.notes == ["first", "at the end"])
  }

  @Test(arguments: Kind.allCases) func aFinaliserThatFailsUndoesEverything(kind: Kind) throws {
    let database = try kind.open(place)
    #expect(throws: Refusal.self) {
      try database.write { transaction in
        try transaction.insertNote("lost")
        transaction.finally(.notes) { _ in throw Refusal() }
      }
    }
    #expect(try database.notes == [])
  }

  @Test(arguments: Kind.allCases) func finalisersThatCallEachOtherEnd(kind: Kind) throws {
    let database = try kind.open(place)
    expectFailure(.overloaded) { try database.write { transaction in again(0, transaction) } }
  }

  private func again(_ number: Int64, _ transaction: borrowing WriteTransaction) {
    transaction.finally(.note(number)) { transaction in again(number + 1, transaction) }
  }

  @Test(arguments: Kind.allCases) func writesRunInTheOrderOfTheirRequests(kind: Kind) async throws {
    let database = try kind.open(place)
    let gate = Gate()
    // The first holds up all others, so that they wait in the order in which they were asked for.
    async let first: Void = database.write { _ in gate.wait() }
    try await gate.reached()
    var tasks: [Task<Void, any Error>] = []
    for number in 1...30 {
      tasks.append(
        Task { try await database.write { transaction in _ = try transaction.insertNote("\(number)") } })
      while database.waitingWrites < number, !Task.isCancelled { await Task.yield() }
    }
    gate.open()
    try await first
    for task in tasks { try await task.value }
    #expect(try await database.read { transaction in try transaction.notes } == (1...30).map(String.init))
  }

  @Test(arguments: Kind.allCases) func brokenRulesAreToldApart(kind: Kind) throws {
    let database = try kind.open(place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    expectFailure(.duplicate) { try database.write { transaction in _ = try transaction.insertNote("one") } }
    expectFailure(.reference) {
      try database.write { transaction in _ = try transaction.insertNote("two", parent: 99) }
    }
    expectFailure(.constraint) {
      try database.write { transaction in
        _ = try transaction.run("INSERT INTO note (text) VALUES (?)", nil as String?)
      }
    }
    expectFailure(.statement) {
      try database.write { transaction in _ = try transaction.run("INSERT INTO nothing") }
    }
    #expect(try database.notes == ["one"])
  }

  @Test(arguments: Kind.allCases) func aClosedDatabaseSaysSo(kind: Kind) async throws {
    let database = try kind.open(place)
    try database.close()
    try database.close()
    await #expect(throws: StorageError.self) { try await database.write { _ in } }
    expectClosed(database)
  }

  private func expectClosed(_ database: Database) {
    expectFailure(.closed) { try database.write { _ in } }
    expectFailure(.closed) { try database.read { _ in } }
  }

  @Test func aFullDiskUndoesAllOfTheTransactionEvenWhenTheProgramGoesOn() throws {
    let database = try Kind.memory.open(place)
    expectFailure(.full) {
      try database.write { transaction in
        try transaction.insertNote("lost")
        try transaction.statements.connection.run("PRAGMA max_page_count = 8")
        _ = try? transaction.insertNote(String(repeating: "x", count: 1 << 20))
        // By now the engine has undone everything; this must not become a transaction of its own.
        _ = try? transaction.insertNote("alone")
        try transaction.insertNote("alone as well")
      }
    }
    #expect(try database.notes == [])
  }

  @Test func readersSeeOneStateWhileOthersAreWritten() throws {
    let database = try Kind.file.open(place)
    let other = try Kind.file.open(place)
    try database.write { transaction in _ = try transaction.insertNote("one") }
    try database.read { transaction in
      #expect(try transaction.notes == ["one"])
      try other.write { transaction in _ = try transaction.insertNote("two") }
      #expect(try transaction.notes == ["one"])
    }
    #expect(try database.notes == ["one", "two"])
  }

  @Test func moreReadersThanConnectionsWaitForTheirTurn() async throws {
    let database = try Kind.file.open(place)
    try await database.write { transaction in _ = try transaction.insertNote("one") }
    let counts = try await withThrowingTaskGroup { group in
      for _ in 0..<100 {
        group.addTask { try await database.read { transaction in try transaction.notes.count } }
      }
      return try await group.reduce(0, +)
    }
    #expect(counts == 100)
  }
}

/// Records reports, in order.
final class Told: Sendable {
  private let words = Mutex<[String]>([])

  func add(_ word: String) { words.withLock { $0.append(word) } }
  var all: [String] { words.withLock { $0 } }
}

/// Stops a thread until it is let go.
final class Gate: Sendable {
  private let arrived = AsyncStream.makeStream(of: Void.self)
  private let semaphore = DispatchSemaphore(value: 0)

  /// Tasks share few threads: the task that releases it may be waiting for the one that it would block.
  func wait() {
    precondition(withUnsafeCurrentTask { $0 == nil }, "a gate would stop a thread that tasks share")
    arrived.continuation.yield()
    semaphore.wait()
  }

  func reached() async throws {
    var iterator = arrived.stream.makeAsyncIterator()
    _ = await iterator.next()
  }

  func open() { semaphore.signal() }
}
