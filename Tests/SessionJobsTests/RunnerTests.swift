import SessionStorage
import Testing

@testable import SessionJobs

@Suite(.timeLimit(.minutes(5))) struct RunnerTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  // MARK: Doing

  @Test func committedJobsRun() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] job, context in
        told.add("\(job.name) \(context.attempt)")
        return .done { transaction in _ = try transaction.appendEvent("done", at: 1) }
      })
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["a 1"])
    #expect(try place.state(id) == .done)
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    }
    #expect(events.map(\.kind) == ["done"])
  }

  @Test func existingJobsRunInOrder() async throws {
    try place.add(Shot(name: "old"))
    var request = JobRequest()
    request.priority = 1
    try place.add(Shot(name: "urgent"), request)
    try place.add(Shot(name: "new"))
    let runner = try await place.runner(
      JobHandler(Shot.self) { [told = place.told] job, _ in
        told.add(job.name)
        return .done
      })
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["urgent", "old", "new"])
  }

  /// Results of jobs that end together are written together.
  @Test func aResultThatCannotBeWrittenSpoilsNoOther() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { job, _ in
        .done { transaction in
          _ = try transaction.appendEvent(job.name, at: 1)
          if job.name.hasPrefix("bad") { throw JobFailure(.permanent, "it does not fit") }
        }
      })
    let names = (0..<60).map { $0 % 7 == 3 ? "bad \($0)" : "good \($0)" }
    let ids = try place.write { transaction in
      try names.map { try transaction.enqueue(Work(name: $0), JobRequest(), at: 1) }
    }
    try await runner.waitUntilIdle()
    for (name, id) in zip(names, ids) {
      #expect(try place.state(id) == (name.hasPrefix("bad") ? .failed : .done), "\(name)")
    }
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 100)
    }
    #expect(events.map(\.kind).sorted() == names.filter { $0.hasPrefix("good") }.sorted())
  }

  @Test func aResultThatCannotBeWrittenIsAFailure() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { _, _ in
        .done { transaction in
          _ = try transaction.appendEvent("lost", at: 1)
          throw JobFailure(.permanent, "it does not fit")
        }
      })
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    #expect(try place.job(id).failure == "it does not fit")
    #expect(try place.state(id) == .failed)
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    }
    #expect(events.isEmpty)
  }

  // MARK: Failing

  @Test func aFailureIsTriedAgainAfterTheStatedRests() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told, clock = place.clock] _, context in
        told.add("\(clock.now)")
        if context.failures < 2 { throw Refusal.no }
        return .done
      })
    let begin = place.clock.now
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    let job = try place.job(id)
    #expect(job.failures == 1 && job.failure == "no" && job.notBefore == begin + 250)
    let view = try await runner.view()
    #expect(view.jobs.map(\.state) == [.waiting(blockedBy: [.time(begin + 250)])])
    #expect(view.jobs.map(\.failure) == ["no"])
    place.clock.set(to: begin + 249)
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["\(begin)"])
    place.clock.set(to: begin + 250)
    try await until(place.told, has: 2)
    try await runner.waitUntilIdle()
    place.clock.set(to: begin + 750)
    try await until(place.told, has: 3)
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["\(begin)", "\(begin + 250)", "\(begin + 750)"])
    #expect(try place.state(id) == .done)
    #expect(await runner.wakeUps == 2)
  }

  /// Programs that run for a moment each, as those of a command line do.
  @Test(arguments: [false, true]) func aClockSetBackPutsOffRetriesOnceAtMost(hasFailed: Bool) async throws {
    func run() async throws {
      let runner = try await place.runner(
        JobHandler(Work.self) { [told = place.told] _, context in
          told.add("work")
          if context.failures < 10 { throw Refusal.no }
          return .done
        },
        JobHandler(Gathering.self) { [told = place.told] _, _ in
          told.add("gathering")
          return .done
        })
      try await runner.waitUntilIdle()
      await runner.stop()
    }
    let id = try hasFailed ? place.add(Work(name: "a")) : place.add(Gathering(), .at(place.clock.now + 250))
    let dated = try place.add(Work(name: "dated"), .at(place.clock.now + 86_400_000))
    let date = try place.job(dated).notBefore
    try await run()
    let before = place.told.all.count
    place.clock.advance(by: -86_400_000)
    for _ in 0..<2 {
      try await run()
      #expect(place.told.all.count == before)
      place.clock.advance(by: 125)
    }
    try await run()
    #expect(place.told.all.count == before + 1)
    #expect(try place.state(id) == (hasFailed ? .waiting : .done))
    // Somebody chose that time.
    #expect(try place.job(dated).notBefore == date)
  }

  @Test func aDelayEndsInTimeThoughTheClockIsSetBack() async throws {
    let runner = try await place.runner(
      JobHandler(Gathering.self) { [told = place.told] _, _ in
        told.add("gathering")
        return .done
      })
    let end = place.clock.now + 3_600_000
    try place.add(Gathering(), .at(end))
    try await runner.waitUntilIdle()
    await place.clock.awaited(until: end)
    place.clock.setBack(by: 86_400_000)
    place.clock.advance(by: 3_600_000)
    try await until(place.told, has: 1)
    await runner.stop()
  }

  /// The second deferral comes in time for that, the third one is a failure when it does as well.
  @Test(arguments: [0, 1499, 1500]) func jobsThatDeferThemselvesRepeatedlyFail(rest: Int64) async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] _, _ in
        told.add("put off")
        throw JobDeferral(for: .milliseconds(rest))
      })
    let id = try place.add(Work(name: "a"))
    for round in 1...3 {
      try await until(place.told, has: round)
      try await runner.waitUntilIdle()
      if round < 3 { place.clock.advance(by: rest) }
    }
    let job = try place.job(id)
    #expect(job.state == .waiting && job.attempts == 3)
    #expect(job.failures == (rest < 1500 ? 1 : 0))
    #expect(job.failure == (rest < 1500 ? "it postponed itself too often" : nil))
    #expect(job.notBefore == place.clock.now + (rest < 1500 ? 250 : rest))
    await runner.stop()
  }

  @Test func restsAreLeftToChance() async throws {
    let runner = try JobRunner(
      place.database, [JobHandler(Work.self) { _, _ in throw Refusal.no }],
      environment: JobEnvironment(clock: place.clock, chance: { 0.5 }))
    try await runner.start()
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    #expect(try place.job(id).notBefore == place.clock.now + 225)
    await runner.stop()
  }

  /// Returns when so many words were told; what tells them runs already.
  private func until(_ told: Told, has count: Int) async throws {
    while told.all.count < count {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test func permanentFailuresAreRecordedInOneTransaction() async throws {
    let runner = try await place.runner(
      JobHandler(
        Work.self,
        ended: { job, end, transaction in
          _ = try transaction.appendEvent("\(job.name) \(end)", at: 1)
        },
        run: { job, _ in throw JobFailure(job.name == "a" ? .permanent : .retry(), "broken") }))
    let id = try place.add(Work(name: "a"))
    let waiter = try place.add(Work(name: "b"), .after(.job(id)))
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .failed && place.state(waiter) == .failed)
    #expect(try place.job(id).failure == "broken")
    #expect(try place.job(waiter).failure == "job \(id), which it waited for, failed: broken")
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9).map(\.kind)
    }
    #expect(
      events == [
        #"a failed("broken")"#, #"b failed("job \#(id), which it waited for, failed: broken")"#,
      ])
  }

  @Test func aHookThatFailsDoesNotKeepTheJobAlive() async throws {
    let runner = try await place.runner(
      JobHandler(
        Work.self, ended: { _, _, _ in throw Refusal.no },
        run: { _, _ in throw JobFailure(.permanent, "broken") }))
    let id = try place.add(Work(name: "a"))
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .failed)
    #expect(try place.job(id).failure == "broken; its failure could not be recorded: no")
  }

  @Test func aLongChainFailsAsAWhole() async throws {
    let last = try place.write { transaction in
      var id = try transaction.enqueue(Work(name: "first"), at: 1)
      for _ in 0..<3000 { id = try transaction.enqueue(Work(name: "next"), .after(.job(id)), at: 1) }
      return id
    }
    let runner = try await place.runner(
      JobHandler(Work.self) { _, _ in throw JobFailure(.permanent, "broken") })
    try await runner.waitUntilIdle()
    #expect(try place.state(last) == .failed)
  }

  // MARK: Stopping jobs

  @Test func jobCancelledWhileRunningWritesNothing() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] _, context in
        await gate.pass()
        do { try await context.write { transaction in _ = try transaction.appendEvent("late", at: 1) } } catch
        {
          told.add("\(type(of: error))")
        }
        return .done { transaction in _ = try transaction.appendEvent("later", at: 1) }
      })
    let id = try place.add(Work(name: "a"))
    await gate.reached()
    #expect(try await runner.cancel(id, because: "enough"))
    await gate.open()
    try await runner.waitUntilIdle()
    let job = try place.job(id)
    #expect(job.state == .cancelled && job.failure == "enough")
    #expect(place.told.all == ["CancellationError"])
    let events = try place.read { transaction in
      try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9)
    }
    #expect(events.isEmpty)
    #expect(try await !runner.cancel(id))
  }

  @Test func aDeadlineStopsWhatRuns() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Call.self) { _, context in
        await gate.pass()
        await context.cancelled()
        throw CancellationError()
      }, conditions: .network)
    let id = try place.add(Call(name: "a"))
    await gate.reached()
    await gate.open()
    place.clock.advance(by: 60_000)
    while try place.state(id) == .running, !Task.isCancelled { await Task.yield() }
    #expect(try place.job(id).failure == "its deadline passed while it ran")
    #expect(try place.state(id) == .failed)
    await runner.stop()
  }

  @Test func aDeadlineEndsWhatWaits() async throws {
    let runner = try await place.runner(JobHandler(Call.self) { _, _ in .done })
    let id = try place.add(Call(name: "a"))
    try await runner.waitUntilIdle()
    place.clock.advance(by: 60_000)
    while try place.state(id) == .waiting, !Task.isCancelled { await Task.yield() }
    #expect(try place.job(id).failure == "its deadline passed before it was done")
    await runner.stop()
  }

  @Test func higherPriorityPreemptsPreemptibleJobs() async throws {
    let runner = try await place.runner(
      JobHandler(Call.self) { [told = place.told] job, context in
        told.add(job.name)
        if job.name == "small" && context.attempt == 1 {
          await context.cancelled()
          throw CancellationError()
        }
        return .done
      }, conditions: .network)
    let small = try place.add(Call(name: "small"))
    try await until(place.told, has: 1)
    var request = JobRequest()
    request.priority = 1
    try place.add(Call(name: "large"), request)
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["small", "large", "small"])
    let job = try place.job(small)
    #expect(job.state == .done && job.attempts == 2 && job.failures == 0)
  }

  // MARK: Holding

  @Test func aPausedQueueHoldsItsJobsAlone() async throws {
    let runner = try await place.runner(
      JobHandler(Work.self) { _, _ in .done }, JobHandler(Single.self) { _, _ in .done })
    try await runner.pause(Work.queue)
    let held = try place.add(Work(name: "a"))
    let free = try place.add(Single(name: "b"))
    try await runner.waitUntilIdle()
    #expect(try place.state(held) == .waiting && place.state(free) == .done)
    let view = try await runner.view()
    #expect(view.pausedQueues == ["work"])
    #expect(view.jobs.map(\.state) == [.waiting(blockedBy: [.pausedQueue])])
    try await runner.resume(Work.queue)
    try await runner.waitUntilIdle()
    #expect(try place.state(held) == .done)
  }

  @Test func jobsWaitForTheirConditions() async throws {
    let runner = try await place.runner(JobHandler(Call.self) { _, _ in .done })
    let id = try place.add(Call(name: "a"))
    try await runner.waitUntilIdle()
    let view = try await runner.view()
    #expect(view.jobs.map(\.state) == [.waiting(blockedBy: [.conditions(.network)])])
    await runner.set(.network, to: true)
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
    #expect(await runner.conditions == .network)
  }

  @Test func failureWhileAConditionIsUnmetDoesNotCount() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Call.self) { _, context in
        await gate.pass()
        if context.attempt == 1 { throw Refusal.no }
        return .done
      }, conditions: .network)
    let id = try place.add(Call(name: "a"))
    await gate.reached()
    await runner.set(.network, to: false)
    await gate.open()
    try await runner.waitUntilIdle()
    let job = try place.job(id)
    #expect(job.state == .waiting && job.failures == 0 && job.failure == "no")
    await runner.set(.network, to: true)
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
  }

  @Test func anEventFreesWhatWaitsForIt() async throws {
    let runner = try await place.runner(JobHandler(Work.self) { _, _ in .done })
    let id = try place.add(Work(name: "a"), .after(.event("pushed")))
    try await runner.waitUntilIdle()
    #expect(try await runner.view().jobs.map(\.state) == [.waiting(blockedBy: [.event("pushed")])])
    try place.write { transaction in try transaction.fulfil(event: "pushed") }
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
  }

  @Test func recurringJobsWaitForTheirInterval() async throws {
    let runner = try await place.runner(
      JobHandler(Single.self) { [told = place.told, clock = place.clock] _, _ in
        told.add("\(clock.now)")
        return .done
      })
    let begin = place.clock.now
    let id = try place.add(Single(name: "a"), .every(.seconds(60)))
    try await runner.waitUntilIdle()
    // A start of the program asks for it again, and changes nothing.
    #expect(try place.add(Single(name: "a"), .every(.seconds(60))) == id)
    try await runner.waitUntilIdle()
    place.clock.set(to: begin + 60_000)
    try await until(place.told, has: 2)
    try await runner.waitUntilIdle()
    // Somebody who cannot wait.
    place.clock.advance(by: 5000)
    try place.add(Single(name: "a"))
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["\(begin)", "\(begin + 60_000)", "\(begin + 65_000)"])
    #expect(try place.job(id).notBefore == begin + 125_000)
  }

  @Test func jobEnqueuedWhileRunningRunsAgain() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Single.self) { [told = place.told] job, _ in
        told.add("\(job.numbers)")
        await gate.pass()
        return .done
      })
    let id = try place.add(Single(name: "a", numbers: [1]))
    await gate.reached()
    #expect(try place.add(Single(name: "a", numbers: [2])) == id)
    await gate.open()
    try await runner.waitUntilIdle()
    #expect(place.told.all == ["[1]", "[1, 2]"])
    #expect(try place.state(id) == .done)
  }

  // MARK: Watching

  @Test func anIdleRunnerWakesForNothing() async throws {
    let runner = try await place.runner(
      JobHandler(Call.self) { _, _ in .done }, JobHandler(Work.self) { _, _ in .done },
      JobHandler(Single.self) { _, _ in .done })
    try await runner.pause(Single.queue)
    for number in 0..<50 {
      try place.add(Work(name: "\(number)"), .after(.event("never")))
      try place.add(Single(name: "\(number)"), .at(place.clock.now + 10))
      var request = JobRequest.at(place.clock.now + 10)
      request.deadline = place.clock.now + 90_000
      try place.add(Call(name: "\(number)"), request)
    }
    try place.add(Work(name: "later"), .at(place.clock.now + 80_000))
    try await runner.waitUntilIdle()
    let (steps, wakeUps) = (await runner.steps, await runner.wakeUps)
    // The runner does not look at jobs that wait for something else when their time has come.
    place.clock.advance(by: 79_999)
    try await runner.waitUntilIdle()
    #expect(await runner.wakeUps == wakeUps)
    #expect(await runner.steps == steps + 1, "the question whether it is idle is the only one")
    #expect(try await runner.view(limit: 10).jobs.count == 10)
  }

  @Test func progressIsShown() async throws {
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Work.self) { _, context in
        context.report(0.25)
        context.report(0.5)
        context.report(7)
        context.report(.nan)
        context.report(0.75)
        await gate.pass()
        return .done
      })
    let id = try place.add(Work(name: "a"))
    await gate.reached()
    let since = place.clock.now
    #expect(try await runner.view().jobs.map(\.state) == [.running(since: since, progress: 0.75)])
    while try place.job(id).progress == nil, !Task.isCancelled { await Task.yield() }
    await gate.open()
    try await runner.waitUntilIdle()
  }

  @Test func progressIsNotWrittenAllTheTime() {
    let state = JobState(clock: place.clock) { [told = place.told] in told.add("\($0)") }
    for progress in [0.1, 0.2, 0.3] { state.report(progress) }
    place.clock.advance(by: JobState.pause)
    for progress in [0.4, 0.5, 1] { state.report(progress) }
    state.end()
    place.clock.advance(by: JobState.pause)
    state.report(0.6)
    #expect(place.told.all == ["0.1", "0.4", "1.0"])
  }

  @Test func viewsFollowWhatHappens() async throws {
    let runner = try await place.runner(JobHandler(Call.self) { _, _ in .done })
    var views = runner.views().makeAsyncIterator()
    #expect(try await views.next()?.jobs.isEmpty == true)
    try place.add(Call(name: "a"))
    #expect(try await views.next()?.jobs.map(\.kind) == ["call"])
    await runner.set(.network, to: true)
    var view = try await views.next()
    while let unfinished = view, unfinished.counts[.done] != 1 { view = try await views.next() }
    #expect(view?.conditions == .network)
    await runner.stop()
    try place.database.close()
    while let last = try? await views.next() { _ = last }
  }
}

extension JobContext {
  /// Returns when the job is cancelled.
  func cancelled() async {
    while !Task.isCancelled { await Task.yield() }
  }
}
