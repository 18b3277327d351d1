public import SessionStorage

/// The options of a job in addition to its kind's rules.
public struct JobRequest: Sendable {
  /// The dependencies: all must end or, with `needsAny`, one of them.
  public var dependencies: [JobDependency] = []
  public var needsAny = false
  /// When it may run at the earliest, in milliseconds since 1970; nil for at once.
  public var notBefore: Int64?
  /// The deadline; nil for the lifetime of its kind.
  public var deadline: Int64?
  /// Nil for that of its kind.
  public var priority: Int?
  /// Conditions in addition to those of its kind.
  public var conditions: JobConditions = []
  /// The interval of a repeating job, from the start of one run to the next. It needs a unique key, or every start
  /// of the program would add a job.
  public var interval: Duration?
  /// The conversation it belongs to, for deleting both together.
  public var thread: ThreadRecord.ID?
  public var interaction: InteractionRecord.ID?

  public init() {}

  /// A job that waits for others.
  public static func after(_ dependencies: JobDependency...) -> JobRequest {
    var request = JobRequest()
    request.dependencies = dependencies
    return request
  }

  /// A job that waits for any of others.
  public static func afterAny(_ dependencies: JobDependency...) -> JobRequest {
    var request = JobRequest()
    request.dependencies = dependencies
    request.needsAny = true
    return request
  }

  /// A job with an earliest start.
  public static func at(_ time: Int64) -> JobRequest {
    var request = JobRequest()
    request.notBefore = time
    return request
  }

  /// A repeating job.
  public static func every(_ interval: Duration) -> JobRequest {
    var request = JobRequest()
    request.interval = interval
    return request
  }

  /// The number of dependencies of a job.
  public static let maxDependencies = 1000
  /// The number of waiting jobs in a database.
  public static let maxWaiting = 250_000
}
