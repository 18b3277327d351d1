package import SessionStorage

extension Schedule {
  /// The reasons why a waiting job cannot run now.
  package func blockers(of id: JobRecord.ID, at now: Int64) -> [JobBlocker] {
    guard let job = waiting[id]?.job else { return [] }
    var blockers: [JobBlocker] = []
    if let waits = waits[id] {
      blockers += waits.jobs.keys.sorted().map(JobBlocker.job) + waits.events.sorted().map(JobBlocker.event)
    }
    let missing = job.conditions.subtracting(conditions)
    if !missing.isEmpty { blockers.append(.conditions(missing)) }
    if job.notBefore > now { blockers.append(.time(job.notBefore)) }
    if pausedQueues.contains(job.queue) { blockers.append(.pausedQueue) }
    if queueLoad[job.queue] >= rules.queues[job.queue].concurrency { blockers.append(.fullQueue) }
    if kindLoad[job.kind] >= rules.kinds[job.kind].concurrency { blockers.append(.fullKind) }
    if let key = partitionKey(job), busyPartitions.contains(key) { blockers.append(.partition(key.name)) }
    if !isOpen && !rules.queues[job.queue].comesFirst { blockers.append(.earlierQueues) }
    return blockers
  }
}
