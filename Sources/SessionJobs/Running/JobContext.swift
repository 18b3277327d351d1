public import SessionStorage
import Synchronization

/// The connection of a running job to its runner.
public struct JobContext: Sendable {
  public let id: JobRecord.ID
  /// Which attempt this is, counted from one.
  public let attempt: Int
  /// The number of earlier failures.
  public let failures: Int
  private let database: Database
  private let runner: String
  private let state: JobState

  init(_ record: JobRecord, database: Database, runner: String, state: JobState) {
    id = record.id
    attempt = record.attempts
    failures = record.failures
    self.database = database
    self.runner = runner
    self.state = state
  }

  /// Throws `CancellationError` when the job is to stop.
  public func check() throws {
    if Task.isCancelled || state.isOver { throw CancellationError() }
  }

  /// Writes something on the job's way. Nothing is written, and `CancellationError` thrown, when the job has been
  /// cancelled or taken away.
  @discardableResult
  public func write<R: Sendable>(
    _ durability: Database.Durability = .durable,
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try check()
    return try await database.write(durability) { transaction in
      guard !state.isOver, try transaction.isRunning(id, by: runner) else { throw CancellationError() }
      return try body(transaction)
    }
  }

  /// Reports the progress of the job, from 0 to 1.
  public func report(_ progress: Double) { state.report(progress) }

  /// Causes an external effect once, however often the job starts.
  ///
  /// The intention is stored before, the result after. If the program ended in between, `find` checks if the effect
  /// took place: its result is used, and with nil the effect is repeated.
  public func effect<Value: Codable & Sendable>(
    _ name: String, find: @Sendable () async throws -> Value?, perform: @Sendable () async throws -> Value
  ) async throws -> Value {
    let id = id
    let known = try await write { transaction in
      let known = try transaction.effect(name, of: id)
      if known == nil { try transaction.putEffect(name, of: id, isDone: false) }
      return known
    }
    if let known, known.isDone {
      return try JobPayload.decode(Value.self, from: known.result ?? [])
    }
    let found = known == nil ? nil : try await find()
    let value: Value
    if let found { value = found } else { value = try await perform() }
    let result = try JobPayload.encode(value)
    try await write { transaction in
      try transaction.putEffect(name, of: id, isDone: true, result: result)
    }
    return value
  }
}

/// The state shared by a running job and its runner.
final class JobState: Sendable {
  private struct Content {
    var isOver = false
    var progress: Double?
    var writtenAt: Int64 = .min
  }

  /// The least time between two writes of the progress.
  static let pause: Int64 = 250

  private let content = Mutex(Content())
  private let write: @Sendable (Double) -> Void
  private let clock: any JobClock

  init(clock: any JobClock, write: @escaping @Sendable (Double) -> Void) {
    self.clock = clock
    self.write = write
  }

  /// True if the job's work no longer counts.
  var isOver: Bool { content.withLock { $0.isOver } }
  var progress: Double? { content.withLock { $0.progress } }

  func end() { content.withLock { $0.isOver = true } }

  func report(_ progress: Double) {
    let progress = min(max(progress.isNaN ? 0 : progress, 0), 1)
    let now = clock.now
    let isNews = content.withLock { content in
      content.progress = progress
      guard !content.isOver,
        progress == 1 || now >= content.writtenAt.later(by: Self.pause) || now < content.writtenAt
      else { return false }
      content.writtenAt = now
      return true
    }
    if isNews { write(progress) }
  }
}
