public import SessionStorage

/// The reason why a job waits.
public enum JobBlocker: Hashable, Sendable {
  /// Another job: it has to be done, or only over.
  case job(JobRecord.ID)
  case event(String)
  /// A time, in milliseconds since 1970.
  case time(Int64)
  /// A required condition is not met.
  case conditions(JobConditions)
  case pausedQueue
  case fullQueue
  /// The limit of its kind is reached.
  case fullKind
  /// A job of its partition runs.
  case partition(String)
  /// Queues that come first.
  case earlierQueues
}

/// The state of a job.
public struct JobStatus: Identifiable, Hashable, Sendable {
  public enum State: Hashable, Sendable {
    case running(since: Int64, progress: Double?)
    /// Blocked by nothing, it runs in a moment.
    case waiting(blockedBy: [JobBlocker])
    case failed
    case setAside
  }

  public let id: JobRecord.ID
  public let kind: String
  public let queue: String
  public let state: State
  /// The number of attempts, and of failures.
  public let attempts: Int
  public let failures: Int
  /// Why it failed the last time, or was set aside.
  public let failure: String?
  /// When it may run next, in milliseconds since 1970; nil for at once, or never.
  public let next: Int64?
  public let deadline: Int64?
  public let thread: ThreadRecord.ID?
  public let interaction: InteractionRecord.ID?

  init(_ record: JobRecord, _ state: State) {
    id = record.id
    kind = record.kind
    queue = record.queue
    self.state = state
    attempts = record.attempts
    failures = record.failures
    failure = record.failure
    next = record.state == .waiting && record.notBefore > 0 ? record.notBefore : nil
    deadline = record.deadline
    thread = record.threadID
    interaction = record.interactionID
  }
}

/// The jobs of a runner.
public struct JobView: Sendable {
  /// Running jobs first, then waiting, failed and unreadable ones; each from the oldest on, up to the requested
  /// number.
  public let jobs: [JobStatus]
  /// The number of jobs in each state.
  public let counts: [JobRecord.State: Int]
  public let conditions: JobConditions
  public let pausedQueues: [String]
  /// Why nothing can be written, if that is so.
  public let trouble: String?
}

extension JobRunner {
  /// The number of jobs of each state in a view.
  public static let maxShown = 1000

  /// Returns the current view.
  public func view(limit: Int = maxShown) throws -> JobView {
    let limit = min(max(limit, 0), Self.maxShown)
    let (rows, counts) = try database.read { transaction in
      var rows: [JobRecord] = []
      for state in [JobRecord.State.running, .waiting, .failed, .setAside] {
        rows += try transaction.jobs(state, limit: limit)
      }
      return (rows, try transaction.jobCounts())
    }
    return JobView(
      jobs: rows.map { JobStatus($0, state(of: $0)) }, counts: counts, conditions: conditions,
      pausedQueues: scheduler.schedule.pausedQueues.sorted().map { scheduler.catalogue.queues[$0].name },
      trouble: trouble)
  }

  private func state(of record: JobRecord) -> JobStatus.State {
    switch record.state {
    case .running:
      .running(
        since: record.startedAt ?? record.createdAt,
        progress: runs[record.id]?.state.progress ?? record.progress)
    case .failed, .cancelled, .done: .failed
    case .setAside: .setAside
    case .waiting: .waiting(blockedBy: scheduler.schedule.blockers(of: record.id, at: now))
    }
  }

  /// The view, now and after each change. A slow reader misses only intermediate views.
  public nonisolated func views(limit: Int = maxShown) -> JobViews { JobViews(self, limit: limit) }
}

/// Views of a runner, one after the other. They end with the database.
public struct JobViews: AsyncSequence, Sendable {
  private let runner: JobRunner
  private let limit: Int
  private let changes: Observation

  init(_ runner: JobRunner, limit: Int) {
    self.runner = runner
    self.limit = limit
    changes = runner.database.observations.observe(.jobs)
  }

  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let views: JobViews
    fileprivate var isFirst = true

    public mutating func next() async throws -> JobView? {
      if !isFirst, await views.changes.next() == nil { return nil }
      isFirst = false
      return try await views.runner.view(limit: views.limit)
    }
  }

  public func makeAsyncIterator() -> Iterator { Iterator(views: self) }
}
