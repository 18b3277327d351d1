public import SessionJobs
public import SessionStorage

extension Messenger {
  /// The running, waiting and failed jobs. A messenger opened for reading returns the stored ones.
  public func jobs() async throws -> JobView { try await runner.view() }

  /// Runs a waiting or failed job as soon as possible: a message is sent again, a file fetched again. Leaves running jobs
  /// alone. Throws `noJob` if there is none.
  public nonisolated func retryJob(_ id: JobRecord.ID) async throws { try await engine.retryJob(id) }

  /// Cancels a job; a message that was to be sent has then failed. Deletes a job that has already failed. Throws
  /// `noJob` if there is none or it has ended, and `jobNotCancellable` for internal jobs, such as pushing configs.
  public nonisolated func cancelJob(_ id: JobRecord.ID) async throws { try await engine.cancelJob(id) }
}
