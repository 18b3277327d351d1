import SessionJobs
import SessionStorage

/// Empties the log of the database, which holds old pages with keys that were erased since.
struct LogEmptying: JobKind {
  static let kind = "logEmptying"
  static let queue = JobQueue("log", concurrency: 1)
  static let retry = RetryPolicy(maxFailures: 10)
  static let timesAreDelays = true
  /// How long after a step of a session that is done, in milliseconds: for many steps once.
  static let delay = Ratchet.Time.minute
  /// How long after a reader held it back it is tried again.
  static let pause = Duration.seconds(5)

  var uniqueKey: String? { "" }
}

extension Ratchet {
  func makeLogEmptying() -> JobHandler {
    JobHandler(LogEmptying.self) { [self] _, _ in
      guard try await database.emptyLog() else {
        throw JobFailure(.retry(after: LogEmptying.pause), "a reader holds the log of the database back")
      }
      return .done
    }
  }
}

extension WriteTransaction {
  /// Has the log emptied after keys were erased, or used.
  func requestLogEmptying(after delay: Int64 = 0, at now: Int64) throws {
    try enqueue(LogEmptying(), delay > 0 ? .at(now + delay) : JobRequest(), at: now)
  }
}
