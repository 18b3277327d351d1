import SessionBase
import SessionStorage

extension Schedule {
  /// Takes the next job that may run now, and counts it as running. Nil when there is none.
  mutating func pick(at now: Int64) -> JobRecord.ID? {
    admit(at: now)
    if !isOpen {
      if let id = pick({ $0.comesFirst }) { return id }
      guard !running.values.contains(where: { rules.queues[$0.job.queue].comesFirst }) else { return nil }
      isOpen = true
    }
    return pick { _ in true }
  }

  private mutating func pick(_ isMeant: (JobQueue) -> Bool) -> JobRecord.ID? {
    let count = rules.queues.count
    for offset in 0..<count {
      let queue = (turn + offset) % count
      let rule = rules.queues[queue]
      guard isMeant(rule), queueLoad[queue] < rule.concurrency, let job = best(of: queue) else { continue }
      ready[queue].pop()
      start(job)
      turn = (queue + 1) % count
      return job.id
    }
    return nil
  }

  /// The ready job of a queue whose turn it is. Those before it that cannot run make way.
  private mutating func best(of queue: Int) -> ScheduledJob? {
    guard !pausedQueues.contains(queue) else { return nil }
    while let turn = ready[queue].first {
      guard let job = valid(turn.id, turn.stamp, in: .ready) else {
        ready[queue].pop()
        continue
      }
      if !conditions.isSuperset(of: job.conditions) {
        ready[queue].pop()
        hold(job)
      } else if kindLoad[job.kind] >= rules.kinds[job.kind].concurrency {
        ready[queue].pop()
        parkByKind(job)
      } else if let key = partitionKey(job), busyPartitions.contains(key) {
        ready[queue].pop()
        parkByPartition(job, key)
      } else {
        return job
      }
    }
    return nil
  }

  private mutating func start(_ job: ScheduledJob) {
    waiting[job.id] = nil
    running[job.id] = Running(job: job)
    queueLoad[job.queue] += 1
    kindLoad[job.kind] += 1
    if let key = partitionKey(job) { busyPartitions.insert(key) }
  }

  /// The running jobs that have to give way, one in a queue: each is named once.
  mutating func preempt() -> [JobRecord.ID] {
    var yielding: [JobRecord.ID] = []
    for queue in rules.queues.indices where queueLoad[queue] >= rules.queues[queue].concurrency && isOpen {
      guard let next = best(of: queue) else { continue }
      let ofQueue = running.filter { $0.value.job.queue == queue }
      guard !ofQueue.values.contains(where: \.isYielding) else { continue }
      let candidates = ofQueue.values.map(\.job).filter { (job: ScheduledJob) -> Bool in
        job.priority < next.priority && rules.kinds[job.kind].isPreemptible
      }
      let least = candidates.min { (one: ScheduledJob, other: ScheduledJob) -> Bool in
        one.priority != other.priority ? one.priority < other.priority : one.id > other.id
      }
      guard let least else { continue }
      running[least.id]?.isYielding = true
      yielding.append(least.id)
    }
    return yielding
  }

  /// The jobs, waiting or running, whose deadline has passed: each is named once.
  mutating func overdue(at now: Int64) -> [JobRecord.ID] {
    var ids: [JobRecord.ID] = []
    while let alarm = deadlines.first, alarm.time <= now {
      deadlines.pop()
      if deadline(of: alarm.id) == alarm.time, ids.last != alarm.id { ids.append(alarm.id) }
    }
    return ids
  }

  /// When time alone changes which jobs may run; nil for never.
  package mutating func nextWake() -> Int64? {
    while let alarm = deadlines.first, deadline(of: alarm.id) != alarm.time { deadlines.pop() }
    while let alarm = delayed.first {
      if let job = valid(alarm.id, alarm.stamp, in: .delayed) {
        if isLetGo(job) { break }
        waiting[alarm.id]?.place = .held
      }
      delayed.pop()
    }
    switch (delayed.first?.time, deadlines.first?.time) {
    case (let one?, let other?): return min(one, other)
    case (let one, let other): return one ?? other
    }
  }
}
