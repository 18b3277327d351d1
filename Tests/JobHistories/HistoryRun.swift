import SessionJobs
public import SessionStorage

/// Lets a history happen to a real database and to the model, and compares them after each step.
public final class HistoryRun {
  /// A difference between the database and the model.
  public struct Difference: Error, CustomStringConvertible {
    public let description: String
  }

  private struct Refusal: Error {}

  private let database: Database
  private let requests: Observation
  private var scheduler: JobScheduler
  private var model = Model()
  private var now: Int64 = 1_000_000_000
  private var runs = 0
  private var mail = JobScheduler.Mail()
  /// How the attempts ended that the model is to be told of.
  private var endings: [(id: Int64, ending: HistoryEvent.Ending)] = []

  /// The database is emptied of jobs first.
  public init(_ database: Database) throws {
    self.database = database
    try database.write { transaction in
      _ = try transaction.run("DELETE FROM jobDependency")
      _ = try transaction.run("DELETE FROM job")
      _ = try transaction.run("DELETE FROM event")
      _ = try transaction.run("DELETE FROM setting")
    }
    requests = database.observations.observe(.jobRequests)
    scheduler = try Self.makeScheduler(0, hasNetwork: true)
    try open()
  }

  private static func makeScheduler(_ number: Int, hasNetwork: Bool) throws -> JobScheduler {
    JobScheduler(
      try JobCatalogue(HistoryKinds.handlers()), runner: "runner \(number)",
      conditions: hasNetwork ? .network : [], chance: { 0 })
  }

  private func open() throws {
    try database.write(.relaxed) { transaction in try scheduler.open(transaction, at: now) }
    model.crash(at: now)
  }

  /// Runs a history, and then lets everything come to its end. Throws what is wrong.
  public static func run(_ events: [HistoryEvent], on database: Database) throws {
    let run = try HistoryRun(database)
    for event in events { try run.happen(event) }
    try run.drain()
  }

  // MARK: Events

  private func happen(_ event: HistoryEvent) throws {
    switch event {
    case .add(let addition): try add(addition)
    case .finish(let which, let ending):
      let running = model.attempts.keys.sorted().filter { id in !endings.contains { $0.id == id } }
      guard !running.isEmpty else { return }
      finish(running[which % running.count], ending)
    case .cancel(let which):
      guard let id = some(which) else { return }
      try database.write(.relaxed) { transaction in
        _ = try transaction.cancel(JobRecord.ID(rawValue: id), at: now)
      }
      model.cancel(id)
    case .delete(let which):
      guard let id = some(which) else { return }
      try database.write(.relaxed) { transaction in try transaction.deleteJob(JobRecord.ID(rawValue: id)) }
      model.delete(id)
    case .fulfil(let event):
      try database.write(.relaxed) { transaction in try transaction.fulfil(event: "\(event)") }
      model.fulfil(event)
    case .tick(let rest):
      now += rest
      try tick()
    case .jump(let distance): now += distance
    case .network(let isThere):
      scheduler.schedule.setConditions(isThere ? .network : [])
      model.hasNetwork = isThere
    case .pause(let queue):
      try database.write(.relaxed) { transaction in
        try scheduler.keep(isPaused: true, Self.number(of: queue), transaction)
      }
      scheduler.schedule.pause(Self.number(of: queue))
      model.paused.insert(queue)
    case .resume(let queue):
      try database.write(.relaxed) { transaction in
        try scheduler.keep(isPaused: false, Self.number(of: queue), transaction)
      }
      scheduler.schedule.resume(Self.number(of: queue))
      model.paused.remove(queue)
    case .everything:
      mail.isEverything = true
      model.isEverything = true
    case .crash: try crash()
    case .crashInStep:
      collect()
      try failStep()
      try crash()
    case .failInStep:
      collect()
      let before = scheduler.mark
      try failStep()
      scheduler.revert(to: before)
      model.isEverything = true
    }
  }

  /// The number of a queue in the runner, which orders them by their kinds.
  private static func number(of queue: Int) -> Int { [0, 1, 2][queue] }

  private func some(_ which: Int) -> Int64? {
    let ids = model.ids
    return ids.isEmpty ? nil : ids[which % ids.count]
  }

  private func add(_ addition: HistoryEvent.Addition) throws {
    let task = HistoryTask(key: addition.key, partition: addition.partition)
    let merged = model.jobs.values.first {
      $0.kind == addition.kind && task.key != nil && $0.task.key == task.key
        && [.waiting, .running].contains($0.state)
    }
    let dependencies = addition.dependencies.compactMap(chosen)
    var request = JobRequest()
    request.priority = addition.priority
    request.dependencies = dependencies.map(Self.dependency)
    request.needsAny = addition.needsAny
    request.notBefore = addition.delay.map { now + $0 }
    request.deadline = addition.deadline.map { now + $0 }
    request.interval = addition.interval.map { .milliseconds($0) }
    request.conditions = addition.needsNetwork ? .network : []
    do {
      let id = try database.write(.relaxed) { transaction in
        try transaction.enqueue(addition.kind, task, request, at: now)
      }
      if let merged, merged.id != id.rawValue {
        throw Difference(description: "a second request was not merged")
      }
      if let merged, model.wouldCycle(merged, addition, dependencies) {
        throw Difference(description: "jobs that wait for each other were not refused")
      }
      model.add(addition, dependencies, as: id.rawValue, at: now)
    } catch JobError.Code.conflictingDependencies {
      guard let merged, merged.needsAny != addition.needsAny,
        !merged.waitsFor.isEmpty || !merged.events.isEmpty
      else { throw Difference(description: "dependencies were refused without need") }
    } catch JobError.Code.cyclicDependency {
      guard let merged, model.wouldCycle(merged, addition, dependencies) else {
        throw Difference(description: "jobs that do not wait for each other were refused")
      }
    }
  }

  /// A dependency on a job that there is, with its number.
  private func chosen(_ dependency: HistoryEvent.Dependency) -> HistoryEvent.Dependency? {
    switch dependency {
    case .event: dependency
    case .done(let which): some(which).map { .done(Int($0)) }
    case .over(let which): some(which).map { .over(Int($0)) }
    }
  }

  private static func dependency(_ chosen: HistoryEvent.Dependency) -> JobDependency {
    switch chosen {
    case .done(let id): .job(JobRecord.ID(rawValue: Int64(id)))
    case .over(let id): .end(JobRecord.ID(rawValue: Int64(id)))
    case .event(let event): .event("\(event)")
    }
  }

  private func finish(_ id: Int64, _ wanted: HistoryEvent.Ending) {
    var ending = wanted
    if case .deferred(let rest, let dependency) = wanted {
      ending = .deferred(rest, on: dependency.flatMap(chosen))
    }
    endings.append((id, ending))
    mail.conclusions.append((JobRecord.ID(rawValue: id), Self.conclusion(ending)))
  }

  private static func conclusion(_ ending: HistoryEvent.Ending) -> JobConclusion {
    switch ending {
    case .done: .succeeded(.done)
    case .written:
      .succeeded(.done { transaction in _ = try transaction.appendEvent("written", at: 1) })
    case .writingFails:
      .succeeded(
        .done { transaction in
          _ = try transaction.appendEvent("written", at: 1)
          throw JobFailure(.retry(), "no")
        })
    case .again(let rest): .succeeded(.again(after: .milliseconds(rest)))
    case .failed: .failed(JobFailure(.retry(), "no"))
    case .failedForGood: .failed(JobFailure(.permanent, "never"))
    case .failedLong(let rest): .failed(JobFailure(.retry(after: .milliseconds(rest)), "busy"))
    case .deferred(let rest, let chosen):
      .failed(JobDeferral(for: .milliseconds(rest), after: [chosen].compactMap { $0.map(dependency) }))
    case .unreadable: .unreadable("it is garbage")
    case .abandoned: .abandoned
    }
  }

  // MARK: Steps

  private func collect() {
    guard let changes = requests.fetch() else { return }
    for key in changes.changes.keys {
      if case .row(let id)? = key.subject {
        mail.requests.insert(JobRecord.ID(rawValue: id))
      } else {
        mail.isEverything = true
        model.isEverything = true
      }
    }
  }

  private func tick() throws {
    collect()
    let sent = mail
    mail = JobScheduler.Mail()
    let orders = try database.write(.relaxed) { transaction in try scheduler.step(transaction, sent, at: now)
    }
    model.tick(at: now, endings)
    endings = []
    try expect(orders.starts.map(\.id.rawValue), model.starts, "what begins")
    try expect(orders.stops.map(\.id.rawValue), model.stops, "what is to stop")
    try expect(scheduler.schedule.nextWake(), model.nextWake(at: now), "when to look again")
    try compare()
  }

  private func failStep() throws {
    do {
      try database.write(.relaxed) { transaction in
        _ = try scheduler.step(transaction, mail, at: now)
        throw Refusal()
      }
    } catch is Refusal {}
  }

  private func crash() throws {
    runs += 1
    mail = JobScheduler.Mail()
    _ = requests.fetch()
    endings = []
    scheduler = try Self.makeScheduler(runs, hasNetwork: model.hasNetwork)
    try open()
    try compare()
  }

  /// Runs until every job is over: no job is forgotten, and no job waits for itself.
  private func drain() throws {
    try happen(.network(true))
    for queue in HistoryRules.queues.indices { try happen(.resume(queue)) }
    for _ in 0..<200 {
      for event in 0...1 { try happen(.fulfil(event)) }
      try tick()
      guard model.jobs.values.contains(where: { isToCome($0) }) else { return }
      for id in model.attempts.keys.sorted() { finish(id, .done) }
      if model.attempts.isEmpty, let next = model.nextWake(at: now) { now = max(now, next) }
    }
    let left = model.jobs.values.filter { isToCome($0) }.map(\.id).sorted()
    throw Difference(description: "jobs \(left) never come to an end")
  }

  /// True if a job must still end: not if it or its dependency is unreadable or recurring.
  private func isToCome(_ job: Model.Job) -> Bool {
    switch job.state {
    case .running: return true
    case .waiting:
      return job.interval == nil
        && !job.waitsFor.keys.contains { id in
          guard let other = model.jobs[id] else { return false }
          return other.state == .setAside || (other.state == .waiting && !isToCome(other))
        }
    default: return false
    }
  }

  // MARK: Comparing

  private func compare() throws {
    let (rows, waits, written) = try database.read { transaction in
      var rows: [JobRecord] = []
      for state in JobRecord.State.allCases { rows += try transaction.jobs(state, limit: .max) }
      let written: Int = try transaction.value("SELECT count(*) FROM event") ?? 0
      return (
        rows.sorted { $0.id < $1.id }, Dictionary(grouping: try transaction.jobWaits(), by: \.job), written
      )
    }
    try expect(rows.map(\.id.rawValue), model.ids, "which jobs there are")
    for row in rows {
      guard let job = model.jobs[row.id.rawValue] else { continue }
      let name = "job \(row.id)"
      try expect(row.state, job.state, "the state of \(name)")
      try expect(row.attempts, job.attempts, "the attempts of \(name)")
      try expect(row.runner != nil, job.state == .running, "whether somebody is at \(name)")
      if [.failed, .cancelled, .setAside].contains(row.state), row.failure?.isEmpty ?? true {
        throw Difference(description: "\(name) ended without a reason")
      }
      guard row.state == .waiting else { continue }
      try expect(row.failures, job.failures, "the failures of \(name)")
      try expect(row.interruptions, job.interruptions, "the interruptions of \(name)")
      try expect(row.deferrals, job.deferrals, "the deferrals of \(name)")
      try expect(row.notBefore, job.notBefore, "the time of \(name)")
      try expect(row.deadline, job.deadline, "the deadline of \(name)")
      let waits = waits[row.id] ?? []
      try expect(
        Set(waits.compactMap { $0.dependency.job }), Set(job.waitsFor.keys), "which jobs \(name) waits for")
      try expect(
        Set(waits.compactMap { $0.dependency.event }), Set(job.events.map { "\($0)" }),
        "which events \(name) waits for")
    }
    try expect(written, model.written, "how many results were written")
  }

  private func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
    guard found != wanted else { return }
    throw Difference(description: "\(what): \(found), and should be \(wanted)")
  }
}

extension JobDependency {
  fileprivate var job: Int64? {
    switch self {
    case .job(let id), .end(let id): id.rawValue
    case .event: nil
    }
  }

  fileprivate var event: String? {
    if case .event(let event) = self { event } else { nil }
  }
}
