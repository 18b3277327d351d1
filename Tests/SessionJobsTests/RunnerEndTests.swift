import SessionCore
import SessionStorage
import Testing

@testable import SessionJobs

/// How runners end, and what the next one finds.
@Suite(.timeLimit(.minutes(5))) struct RunnerEndTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  @Test func twoRunnersRefuseEachOther() async throws {
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    await expectFailure(.alreadyRunning) {
      _ = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    }
    await expectFailure(.alreadyRunning) { try await runner.start() }
    await runner.stop()
    let next = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    await next.stop()
    await expectFailure(.notRunning) { try await next.waitUntilIdle() }
  }

  @Test func twoRunnersRefuseEachOtherOnOneFile() async throws {
    let folder = try Folder()
    let one = JobPlace(try folder.open())
    let two = JobPlace(try folder.open())
    let runner = try await one.runner(JobHandler(Work.self) { _, _ in .done })
    await expectFailure(.alreadyRunning) { _ = try await two.runner(JobHandler(Work.self) { _, _ in .done }) }
    await runner.stop()
    let next = try await two.runner(JobHandler(Work.self) { _, _ in .done })
    let id = try two.add(Work(name: "a"))
    try await next.waitUntilIdle()
    #expect(try one.state(id) == .done)
    await next.stop()
  }

  @Test func kindsAndQueuesAreCalledDifferently() async throws {
    struct Other: JobKind {
      static let kind = "other"
      static let queue = JobQueue("work", concurrency: 1)
    }
    await expectFailure(.ambiguous) {
      _ = try await place.runner(
        JobHandler(Work.self) { _, _ in .done }, JobHandler(Work.self) { _, _ in .done })
    }
    await expectFailure(.ambiguous) {
      _ = try await place.runner(
        JobHandler(Work.self) { _, _ in .done }, JobHandler(Other.self) { _, _ in .done })
    }
  }

  @Test func aGracefulStopWaitsForWhatRuns() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Shot.self) { [told = place.told] _, _ in
        await gate.pass()
        told.add("asked to stop: \(Task.isCancelled)")
        return .done
      })
    let (one, two) = (try place.add(Shot(name: "one")), try place.add(Shot(name: "two")))
    await gate.reached()
    async let stopped: Void = runner.stop(finishingWithin: .seconds(10))
    while await runner.phase == .running, !Task.isCancelled { await Task.yield() }
    await gate.open()
    await stopped
    #expect(try place.state(one) == .done && place.state(two) == .waiting)
    #expect(place.told.all == ["asked to stop: false"])
  }

  @Test func jobsThatDoNotEndInTimeAreCancelled() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Work.self) { _, context in
        await gate.pass()
        while !Task.isCancelled { await Task.yield() }
        throw CancellationError()
      })
    let id = try place.add(Work(name: "a"))
    await gate.reached()
    await gate.open()
    async let stopped: Void = runner.stop(finishingWithin: .zero)
    await stopped
    let job = try place.job(id)
    #expect(job.state == .waiting && job.failures == 0 && job.interruptions == 0 && job.runner == nil)
  }

  @Test func jobsThatNeverEndAreLeftToTheNextRunner() async throws {
    let gate = Gate()
    let handler = JobHandler(Work.self) { [told = place.told] job, context in
      if context.attempt > 1 { return .done }
      await gate.pass()
      do { try await context.write { transaction in _ = try transaction.appendEvent("late", at: 1) } } catch {
        told.add("refused")
      }
      return .done { transaction in _ = try transaction.appendEvent("later", at: 1) }
    }
    let shot = JobHandler(Shot.self) { _, _ in
      await gate.pass()
      return .done
    }
    let runner = try await place.runner(handler, shot)
    let (work, once) = (try place.add(Work(name: "a")), try place.add(Shot()))
    await gate.reached(by: 2)
    await runner.stop(finishingWithin: .zero, stoppingWithin: .zero)
    #expect(try place.job(work).state == .waiting && place.job(work).interruptions == 1)
    #expect(try place.job(once).failure == "the program ended while it ran, and it must not be started twice")
    let next = try await place.runner(handler, shot)
    await gate.open()
    try await next.waitUntilIdle()
    #expect(try place.state(work) == .done && place.state(once) == .failed)
    while place.told.all.isEmpty, !Task.isCancelled { await Task.yield() }
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    }
    #expect(events.isEmpty)
    await next.stop()
  }

  @Test func aRunnerWithoutADatabaseStops() async throws {
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    try place.database.close()
    await runner.set(.network, to: true)
    await runner.pump()
    await runner.stop()
  }

  @Test func finishedJobsAreDeletedAfterAnHourButFailedOnesAreKept() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { job, _ in
        if job.name == "bad" { throw JobFailure(.permanent, "broken") }
        return .done
      })
    let (good, bad) = (try place.add(Work(name: "good")), try place.add(Work(name: "bad")))
    try await runner.waitUntilIdle()
    place.clock.advance(by: JobScheduler.keptFor)
    try place.add(Work(name: "other"))
    try await runner.waitUntilIdle()
    #expect(try place.state(good) == .done)
    place.clock.advance(by: JobScheduler.keptFor / 60)
    try place.add(Work(name: "another"))
    try await runner.waitUntilIdle()
    #expect(try place.read { transaction in try transaction.job(good) } == nil)
    #expect(try place.state(bad) == .failed)
    await runner.stop()
  }

  @Test func aPausedQueueIsPausedAfterARestart() async throws {
    let handlers = [JobHandler(Work.self) { _, _ in .done }, JobHandler(Single.self) { _, _ in .done }]
    let runner = try await place.runner(handlers[0], handlers[1])
    try await runner.pause(Work.queue)
    try await runner.pause(Single.queue)
    try await runner.resume(Single.queue)
    await runner.stop()
    let (held, free) = (try place.add(Work(name: "a")), try place.add(Single(name: "b")))
    let next = try await place.runner(handlers[0], handlers[1])
    try await next.waitUntilIdle()
    #expect(try await next.view().pausedQueues == ["work"])
    #expect(try place.state(held) == .waiting && place.state(free) == .done)
    try await next.resume(Work.queue)
    try await next.waitUntilIdle()
    #expect(try place.state(held) == .done)
    await next.stop()
    let last = try await place.runner(handlers[0], handlers[1])
    #expect(try await last.view().pausedQueues.isEmpty)
    await last.stop()
  }

  // MARK: Effects

  /// The job is begun twice, because the program ended after it had stored something and before it could write that down.
  @Test(arguments: [true, false]) func anEffectIsNotRepeated(isFound: Bool) async throws {
    let gate = Gate()
    let world = Told()
    func handler(_ mayEnd: Bool) -> JobHandler {
      JobHandler(Work.self) { [told = place.told] _, context in
        let hash: String = try await context.effect("store") {
          told.add("looked")
          return isFound ? world.all.first : nil
        } perform: {
          world.add("hash \(world.all.count + 1)")
          if !mayEnd { await gate.pass() }
          return "hash \(world.all.count)"
        }
        let again: String = try await context.effect("store", find: { nil }, perform: { "other" })
        told.add("\(hash) \(again)")
        return .done
      }
    }
    let runner = try await place.runner(handler(false))
    let id = try place.add(Work(name: "a"))
    await gate.reached()
    await runner.stop(finishingWithin: .zero, stoppingWithin: .zero)
    #expect(try place.state(id) == .waiting)
    let next = try await place.runner(handler(true))
    try await next.waitUntilIdle()
    #expect(try place.state(id) == .done)
    #expect(place.told.all == (isFound ? ["looked", "hash 1 hash 1"] : ["looked", "hash 2 hash 2"]))
    await next.stop()
    await gate.open()
  }

  @Test func recurringJobsRunTheirEffectEachTime() async throws {
    let runner = try await place.runner(
      JobHandler(Single.self) { [told = place.told] _, context in
        let _: Int = try await context.effect("call") {
          nil
        } perform: {
          told.add("called")
          return 1
        }
        return .done
      })
    try place.add(Single(name: "a"), .every(.seconds(60)))
    try await runner.waitUntilIdle()
    place.clock.advance(by: 60_000)
    while place.told.all.count < 2, !Task.isCancelled { await Task.yield() }
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["called", "called"])
    await runner.stop()
  }

  // MARK: What cannot be read

  @Test func unreadableJobsAreSetAsideAndKept() async throws {
    let (future, garbage, unknown, waiter) = try place.write { transaction in
      let future = try transaction.insert(
        JobRecord("work", version: 2, payload: Array(#"{"name":"f"}"#.utf8), queue: "work", createdAt: 1)
      ).id
      let garbage = try transaction.insert(
        JobRecord("work", payload: [0xff, 0x00], queue: "work", createdAt: 1)
      ).id
      let unknown = try transaction.insert(
        JobRecord("shot", payload: Array(#"{"name":"u"}"#.utf8), queue: "gone", createdAt: 1)
      ).id
      return (
        future, garbage, unknown, try transaction.enqueue(Work(name: "w"), .after(.job(unknown)), at: 1)
      )
    }
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    try await runner.waitUntilIdle()
    #expect(try place.job(future).failure == "this program does not know version 2 of its payload")
    #expect(try place.job(garbage).failure?.hasPrefix("its payload cannot be read: ") == true)
    #expect(try place.job(unknown).failure == "this program does not know jobs of the kind shot")
    for id in [future, garbage, unknown] { #expect(try place.state(id) == .setAside) }
    let view = try await runner.view()
    #expect(view.counts[.setAside] == 3)
    #expect(view.jobs.first?.state == .waiting(blockedBy: [.job(unknown)]))
    await runner.stop()
    // A newer version continues them.
    let next = try await place.runner(
      JobHandler(Work.self) { _, _ in .done }, JobHandler(Shot.self) { _, _ in .done })
    try await next.waitUntilIdle()
    #expect(try place.state(unknown) == .done && place.state(waiter) == .done)
    #expect(try place.state(future) == .setAside && place.state(garbage) == .setAside)
    await next.stop()
  }

  @Test func jobsThatCrashRepeatedlyFail() async throws {
    let id = try place.add(Work(name: "a"))
    try place.write { transaction in
      var job = try #require(try transaction.job(id))
      job.state = .running
      job.runner = "gone"
      job.interruptions = 10
      try transaction.update(job)
    }
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    try await runner.waitUntilIdle()
    #expect(try place.job(id).failure == "the program ended 11 times while it ran")
    await runner.stop()
  }

  @Test(.timeLimit(.minutes(1))) func waitingEndsWhenTheDatabaseCloses() async throws {
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    try await runner.waitUntilIdle()
    try place.database.close()
    try await runner.waitUntilIdle()
    await runner.stop()
  }
}
