/// Statements that write jobs.
private enum JobStatements {
  static let insertion: SQL = """
    INSERT INTO job (kind, version, payload, queue, partition, uniqueKey, priority, state, needsAny, conditions, \
    createdAt, notBefore, deadline, interval, attempts, failures, interruptions, deferrals, deferredSince, againAt, \
    runner, startedAt, finishedAt, progress, failure, threadID, interactionID) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """
  static let change: SQL = """
    UPDATE job SET version = ?, payload = ?, queue = ?, partition = ?, uniqueKey = ?, priority = ?, state = ?, \
    needsAny = ?, conditions = ?, notBefore = ?, deadline = ?, interval = ?, attempts = ?, failures = ?, \
    interruptions = ?, deferrals = ?, deferredSince = ?, againAt = ?, runner = ?, startedAt = ?, finishedAt = ?, \
    progress = ?, failure = ?, threadID = ?, interactionID = ? WHERE id = ?
    """
  static let rebasing: SQL = "UPDATE job SET notBefore = ?, startedAt = ? WHERE id = ? AND state = 0"
  static let claim: SQL = """
    UPDATE job SET state = 1, runner = ?, startedAt = ?, attempts = attempts + 1, progress = NULL \
    WHERE id = ? AND state = 0
    """
  static let settlement: SQL = """
    UPDATE job SET state = ?, needsAny = ?, notBefore = ?, deadline = ?, failures = ?, interruptions = ?, deferrals = ?, \
    deferredSince = ?, againAt = ?, runner = NULL, startedAt = ?, finishedAt = ?, failure = ? \
    WHERE id = ? AND state = 1 AND runner = ?
    """
  static let finish: SQL = """
    UPDATE job SET state = 2, runner = NULL, finishedAt = ?, failure = NULL \
    WHERE id = ? AND state = 1 AND runner = ? AND againAt IS NULL
    """
  static let completion: SQL =
    "UPDATE job SET state = 2, finishedAt = ?, failure = NULL WHERE id = ? AND state = 0"
  static let attempt: SQL = "UPDATE job SET attempts = attempts + 1 WHERE id = ? AND state = 0"
  static let end: SQL = """
    UPDATE job SET state = ?, runner = NULL, finishedAt = ?, failure = ? WHERE id = ? AND state IN (0, 1, 5)
    """
  static let progress: SQL = "UPDATE job SET progress = ? WHERE id = ? AND state = 1 AND runner = ?"
  static let isHeld: SQL = "SELECT 1 FROM job WHERE id = ? AND state = 1 AND runner = ?"
  static let deletion: SQL = "DELETE FROM job WHERE id = ?"
  static let deletionOfFinished: SQL = "DELETE FROM job WHERE state IN (2, 4) AND finishedAt < ?"
  static let dependency: SQL =
    "INSERT INTO jobDependency (jobID, onJobID, event, needsSuccess) VALUES (?, ?, ?, ?)"
  static let eventDependants: SQL = "SELECT DISTINCT jobID FROM jobDependency WHERE event = ? ORDER BY jobID"
  static let eventDeletion: SQL = "DELETE FROM jobDependency WHERE jobID = ? AND event = ?"
  static let jobDeletion: SQL = "DELETE FROM jobDependency WHERE jobID = ? AND onJobID = ?"
  static let hopeless: SQL = "UPDATE job SET deadline = ?, failure = ? WHERE id = ?"
  static let allDeletion: SQL = "DELETE FROM jobDependency WHERE jobID = ?"
  static let needsAny: SQL = "SELECT needsAny FROM job WHERE id = ?"
  static let effectChange: SQL = "UPDATE jobEffect SET isDone = ?, result = ? WHERE jobID = ? AND name = ?"
  static let effectInsertion: SQL =
    "INSERT INTO jobEffect (isDone, result, jobID, name) VALUES (?, ?, ?, ?)"
  static let effectDeletion: SQL = "DELETE FROM jobEffect WHERE jobID = ?"
}

// MARK: - Asking for work

extension Reading where Self: ~Copyable {
  /// True if a job waits for an event.
  public func isAwaited(event: String) throws(StorageError) -> Bool {
    try exists(JobStatements.eventDependants, event)
  }
}

extension WriteTransaction {
  /// Adds a job and returns it with its number: `duplicate` when one waits or runs under its key.
  @discardableResult
  public func insert(
    _ job: JobRecord, after dependencies: [JobDependency] = []
  ) throws(StorageError) -> JobRecord {
    var job = job
    let j = job
    job.id = JobRecord.ID(
      rawValue: try insert(
        JobStatements.insertion, j.kind, j.version, j.payload, j.queue, j.partition, j.uniqueKey, j.priority,
        j.state, j.needsAny, j.conditions, j.createdAt, j.notBefore, j.deadline, j.interval, j.attempts,
        j.failures,
        j.interruptions, j.deferrals, j.deferredSince, j.againAt, j.runner, j.startedAt, j.finishedAt,
        j.progress,
        j.failure, j.threadID, j.interactionID))
    for dependency in dependencies { try add(dependency, to: job.id) }
    noteRequest(.inserted, job.id)
    return job
  }

  public func update(_ job: JobRecord) throws(StorageError) {
    let j = job
    try run(
      JobStatements.change, j.version, j.payload, j.queue, j.partition, j.uniqueKey, j.priority, j.state,
      j.needsAny,
      j.conditions, j.notBefore, j.deadline, j.interval, j.attempts, j.failures, j.interruptions, j.deferrals,
      j.deferredSince, j.againAt, j.runner, j.startedAt, j.finishedAt, j.progress, j.failure, j.threadID,
      j.interactionID, j.id)
    noteRequest(.updated, j.id)
  }

  /// Adds a dependency, which must not wait for the job.
  package func add(_ dependency: JobDependency, to id: JobRecord.ID) throws(StorageError) {
    switch dependency {
    case .job(let other): try run(JobStatements.dependency, id, other, nil as String?, true)
    case .end(let other): try run(JobStatements.dependency, id, other, nil as String?, false)
    case .event(let event): try run(JobStatements.dependency, id, nil as JobRecord.ID?, event, true)
    }
    noteRequest(.updated, id)
  }

  /// Lets the jobs go on that waited for an event.
  public func fulfil(event: String) throws(StorageError) {
    let waiting: [JobRecord.ID] = try values(JobStatements.eventDependants, event)
    for id in waiting {
      let needsAny: Bool = try value(JobStatements.needsAny, id) ?? false
      if needsAny {
        try run(JobStatements.allDeletion, id)
      } else {
        try run(JobStatements.eventDeletion, id, event)
      }
      noteRequest(.updated, id)
    }
  }

  /// Has the runner end the jobs that waited for an event which will not come: they failed.
  public func fail(event: String, because reason: String) throws(StorageError) {
    let waiting: [JobRecord.ID] = try values(JobStatements.eventDependants, event)
    for id in waiting {
      try run(JobStatements.hopeless, JobRecord.hopeless, reason, id)
      try run(JobStatements.allDeletion, id)
      noteRequest(.updated, id)
    }
  }

  /// Ends a job that is not over: it failed, or was cancelled. Returns whether there was one.
  @discardableResult
  public func endJob(
    _ id: JobRecord.ID, _ state: JobRecord.State, because reason: String, at time: Int64
  ) throws(StorageError) -> Bool {
    guard try run(JobStatements.end, state, time, reason, id) > 0 else { return false }
    noteRequest(.updated, id)
    return true
  }

  /// Marks a waiting job as done because another one did its work. False if it does not wait any more.
  public func complete(_ id: JobRecord.ID, at time: Int64) throws(StorageError) -> Bool {
    guard try run(JobStatements.completion, time, id) > 0 else { return false }
    noteRequest(.updated, id)
    return true
  }

  /// Counts an attempt of a waiting job that another job makes for it.
  public func countAttempt(_ id: JobRecord.ID) throws(StorageError) {
    try run(JobStatements.attempt, id)
    note(.updated, .job(id))
  }

  public func deleteJob(_ id: JobRecord.ID) throws(StorageError) {
    for dependant in try dependants(of: id) { noteRequest(.updated, dependant) }
    try run(JobStatements.deletion, id)
    noteRequest(.deleted, id)
  }

  /// Deletes jobs that were done or cancelled before a time.
  @discardableResult
  public func deleteJobs(finishedBefore time: Int64) throws(StorageError) -> Int {
    let count = try run(JobStatements.deletionOfFinished, time)
    if count > 0 { note(.deleted, .jobs) }
    return count
  }

  /// Notifies observers of jobs, and the runner, which must check this one.
  private func noteRequest(_ kind: ChangeSet.Kind, _ id: JobRecord.ID) {
    note(kind, .job(id))
    note(kind, .jobRequest(id))
  }
}

// MARK: - Doing it

extension WriteTransaction {
  /// Marks a waiting job as running. False if it is no longer waiting.
  public func claimJob(_ id: JobRecord.ID, for runner: String, at time: Int64) throws(StorageError) -> Bool {
    guard try run(JobStatements.claim, runner, time, id) > 0 else { return false }
    note(.updated, .job(id))
    return true
  }

  /// Marks a running job as done, unless it is to run again. False when it is not this runner's any more, or is to.
  public func finishJob(_ id: JobRecord.ID, of runner: String, at time: Int64) throws(StorageError) -> Bool {
    guard try run(JobStatements.finish, time, id, runner) > 0 else { return false }
    note(.updated, .job(id))
    return true
  }

  /// Stores the end of an attempt: only the fields that can change. False if the job no longer belongs to this
  /// runner.
  public func settle(_ job: JobRecord, of runner: String) throws(StorageError) -> Bool {
    let j = job
    let changed = try run(
      JobStatements.settlement, j.state, j.needsAny, j.notBefore, j.deadline, j.failures, j.interruptions,
      j.deferrals,
      j.deferredSince, j.againAt, j.startedAt, j.finishedAt, j.failure, j.id, runner)
    guard changed > 0 else { return false }
    note(.updated, .job(j.id))
    return true
  }

  /// Keeps how far a running job has come. False when it is not this runner's any more.
  @discardableResult
  public func setProgress(
    _ progress: Double, of id: JobRecord.ID, by runner: String
  ) throws(StorageError) -> Bool {
    guard try run(JobStatements.progress, progress, id, runner) > 0 else { return false }
    note(.updated, .job(id))
    return true
  }

  /// Deletes the dependencies of a job: one of them, or all.
  public func deleteWaits(of id: JobRecord.ID, on other: JobRecord.ID? = nil) throws(StorageError) {
    if let other {
      try run(JobStatements.jobDeletion, id, other)
    } else {
      try run(JobStatements.allDeletion, id)
    }
    note(.updated, .job(id))
  }

  /// Has a waiting job wait until another time, which is reckoned from `startedAt`.
  public func rebaseJob(
    _ id: JobRecord.ID, notBefore: Int64, startedAt: Int64
  ) throws(StorageError) {
    try run(JobStatements.rebasing, notBefore, startedAt, id)
    note(.updated, .job(id))
  }

  /// Stores the intention or result of an effect.
  public func putEffect(
    _ name: String, of id: JobRecord.ID, isDone: Bool, result: [UInt8]? = nil
  ) throws(StorageError) {
    try put(JobStatements.effectChange, or: JobStatements.effectInsertion, isDone, result, id, name)
  }

  /// Deletes the effects of a job before it is repeated.
  public func deleteEffects(of id: JobRecord.ID) throws(StorageError) {
    try run(JobStatements.effectDeletion, id)
  }
}

extension Reading where Self: ~Copyable {
  /// True if this runner runs the job.
  public func isRunning(_ id: JobRecord.ID, by runner: String) throws(StorageError) -> Bool {
    try exists(JobStatements.isHeld, id, runner)
  }
}
