public import SessionStorage

/// The result of a job.
public struct JobResult: Sendable {
  /// Changes that are written together with the end of the job. If they fail, the job has failed.
  public typealias Writing = @Sendable (borrowing WriteTransaction) throws -> Void

  enum Next: Sendable {
    case none
    case at(Int64)
    case after(Duration)
  }

  let next: Next
  let writing: Writing?

  private init(_ next: Next, _ writing: Writing?) {
    self.next = next
    self.writing = writing
  }

  /// It is done.
  public static let done = JobResult(.none, nil)

  /// The job is done, and changes are written in the same transaction.
  public static func done(writing: @escaping Writing) -> JobResult { JobResult(.none, writing) }

  /// It is done for now, and is to be done again at a time, in milliseconds since 1970.
  public static func again(at time: Int64, writing: Writing? = nil) -> JobResult {
    JobResult(.at(time), writing)
  }

  /// It is done for now, and is to be done again after a while.
  public static func again(after delay: Duration, writing: Writing? = nil) -> JobResult {
    JobResult(.after(delay), writing)
  }
}

/// The end of a job that is not done.
public enum JobEnd: Hashable, Sendable {
  case failed(String)
  case cancelled(String)

  public var reason: String {
    switch self {
    case .failed(let reason), .cancelled(let reason): reason
    }
  }

  var state: JobRecord.State {
    switch self {
    case .failed: .failed
    case .cancelled: .cancelled
    }
  }
}
