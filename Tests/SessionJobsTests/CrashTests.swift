import FailingStorage
import SessionStorage
import Testing

@testable import SessionJobs

/// The program ends, or the disk fails, at every single write of a step that begins jobs and writes down how others
/// ended: either all of the step has happened, or nothing of it.
@Suite(.timeLimit(.minutes(5))) struct CrashTests {
  private let fuse = FailingConnection.Fuse()
  private let database: Database
  private let catalogue: JobCatalogue

  init() throws {
    database = try .failing(fuse)
    catalogue = try JobCatalogue([
      JobHandler(
        Work.self,
        ended: { job, end, transaction in _ = try transaction.appendEvent("ended \(job.name)", at: 1) },
        run: { _, _ in .done }),
      JobHandler(Single.self) { _, _ in .done }, JobHandler(Shot.self) { _, _ in .done },
    ])
  }

  /// The rows of jobs in the database.
  private struct Content: Equatable {
    let jobs: [JobRecord]
    let waits: [JobWait]
    let effects: [JobEffect]
    let events: [String]
  }

  private func content() throws -> Content {
    try database.read { transaction in
      var jobs: [JobRecord] = []
      for state in JobRecord.State.allCases { jobs += try transaction.jobs(state, limit: 100) }
      var effects: [JobEffect] = []
      for job in jobs { effects += try transaction.effects(of: job.id) }
      let events = try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 100).map(\.kind)
      return Content(jobs: jobs, waits: try transaction.jobWaits(), effects: effects, events: events)
    }
  }

  private func makeScheduler(_ name: String) -> JobScheduler {
    JobScheduler(catalogue, runner: name, conditions: [], chance: { 0 })
  }

  private func add() throws {
    try database.write { transaction in
      let work = try transaction.enqueue(Work(name: "written"), at: 1)
      try transaction.enqueue(Work(name: "failing"), at: 1)
      let lost = try transaction.enqueue(Work(name: "lost"), at: 1)
      try transaction.enqueue(Work(name: "after"), .after(.job(work)), at: 1)
      try transaction.enqueue(Work(name: "doomed"), .after(.job(lost)), at: 1)
      try transaction.enqueue(Single(name: "recurring"), .every(.seconds(60)), at: 1)
      try transaction.enqueue(Single(name: "unreadable"), at: 1)
      try transaction.enqueue(Shot(name: "first"), at: 1)
      try transaction.enqueue(Shot(name: "second"), at: 1)
    }
  }

  /// How the attempts ended, by the names of the jobs.
  private func mail(_ scheduler: JobScheduler) throws -> JobScheduler.Mail {
    var mail = JobScheduler.Mail()
    for (id, attempt) in scheduler.attempts.sorted(by: { $0.key < $1.key }) {
      let text = String(decoding: attempt.record.payload, as: UTF8.self)
      let conclusion: JobConclusion =
        if text.contains("failing") {
          .failed(Refusal.no)
        } else if text.contains("lost") {
          .failed(JobFailure(.permanent, "lost"))
        } else if text.contains("unreadable") {
          .unreadable("garbage")
        } else {
          .succeeded(.done { transaction in _ = try transaction.appendEvent("done \(id)", at: 1) })
        }
      mail.conclusions.append((id, conclusion))
    }
    return mail
  }

  private func step(_ scheduler: inout JobScheduler, _ mail: JobScheduler.Mail, at now: Int64) throws
    -> JobScheduler.Orders
  {
    try database.write { transaction in try scheduler.step(transaction, mail, at: now) }
  }

  private func open(_ scheduler: inout JobScheduler, at now: Int64) throws {
    try database.write { transaction in try scheduler.open(transaction, at: now) }
  }

  @Test(arguments: [true, false]) func aStepHappensWhollyOrNotAtAll(goesOn: Bool) throws {
    try add()
    var scheduler = makeScheduler("one")
    try open(&scheduler, at: 1000)
    let added = try content()
    // Beginning: at each write in turn.
    var writes = 0
    while true {
      let mark = scheduler.mark
      fuse.set(writes)
      let orders = try? step(&scheduler, JobScheduler.Mail(), at: 1000)
      fuse.set(nil)
      guard orders == nil else { break }
      #expect(try content() == added, "write \(writes)")
      scheduler.revert(to: mark)
      if !goesOn {
        scheduler = makeScheduler("one")
        try open(&scheduler, at: 1000)
      }
      writes += 1
    }
    #expect(writes > 6, "the jobs that begin, and the commit")
    let begun = try content()
    #expect(begun.jobs.count { $0.state == .running } == 6)
    // Ending: at each write in turn.
    let mail = try mail(scheduler)
    writes = 0
    while true {
      let mark = scheduler.mark
      fuse.set(writes)
      let orders = try? step(&scheduler, mail, at: 2000)
      fuse.set(nil)
      guard orders == nil else { break }
      #expect(try content() == begun, "write \(writes)")
      scheduler.revert(to: mark)
      writes += 1
    }
    #expect(writes > 15, "how the jobs ended, what that means for others, and the commit")
    let ended = try content()
    #expect(
      ended.jobs.map(\.state)
        == [.waiting, .waiting, .running, .running, .done, .done, .failed, .failed, .setAside])
    #expect(ended.events.count == 5, "two of three done with something to write, and two that failed")
  }

  /// The program ends with jobs at work: only what may be begun twice is.
  @Test func onlyWhatMayBeRepeatedIs() throws {
    try add()
    var scheduler = makeScheduler("one")
    try open(&scheduler, at: 1000)
    let before = try step(&scheduler, JobScheduler.Mail(), at: 1000).starts.map(\.id)
    var writes = 0
    let running = try content()
    while true {
      var next = makeScheduler("two")
      fuse.set(writes)
      let isOpen = (try? open(&next, at: 2000)) != nil
      fuse.set(nil)
      guard !isOpen else {
        scheduler = next
        break
      }
      #expect(try content() == running, "write \(writes)")
      writes += 1
    }
    #expect(writes > 6, "the jobs that were at work")
    let after = try step(&scheduler, JobScheduler.Mail(), at: 2000).starts
    let again = after.filter { before.contains($0.id) }
    #expect(again.count == before.count - 1 && !again.contains { $0.kind == Shot.kind })
    let shots = try content().jobs.filter { $0.kind == Shot.kind }
    #expect(shots.map(\.state) == [.running, .failed])
  }

  /// Reported results are on the disk before the report, and so is the start of an effect that must not start
  /// twice.
  @Test func reportedResultsAreDurable() async throws {
    let place = JobPlace(database)
    func run(_ handler: JobHandler, _ add: () throws -> Void, _ count: Int) async throws {
      let runner = try await place.runner(handler)
      try add()
      while place.told.all.count < count, !Task.isCancelled { await Task.yield() }
      try await runner.waitUntilIdle()
      await runner.stop()
    }
    try await run(
      JobHandler(Shot.self) { [told = place.told, fuse] _, _ in
        told.add("a shot was begun: \(fuse.isDurable)")
        return .done
      }, { try place.add(Shot()) }, 1)
    try await run(
      JobHandler(Work.self) { [told = place.told, fuse] _, _ in
        .done { _ in told.add("work was done: \(fuse.isDurable)") }
      }, { try place.add(Work(name: "a")) }, 2)
    #expect(place.told.all == ["a shot was begun: true", "work was done: true"])
  }

  /// While nothing can be written, the runner tries again, loses no result, and does nothing twice.
  @Test func aRunnerOutlivesTrouble() async throws {
    let place = JobPlace(database)
    let gate = Gate()
    let runner = try await place.runner(
      JobHandler(Work.self) { [told = place.told] _, _ in
        told.add("begun")
        await gate.pass()
        return .done { transaction in _ = try transaction.appendEvent("done", at: 1) }
      })
    let id = try place.add(Work(name: "a"))
    await gate.reached()
    fuse.set(0)
    await gate.open()
    while await runner.trouble == nil, !Task.isCancelled { await Task.yield() }
    #expect(await runner.trouble == "the disk has gone")
    #expect(try place.state(id) == .running)
    fuse.set(nil)
    place.clock.advance(by: 249)
    // It does not try again before its time, whatever happens.
    await runner.set(.network, to: true)
    #expect(await runner.trouble != nil)
    place.clock.advance(by: 1)
    try await runner.waitUntilIdle()
    #expect(try place.state(id) == .done)
    #expect(await runner.trouble == nil)
    #expect(place.told.all == ["begun"])
    #expect(try content().events == ["done"])
    await runner.stop()
  }
}
