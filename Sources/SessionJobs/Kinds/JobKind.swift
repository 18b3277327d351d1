/// A kind of job: a type whose values are what one is to do, and whose rules are how it is to be done.
///
///     struct Greet: JobKind {
///       static let kind = "greet"
///       static let queue = JobQueue("greetings", concurrency: 2)
///       let name: String
///     }
///
/// `docs/jobs.md` tells how to add one.
public protocol JobKind: Codable, Sendable {
  /// A name that never changes: rows have it.
  static var kind: String { get }
  /// The version of the payload, to be raised when rows of the old form have to be read differently.
  static var version: Int { get }
  static var queue: JobQueue { get }
  /// The number of jobs of this kind that may run at a time, within the limit of the queue.
  static var concurrency: Int { get }
  /// Higher ones run first within their queue; then older ones.
  static var priority: Int { get }
  static var retry: RetryPolicy { get }
  static var repetition: JobRepetition { get }
  static var conditions: JobConditions { get }
  /// How long after its earliest start a job is worth trying; it then fails. Nil for ever.
  static var lifetime: Duration? { get }
  /// True if a running job yields to one of higher priority when its queue is full.
  static var isPreemptible: Bool { get }
  /// The rule for a second request for the same key while the first one runs.
  static var whileRunning: JobMergeRule { get }
  /// The least time from the start of one run to the next, if a second request requires another run.
  static var spacing: Duration { get }
  /// True if start times of jobs are delays. Delays move with the clock when it is set back; dates that a person
  /// chose do not.
  static var timesAreDelays: Bool { get }

  /// There is one waiting or running job of the kind for each key: a second request merges into the first.
  var uniqueKey: String? { get }
  /// True if a job that has no key after a merge gives up the one it had: later requests begin a new job.
  /// For jobs that would grow without limit, and have no dependencies.
  static var closesWhenFull: Bool { get }
  /// Jobs of a queue that are of one partition run one after the other.
  var partition: String? { get }
  /// Returns the job that combines an earlier request with a later one for the same key.
  func merged(with later: Self) -> Self
  /// Returns the payload of that job from the stored payload of the earlier request. Implement it for jobs that collect
  /// many requests, so that not all of them are read and written for each new one.
  static func merge(_ payload: [UInt8], version: Int, with later: Self) throws -> [UInt8]

  func encoded() throws -> [UInt8]
  /// Reads a payload of this version or an older one. A job whose payload throws is set aside.
  static func decode(_ payload: [UInt8], version: Int) throws -> Self
}

/// The rule for a job that was running when the program ended, at an unknown point.
public enum JobRepetition: Hashable, Sendable {
  /// It may run twice, because its effects are idempotent or guarded.
  case idempotent
  /// It fails then.
  case once
}

/// The rule for a second request while the first one runs.
public enum JobMergeRule: Hashable, Sendable {
  /// The job runs again afterwards, for whatever changed since it began.
  case runsAgain
  /// The running job satisfies the request.
  case isSatisfied
}

extension JobKind {
  public static var version: Int { 1 }
  public static var concurrency: Int { JobQueue.maxConcurrency }
  public static var priority: Int { 0 }
  public static var retry: RetryPolicy { .standard }
  public static var repetition: JobRepetition { .idempotent }
  public static var conditions: JobConditions { [] }
  public static var lifetime: Duration? { nil }
  public static var isPreemptible: Bool { false }
  public static var whileRunning: JobMergeRule { .runsAgain }
  public static var spacing: Duration { .zero }
  public static var timesAreDelays: Bool { false }
  public static var closesWhenFull: Bool { false }

  public var uniqueKey: String? { nil }
  public var partition: String? { nil }
  public func merged(with later: Self) -> Self { later }

  public static func merge(_ payload: [UInt8], version: Int, with later: Self) throws -> [UInt8] {
    // An unreadable payload is replaced.
    let before = try? decode(payload, version: version)
    return try (before?.merged(with: later) ?? later).encoded()
  }

  public func encoded() throws -> [UInt8] { try JobPayload.encode(self) }

  public static func decode(_ payload: [UInt8], version: Int) throws -> Self {
    try JobPayload.decode(Self.self, from: payload)
  }
}
