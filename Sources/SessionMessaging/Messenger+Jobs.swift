public import SessionJobs
public import SessionStorage

extension Messenger {
  /// What is being done, and what waits for what. Of one that was opened for reading, what is written down of that.
  public func jobs() async throws -> JobView { try await runner.view() }

  /// Has something done as soon as possible that rests after a failure, or that failed for good: a message is sent again, a
  /// file fetched again. What is over, or under way, is left as it is. `noJob` where there is none.
  public nonisolated func retryJob(_ id: JobRecord.ID) async throws { try await engine.retryJob(id) }

  /// Takes back that something is to be done: a message that was to be sent has failed then. What failed already is
  /// forgotten. `noJob` where there is none, or it is over; `neededJob` for what nobody asked for by itself, such as
  /// bringing contacts to the other devices.
  public nonisolated func cancelJob(_ id: JobRecord.ID) async throws { try await engine.cancelJob(id) }
}
