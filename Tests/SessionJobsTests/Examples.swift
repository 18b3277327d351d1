import SessionCore
import SessionJobs
import SessionStorage
import Synchronization
import Testing

/// A clock that stands still until it is advanced.
final class ManualClock: JobClock {
  private struct State {
    var now: Int64 = 1_000_000
    var sleepers: [Int: (time: Int64, continuation: CheckedContinuation<Void, Never>)] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  var now: Int64 { state.withLock { $0.now } }

  /// Sets the clock, and wakes who waited for that time.
  func set(to time: Int64) {
    let woken = state.withLock { state in
      state.now = time
      let woken = state.sleepers.filter { $0.value.time <= time }
      for number in woken.keys { state.sleepers[number] = nil }
      return woken.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  func advance(by rest: Int64) { set(to: now + rest) }

  /// Sets the clock back. Sleepers wait for as long as they would have.
  func setBack(by correction: Int64) {
    state.withLock { state in
      state.now -= correction
      for number in state.sleepers.keys { state.sleepers[number]?.time -= correction }
    }
  }

  /// Returns when somebody sleeps until a time, or when the task is cancelled.
  func awaited(until time: Int64) async {
    func isAwaited() -> Bool { state.withLock { $0.sleepers.values.contains { $0.time == time } } }
    while !isAwaited(), !Task.isCancelled { await Task.yield() }
  }

  func sleep(until time: Int64) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if time <= state.now || Task.isCancelled { return true }
          state.sleepers[number] = (time, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number)?.continuation }?.resume()
    }
  }
}

/// Records events from any task, in order.
final class Told: Sendable {
  private let words = Mutex<[String]>([])

  var all: [String] { words.withLock { $0 } }

  func add(_ word: String) { words.withLock { $0.append(word) } }
}

/// A point that jobs reach and stay at until they are let through.
actor Gate {
  private var inside = 0
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var watchers: [(count: Int, continuation: AsyncStream<Never>.Continuation)] = []

  /// Reaches the point, and goes on when it is open.
  func pass() async {
    inside += 1
    for watcher in watchers where watcher.count <= inside { watcher.continuation.finish() }
    watchers.removeAll { $0.count <= inside }
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  /// Returns when so many have reached it, or when the task is cancelled.
  func reached(by count: Int = 1) async {
    guard inside < count else { return }
    let (arrivals, ending) = AsyncStream.makeStream(of: Never.self)
    watchers.append((count, ending))
    for await _ in arrivals {}
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// A job whose handler runs a given closure.
struct Work: JobKind {
  static let kind = "work"
  static let queue = JobQueue("work", concurrency: 4)
  static let retry = RetryPolicy(maxFailures: 2)
  var name: String
}

/// One of which there is one for each name.
struct Single: JobKind {
  static let kind = "single"
  static let queue = JobQueue("single")
  var name: String
  var numbers: [Int] = []
  var uniqueKey: String? { name }
  func merged(with later: Single) -> Single { Single(name: name, numbers: numbers + later.numbers) }
}

/// One that waits a while for more to do.
struct Gathering: JobKind {
  static let kind = "gathering"
  static let queue = JobQueue("gatherings", concurrency: 1)
  static let timesAreDelays = true
}

/// One that must not be begun twice.
struct Shot: JobKind {
  static let kind = "shot"
  static let queue = JobQueue("shots", concurrency: 1)
  static let repetition = JobRepetition.once
  var name = "shot"
}

/// One that needs the network, and is not worth much later.
struct Call: JobKind {
  static let kind = "call"
  static let queue = JobQueue("calls", concurrency: 1)
  static let conditions = JobConditions.network
  static let lifetime: Duration? = .seconds(60)
  static let isPreemptible = true
  var name: String
}

enum Refusal: Error { case no }

/// A database, a clock, and a runner that does what a test says.
struct JobPlace {
  let database: Database
  let clock = ManualClock()
  let told = Told()

  init() throws { database = try .inMemory(schema: .account) }

  init(_ database: Database) { self.database = database }

  var environment: JobEnvironment { JobEnvironment(clock: clock, chance: { 0 }) }

  /// A runner that is started.
  func runner(_ handlers: JobHandler..., conditions: JobConditions = []) async throws -> JobRunner {
    let runner = try JobRunner(
      database, handlers, conditions: conditions, environment: environment, purpose: "a test")
    try await runner.start()
    return runner
  }

  // Without these, a test that waits for something would have to wait for the database, too.
  @discardableResult
  func write<R>(
    _ durability: Database.Durability = .durable, _ body: (borrowing WriteTransaction) throws -> R
  ) throws -> R { try database.write(durability, body) }

  func read<R>(_ body: (borrowing ReadTransaction) throws -> R) throws -> R { try database.read(body) }

  @discardableResult
  func add(_ job: some JobKind, _ request: JobRequest = JobRequest()) throws -> JobRecord.ID {
    try database.write { transaction in try transaction.enqueue(job, request, at: clock.now) }
  }

  func job(_ id: JobRecord.ID) throws -> JobRecord {
    try #require(try database.read { transaction in try transaction.job(id) })
  }

  func state(_ id: JobRecord.ID) throws -> JobRecord.State { try job(id).state }
}

/// Expects that the body fails with `code`.
func expectFailure(
  _ code: JobError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("it did not fail", sourceLocation: sourceLocation)
  } catch {
    #expect((error as? JobError)?.code == code, "\(error)", sourceLocation: sourceLocation)
  }
}
