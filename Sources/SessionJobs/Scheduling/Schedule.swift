import SessionBase
import SessionStorage

/// Decides which jobs may run now and when to check again, nothing else. It knows no clock, no task and no
/// database.
///
/// Each waiting job is in one place. Jobs that wait for others are *blocked*. Jobs that lack a condition, or whose
/// queue is paused, are *held*. Jobs whose time has not come are *delayed*. The others are *ready*, ordered by
/// priority and age. A ready job whose kind or partition is busy is *parked* there, and returns when a place is
/// free. No job is checked twice without need, however many wait. When a job leaves the ready jobs without running,
/// the jobs parked with its kind or its free partition take its place; otherwise they would wait for an end that
/// never comes.
///
/// The heaps may contain obsolete entries; the stamp of a job identifies them.
package struct Schedule: Sendable {
  struct Rules: Sendable {
    let queues: [JobQueue]
    let kinds: [KindRules]
  }

  struct KindRules: Sendable {
    let queue: Int
    let concurrency: Int
    let isPreemptible: Bool
  }

  enum Place: UInt8, Sendable {
    case blocked
    case held
    case delayed
    case ready
    case parkedByKind
    case parkedByPartition
  }

  struct Waiting: Sendable {
    var job: ScheduledJob
    var place = Place.held
    /// Which of the entries of heaps is the valid one.
    var stamp: UInt32
  }

  /// A job that runs.
  struct Running: Sendable {
    let job: ScheduledJob
    var isYielding = false
  }

  struct PartitionKey: Hashable, Sendable {
    let queue: Int
    let name: String
  }

  let rules: Rules
  package private(set) var conditions: JobConditions
  var pausedQueues: Set<Int> = []
  /// The next queue in turn, so that a busy queue does not starve the others.
  var turn = 0
  /// True if the queues before it are finished.
  var isOpen: Bool

  var waiting: [JobRecord.ID: Waiting] = [:]
  var running: [JobRecord.ID: Running] = [:]
  /// The dependencies of blocked jobs, and the dependents of each job.
  var waits: [JobRecord.ID: JobWaits] = [:]
  var waiters: [JobRecord.ID: Set<JobRecord.ID>] = [:]

  var ready: [Heap<Turn>]
  var parkedByKind: [Heap<Turn>]
  var parkedByPartition: [PartitionKey: Heap<Turn>] = [:]
  var delayed = Heap<Alarm>()
  var deadlines = Heap<Alarm>()
  private var lastStamp: UInt32 = 0

  var queueLoad: [Int]
  var kindLoad: [Int]
  var busyPartitions: Set<PartitionKey> = []

  /// An entry of a heap of jobs that could run: the highest priority first, then the oldest.
  struct Turn: Comparable, Sendable {
    let priority: Int
    let id: JobRecord.ID
    let stamp: UInt32

    static func < (a: Turn, b: Turn) -> Bool {
      a.priority != b.priority ? a.priority > b.priority : a.id < b.id
    }
  }

  /// An entry of a heap of times.
  struct Alarm: Comparable, Sendable {
    let time: Int64
    let id: JobRecord.ID
    let stamp: UInt32

    static func < (a: Alarm, b: Alarm) -> Bool { a.time != b.time ? a.time < b.time : a.id < b.id }
  }

  init(_ rules: Rules, conditions: JobConditions = []) {
    self.rules = rules
    self.conditions = conditions
    isOpen = !rules.queues.contains(where: \.comesFirst)
    ready = Array(repeating: Heap(), count: rules.queues.count)
    parkedByKind = Array(repeating: Heap(), count: rules.kinds.count)
    queueLoad = Array(repeating: 0, count: rules.queues.count)
    kindLoad = Array(repeating: 0, count: rules.kinds.count)
  }

  func isWaiting(_ id: JobRecord.ID) -> Bool { waiting[id] != nil }
}

// MARK: - Changes

extension Schedule {
  /// Adds a job that waits, or changes one that does.
  mutating func put(_ job: ScheduledJob, waits: JobWaits = JobWaits()) {
    let before = waiting[job.id]
    if before != nil { removeWaits(of: job.id) }
    if !waits.isEmpty {
      self.waits[job.id] = waits
      for other in waits.jobs.keys { waiters[other, default: []].insert(job.id) }
    }
    waiting[job.id] = Waiting(job: job, stamp: nextStamp())
    if let deadline = job.deadline, deadline != before?.job.deadline {
      deadlines.push(Alarm(time: deadline, id: job.id, stamp: 0))
    }
    place(job.id)
    if let before { release(before) }
    tidy()
  }

  /// Forgets a job that waits.
  mutating func remove(_ id: JobRecord.ID) {
    guard let before = waiting.removeValue(forKey: id) else { return }
    removeWaits(of: id)
    release(before)
    tidy()
  }

  /// Drops all waiting jobs and keeps the running ones.
  mutating func removeAllWaiting() {
    var fresh = Schedule(rules, conditions: conditions)
    fresh.pausedQueues = pausedQueues
    fresh.isOpen = isOpen
    fresh.turn = turn
    fresh.running = running
    fresh.queueLoad = queueLoad
    fresh.kindLoad = kindLoad
    fresh.busyPartitions = busyPartitions
    for (id, slot) in running {
      if let deadline = slot.job.deadline { fresh.deadlines.push(Alarm(time: deadline, id: id, stamp: 0)) }
    }
    self = fresh
  }

  /// A running job has ended.
  mutating func end(_ id: JobRecord.ID) {
    guard let job = running.removeValue(forKey: id)?.job else { return }
    queueLoad[job.queue] -= 1
    kindLoad[job.kind] -= 1
    if let key = partitionKey(job) { busyPartitions.remove(key) }
    unparkAll(with: job)
  }

  /// Records that a job has ended. Returns the jobs that are no longer blocked, and those that wait in vain.
  mutating func settle(
    _ id: JobRecord.ID, isDone: Bool
  ) -> [(id: JobRecord.ID, outcome: JobWaits.Outcome)] {
    guard let waiters = waiters.removeValue(forKey: id) else { return [] }
    return waiters.sorted().map { waiter in
      guard var rest = waits[waiter] else { return (waiter, .waiting) }
      let outcome = rest.settle(id, isDone: isDone)
      if outcome == .free || outcome == .released {
        removeWaits(of: waiter)
        place(waiter)
      } else {
        waits[waiter] = rest
      }
      return (waiter, outcome)
    }
  }

  package mutating func setConditions(_ conditions: JobConditions) {
    guard conditions != self.conditions else { return }
    self.conditions = conditions
    replaceHeld()
  }

  package mutating func pause(_ queue: Int) { pausedQueues.insert(queue) }

  package mutating func resume(_ queue: Int) {
    guard pausedQueues.remove(queue) != nil else { return }
    replaceHeld()
  }

  /// Adjusts to a clock that was set back: times computed from a moment in the future are computed from now on, and
  /// due jobs may no longer be due.
  package mutating func rebase(to now: Int64, correction: Int64 = 0) {
    for (id, entry) in waiting {
      waiting[id]?.job = entry.job.rebased(to: now, correction: correction)
      if entry.place != .blocked { place(id) }
    }
  }
}

// MARK: - Places

extension Schedule {
  func partitionKey(_ job: ScheduledJob) -> PartitionKey? {
    job.partition.map { PartitionKey(queue: job.queue, name: $0) }
  }

  /// True if a job lacks no condition and its queue is not paused.
  func isLetGo(_ job: ScheduledJob) -> Bool {
    conditions.isSuperset(of: job.conditions) && !pausedQueues.contains(job.queue)
  }

  /// The job of an entry of a heap, unless it has moved since.
  func valid(_ id: JobRecord.ID, _ stamp: UInt32, in place: Place) -> ScheduledJob? {
    guard let entry = waiting[id], entry.stamp == stamp, entry.place == place else { return nil }
    return entry.job
  }

  private mutating func nextStamp() -> UInt32 {
    lastStamp &+= 1
    return lastStamp
  }

  /// Puts a waiting job where it belongs, as if its time had not come.
  mutating func place(_ id: JobRecord.ID) {
    guard let job = waiting[id]?.job else { return }
    if waits[id] != nil {
      waiting[id]?.place = .blocked
    } else if !isLetGo(job) {
      waiting[id]?.place = .held
    } else {
      move(id, to: .delayed)
      delayed.push(Alarm(time: job.notBefore, id: id, stamp: lastStamp))
    }
  }

  /// Moves the jobs to the ready ones whose time has come.
  mutating func admit(at now: Int64) {
    while let alarm = delayed.first, alarm.time <= now {
      delayed.pop()
      guard let job = valid(alarm.id, alarm.stamp, in: .delayed) else { continue }
      if isLetGo(job) { makeReady(job) } else { waiting[alarm.id]?.place = .held }
    }
  }

  mutating func makeReady(_ job: ScheduledJob) {
    move(job.id, to: .ready)
    ready[job.queue].push(Turn(priority: job.priority, id: job.id, stamp: lastStamp))
  }

  mutating func hold(_ job: ScheduledJob) {
    waiting[job.id]?.place = .held
    unparkAll(with: job)
  }

  mutating func parkByKind(_ job: ScheduledJob) {
    move(job.id, to: .parkedByKind)
    parkedByKind[job.kind].push(Turn(priority: job.priority, id: job.id, stamp: lastStamp))
    unparkPartition(of: job)
  }

  mutating func parkByPartition(_ job: ScheduledJob, _ key: PartitionKey) {
    move(job.id, to: .parkedByPartition)
    parkedByPartition[key, default: Heap()].push(Turn(priority: job.priority, id: job.id, stamp: lastStamp))
    unparkKind(of: job)
  }

  /// Returns the jobs parked with a job that no longer blocks them.
  mutating func unparkAll(with job: ScheduledJob) {
    unparkKind(of: job)
    unparkPartition(of: job)
  }

  private mutating func unparkKind(of job: ScheduledJob) {
    guard kindLoad[job.kind] < rules.kinds[job.kind].concurrency else { return }
    while let turn = parkedByKind[job.kind].pop() {
      guard let next = valid(turn.id, turn.stamp, in: .parkedByKind) else { continue }
      return makeReady(next)
    }
  }

  private mutating func unparkPartition(of job: ScheduledJob) {
    guard let key = partitionKey(job), !busyPartitions.contains(key) else { return }
    while let turn = parkedByPartition[key]?.pop() {
      guard let next = valid(turn.id, turn.stamp, in: .parkedByPartition) else { continue }
      return makeReady(next)
    }
    parkedByPartition[key] = nil
  }

  /// A job has left its place, so others may take its turn.
  private mutating func release(_ before: Waiting) {
    if before.place == .ready { unparkAll(with: before.job) }
  }

  private mutating func replaceHeld() {
    for (id, entry) in waiting where entry.place == .held && isLetGo(entry.job) { place(id) }
  }

  private mutating func move(_ id: JobRecord.ID, to place: Place) {
    let stamp = nextStamp()
    waiting[id]?.stamp = stamp
    waiting[id]?.place = place
  }

  private mutating func removeWaits(of id: JobRecord.ID) {
    guard let before = waits.removeValue(forKey: id) else { return }
    for other in before.jobs.keys {
      waiters[other]?.remove(id)
      if waiters[other]?.isEmpty == true { waiters[other] = nil }
    }
  }

  /// Removes obsolete entries from the heaps of times, which would otherwise stay until their time.
  private mutating func tidy() {
    let most = 2 * (waiting.count + running.count) + 64
    if delayed.count > most {
      let all = delayed.elements
      delayed = Heap(all.filter { valid($0.id, $0.stamp, in: .delayed) != nil })
    }
    if deadlines.count > most {
      let all = deadlines.elements
      deadlines = Heap(all.filter { deadline(of: $0.id) == $0.time })
    }
  }

  /// The deadline of a job that waits or runs.
  func deadline(of id: JobRecord.ID) -> Int64? {
    waiting[id]?.job.deadline ?? running[id]?.job.deadline
  }
}
