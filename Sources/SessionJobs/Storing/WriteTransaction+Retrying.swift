public import SessionStorage

extension WriteTransaction {
  /// Runs a job as soon as possible: a delayed one is no longer delayed, and a failed or unreadable one starts
  /// again. If another job of its kind and key is waiting or running by now, the job is deleted instead. Returns
  /// true if anything changed.
  @discardableResult
  public func retry(_ id: JobRecord.ID) throws -> Bool {
    guard var record = try job(id) else { return false }
    switch record.state {
    case .running, .done, .cancelled: return false
    case .waiting: guard record.notBefore > 0 else { return false }
    case .failed, .setAside:
      if let key = record.uniqueKey, try job(record.kind, for: key) != nil {
        try deleteJob(id)
        return true
      }
    }
    if record.state == .failed {
      try deleteWaits(of: id)
      try deleteEffects(of: id)
      record.failures = 0
    }
    record.state = .waiting
    record.notBefore = 0
    (record.interruptions, record.deferrals, record.deferredSince) = (0, 0, nil)
    (record.finishedAt, record.deadline) = (nil, nil)
    try update(record)
    return true
  }
}
