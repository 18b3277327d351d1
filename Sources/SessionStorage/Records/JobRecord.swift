/// Work that must happen, written down in the transaction that needs it.
public struct JobRecord: Hashable, Sendable {
  public typealias ID = RowID<JobRecord>

  public enum State: Int, Sendable, CaseIterable, DatabaseValue {
    case waiting = 0
    case running = 1
    case done = 2
    case failed = 3
    case cancelled = 4
    /// This program cannot read it.
    case setAside = 5
  }

  /// Zero until it is stored.
  public var id = ID(rawValue: 0)
  /// The permanent name of the kind, and the version of the payload.
  public let kind: String
  public var version: Int
  public var payload: [UInt8]
  public var queue: String
  /// Jobs of one partition run one after the other.
  public var partition: String?
  /// There is one waiting or running job of a kind for each key.
  public var uniqueKey: String?
  public var priority = 0
  public var state = State.waiting
  /// True if one of its dependencies is enough.
  public var needsAny = false
  /// The required conditions, as bits of the runner.
  public var conditions: Int64 = 0
  public let createdAt: Int64
  public var notBefore: Int64 = 0
  public var deadline: Int64?
  /// The deadline of a job that waited for an event which will not come. Its failure is the reason.
  public static let hopeless: Int64 = 0
  /// After how many milliseconds it is to be done again.
  public var interval: Int64?
  /// The number of attempts.
  public var attempts = 0
  /// The number of failures since the last request.
  public var failures = 0
  /// The number of consecutive runs during which the program ended.
  public var interruptions = 0
  /// The number of consecutive deferrals, and the time of the first.
  public var deferrals = 0
  public var deferredSince: Int64?
  /// When it must run again, because it was requested while running.
  public var againAt: Int64?
  /// The runner that runs it.
  public var runner: String?
  public var startedAt: Int64?
  public var finishedAt: Int64?
  public var progress: Double?
  /// Why the last attempt failed, for people.
  public var failure: String?
  public var threadID: ThreadRecord.ID?
  public var interactionID: InteractionRecord.ID?

  public init(_ kind: String, version: Int = 1, payload: [UInt8], queue: String, createdAt: Int64) {
    self.kind = kind
    self.version = version
    self.payload = payload
    self.queue = queue
    self.createdAt = createdAt
  }
}

/// A dependency of a job.
public enum JobDependency: Hashable, Sendable {
  /// That another one is done; if that fails, this one does.
  case job(JobRecord.ID)
  /// The end of another job, whatever the result.
  case end(JobRecord.ID)
  /// Something that happens once: a config was pushed.
  case event(String)
}

/// Something that a job waits for, and how it stands with that.
public struct JobWait: Record, Hashable {
  public let job: JobRecord.ID
  public let dependency: JobDependency
  /// The state of the job that it waits for, if it waits for a job.
  public let state: JobRecord.State?

  public init(_ row: borrowing Row) throws(StorageError) {
    job = try row[0]
    state = try row[4]
    let other: JobRecord.ID? = try row[1]
    guard let other else {
      dependency = .event(try row[2])
      return
    }
    let needsSuccess: Bool = try row[3]
    dependency = needsSuccess ? .job(other) : .end(other)
  }

  private static let found: SQL = """
    SELECT d.jobID, d.onJobID, d.event, d.needsSuccess, o.state FROM jobDependency d LEFT JOIN job o ON o.id = d.onJobID
    """
  fileprivate static let byJob: SQL = "\(found) WHERE d.jobID = ? ORDER BY d.id"
  fileprivate static let all: SQL = "\(found) ORDER BY d.id"
}

/// An external effect of a job, stored before and marked after.
public struct JobEffect: Record, Hashable {
  public let name: String
  public let isDone: Bool
  public let result: [UInt8]?

  public init(_ row: borrowing Row) throws(StorageError) {
    name = try row[0]
    isDone = try row[1]
    result = try row[2]
  }

  fileprivate static let byJob: SQL =
    "SELECT name, isDone, result FROM jobEffect WHERE jobID = ? ORDER BY name"
  fileprivate static let byName: SQL =
    "SELECT name, isDone, result FROM jobEffect WHERE jobID = ? AND name = ?"
}

// MARK: - Reading

extension JobRecord: Record {
  private static let columns: SQL = """
    id, kind, version, payload, queue, partition, uniqueKey, priority, state, needsAny, conditions, createdAt, \
    notBefore, deadline, interval, attempts, failures, interruptions, deferrals, deferredSince, againAt, runner, \
    startedAt, finishedAt, progress, failure, threadID, interactionID
    """
  /// The columns of a job without its payload.
  private static let columnsOfSummary: SQL = """
    id, kind, version, x'', queue, partition, uniqueKey, priority, state, needsAny, conditions, createdAt, \
    notBefore, deadline, interval, attempts, failures, interruptions, deferrals, deferredSince, againAt, runner, \
    startedAt, finishedAt, progress, failure, threadID, interactionID
    """

  public init(_ row: borrowing Row) throws(StorageError) {
    id = try row[0]
    kind = try row[1]
    version = try row[2]
    payload = try row[3]
    queue = try row[4]
    partition = try row[5]
    uniqueKey = try row[6]
    priority = try row[7]
    state = try row[8]
    needsAny = try row[9]
    conditions = try row[10]
    createdAt = try row[11]
    notBefore = try row[12]
    deadline = try row[13]
    interval = try row[14]
    attempts = try row[15]
    failures = try row[16]
    interruptions = try row[17]
    deferrals = try row[18]
    deferredSince = try row[19]
    againAt = try row[20]
    runner = try row[21]
    startedAt = try row[22]
    finishedAt = try row[23]
    progress = try row[24]
    failure = try row[25]
    threadID = try row[26]
    interactionID = try row[27]
  }

  fileprivate static let byID: SQL = "SELECT \(columns) FROM job WHERE id = ?"
  fileprivate static let byState: SQL = """
    SELECT \(columns) FROM job WHERE state = ? AND state <> 2 AND id > ? ORDER BY id LIMIT ?
    """
  fileprivate static let doneOnes: SQL =
    "SELECT \(columns) FROM job WHERE state = 2 AND id > ? ORDER BY id LIMIT ?"
  fileprivate static let byKey: SQL =
    "SELECT \(columns) FROM job WHERE kind = ? AND uniqueKey = ? AND state IN (0, 1)"
  fileprivate static let endedOfMessage: SQL = """
    SELECT \(columns) FROM job WHERE interactionID = ? AND kind IN (?, ?) AND state IN (3, 4) ORDER BY id DESC LIMIT 1
    """
  fileprivate static let newestOfPartition: SQL =
    "SELECT max(id) FROM job WHERE partition = ? AND state IN (0, 1)"
  fileprivate static let nextOfPartition: SQL = """
    SELECT \(columns) FROM job WHERE partition = ? AND state IN (0, 1) AND id > ? ORDER BY id LIMIT 1
    """
  fileprivate static let summary: SQL = "SELECT \(columnsOfSummary) FROM job WHERE id = ?"
  fileprivate static let waitingSummaries: SQL =
    "SELECT \(columnsOfSummary) FROM job WHERE state = 0 AND state <> 2 ORDER BY id"
  fileprivate static let oldestWaiting: SQL = "SELECT min(id) FROM job WHERE state = 0 AND state <> 2"
  fileprivate static let ofMessages: SQL = """
    \(SQL.list) SELECT j.interactionID, coalesce(e.result, j.payload) FROM list JOIN job j ON j.interactionID = list.id \
    LEFT JOIN jobEffect e ON e.jobID = j.id AND e.name = ? WHERE j.kind IN (?, ?) AND j.state IN (0, 1)
    """
  fileprivate static let waitingCount: SQL = "SELECT count(*) FROM job WHERE state = 0 AND state <> 2"
  fileprivate static let counts: SQL = "SELECT state, count(*) FROM job GROUP BY state"
  fileprivate static let dependants: SQL = """
    SELECT DISTINCT jobID FROM jobDependency WHERE onJobID = ? ORDER BY jobID
    """
  /// Finished jobs wait for nothing.
  fileprivate static let chain: SQL = """
    WITH RECURSIVE waiter (id) AS (VALUES (?) UNION SELECT j.id FROM waiter w \
    JOIN jobDependency d ON d.onJobID = w.id JOIN job j ON j.id = d.jobID WHERE j.state IN (0, 1, 5)) \
    SELECT 1 FROM waiter WHERE id = ?
    """
}

extension Reading where Self: ~Copyable {
  public func job(_ id: JobRecord.ID) throws(StorageError) -> JobRecord? { try first(JobRecord.byID, id) }

  /// A job without its payload, which is left empty.
  public func jobSummary(_ id: JobRecord.ID) throws(StorageError) -> JobRecord? {
    try first(JobRecord.summary, id)
  }

  /// The job of a kind that waits or runs under a key.
  public func job(_ kind: String, for uniqueKey: String) throws(StorageError) -> JobRecord? {
    try first(JobRecord.byKey, kind, uniqueKey)
  }

  /// The newest job of two kinds for a message that failed or was cancelled.
  public func endedJob(
    of message: InteractionRecord.ID, in kinds: (String, String)
  ) throws(StorageError) -> JobRecord? {
    try first(JobRecord.endedOfMessage, message, kinds.0, kinds.1)
  }

  /// The newest job of a partition that waits or runs.
  public func newestJob(in partition: String) throws(StorageError) -> JobRecord.ID? {
    let found: JobRecord.ID?? = try value(JobRecord.newestOfPartition, partition)
    return found ?? nil
  }

  /// The first job after another one of the same partition that waits or runs.
  public func nextJob(
    after id: JobRecord.ID, in partition: String
  ) throws(StorageError) -> JobRecord? {
    try first(JobRecord.nextOfPartition, partition, id)
  }

  /// The jobs in a state, from the oldest on.
  public func jobs(
    _ state: JobRecord.State, after id: JobRecord.ID = JobRecord.ID(rawValue: 0), limit: Int
  ) throws(StorageError) -> [JobRecord] {
    // The others are so few that an index leads to them.
    if state == .done { return try all(JobRecord.doneOnes, id, limit) }
    return try all(JobRecord.byState, state, id, limit)
  }

  /// Calls a closure with each waiting job, without its payload, from the oldest on.
  public func forEachWaitingJob(_ body: (JobRecord) -> Void) throws(StorageError) {
    try forEach(JobRecord.waitingSummaries) { (row) throws(StorageError) in
      body(try JobRecord(row))
      return true
    }
  }

  /// The oldest job that waits.
  public func oldestWaitingJob() throws(StorageError) -> JobRecord.ID? {
    // Of no rows the least number is null.
    let found: JobRecord.ID?? = try value(JobRecord.oldestWaiting)
    return found ?? nil
  }

  public func waitingJobCount() throws(StorageError) -> Int { try value(JobRecord.waitingCount) ?? 0 }

  /// The number of jobs in each state.
  public func jobCounts() throws(StorageError) -> [JobRecord.State: Int] {
    var counts: [JobRecord.State: Int] = [:]
    try forEach(JobRecord.counts) { (row) throws(StorageError) in
      let state: JobRecord.State = try row[0]
      counts[state] = try row[1]
      return true
    }
    return counts
  }

  /// The dependencies of a job.
  public func waits(of id: JobRecord.ID) throws(StorageError) -> [JobWait] { try all(JobWait.byJob, id) }

  /// The dependencies of all jobs.
  public func jobWaits() throws(StorageError) -> [JobWait] { try all(JobWait.all) }

  /// The jobs that wait for one.
  public func dependants(of id: JobRecord.ID) throws(StorageError) -> [JobRecord.ID] {
    try values(JobRecord.dependants, id)
  }

  /// True if a job is, or waits for, another one, directly or through other jobs.
  public func job(_ id: JobRecord.ID, waitsFor other: JobRecord.ID) throws(StorageError) -> Bool {
    try exists(JobRecord.chain, other, id)
  }

  /// What the unfinished jobs of two kinds for messages have to do: the result of an effect of that name, or else the payload.
  public func payloads(
    of messages: RowList<InteractionRecord>, in kinds: (String, String), effect: String
  ) throws(StorageError) -> [(message: InteractionRecord.ID, payload: [UInt8])] {
    try map(JobRecord.ofMessages, messages, effect, kinds.0, kinds.1) {
      (row) throws(StorageError) -> (message: InteractionRecord.ID, payload: [UInt8]) in
      (try row[0], try row[1])
    }
  }

  public func effects(of id: JobRecord.ID) throws(StorageError) -> [JobEffect] {
    try all(JobEffect.byJob, id)
  }

  public func effect(_ name: String, of id: JobRecord.ID) throws(StorageError) -> JobEffect? {
    try first(JobEffect.byName, id, name)
  }
}
