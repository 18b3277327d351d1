public import SessionStorage

/// What a job came to.
public struct JobResult: Sendable {
  /// What is written together with the end of the job: all of it, or the job has failed.
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

  /// It is done, and something is to be written in the transaction that says so.
  public static func done(writing: @escaping Writing) -> JobResult { JobResult(.none, writing) }

  /// It is done for now, and is to be done again at a time, in milliseconds since 1970.
  public static func again(at time: Int64, writing: Writing? = nil) -> JobResult {
    JobResult(.at(time), writing)
  }

  /// It is done for now, and is to be done again after a while.
  public static func again(after rest: Duration, writing: Writing? = nil) -> JobResult {
    JobResult(.after(rest), writing)
  }
}

/// How a job ended that was not done.
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
