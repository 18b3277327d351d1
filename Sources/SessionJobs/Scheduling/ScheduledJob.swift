import SessionStorage

/// A job that waits, as far as it matters for when it may run.
struct ScheduledJob: Sendable {
  let id: JobRecord.ID
  /// The numbers of its kind and its queue in the rules of the schedule.
  let kind: Int
  let queue: Int
  let partition: String?
  let priority: Int
  let conditions: JobConditions
  var notBefore: Int64
  let deadline: Int64?
  /// When `notBefore` was computed, if it is a delay; nil if it is a date.
  var reckonedAt: Int64?

  init(
    _ id: JobRecord.ID, kind: Int = 0, queue: Int = 0, partition: String? = nil, priority: Int = 0,
    conditions: JobConditions = [], notBefore: Int64 = 0, deadline: Int64? = nil, reckonedAt: Int64? = nil
  ) {
    self.id = id
    self.kind = kind
    self.queue = queue
    self.partition = partition
    self.priority = priority
    self.conditions = conditions
    self.notBefore = notBefore
    self.deadline = deadline
    self.reckonedAt = reckonedAt
  }

  init(_ record: JobRecord, kind: Int, queue: Int, timesAreDelays: Bool) {
    let isReckoned =
      timesAreDelays || record.failures > 0 || record.deferrals > 0 || record.interval != nil
    self.init(
      record.id, kind: kind, queue: queue, partition: record.partition, priority: record.priority,
      conditions: JobConditions(rawValue: record.conditions), notBefore: record.notBefore,
      deadline: record.deadline, reckonedAt: isReckoned ? record.startedAt ?? record.createdAt : nil)
  }
}

extension ScheduledJob {
  /// Returns the job with a valid time, if it was computed before the clock was set back: by `correction`, or by at
  /// least the visible amount.
  func rebased(to now: Int64, correction: Int64 = 0) -> ScheduledJob {
    guard let reckonedAt, reckonedAt > now else { return self }
    let start = min(now, reckonedAt - correction)
    var job = self
    job.notBefore = start.later(by: notBefore - reckonedAt)
    job.reckonedAt = start
    return job
  }
}

/// The dependencies of a job.
struct JobWaits: Hashable, Sendable {
  var needsAny = false
  /// Jobs that have to be done, or only over.
  var jobs: [JobRecord.ID: Need] = [:]
  var events: Set<String> = []

  enum Need: Hashable, Sendable {
    case done
    case over
  }

  var isEmpty: Bool { jobs.isEmpty && events.isEmpty }

  /// The effect of another job's end.
  enum Outcome: Hashable, Sendable {
    /// It has all that it waited for.
    case free
    /// It has one of the things that it waited for, which is enough.
    case released
    /// It waits for something else.
    case waiting
    /// It waits in vain.
    case hopeless
  }

  /// Records that a job has ended.
  mutating func settle(_ id: JobRecord.ID, isDone: Bool) -> Outcome {
    guard let need = jobs.removeValue(forKey: id) else { return isEmpty ? .free : .waiting }
    let isMet = isDone || need == .over
    switch (isMet, needsAny) {
    case (true, true):
      return .released
    case (true, false): return isEmpty ? .free : .waiting
    case (false, true): return isEmpty ? .hopeless : .waiting
    case (false, false): return .hopeless
    }
  }
}
