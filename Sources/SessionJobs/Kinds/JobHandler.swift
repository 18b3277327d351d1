import SessionBase
public import SessionStorage

/// Runs the jobs of a kind.
public struct JobHandler: Sendable {
  let rules: JobRules
  /// Reads the payload and does the job.
  let run: @Sendable (JobRecord, JobContext) async -> JobConclusion
  /// True if the payload can be read.
  let canRead: @Sendable (JobRecord) -> Bool
  /// Writes the consequences of the end of a job, if there are any.
  let end: (@Sendable (JobRecord, JobEnd, borrowing WriteTransaction) throws -> Void)?

  /// `run` runs one job. `ended` writes the consequences when the runner ends a job that is not done: because it
  /// failed permanently, or because of another job. It runs in the transaction that records this. A caller that
  /// cancels a job writes the consequences itself.
  public init<Kind: JobKind>(
    _ kind: Kind.Type,
    ended: (@Sendable (Kind, JobEnd, borrowing WriteTransaction) throws -> Void)? = nil,
    run: @escaping @Sendable (Kind, JobContext) async throws -> JobResult
  ) {
    rules = JobRules(kind)
    self.run = { record, context in
      let job: Kind
      do { job = try Kind.decode(record.payload, version: record.version) } catch {
        return .unreadable("its payload cannot be read: \(error)")
      }
      do { return .succeeded(try await run(job, context)) } catch { return .failed(error) }
    }
    canRead = { (try? Kind.decode($0.payload, version: $0.version)) != nil }
    guard let ended else {
      end = nil
      return
    }
    end = { (record: JobRecord, end: JobEnd, transaction: borrowing WriteTransaction) throws in
      try ended(try Kind.decode(record.payload, version: record.version), end, transaction)
    }
  }
}

/// The end of an attempt.
package enum JobConclusion: Sendable {
  case succeeded(JobResult)
  case failed(any Error)
  case unreadable(String)
  /// It did not end in time when the runner was stopped.
  case abandoned
}

/// The rules of a kind, as values.
struct JobRules: Sendable {
  let kind: String
  let version: Int
  let queue: JobQueue
  let concurrency: Int
  let retry: RetryPolicy
  let repetition: JobRepetition
  let lifetime: Int64?
  let isPreemptible: Bool
  let spacing: Int64
  let timesAreDelays: Bool

  init<Kind: JobKind>(_ kind: Kind.Type) {
    self.kind = Kind.kind
    version = Kind.version
    queue = Kind.queue
    concurrency = max(Kind.concurrency, 1)
    retry = Kind.retry
    repetition = Kind.repetition
    lifetime = Kind.lifetime?.milliseconds
    isPreemptible = Kind.isPreemptible
    spacing = Kind.spacing.milliseconds
    timesAreDelays = Kind.timesAreDelays
  }
}
