public import SessionStorage

/// How a job is wanted, beside what its kind says.
public struct JobRequest: Sendable {
  /// What it waits for: all of it, or with `needsAny` one of it.
  public var dependencies: [JobDependency] = []
  public var needsAny = false
  /// When it may run at the earliest, in milliseconds since 1970; nil for at once.
  public var notBefore: Int64?
  /// Until when it is worth doing; nil for as long as its kind says.
  public var deadline: Int64?
  /// Nil for that of its kind.
  public var priority: Int?
  /// What has to be the case beside what its kind needs.
  public var conditions: JobConditions = []
  /// After what time, from the start of one run to the next, it is to be done again and again. It needs a unique key, or
  /// every start of the program would add one.
  public var interval: Duration?
  /// What it is about, for those who delete that.
  public var thread: ThreadRecord.ID?
  public var interaction: InteractionRecord.ID?

  public init() {}

  /// One that waits for others.
  public static func after(_ dependencies: JobDependency...) -> JobRequest {
    var request = JobRequest()
    request.dependencies = dependencies
    return request
  }

  /// One that waits for any of others.
  public static func afterAny(_ dependencies: JobDependency...) -> JobRequest {
    var request = JobRequest()
    request.dependencies = dependencies
    request.needsAny = true
    return request
  }

  /// One whose time has to come.
  public static func at(_ time: Int64) -> JobRequest {
    var request = JobRequest()
    request.notBefore = time
    return request
  }

  /// One that is done again and again.
  public static func every(_ interval: Duration) -> JobRequest {
    var request = JobRequest()
    request.interval = interval
    return request
  }

  /// On how many things a job may depend.
  public static let maxDependencies = 1000
  /// How many jobs may wait in a database.
  public static let maxWaiting = 250_000
}
