import SessionBase
import SessionStorage

// How attempts, and jobs, end.

extension JobScheduler {
  /// Writes down how an attempt ended.
  mutating func conclude(
    _ id: JobRecord.ID, _ conclusion: JobConclusion, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    guard let attempt = attempts.removeValue(forKey: id) else { return }
    schedule.end(id)
    // It may have been cancelled, or deleted, while it ran: then it has no say any more.
    guard attempt.stopReason != .cancelled else { return }
    switch conclusion {
    case .succeeded(let result): try succeed(attempt.record, result, transaction, at: now)
    case .unreadable(let reason):
      guard var record = try held(id, transaction) else { return }
      (record.state, record.failure, record.finishedAt) = (.setAside, reason, now)
      _ = try transaction.settle(record, of: runner)
    case .abandoned:
      guard let record = try held(id, transaction) else { return }
      try interrupt(record, transaction, at: now)
    case .failed(let error):
      guard let record = try held(id, transaction) else { return }
      try fail(record, error, attempt.stopReason, transaction, at: now)
    }
  }

  /// The row of a job that this runner is still at.
  private func held(
    _ id: JobRecord.ID, _ transaction: borrowing WriteTransaction
  ) throws -> JobRecord? {
    guard let record = try transaction.job(id), record.state == .running, record.runner == runner else {
      return nil
    }
    return record
  }

  private mutating func succeed(
    _ begun: JobRecord, _ result: JobResult, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    if let writing = result.writing {
      guard let record = try held(begun.id, transaction) else { return }
      do {
        if isCareful {
          try transaction.savepoint { part in try writing(part) }
        } else {
          try writing(transaction)
        }
      } catch {
        // A failure of the database fails the whole step.
        if let error = error as? StorageError, error.verdict != .permanent { throw error }
        guard isCareful else { throw NeedsCare() }
        return try fail(record, error, nil, transaction, at: now)
      }
    }
    if case .none = result.next, begun.interval == nil,
      try transaction.finishJob(begun.id, of: runner, at: now)
    {
      return note(JobOver(begun.id, isDone: true))
    }
    guard let record = try held(begun.id, transaction) else { return }
    var next: Int64? = record.interval.map { (record.startedAt ?? now).later(by: $0) }
    switch result.next {
    case .none: break
    case .at(let time): next = min(next ?? .max, time)
    case .after(let delay): next = min(next ?? .max, now.later(by: delay.milliseconds))
    }
    if let next = again(record, next, at: now) {
      try repeatJob(record, at: next, because: nil, transaction, at: now)
    } else {
      _ = try transaction.finishJob(record.id, of: runner, at: now)
    }
    note(JobOver(record.id, isDone: true))
  }

  /// The next time of a job, from its own wish and requests made meanwhile.
  private func again(_ record: JobRecord, _ own: Int64?, at now: Int64) -> Int64? {
    let requested = record.againAt.map { requested in
      max(
        requested, (record.startedAt ?? now).later(by: catalogue.handler(of: record.kind)?.rules.spacing ?? 0)
      )
    }
    guard own != nil || requested != nil else { return nil }
    return min(own ?? .max, requested ?? .max)
  }

  /// When a job that is done again and again is due after a failure.
  private func nextRound(of record: JobRecord, at now: Int64) -> Int64? {
    record.interval.map {
      record.state == .running ? (record.startedAt ?? now).later(by: $0) : now.later(by: $0)
    }
  }

  /// Makes a job wait for its next run with a fresh count of failures.
  private mutating func repeatJob(
    _ before: JobRecord, at time: Int64, because failure: String?, _ transaction: borrowing WriteTransaction,
    at now: Int64
  ) throws {
    guard var record = try transaction.job(before.id) else { return }
    let isRunning = record.state == .running
    record.failures = 0
    record.interruptions = 0
    (record.deferrals, record.deferredSince) = (0, nil)
    record.againAt = nil
    record.failure = failure
    record.deadline = catalogue.handler(of: record.kind)?.rules.lifetime.map { max(time, now).later(by: $0) }
    record.notBefore = time
    try transaction.deleteEffects(of: record.id)
    if isRunning { return try wait(record, transaction, at: now) }
    try transaction.deleteWaits(of: record.id)
    try transaction.update(record)
    if let job = scheduled(record) { schedule.put(job) }
  }

  /// Makes a running job wait.
  mutating func wait(
    _ running: JobRecord, isForMore: Bool = false, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    var record = running
    record.state = .waiting
    // The next attempt is for whatever was requested for meanwhile, too.
    record.againAt = nil
    // Times are reckoned from then, which was not in the future, whatever the clock said.
    record.startedAt = record.startedAt.map { min($0, now) }
    guard try transaction.settle(record, of: runner) else { return }
    // A second request may have brought more to wait for.
    let mayWait = isForMore || record.uniqueKey != nil
    try admit(record, mayWait ? try transaction.waits(of: record.id) : [], transaction, at: now)
  }

  private mutating func fail(
    _ running: JobRecord, _ error: any Error, _ stopReason: StopReason?,
    _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    var record = running
    record.interruptions = 0
    switch stopReason {
    case .deadline?:
      let reason = Self.reasonToGiveUp(of: record) ?? "its deadline passed while it ran"
      return try end(record, .failed(reason), transaction, at: now)
    case .preempted?, .shutdown?: return try wait(record, transaction, at: now)
    case .cancelled?: return
    case nil: break
    }
    var error = error
    if let deferral = error as? JobDeferral {
      do { if try put(off: record, deferral, transaction, at: now) { return } } catch let refusal as JobError
      {
        error = refusal
      }
    }
    (record.deferrals, record.deferredSince) = (0, nil)
    record.failure = Self.text(of: error)
    guard case .retry(let delay) = JobVerdict(error) else {
      return try end(record, .failed(Self.text(of: error)), transaction, at: now)
    }
    let missing = JobConditions(rawValue: record.conditions).subtracting(schedule.conditions)
    guard missing.isEmpty else {
      // No wonder, without them: it waits for them, and the failure does not count.
      return try wait(record, transaction, at: now)
    }
    let policy = catalogue.handler(of: record.kind)?.rules.retry ?? .standard
    guard !policy.isExhausted(after: record.failures) else {
      return try end(record, .failed(Self.text(of: error)), transaction, at: now)
    }
    let usual = RetryPolicy.delay(after: record.failures, chance: chance())
    record.failures += 1
    record.notBefore = now.later(by: max(usual, delay?.milliseconds ?? 0))
    if let deadline = record.deadline, deadline <= record.notBefore {
      let reason = "\(Self.text(of: error)); its deadline passes before the next attempt"
      return try end(record, .failed(reason), transaction, at: now)
    }
    try wait(record, transaction, at: now)
  }

  /// Puts a job off, unless it does nothing else.
  private mutating func put(
    off running: JobRecord, _ deferral: JobDeferral, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws -> Bool {
    var record = running
    let count = record.deferrals + 1
    if let since = record.deferredSince, since <= now, now - since < Int64(count) * 1000 {
      guard count < JobDeferral.maxInARow else { return false }
      record.deferrals = count
    } else {
      (record.deferrals, record.deferredSince) = (1, now)
    }
    record.notBefore = now.later(by: deferral.delay.milliseconds)
    var known = Set(try transaction.waits(of: record.id).map(\.dependency))
    // It waits for all of them, unless it was requested for meanwhile to wait for any of others.
    if known.isEmpty { record.needsAny = false }
    var added: [JobDependency] = []
    for dependency in deferral.dependencies where known.insert(dependency).inserted {
      // A deleted job cannot be waited for.
      if let other = dependency.job, try transaction.jobSummary(other) == nil { continue }
      added.append(dependency)
    }
    try transaction.checkRoom(for: known.count)
    try transaction.checkWaiting(record.id, for: added)
    for dependency in added { try transaction.add(dependency, to: record.id) }
    try wait(record, isForMore: true, transaction, at: now)
    return true
  }

  /// Ends a job that is not done, and all jobs that wait for it in vain. A repeating job only waits for its next
  /// time.
  mutating func end(
    _ record: JobRecord, _ end: JobEnd, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    let reason: String
    if case .failed = end, record.state == .running || record.interval != nil,
      let next = again(record, nextRound(of: record, at: now), at: now)
    {
      reason = try follow(record, end, transaction)
      try repeatJob(record, at: next, because: reason, transaction, at: now)
    } else {
      schedule.remove(record.id)
      // Ended first, so that what follows may request the same again.
      try transaction.endJob(record.id, end.state, because: end.reason, at: now)
      try transaction.deleteWaits(of: record.id)
      reason = try follow(record, end, transaction)
      if reason != end.reason, var ended = try transaction.job(record.id) {
        ended.failure = reason
        try transaction.update(ended)
      }
    }
    note(JobOver(record.id, isDone: false, isCancelled: end.state == .cancelled, reason: reason))
  }

  /// Writes the consequences of the end of a job, and returns the reason.
  func follow(
    _ record: JobRecord, _ end: JobEnd, _ transaction: borrowing WriteTransaction
  ) throws -> String {
    guard let hook = catalogue.handler(of: record.kind)?.end,
      let whole = try transaction.job(record.id)
    else { return end.reason }
    do {
      try transaction.savepoint { part in try hook(whole, end, part) }
      return end.reason
    } catch {
      // A failure of the database fails the whole step.
      if let error = error as? StorageError, error.verdict != .permanent { throw error }
      return "\(end.reason); its failure could not be recorded: \(Self.text(of: error))"
    }
  }

  /// Records that a job has ended, for the jobs that wait for it.
  mutating func note(_ over: JobOver) { overs.push(over) }

  /// Notifies the dependents of finished jobs: they become ready, or end as well, which notifies their own dependents.
  /// Cancelled jobs come last: a dependent of a failed and a cancelled job has failed.
  mutating func tellWaiters(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    while let over = overs.pop() {
      for (waiter, outcome) in schedule.settle(over.id, isDone: over.isDone) {
        switch outcome {
        case .released: try transaction.deleteWaits(of: waiter)
        case .free, .waiting: try transaction.deleteWaits(of: waiter, on: over.id)
        case .hopeless: try giveUp(waiter, because: over, transaction, at: now)
        }
      }
    }
  }

  /// Ends a job that waits in vain.
  private mutating func giveUp(
    _ id: JobRecord.ID, because over: JobOver, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    guard let record = try transaction.jobSummary(id), record.state == .waiting else { return }
    let how = over.isCancelled ? "was cancelled" : "failed"
    let reason = Self.bounded("job \(over.id), which it waited for, \(how): \(over.reason)")
    try end(record, over.isCancelled ? .cancelled(reason) : .failed(reason), transaction, at: now)
  }

  /// Ends a job whose deadline has passed, or asks it to stop.
  mutating func expire(
    _ id: JobRecord.ID, _ transaction: borrowing WriteTransaction, _ orders: inout Orders, at now: Int64
  ) throws {
    if attempts[id] != nil {
      stop(id, .deadline, &orders)
      return
    }
    guard schedule.isWaiting(id), let record = try transaction.jobSummary(id), record.state == .waiting else {
      return
    }
    let last = record.failure.map { "; the last failure was: \($0)" } ?? ""
    let reason = Self.reasonToGiveUp(of: record) ?? "its deadline passed before it was done\(last)"
    try end(record, .failed(reason), transaction, at: now)
  }

  /// The reason why an event that a job waited for will not come; nil if it waited for none.
  private static func reasonToGiveUp(of record: JobRecord) -> String? {
    record.deadline == JobRecord.hopeless ? record.failure : nil
  }

  func setAside(_ record: JobRecord, _ transaction: borrowing WriteTransaction, at now: Int64) throws {
    let reason =
      catalogue.handler(of: record.kind) == nil
      ? "this program does not know jobs of the kind \(record.kind)"
      : "this program does not know version \(record.version) of its payload"
    try transaction.endJob(record.id, .setAside, because: reason, at: now)
  }

  /// The stored text of an error, which may come from another machine.
  static func text(of error: any Error) -> String { bounded("\(error)") }

  static func bounded(_ text: String) -> String { String(text.prefix(500)) }
}
