import SessionJobs
import SessionStorage
import Testing

/// Jobs that somebody has tried again.
@Suite struct RetryingTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  @discardableResult
  private func retry(_ id: JobRecord.ID) throws -> Bool {
    try place.write { transaction in try transaction.retry(id) }
  }

  @Test func retryingAWaitingJobStartsItAtOnce() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] job, _ in
        told.add(job.name)
        return .done
      })
    let id = try place.add(Work(name: "later"), .at(place.clock.now + 3_600_000))
    try await runner.waitUntilIdle()
    #expect(place.told.all == [])
    #expect(try retry(id))
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["later"])
    #expect(try !retry(id))
    #expect(try place.state(id) == .done)
  }

  @Test func retryingAFailedJobStartsItAgain() async throws {
    let runner = try await place.runner(
      JobHandler(Single.self) { [told = place.told] job, _ in
        told.add(job.name)
        guard told.all.count > 1 else { throw JobFailure(.permanent, "not yet") }
        return .done
      })
    let id = try place.add(Single(name: "a"))
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .failed)
    #expect(try retry(id))
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
    #expect(place.told.all == ["a", "a"])
  }

  @Test func enqueuedRetryIsNotDuplicated() throws {
    let first = try place.add(Single(name: "a"))
    try place.write { transaction in
      _ = try transaction.endJob(first, .failed, because: "no", at: 1)
    }
    let second = try place.add(Single(name: "a"))
    #expect(second != first)
    #expect(try retry(first))
    #expect(try place.read { transaction in try transaction.job(first) } == nil)
    #expect(try place.state(second) == .waiting)
  }

  @Test func retryIgnoresFinishedAndMissingJobs() throws {
    let id = try place.add(Work(name: "a"))
    try place.write { transaction in _ = try transaction.cancel(id, at: 1) }
    #expect(try !retry(id))
    #expect(try place.state(id) == .cancelled)
    #expect(try !retry(JobRecord.ID(rawValue: 99)))
  }
}
