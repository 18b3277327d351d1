import SessionBase
public import SessionStorage

extension WriteTransaction {
  /// Stores a job, which runs once the transaction is committed. If a job of the same kind
  /// and key waits or runs, the two are merged. Returns the number of the job.
  ///
  /// `payloadTooLarge`, `tooManyWaiting`, `tooManyDependencies`, `conflictingDependencies`, `cyclicDependency`,
  /// `unknownDependency`.
  @discardableResult
  public func enqueue<Kind: JobKind>(
    _ job: Kind, _ request: JobRequest = JobRequest(), at now: Int64
  ) throws -> JobRecord.ID {
    try checkRoom(for: request.dependencies.count)
    if let key = job.uniqueKey, let first = try self.job(Kind.kind, for: key) {
      return try merge(job, request, into: first, at: now)
    }
    var record = JobRecord(
      Kind.kind, version: Kind.version, payload: try checked(job.encoded()), queue: Kind.queue.name,
      createdAt: now)
    record.partition = job.partition
    record.uniqueKey = job.uniqueKey
    record.priority = request.priority ?? Kind.priority
    record.needsAny = request.needsAny
    record.conditions = Kind.conditions.union(request.conditions).rawValue
    // Zero: due at once, even if the clock is set back.
    record.notBefore = request.notBefore ?? 0
    record.deadline = deadline(of: Kind.self, request, at: now)
    record.interval = request.interval?.milliseconds
    record.threadID = request.thread
    record.interactionID = request.interaction
    let id = try insert(record).id
    try add(request.dependencies, to: id)
    try checkSpace(for: id)
    return id
  }

  /// Cancels a job. Requests a running job to stop and refuses its later writes. Returns true if it was not
  /// finished.
  @discardableResult
  public func cancel(
    _ id: JobRecord.ID, because reason: String = "it was cancelled", at now: Int64
  ) throws -> Bool {
    try endJob(id, .cancelled, because: reason, at: now)
  }

  // MARK: Merging

  private func merge<Kind: JobKind>(
    _ job: Kind, _ request: JobRequest, into first: JobRecord, at now: Int64
  ) throws -> JobRecord.ID {
    var record = first
    if first.state == .running {
      guard Kind.whileRunning == .runsAgain else { return first.id }
      // A repeating job runs again anyway.
      guard request.interval == nil || first.interval == nil else { return first.id }
      record.againAt = min(first.againAt ?? .max, request.notBefore ?? 0)
    } else if request.interval == nil || first.interval == nil {
      // A second request does not shorten the backoff.
      let isBackingOff = first.failures > 0 || first.deferrals > 0
      if !isBackingOff { record.notBefore = min(first.notBefore, request.notBefore ?? 0) }
    }
    record.payload = try checked(Kind.merge(first.payload, version: first.version, with: job))
    record.version = Kind.version
    if Kind.closesWhenFull, try Kind.decode(record.payload, version: Kind.version).uniqueKey == nil {
      record.uniqueKey = nil
    }
    record.partition = job.partition
    record.priority = max(first.priority, request.priority ?? Kind.priority)
    record.conditions |= request.conditions.rawValue
    record.interval = request.interval?.milliseconds ?? first.interval
    let later = deadline(of: Kind.self, request, at: now)
    record.deadline = first.deadline.flatMap { first in later.map { max(first, $0) } }
    if !request.dependencies.isEmpty {
      let known = Set(try waits(of: first.id).map(\.dependency))
      guard known.isEmpty || first.needsAny == request.needsAny else {
        throw JobError(
          .conflictingDependencies, "a job can wait either for all or for any of its dependencies, not both")
      }
      let added = request.dependencies.filter { !known.contains($0) }
      try checkRoom(for: known.count + added.count)
      try checkWaiting(first.id, for: added)
      record.needsAny = request.needsAny
      try add(added, to: first.id)
    }
    try update(record)
    return first.id
  }

  private func deadline<Kind: JobKind>(of kind: Kind.Type, _ request: JobRequest, at now: Int64) -> Int64? {
    request.deadline ?? Kind.lifetime.map { (request.notBefore ?? now).later(by: $0.milliseconds) }
  }

  private func checked(_ payload: [UInt8]) throws -> [UInt8] {
    guard payload.count <= JobPayload.maxSize else {
      throw JobError(
        .payloadTooLarge,
        "the payload of a job has \(payload.count) bytes; the limit is \(JobPayload.maxSize)")
    }
    return payload
  }

  private func add(_ dependencies: [JobDependency], to id: JobRecord.ID) throws {
    var known: Set<JobDependency> = []
    for dependency in dependencies where known.insert(dependency).inserted {
      if let other = dependency.job, try jobSummary(other) == nil {
        throw JobError(.unknownDependency, "a job cannot wait for a job that does not exist")
      }
      try add(dependency, to: id)
    }
  }

  /// Throws if a job has too many dependencies.
  func checkRoom(for dependencies: Int) throws(JobError) {
    guard dependencies <= JobRequest.maxDependencies else {
      throw JobError(.tooManyDependencies, "a job has more than \(JobRequest.maxDependencies) dependencies")
    }
  }

  /// Throws if a job would wait for itself, directly or through other jobs.
  func checkWaiting(_ id: JobRecord.ID, for dependencies: some Sequence<JobDependency>) throws {
    for other in dependencies.compactMap(\.job) where try job(other, waitsFor: id) {
      throw JobError(
        .cyclicDependency, "job \(id) cannot wait for job \(other), which waits for job \(id)")
    }
  }

  /// Ids grow, so their span bounds the number of waiting jobs.
  private func checkSpace(for id: JobRecord.ID) throws {
    guard let oldest = try oldestWaitingJob(), id.rawValue - oldest.rawValue >= JobRequest.maxWaiting,
      try waitingJobCount() > JobRequest.maxWaiting
    else { return }
    throw JobError(.tooManyWaiting, "\(JobRequest.maxWaiting) jobs are already waiting")
  }
}

extension JobDependency {
  /// The job that is waited for, if it is one.
  var job: JobRecord.ID? {
    switch self {
    case .job(let id), .end(let id): id
    case .event: nil
    }
  }
}
