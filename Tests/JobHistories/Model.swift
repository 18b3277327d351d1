import SessionJobs
import SessionStorage

/// A model of jobs and their runner without a database. It ignores speed: it answers every question by looking at
/// everything.
struct Model {
  struct Job {
    let id: Int64
    let kind: Int
    var task: HistoryTask
    var priority = 0
    var needsAny = false
    var needsNetwork = false
    /// Jobs, and whether they have to be done.
    var waitsFor: [Int64: Bool] = [:]
    var events: Set<Int> = []
    let createdAt: Int64
    var notBefore: Int64 = 0
    var deadline: Int64?
    var interval: Int64?
    var state = JobRecord.State.waiting
    var attempts = 0
    var failures = 0
    var interruptions = 0
    var deferrals = 0
    var deferredSince: Int64?
    var againAt: Int64?
    var startedAt: Int64?

    // The runner's view of the job.
    var isKnown = false
    var isTaken = false
    var isChanged = true
    var due: Int64 = 0
    var reckonedAt: Int64?

    var isOver: Bool { [.done, .failed, .cancelled].contains(state) }
    var isReckoned: Bool { failures > 0 || deferrals > 0 || interval != nil }
    var rules: HistoryRules { HistoryRules.all[kind] }
  }

  /// A job that runs, whatever its row says.
  struct Attempt {
    let job: Job
    var stop: JobScheduler.StopReason?
    var isYielding = false
    /// True if the runner has seen that the deadline passed.
    var isLate = false
  }

  var jobs: [Int64: Job] = [:]
  var attempts: [Int64: Attempt] = [:]
  var lastTime: Int64 = .min
  var isOpen = false
  var turn = 0
  var hasNetwork = true
  var paused: Set<Int> = []
  var isEverything = false
  /// How often a result was written.
  var written = 0
  var starts: [Int64] = []
  var stops: [Int64] = []
  /// Whose ends were not told yet to those who wait.
  private var overs: [Over] = []

  private struct Over {
    let id: Int64
    let isDone: Bool
    let isCancelled: Bool

    var order: (Int, Int64, Int) { (isCancelled ? 1 : 0, id, isDone ? 0 : 1) }
  }

  var ids: [Int64] { jobs.keys.sorted() }

  // MARK: What others do

  mutating func add(
    _ addition: HistoryEvent.Addition, _ dependencies: [HistoryEvent.Dependency], as id: Int64, at now: Int64
  ) {
    let rules = HistoryRules.all[addition.kind]
    let notBefore = addition.delay.map { now + $0 } ?? 0
    let deadline =
      addition.deadline.map { now + $0 }
      ?? rules.lifetime.map { (addition.delay.map { now + $0 } ?? now) + $0 }
    var job =
      jobs[id]
      ?? Job(
        id: id, kind: addition.kind, task: HistoryTask(), createdAt: now, notBefore: notBefore,
        deadline: deadline)
    if jobs[id] == nil {
      job.priority = addition.priority
      job.needsAny = addition.needsAny
      job.needsNetwork = rules.needsNetwork
      job.interval = addition.interval
    } else {
      let isForBothAgain = addition.interval != nil && job.interval != nil
      if job.state == .running {
        if rules.isSatisfied || isForBothAgain { return }
        job.againAt = min(job.againAt ?? .max, notBefore)
      } else if !isForBothAgain && job.failures == 0 && job.deferrals == 0 {
        job.notBefore = min(job.notBefore, notBefore)
      }
      job.priority = max(job.priority, addition.priority)
      job.interval = addition.interval ?? job.interval
      if let first = job.deadline { job.deadline = deadline.map { max(first, $0) } }
      if !dependencies.isEmpty { job.needsAny = addition.needsAny }
    }
    job.task = HistoryTask(key: addition.key, partition: addition.partition)
    job.needsNetwork = job.needsNetwork || addition.needsNetwork
    job.isChanged = true
    jobs[id] = job
    wait(id, for: dependencies)
  }

  private mutating func wait(_ id: Int64, for dependencies: [HistoryEvent.Dependency]) {
    for dependency in dependencies {
      switch dependency {
      case .done(let other): jobs[id]?.waitsFor[Int64(other)] = true
      case .over(let other):
        if jobs[id]?.waitsFor[Int64(other)] == nil { jobs[id]?.waitsFor[Int64(other)] = false }
      case .event(let event): jobs[id]?.events.insert(event)
      }
    }
  }

  mutating func cancel(_ id: Int64) {
    guard let state = jobs[id]?.state, [.waiting, .running, .setAside].contains(state) else { return }
    jobs[id]?.state = .cancelled
  }

  mutating func delete(_ id: Int64) {
    jobs[id] = nil
    for other in ids where jobs[other]?.waitsFor.removeValue(forKey: id) != nil {
      jobs[other]?.isChanged = true
    }
  }

  mutating func fulfil(_ event: Int) {
    for id in ids where jobs[id]?.events.contains(event) == true {
      jobs[id]?.events.remove(event)
      if jobs[id]?.needsAny == true { free(id) }
      jobs[id]?.isChanged = true
    }
  }

  /// The program ended, and another one begins.
  mutating func crash(at now: Int64) {
    attempts = [:]
    isOpen = false
    isEverything = false
    turn = 0
    for id in ids {
      guard var job = jobs[id], job.state == .running else { continue }
      job.interruptions += 1
      if let again = job.againAt { job.notBefore = min(job.notBefore, again) }
      job.againAt = nil
      job.startedAt = job.startedAt.map { min($0, now) }
      job.state = .waiting
      if job.rules.isOnce || job.interruptions > JobScheduler.maxInterruptions {
        if let interval = job.interval {
          job.interruptions = 0
          job.notBefore = now + interval
        } else {
          job.state = .failed
        }
      }
      job.isTaken = true
      jobs[id] = job
    }
    // Jobs that were set aside can be read after all.
    for id in ids where jobs[id]?.state == .setAside {
      guard let job = jobs[id] else { continue }
      let isTaken = jobs.values.contains {
        $0.id != id && $0.kind == job.kind && $0.task.key == job.task.key && job.task.key != nil
          && [.waiting, .running].contains($0.state)
      }
      if !isTaken {
        jobs[id]?.state = .waiting
        jobs[id]?.isTaken = true
      }
    }
    // Jobs that were taken over are looked at twice.
    let twice = ids.filter { jobs[$0]?.state == .waiting && jobs[$0]?.isTaken == true }
    for id in ids {
      jobs[id]?.isKnown = false
      jobs[id]?.isTaken = false
    }
    for id in ids where jobs[id]?.state == .waiting { writeRebased(id, to: now) }
    learn(all: true, at: now)
    for id in twice { jobs[id]?.isChanged = true }
    tellOfAll(at: now)
    lastTime = now
  }

  // MARK: A step

  mutating func tick(
    at now: Int64, _ conclusions: [(id: Int64, ending: HistoryEvent.Ending)]
  ) {
    starts = []
    stops = []
    if now < lastTime {
      for id in ids where jobs[id]?.isKnown == true { rebase(id, to: now) }
    }
    lastTime = now
    learn(all: isEverything, at: now)
    isEverything = false
    for id in attempts.keys.sorted() where jobs[id]?.state != .running { stop(id, .cancelled) }
    tellOfAll(at: now)
    for (id, ending) in conclusions { conclude(id, ending, at: now) }
    tellOfAll(at: now)
    expire(at: now)
    claim(at: now)
    preempt(at: now)
  }

  /// The runner looks at what has changed.
  private mutating func learn(all: Bool, at now: Int64) {
    if all { for id in attempts.keys { attempts[id]?.isLate = false } }
    for id in ids {
      guard let job = jobs[id], job.state == .waiting, all || job.isChanged || !job.isKnown else { continue }
      jobs[id]?.isKnown = true
      jobs[id]?.isChanged = false
      believe(id)
      rebase(id, to: now)
    }
  }

  private mutating func believe(_ id: Int64) {
    guard let job = jobs[id] else { return }
    jobs[id]?.isKnown = true
    jobs[id]?.due = job.notBefore
    jobs[id]?.reckonedAt = job.isReckoned ? job.startedAt ?? job.createdAt : nil
  }

  /// Moves the times of a job back if the clock was set back before a start.
  private mutating func writeRebased(_ id: Int64, to now: Int64) {
    guard let job = jobs[id], job.isReckoned else { return }
    let reckonedAt = job.startedAt ?? job.createdAt
    guard reckonedAt > now else { return }
    jobs[id]?.notBefore = now + job.notBefore - reckonedAt
    jobs[id]?.startedAt = now
  }

  private mutating func rebase(_ id: Int64, to now: Int64) {
    guard let job = jobs[id], let reckonedAt = job.reckonedAt, reckonedAt > now else { return }
    jobs[id]?.due = now + job.due - reckonedAt
    jobs[id]?.reckonedAt = now
  }

  private mutating func stop(_ id: Int64, _ reason: JobScheduler.StopReason) {
    guard attempts[id] != nil, attempts[id]?.stop == nil else { return }
    attempts[id]?.stop = reason
    stops.append(id)
  }

  // MARK: Dependencies

  private mutating func free(_ id: Int64) {
    jobs[id]?.waitsFor = [:]
    jobs[id]?.events = []
  }

  /// Tells all that wait of all that is over, of what was cancelled last.
  private mutating func tellOfAll(at now: Int64) {
    while let over = nextOver {
      overs.removeAll { $0.id == over.id }
      for id in ids where isTold(id) { tell(id, of: over, at: now) }
    }
  }

  private func isTold(_ id: Int64) -> Bool { jobs[id]?.state == .waiting && jobs[id]?.isKnown == true }

  private var nextOver: Over? {
    let awaited = Set(jobs.values.filter { isTold($0.id) }.flatMap(\.waitsFor.keys))
    let found = awaited.compactMap { jobs[$0] }.filter(\.isOver).map {
      Over(id: $0.id, isDone: $0.state == .done, isCancelled: $0.state == .cancelled)
    }
    return (overs + found).min { $0.order < $1.order }
  }

  private mutating func tell(_ id: Int64, of over: Over, at now: Int64) {
    guard let needsSuccess = jobs[id]?.waitsFor.removeValue(forKey: over.id), let job = jobs[id] else {
      return
    }
    let isMet = over.isDone || !needsSuccess
    if isMet {
      if job.needsAny { free(id) }
    } else if !job.needsAny || (job.waitsFor.isEmpty && job.events.isEmpty) {
      end(id, isCancelled: over.isCancelled, at: now)
    }
  }

  /// True if a second request for a job must be refused.
  func wouldCycle(
    _ job: Job, _ addition: HistoryEvent.Addition, _ dependencies: [HistoryEvent.Dependency]
  ) -> Bool {
    let isSatisfied = job.rules.isSatisfied || (job.interval != nil && addition.interval != nil)
    return !(job.state == .running && isSatisfied) && isCycle(job.id, dependencies)
  }

  /// True if additional dependencies would make a job wait for itself, directly or through others.
  func isCycle(_ id: Int64, _ dependencies: [HistoryEvent.Dependency]) -> Bool {
    var reached = Set(dependencies.compactMap(\.job))
    while true {
      let further = reached.compactMap { jobs[$0] }.filter { !$0.isOver }.flatMap(\.waitsFor.keys)
      let before = reached.count
      reached.formUnion(further)
      if reached.count == before { return reached.contains(id) }
    }
  }

  // MARK: Ends

  private mutating func conclude(_ id: Int64, _ ending: HistoryEvent.Ending, at now: Int64) {
    guard let attempt = attempts.removeValue(forKey: id) else { return }
    guard attempt.stop != .cancelled, let job = jobs[id], job.state == .running else { return }
    switch ending {
    case .done: succeed(id, nil, isWritten: false, at: now)
    case .written: succeed(id, nil, isWritten: true, at: now)
    case .again(let rest): succeed(id, now + rest, isWritten: false, at: now)
    case .writingFails: fail(id, .failed, nil, at: now)
    case .unreadable: jobs[id]?.state = .setAside
    case .abandoned:
      jobs[id]?.interruptions += 1
      if job.rules.isOnce || job.interruptions + 1 > JobScheduler.maxInterruptions {
        end(id, at: now)
      } else {
        wait(id, at: now)
      }
    default: fail(id, ending, attempt.stop, at: now)
    }
  }

  private func next(_ job: Job, _ own: Int64?) -> Int64? {
    let asked = job.againAt.map { max($0, (job.startedAt ?? 0) + job.rules.spacing) }
    return [own, asked].compactMap { $0 }.min()
  }

  private mutating func succeed(_ id: Int64, _ own: Int64?, isWritten: Bool, at now: Int64) {
    guard let job = jobs[id] else { return }
    if isWritten { written += 1 }
    let round = job.interval.map { (job.startedAt ?? now) + $0 }
    if let next = next(job, [own, round].compactMap { $0 }.min()) {
      renew(id, at: next, now)
    } else {
      jobs[id]?.state = .done
    }
    overs.append(Over(id: id, isDone: true, isCancelled: false))
  }

  private mutating func renew(_ id: Int64, at time: Int64, _ now: Int64) {
    guard var job = jobs[id] else { return }
    let wasRunning = job.state == .running
    (job.failures, job.interruptions, job.deferrals, job.deferredSince, job.againAt) = (0, 0, 0, nil, nil)
    job.deadline = job.rules.lifetime.map { max(time, now) + $0 }
    job.notBefore = time
    jobs[id] = job
    if wasRunning { return wait(id, at: now) }
    free(id)
    jobs[id]?.isChanged = true
    believe(id)
  }

  private mutating func wait(_ id: Int64, at now: Int64) {
    jobs[id]?.state = .waiting
    jobs[id]?.againAt = nil
    if let startedAt = jobs[id]?.startedAt { jobs[id]?.startedAt = min(startedAt, now) }
    believe(id)
    rebase(id, to: now)
  }

  private mutating func end(_ id: Int64, isCancelled: Bool = false, at now: Int64) {
    guard let job = jobs[id] else { return }
    let round = job.interval.map { job.state == .running ? (job.startedAt ?? now) + $0 : now + $0 }
    if !isCancelled, job.state == .running || job.interval != nil, let next = next(job, round) {
      renew(id, at: next, now)
    } else {
      jobs[id]?.state = isCancelled ? .cancelled : .failed
      free(id)
    }
    overs.append(Over(id: id, isDone: false, isCancelled: isCancelled))
  }

  private mutating func fail(
    _ id: Int64, _ ending: HistoryEvent.Ending, _ stop: JobScheduler.StopReason?, at now: Int64
  ) {
    jobs[id]?.interruptions = 0
    if stop == .deadline { return end(id, at: now) }
    if stop != nil { return wait(id, at: now) }
    guard let job = jobs[id] else { return }
    if case .deferred(let rest, let dependency) = ending {
      let count = job.deferrals + 1
      var isLoop = false
      if let since = job.deferredSince, since <= now, now - since < Int64(count) * 1000 {
        isLoop = count >= 3
        if !isLoop { jobs[id]?.deferrals = count }
      } else {
        jobs[id]?.deferrals = 1
        jobs[id]?.deferredSince = now
      }
      if !isLoop {
        let dependencies = [dependency].compactMap { $0 }.filter { $0.job.map { jobs[$0] != nil } ?? true }
        if isCycle(id, dependencies) { return end(id, at: now) }
        if job.waitsFor.isEmpty && job.events.isEmpty { jobs[id]?.needsAny = false }
        jobs[id]?.notBefore = now + rest
        wait(id, for: dependencies)
        return wait(id, at: now)
      }
    }
    jobs[id]?.deferrals = 0
    jobs[id]?.deferredSince = nil
    if ending == .failedForGood { return end(id, at: now) }
    if job.needsNetwork && !hasNetwork { return wait(id, at: now) }
    if let most = job.rules.maxFailures, job.failures + 1 > most { return end(id, at: now) }
    jobs[id]?.failures += 1
    var rest = Int64(250) * Int64(min(600, 1 << min(job.failures, 12)))
    if case .failedLong(let asked) = ending { rest = max(rest, asked) }
    jobs[id]?.notBefore = now + rest
    if let deadline = job.deadline, deadline <= now + rest { return end(id, at: now) }
    wait(id, at: now)
  }

  private mutating func expire(at now: Int64) {
    var late: [(Int64, Int64)] = []
    for id in ids {
      if let attempt = attempts[id] {
        if let deadline = attempt.job.deadline, deadline <= now, !attempt.isLate {
          late.append((deadline, id))
        }
      } else if let job = jobs[id], job.state == .waiting, job.isKnown, let deadline = job.deadline,
        deadline <= now
      {
        late.append((deadline, id))
      }
    }
    for (_, id) in late.sorted(by: { $0 < $1 }) {
      if attempts[id] != nil {
        attempts[id]?.isLate = true
        stop(id, .deadline)
      } else if let job = jobs[id], job.state == .waiting, let deadline = job.deadline, deadline <= now {
        end(id, at: now)
      }
    }
    tellOfAll(at: now)
  }

  // MARK: Beginnings

  private func load(queue: Int) -> Int { attempts.values.count { $0.job.rules.queue == queue } }

  private func mayRun(_ job: Job, at now: Int64) -> Bool {
    job.state == .waiting && job.isKnown && attempts[job.id] == nil && job.waitsFor.isEmpty
      && job.events.isEmpty
      && (hasNetwork || !job.needsNetwork) && !paused.contains(job.rules.queue) && job.due <= now
      && attempts.values.count { $0.job.kind == job.kind } < job.rules.concurrency
      && !attempts.values.contains {
        $0.job.rules.queue == job.rules.queue && $0.job.task.partition == job.task.partition
          && job.task.partition != nil
      }
  }

  /// The job of a queue whose turn it is, if there were room.
  private func best(of queue: Int, at now: Int64) -> Job? {
    jobs.values.filter { $0.rules.queue == queue && mayRun($0, at: now) }
      .min { ($1.priority, $0.id) < ($0.priority, $1.id) }
  }

  private func pick(at now: Int64, onlyFirst: Bool) -> Job? {
    let order = HistoryRules.queues.indices.map { (turn + $0) % HistoryRules.queues.count }
    for queue in order where !onlyFirst || HistoryRules.queues[queue].comesFirst {
      guard load(queue: queue) < HistoryRules.queues[queue].concurrency else { continue }
      if let job = best(of: queue, at: now) { return job }
    }
    return nil
  }

  private mutating func claim(at now: Int64) {
    while true {
      var next = pick(at: now, onlyFirst: !isOpen)
      if next == nil, !isOpen, load(queue: 0) == 0 {
        isOpen = true
        next = pick(at: now, onlyFirst: false)
      }
      guard let job = next else { return }
      jobs[job.id]?.state = .running
      jobs[job.id]?.attempts += 1
      jobs[job.id]?.startedAt = now
      attempts[job.id] = Attempt(job: job)
      turn = (job.rules.queue + 1) % HistoryRules.queues.count
      starts.append(job.id)
    }
  }

  private mutating func preempt(at now: Int64) {
    guard isOpen else { return }
    for queue in HistoryRules.queues.indices
    where load(queue: queue) >= HistoryRules.queues[queue].concurrency {
      let ofQueue = attempts.values.filter { $0.job.rules.queue == queue }
      guard let best = best(of: queue, at: now), !ofQueue.contains(where: \.isYielding) else { continue }
      let least = ofQueue.map(\.job).filter { $0.priority < best.priority && $0.rules.isPreemptible }
        .min { ($0.priority, $1.id) < ($1.priority, $0.id) }
      guard let least else { continue }
      attempts[least.id]?.isYielding = true
      stop(least.id, .preempted)
    }
  }

  /// When time alone changes something.
  func nextWake(at now: Int64) -> Int64? {
    let waiting = jobs.values.filter { $0.state == .waiting && $0.isKnown && attempts[$0.id] == nil }
    let delays = waiting.filter {
      $0.waitsFor.isEmpty && $0.events.isEmpty && (hasNetwork || !$0.needsNetwork)
        && !paused.contains($0.rules.queue)
        && $0.due > now
    }.map(\.due)
    let deadlines =
      waiting.compactMap(\.deadline) + attempts.values.filter { !$0.isLate }.compactMap(\.job.deadline)
    return (delays + deadlines.filter { $0 > now }).min()
  }
}
