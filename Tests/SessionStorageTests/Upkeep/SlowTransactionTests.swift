import Synchronization
import Testing

@testable import SessionStorage

@Suite(.timeLimit(.minutes(5))) struct SlowTransactionTests {
  private final class Record: Sendable {
    let instant = Mutex(ContinuousClock.now)
    let told = Mutex<[SlowTransaction]>([])

    func pass(_ duration: Duration) { instant.withLock { $0 += duration } }

    var options: DatabaseOptions {
      var options = DatabaseOptions.impatient
      options.now = { self.instant.withLock { $0 } }
      options.onSlowTransaction = { slow in self.told.withLock { $0.append(slow) } }
      return options
    }
  }

  @Test(arguments: Kind.allCases) func slowTransactionsAreReported(kind: Kind) throws {
    let record = Record()
    let place = try Workplace()
    let database =
      try kind == .file
      ? Database.notes(in: place, options: record.options)
      : Database.inMemory(schema: .notes, options: record.options)
    try database.write { transaction in
      try transaction.insertNote("one")
      record.pass(.seconds(3))
    }
    #expect(record.told.withLock { $0 } == [])
    try database.write { _ in record.pass(.seconds(4)) }
    try database.read { _ in record.pass(.seconds(5)) }
    struct Refusal: Error {}
    try? database.write { _ in
      record.pass(.seconds(6))
      throw Refusal()
    }
    #expect(
      record.told.withLock { $0 } == [
        SlowTransaction(kind: .write, waited: .zero, took: .seconds(4), statements: 1),
        SlowTransaction(kind: .read, waited: .zero, took: .seconds(5), statements: 1),
        SlowTransaction(kind: .write, waited: .zero, took: .seconds(6), statements: 1),
      ])
  }

  @Test func waitingTransactionsAreReportedToo() async throws {
    let record = Record()
    let place = try Workplace()
    let database = try Database.notes(in: place, options: record.options)
    let gate = Gate()
    async let first: Void = database.write { _ in
      gate.wait()
      record.pass(.seconds(4))
    }
    try await gate.reached()
    async let second: Void = database.write { _ in }
    while database.waitingWrites == 0, !Task.isCancelled { await Task.yield() }
    gate.open()
    _ = try await (first, second)
    #expect(
      record.told.withLock { $0 } == [
        SlowTransaction(kind: .write, waited: .zero, took: .seconds(4), statements: 1),
        SlowTransaction(kind: .write, waited: .seconds(4), took: .zero, statements: 1),
      ])
  }
}
