import SessionStorage

// Recovery when a runner starts.

extension JobScheduler {
  private static let page = 500

  /// Takes over the jobs that ran when the last runner ended.
  func recoverRunning(_ transaction: borrowing WriteTransaction, at now: Int64) throws {
    var last = JobRecord.ID(rawValue: 0)
    while case let found = try transaction.jobs(.running, after: last, limit: Self.page),
      let newest = found.last
    {
      for record in found { try recover(record, transaction, at: now) }
      last = newest.id
    }
  }

  /// Decides about a job that was interrupted at an unknown point.
  private func recover(
    _ record: JobRecord, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    var record = record
    record.runner = nil
    record.progress = nil
    record.interruptions += 1
    if let againAt = record.againAt { record.notBefore = min(record.notBefore, againAt) }
    record.againAt = nil
    record.startedAt = record.startedAt.map { min($0, now) }
    record.state = .waiting
    if let reason = refusal(of: record) {
      record.failure = try follow(record, .failed(reason), transaction)
      if let interval = record.interval {
        record.interruptions = 0
        record.notBefore = now.later(by: interval)
        try transaction.deleteEffects(of: record.id)
      } else {
        (record.state, record.finishedAt) = (.failed, now)
      }
    }
    try transaction.update(record)
  }

  private func refusal(of record: JobRecord) -> String? {
    guard let rules = catalogue.handler(of: record.kind)?.rules else { return nil }
    if rules.repetition == .once { return "the program ended while it ran, and it must not be started twice" }
    guard record.interruptions > Self.maxInterruptions else { return nil }
    return "the program ended \(record.interruptions) times while it ran"
  }

  /// Releases jobs that this program can read, although another program could not.
  func releaseSetAside(_ transaction: borrowing WriteTransaction) throws {
    var last = JobRecord.ID(rawValue: 0)
    while case let found = try transaction.jobs(.setAside, after: last, limit: Self.page),
      let newest = found.last
    {
      for record in found where scheduled(record) != nil {
        guard catalogue.handler(of: record.kind)?.canRead(record) == true else { continue }
        // One that was wanted since has its key.
        if let key = record.uniqueKey, try transaction.job(record.kind, for: key) != nil { continue }
        var record = record
        (record.state, record.failure, record.finishedAt) = (.waiting, nil, nil)
        try transaction.update(record)
      }
      last = newest.id
    }
  }

  /// Decides what happens to a job that did not end in time.
  mutating func interrupt(
    _ running: JobRecord, _ transaction: borrowing WriteTransaction, at now: Int64
  ) throws {
    var record = running
    record.interruptions += 1
    if let reason = refusal(of: record) {
      return try end(record, .failed(reason), transaction, at: now)
    }
    try wait(record, transaction, at: now)
  }
}
