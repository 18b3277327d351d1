import SessionStorage
import Synchronization
import Testing

@testable import SessionJobs

/// Jobs that wait for others run, fail or end with them.
@Suite struct DependencyTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  private func step(_ scheduler: inout JobScheduler, _ mail: JobScheduler.Mail) throws {
    _ = try place.write { transaction in try scheduler.step(transaction, mail, at: place.clock.now) }
  }

  /// One job has failed, another is cancelled in the transaction that adds one that waits for both.
  @Test(arguments: [true, false], [true, false]) func failedDependencyOutranksCancelledOne(
    isFailedFirst: Bool, isNew: Bool
  ) throws {
    let catalogue = try JobCatalogue([
      JobHandler(Work.self) { _, _ in .done }, JobHandler(Single.self) { _, _ in .done },
    ])
    var scheduler = JobScheduler(catalogue, runner: "one", conditions: [], chance: { 0 })
    func add(fails: Bool) throws -> JobRecord.ID {
      try place.add(Work(name: "a"), fails ? JobRequest() : .after(.event("never")))
    }
    if !isNew { try place.add(Single(name: "waiter"), .after(.event("never"))) }
    let (one, two) = (try add(fails: isFailedFirst), try add(fails: !isFailedFirst))
    let (failed, cancelled) = isFailedFirst ? (one, two) : (two, one)
    try place.write { transaction in try scheduler.open(transaction, at: place.clock.now) }
    try step(&scheduler, JobScheduler.Mail())
    var mail = JobScheduler.Mail()
    mail.conclusions = [(failed, .failed(JobFailure(.permanent, "broken")))]
    try step(&scheduler, mail)
    let waiter = try place.write { transaction in
      _ = try transaction.cancel(cancelled, at: 1)
      return try transaction.enqueue(Single(name: "waiter"), .after(.job(one), .job(two)), at: 1)
    }
    mail = JobScheduler.Mail()
    mail.requests = [waiter, cancelled]
    try step(&scheduler, mail)
    #expect(try place.state(waiter) == .failed)
    #expect(try place.job(waiter).failure == "job \(failed), which it waited for, failed: broken")
  }

  @Test func cancelledDependencyCancelsTheJob() async throws {
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    let first = try place.add(Work(name: "a"), .after(.event("never")))
    let waiter = try place.add(Work(name: "b"), .after(.job(first)))
    let indifferent = try place.add(Work(name: "c"), .after(.end(first)))
    let other = try place.add(Work(name: "d"), .afterAny(.job(first), .event("soon")))
    try await runner.cancel(first, because: "enough")
    try await runner.waitUntilIdle()
    let job = try place.job(waiter)
    #expect(job.state == .cancelled)
    #expect(job.failure == "job \(first), which it waited for, was cancelled: enough")
    #expect(try place.state(indifferent) == .done && place.state(other) == .waiting)
    try place.write { transaction in try transaction.fulfil(event: "soon") }
    try await runner.waitUntilIdle()
    #expect(try place.state(other) == .done)
    await runner.stop()
  }

  @Test func anEventThatWillNotComeFailsTheJobsThatWaitForIt() async throws {
    let ends = Mutex<[String]>([])
    let handler = JobHandler(Work.self) { work, end, _ in
      ends.withLock { $0.append("\(work.name): \(end.reason)") }
    } run: { _, _ in
      .done
    }
    let first = try place.add(Work(name: "a"), .after(.event("never")))
    let second = try place.add(Work(name: "b"), .after(.job(first)))
    let other = try place.add(Work(name: "c"), .after(.event("soon")))
    // As written by a program that ended before its runner knew of it.
    try place.write { transaction in try transaction.fail(event: "never", because: "it was refused") }
    let runner = try await place.runner(handler)
    try await runner.waitUntilIdle()
    #expect(try place.job(first).state == .failed && place.job(first).failure == "it was refused")
    #expect(try place.state(second) == .failed)
    #expect(ends.withLock { $0.first } == "a: it was refused")
    #expect(ends.withLock { $0.count } == 2)
    #expect(try place.state(other) == .waiting)
    try place.write { transaction in try transaction.fail(event: "soon", because: "too late") }
    try await runner.waitUntilIdle()
    #expect(try place.job(other).failure == "too late")
    #expect(ends.withLock { $0.last } == "c: too late")
    await runner.stop()
  }

  // MARK: Cycles

  @Test func jobsDoNotWaitForEachOther() async throws {
    let one = try place.add(Single(name: "1"))
    let two = try place.add(Single(name: "2"), .after(.end(one)))
    let three = try place.add(Single(name: "3"), .afterAny(.job(two), .event("soon")))
    for other in [one, two, three] {
      await expectFailure(.cyclicDependency) { try place.add(Single(name: "1"), .after(.job(other))) }
      await expectFailure(.cyclicDependency) { try place.add(Single(name: "1"), .after(.end(other))) }
    }
    #expect(try place.read { transaction in try transaction.waits(of: one) }.isEmpty)
    // Two ways to one job are no circle.
    try place.add(Single(name: "3"), .afterAny(.job(one)))
    // A finished job waits for nothing.
    try place.write { transaction in _ = try transaction.cancel(two, at: 1) }
    try place.add(Single(name: "1"), .after(.end(two)))
    let runner = try await place.runner(JobHandler(Single.self) { _, _ in .done })
    try await runner.waitUntilIdle()
    #expect(try place.state(one) == .done && place.state(three) == .done)
    await runner.stop()
  }

  @Test func aJobThatIsPutOffDoesNotWaitForItself() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Work.self) { job, context in
        if job.name == "b" { return .done }
        await gate.pass()
        throw JobDeferral(after: [.job(JobRecord.ID(rawValue: context.id.rawValue + 1))])
      })
    let one = try place.add(Work(name: "a"))
    let two = try place.add(Work(name: "b"), .after(.end(one)))
    await gate.open()
    try await runner.waitUntilIdle()
    #expect(
      try place.job(one).failure == "job \(one) cannot wait for job \(two), which waits for job \(one)")
    #expect(try place.state(one) == .failed && place.state(two) == .done)
    await runner.stop()
  }

  @Test func aJobThatIsPutOffWaitsForAll() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] job, context in
        told.add("\(context.attempt)")
        if context.attempt == 1 { throw JobDeferral(for: .zero, after: [.event("one"), .event("two")]) }
        return .done
      })
    let id = try place.add(Work(name: "a"), .afterAny(.event("zero"), .event("never")))
    for event in ["zero", "one"] {
      try place.write { transaction in try transaction.fulfil(event: event) }
      try await runner.waitUntilIdle()
    }
    #expect(try place.state(id) == .waiting && place.told.all == ["1"])
    try place.write { transaction in try transaction.fulfil(event: "two") }
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
    await runner.stop()
  }

  @Test func aJobIsNotPutOffForMoreThanItMayWaitFor() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { _, _ in
        throw JobDeferral(after: (0...JobRequest.maxDependencies).map { .event("\($0)") })
      })
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    #expect(try place.job(id).failure == "a job has more than 1000 dependencies")
    #expect(try place.read { transaction in try transaction.waits(of: id) }.isEmpty)
    await runner.stop()
  }
}
