import SessionBase
package import SessionStorage

/// The decisions of a runner and their rows: each step is one transaction. It knows no clock and no task; its
/// inputs are the time and the ends of attempts, its outputs the jobs to start and stop.
///
/// If a transaction fails, its step has no effect, and `revert` restores the state in memory.
package struct JobScheduler {
  /// The number of consecutive runs during which the program may have ended: the job itself may be the cause.
  package static let maxInterruptions = 10
  /// The number of jobs that one step starts, so that other writers get their turn.
  package static let maxClaims = 64
  /// How long done and cancelled jobs remain visible.
  package static let keptFor: Int64 = 3_600_000

  /// Events since the last step.
  package struct Mail {
    package var conclusions: [(id: JobRecord.ID, conclusion: JobConclusion)] = []
    /// Jobs that others changed.
    package var requests: Set<JobRecord.ID> = []
    /// True if there are more than those.
    package var isEverything = false

    package init() {}

    package var isEmpty: Bool { conclusions.isEmpty && requests.isEmpty && !isEverything }
  }

  /// The work after the transaction is committed.
  package struct Orders {
    /// Jobs to start, with their payloads.
    package var starts: [JobRecord] = []
    /// Running jobs to stop.
    package var stops: [(id: JobRecord.ID, reason: StopReason)] = []
    /// True if there are more jobs to start.
    package var isPartial = false
  }

  /// The reason to stop a running job.
  package enum StopReason: Hashable, Sendable {
    /// The job has ended: cancelled or deleted.
    case cancelled
    case deadline
    /// A job of a higher priority needs its place.
    case preempted
    case shutdown
  }

  struct Attempt {
    let record: JobRecord
    var stopReason: StopReason?
  }

  /// What a job writes cannot be stored, so that the step has to be repeated with care.
  struct NeedsCare: Error {}

  let catalogue: JobCatalogue
  /// True if a job whose result cannot be stored fails alone: each result is then stored in a savepoint, for which the
  /// database encrypts every page that changes. Hardly ever one cannot be.
  package var isCareful = true
  /// The mark of this runner in the rows of its jobs.
  let runner: String
  package var schedule: Schedule
  var attempts: [JobRecord.ID: Attempt] = [:]
  /// From 0 to 1, for backoffs.
  let chance: @Sendable () -> Double
  private var lastTime: Int64 = .min
  private var forgottenAt: Int64 = .min
  private var needsReload = false
  /// Ended jobs whose dependents must be updated.
  var overs = Heap<JobOver>()

  package init(
    _ catalogue: JobCatalogue, runner: String, conditions: JobConditions,
    chance: @escaping @Sendable () -> Double
  ) {
    self.catalogue = catalogue
    self.runner = runner
    self.chance = chance
    schedule = Schedule(catalogue.scheduleRules, conditions: conditions)
  }
}

// MARK: - Steps

extension JobScheduler {
  /// Starts: takes over jobs of an earlier runner and loads the waiting ones.
  package mutating func open(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    try recoverRunning(transaction, at: now)
    try releaseSetAside(transaction)
    try rebaseWaiting(transaction, at: now)
    try reload(transaction, at: now)
    try tellWaiters(transaction, at: now)
    lastTime = now
  }

  /// Records that the clock shows `now` after a wait that should have ended at `time`: the difference is how far it
  /// was set back.
  package mutating func noteWait(until time: Int64, endedAt now: Int64) {
    guard now < lastTime else { return }
    schedule.rebase(to: now, correction: time - now)
    lastTime = now
  }

  /// True if a step without events has work to do.
  package mutating func isDue(at now: Int64) -> Bool {
    needsReload || now < lastTime || schedule.nextWake().map { $0 <= now } ?? false || schedule.hasReady
  }

  package mutating func step(
    _ transaction: borrowing WriteTransaction, _ mail: Mail, at now: Int64, mayStart: Bool = true
  ) throws -> Orders {
    var orders = Orders()
    if now < lastTime { schedule.rebase(to: now) }
    lastTime = now
    // Read the commits that precede the end of an attempt before the attempt counts as ended. Absorb all news before
    // acting on it, so that the result does not depend on the order in which it came.
    if mail.isEverything || needsReload {
      try reload(transaction, at: now)
      for id in attempts.keys.sorted() { try absorb(id, transaction, &orders, at: now) }
      needsReload = false
    } else {
      for id in mail.requests.sorted() { try absorb(id, transaction, &orders, at: now) }
    }
    try tellWaiters(transaction, at: now)
    for (id, conclusion) in mail.conclusions { try conclude(id, conclusion, transaction, at: now) }
    try tellWaiters(transaction, at: now)
    for id in schedule.overdue(at: now) { try expire(id, transaction, &orders, at: now) }
    try tellWaiters(transaction, at: now)
    if mayStart {
      try claim(transaction, &orders, at: now)
      for id in schedule.preempt() { stop(id, .preempted, &orders) }
    }
    try forget(transaction, at: now)
    return orders
  }

  /// The state that cannot be read from the database.
  package struct Mark {
    let attempts: [JobRecord.ID: Attempt]
    let isOpen: Bool
    let turn: Int
  }

  package var mark: Mark { Mark(attempts: attempts, isOpen: schedule.isOpen, turn: schedule.turn) }

  /// Restores the state before a step whose transaction failed.
  package mutating func revert(to mark: Mark) {
    attempts = mark.attempts
    overs = Heap<JobOver>()
    schedule.isOpen = mark.isOpen
    schedule.turn = mark.turn
    needsReload = true
    // Undo the starts and ends of this step; the reload reads the rest.
    for id in schedule.running.keys where attempts[id] == nil { schedule.end(id) }
    schedule.forgetYielding()
    for (id, attempt) in attempts where schedule.running[id] == nil {
      if let job = scheduled(attempt.record) { schedule.resumeRunning(job) }
    }
  }

  private mutating func claim(
    _ transaction: borrowing WriteTransaction, _ orders: inout Orders, at now: Int64
  ) throws {
    while let id = schedule.pick(at: now) {
      guard try transaction.claimJob(id, for: runner, at: now), let record = try transaction.job(id) else {
        schedule.end(id)
        continue
      }
      attempts[id] = Attempt(record: record)
      orders.starts.append(record)
      guard orders.starts.count < Self.maxClaims else {
        orders.isPartial = true
        return
      }
    }
  }

  mutating func stop(_ id: JobRecord.ID, _ reason: StopReason, _ orders: inout Orders) {
    guard attempts[id] != nil, attempts[id]?.stopReason == nil else { return }
    attempts[id]?.stopReason = reason
    orders.stops.append((id, reason))
  }

  /// Asks all running jobs to stop, because the program stops.
  package mutating func stopAll() -> Orders {
    var orders = Orders()
    for id in attempts.keys.sorted() { stop(id, .shutdown, &orders) }
    return orders
  }

  /// Keeps that a queue is paused, or is not any more.
  package func keep(isPaused: Bool, _ queue: Int, _ transaction: borrowing WriteTransaction) throws {
    try transaction.set(isPausedSetting(queue), to: isPaused ? true : nil)
  }

  private mutating func readPauses(_ transaction: borrowing WriteTransaction) throws {
    schedule.pausedQueues = []
    for queue in catalogue.queues.indices where try transaction.value(of: isPausedSetting(queue)) == true {
      schedule.pause(queue)
    }
  }

  private func isPausedSetting(_ queue: Int) -> Setting<Bool> {
    Setting("jobs.isPaused.\(catalogue.queues[queue].name)")
  }

  private mutating func forget(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    guard now >= forgottenAt.later(by: Self.keptFor / 60) || now < forgottenAt else { return }
    forgottenAt = now
    try transaction.deleteJobs(finishedBefore: now - Self.keptFor)
  }
}

// MARK: - What others did

extension JobScheduler {
  /// Updates a job that another writer added, changed, ended or deleted.
  private mutating func absorb(
    _ id: JobRecord.ID, _ transaction: borrowing WriteTransaction, _ orders: inout Orders, at now: Int64
  ) throws {
    let record = try transaction.jobSummary(id)
    if attempts[id] != nil {
      if record?.state == .running && record?.runner == runner { return }
      stop(id, .cancelled, &orders)
    } else if let record, record.state == .waiting {
      try admit(record, try transaction.waits(of: id), transaction, at: now)
      return
    } else {
      schedule.remove(id)
    }
    if let record, let over = JobOver(record) { note(over) }
  }

  /// Stores the times of jobs that were computed before the clock was set back. Otherwise each start would delay
  /// them again, and a program that never runs for long would not reach them.
  private func rebaseWaiting(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    var rebased: [ScheduledJob] = []
    try transaction.forEachWaitingJob { record in
      if let job = scheduled(record), job.reckonedAt ?? now > now { rebased.append(job.rebased(to: now)) }
    }
    for job in rebased {
      try transaction.rebaseJob(job.id, notBefore: job.notBefore, startedAt: now)
    }
  }

  /// Reads everything that waits.
  private mutating func reload(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    schedule.removeAllWaiting()
    overs = Heap()
    try readPauses(transaction)
    var waits: [JobRecord.ID: [JobWait]] = [:]
    for wait in try transaction.jobWaits() { waits[wait.job, default: []].append(wait) }
    var unreadable: [JobRecord] = []
    var found: Set<JobRecord.ID> = []
    try transaction.forEachWaitingJob { record in
      guard let job = scheduled(record) else { return unreadable.append(record) }
      let waits = waits[record.id] ?? []
      schedule.put(job.rebased(to: now), waits: JobWaits(waits, needsAny: record.needsAny))
      found.formUnion(waits.compactMap(\.over))
    }
    for record in unreadable { try setAside(record, transaction, at: now) }
    for id in found { try note(overOf: id, transaction) }
  }

  /// Takes in a job that waits.
  mutating func admit(
    _ record: JobRecord, _ waits: [JobWait], _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    guard let job = scheduled(record) else {
      schedule.remove(record.id)
      return try setAside(record, transaction, at: now)
    }
    schedule.put(job.rebased(to: now), waits: JobWaits(waits, needsAny: record.needsAny))
    for id in Set(waits.compactMap(\.over)) { try note(overOf: id, transaction) }
  }

  /// Records a job that has ended already.
  private mutating func note(overOf id: JobRecord.ID, _ transaction: borrowing WriteTransaction) throws {
    guard let record = try transaction.jobSummary(id), let over = JobOver(record) else { return }
    note(over)
  }

  /// The data that the schedule needs of a job; nil if this program cannot read it.
  func scheduled(_ record: JobRecord) -> ScheduledJob? {
    guard let kind = catalogue.number(ofKind: record.kind),
      record.version <= catalogue.handlers[kind].rules.version
    else { return nil }
    let queue = catalogue.number(ofQueue: catalogue.handlers[kind].rules.queue.name) ?? 0
    return ScheduledJob(
      record, kind: kind, queue: queue, timesAreDelays: catalogue.handlers[kind].rules.timesAreDelays)
  }
}

/// A finished job, ordered for notifying its dependents: cancelled jobs come last.
struct JobOver: Comparable {
  let id: JobRecord.ID
  let isDone: Bool
  let isCancelled: Bool
  let reason: String

  init(_ id: JobRecord.ID, isDone: Bool, isCancelled: Bool = false, reason: String = "") {
    self.id = id
    self.isDone = isDone
    self.isCancelled = isCancelled
    self.reason = reason
  }

  /// Nil for a job that is not over.
  init?(_ record: JobRecord) {
    guard [.done, .failed, .cancelled].contains(record.state) else { return nil }
    self.init(
      record.id, isDone: record.state == .done, isCancelled: record.state == .cancelled,
      reason: record.failure ?? "")
  }

  static func < (a: JobOver, b: JobOver) -> Bool {
    guard a.isCancelled == b.isCancelled else { return b.isCancelled }
    return a.id != b.id ? a.id < b.id : a.isDone && !b.isDone
  }
}

extension JobWait {
  /// The job that it waits for, if that has ended.
  fileprivate var over: JobRecord.ID? {
    switch state {
    case .done, .failed, .cancelled: dependency.job
    case .waiting, .running, .setAside, nil: nil
    }
  }
}

extension JobWaits {
  init(_ waits: [JobWait], needsAny: Bool) {
    self.init(needsAny: needsAny)
    for wait in waits {
      switch wait.dependency {
      case .event(let event): events.insert(event)
      case .job(let other): jobs[other] = .done
      case .end(let other): if jobs[other] == nil { jobs[other] = .over }
      }
    }
  }
}

extension Schedule {
  /// True if a job is ready, as far as known without checking its turn.
  var hasReady: Bool {
    rules.queues.indices.contains { queue in
      !ready[queue].isEmpty && !pausedQueues.contains(queue)
        && queueLoad[queue] < rules.queues[queue].concurrency
    }
  }

  /// Forgets which jobs were asked to yield.
  mutating func forgetYielding() {
    for id in running.keys { running[id]?.isYielding = false }
  }

  /// Counts a job as running that does.
  mutating func resumeRunning(_ job: ScheduledJob) {
    waiting[job.id] = nil
    running[job.id] = Running(job: job)
    queueLoad[job.queue] += 1
    kindLoad[job.kind] += 1
    if let key = partitionKey(job) { busyPartitions.insert(key) }
  }
}
