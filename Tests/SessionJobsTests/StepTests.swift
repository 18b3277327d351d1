import SessionStorage
import Testing

@testable import SessionJobs

/// One step of a runner starts and ends jobs.
@Suite struct StepTests {
  private let place: JobPlace

  init() throws { place = try JobPlace() }

  private struct Small: JobKind {
    static let kind = "small"
    static let queue = JobQueue("small")
  }

  @Test func aStepBeginsNoMoreThanItMayOfEachQueueInTurn() throws {
    let catalogue = try JobCatalogue([
      JobHandler(Single.self) { _, _ in .done }, JobHandler(Small.self) { _, _ in .done },
    ])
    var scheduler = JobScheduler(catalogue, runner: "one", conditions: [], chance: { 0 })
    try place.write { transaction in
      for number in 0..<JobScheduler.maxClaims { try transaction.enqueue(Single(name: "\(number)"), at: 1) }
      for _ in 0..<JobScheduler.maxClaims { try transaction.enqueue(Small(), at: 1) }
      try scheduler.open(transaction, at: 1)
    }
    let orders = try place.write { transaction in try scheduler.step(transaction, JobScheduler.Mail(), at: 1)
    }
    #expect(orders.isPartial)
    #expect(orders.starts.count == JobScheduler.maxClaims)
    #expect(orders.starts.count { $0.kind == Small.kind } == JobScheduler.maxClaims / 2)
    let rest = try place.write { transaction in try scheduler.step(transaction, JobScheduler.Mail(), at: 1) }
    #expect(
      rest.starts.count == JobScheduler.maxClaims && rest.starts.allSatisfy { !orders.starts.contains($0) })
  }

  private struct Flexible: JobKind {
    static let kind = "flexible"
    static let queue = JobQueue("flexible", concurrency: 2)
    static let isPreemptible = true
  }

  @Test func oneGivesWayToOneOfAHigherPriority() throws {
    var scheduler = JobScheduler(
      try JobCatalogue([JobHandler(Flexible.self) { _, _ in .done }]), runner: "one", conditions: [],
      chance: { 0 })
    func step(_ requests: Set<JobRecord.ID>) throws -> JobScheduler.Orders {
      var mail = JobScheduler.Mail()
      mail.requests = requests
      return try place.write { transaction in try scheduler.step(transaction, mail, at: 1) }
    }
    try place.write { transaction in try scheduler.open(transaction, at: 1) }
    let ids = [try place.add(Flexible()), try place.add(Flexible()), try place.add(Flexible())]
    let equal = try step(Set(ids))
    #expect(equal.starts.map(\.id) == Array(ids.prefix(2)) && equal.stops.isEmpty)
    var urgent = JobRequest()
    urgent.priority = 1
    let others = [try place.add(Flexible(), urgent), try place.add(Flexible(), urgent)]
    let orders = try step(Set(others))
    #expect(orders.starts.isEmpty && orders.stops.map(\.id) == [ids[1]])
    #expect(orders.stops.map(\.reason) == [.preempted])
    #expect(try step([]).stops.isEmpty)
  }

  /// A job was cancelled and has ended, and the runner hears of its end first.
  @Test(arguments: [true, false]) func unnoticedCancellationWritesNothing(isDeleted: Bool) throws {
    let catalogue = try JobCatalogue([JobHandler(Work.self) { _, _ in .done }])
    var scheduler = JobScheduler(catalogue, runner: "one", conditions: [], chance: { 0 })
    let id = try place.add(Work(name: "a"))
    try place.write { transaction in
      try scheduler.open(transaction, at: 1)
      _ = try scheduler.step(transaction, JobScheduler.Mail(), at: 1)
      if isDeleted {
        try transaction.deleteJob(id)
      } else {
        _ = try transaction.cancel(id, because: "enough", at: 2)
      }
    }
    var mail = JobScheduler.Mail()
    mail.conclusions = [
      (id, .succeeded(.done { transaction in _ = try transaction.appendEvent("late", at: 1) }))
    ]
    _ = try place.write { transaction in try scheduler.step(transaction, mail, at: 3) }
    let (job, events) = try place.read { transaction in
      (try transaction.job(id), try transaction.events(after: EventRecord.ID(rawValue: 0), limit: 9))
    }
    #expect(events.isEmpty)
    #expect(isDeleted ? job == nil : job?.state == .cancelled && job?.failure == "enough")
  }
}
