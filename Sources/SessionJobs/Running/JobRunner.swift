import SessionBase
import SessionCore
public import SessionStorage

/// Does the jobs of a database, each as its kind wants it, for as long as it runs. There is one for a database at a time.
///
///     let runner = try JobRunner(database, [JobHandler(Greet.self) { job, context in … }])
///     try await runner.start()
///     try await database.write { transaction in
///       try transaction.enqueue(Greet(name: "Bob"), at: now)
///     }
///
/// It looks for work when a transaction has added some, when a job has ended, and when a time has come; else it sleeps. A
/// runner is started once.
public actor JobRunner {
  enum Phase {
    case new
    case running
    case stopping
    case stopped
  }

  /// A job that runs.
  struct Run {
    let state: JobState
    let task: Task<Void, Never>
  }

  /// The database is waited for on a thread of its own.
  private nonisolated let executor = WorkerQueue("session.jobs")
  public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  nonisolated let database: Database
  private nonisolated let environment: JobEnvironment
  nonisolated let inbox = JobInbox()
  private nonisolated let purpose: String
  /// The mark of this runner in the rows of its jobs.
  public nonisolated let name: String

  var scheduler: JobScheduler
  var phase = Phase.new
  var runs: [JobRecord.ID: Run] = [:]
  var stopWaiter: CheckedContinuation<Void, Never>?
  private var role: DatabaseRole?
  private var feed: Task<Void, Never>?
  private var timer: (time: Int64, task: Task<Void, Never>)?
  private var idleWaiters:
    [(fence: JobRecord.ID, isSeen: Bool, continuation: CheckedContinuation<Void, Never>)] = []
  private var lastFence: Int64 = 0
  private var hasMore = false

  /// Why it cannot write; nil while all is well. It tries again.
  public private(set) var trouble: String?
  private var troubles = 0
  private var nextTry: Int64?
  /// The number of wake-ups by a timer.
  public private(set) var wakeUps = 0
  /// The number of transactions.
  public private(set) var steps = 0

  /// Creates a runner with these kinds and conditions. Throws `ambiguous` if two kinds, or two queues, have the
  /// same name.
  public init(
    _ database: Database, _ handlers: [JobHandler], conditions: JobConditions = [],
    environment: JobEnvironment = JobEnvironment(), purpose: String = "a job runner"
  ) throws(JobError) {
    self.database = database
    self.environment = environment
    self.purpose = purpose
    var random = CoreRandom()
    name = String(random.next(), radix: 36)
    scheduler = JobScheduler(
      try JobCatalogue(handlers), runner: name, conditions: conditions, chance: environment.chance)
  }

  nonisolated var now: Int64 { environment.clock.now }
}

// MARK: - Beginning

extension JobRunner {
  /// Takes over jobs of an earlier runner, and starts. Throws `alreadyRunning` if another runner uses the database.
  public func start() throws {
    guard phase == .new else { throw JobError(.alreadyRunning, "a runner can be started only once") }
    role = try takeRole()
    // From here on nothing is missed; what opening does itself is looked at twice.
    let observation = database.observations.observe(.jobRequests)
    do { try open(at: now) } catch {
      role = nil
      throw error
    }
    phase = .running
    feed = Task.detached { [weak self, inbox] in
      while let changes = await observation.next() {
        if inbox.post(changes) { await self?.pump() }
      }
    }
    pump()
  }

  private func takeRole() throws -> DatabaseRole {
    do { return try database.takeRole("jobs", purpose: purpose) } catch {
      guard error.code == .locked else { throw error }
      throw JobError(.alreadyRunning, "another runner is active: \(error)")
    }
  }

  private func open(at time: Int64) throws {
    try database.write { transaction in try scheduler.open(transaction, at: time) }
  }

  private func step(
    _ mail: JobScheduler.Mail, _ durability: Database.Durability, at time: Int64
  ) throws -> JobScheduler.Orders {
    let mayStart = phase == .running
    let before = scheduler.mark
    scheduler.isCareful = false
    defer { scheduler.isCareful = true }
    do {
      return try database.write(durability) { transaction in
        try scheduler.step(transaction, mail, at: time, mayStart: mayStart)
      }
    } catch is JobScheduler.NeedsCare {
      scheduler.revert(to: before)
      scheduler.isCareful = true
      return try database.write(durability) { transaction in
        try scheduler.step(transaction, mail, at: time, mayStart: mayStart)
      }
    }
  }

  /// Does all work that is due.
  func pump() {
    guard phase == .running || phase == .stopping else { return }
    hasMore = false
    if let nextTry, now < nextTry, phase == .running { return arm() }
    let mail = inbox.take()
    let time = now
    if !mail.isEmpty || scheduler.isDue(at: time) { step(mail, at: time) }
    if (hasMore || !inbox.isEmpty) && trouble == nil {
      // Others get their turn in between.
      Task { self.pump() }
    }
    arm()
    if scheduler.attempts.isEmpty { stopWaiting() }
    tellIdle(mail)
  }

  private func step(_ mail: JobScheduler.Mail, at time: Int64) {
    let before = scheduler.mark
    do {
      steps += 1
      let orders = try step(mail, durability(of: mail), at: time)
      (trouble, troubles, nextTry) = (nil, 0, nil)
      for (id, _) in mail.conclusions where before.attempts[id] != nil {
        runs.removeValue(forKey: id)?.state.end()
      }
      hasMore = orders.isPartial
      execute(orders)
    } catch {
      scheduler.revert(to: before)
      inbox.putBack(mail)
      trouble = JobScheduler.text(of: error)
      nextTry = time.later(by: RetryPolicy.delay(after: troubles, chance: environment.chance()))
      troubles += 1
      if database.damage != nil || (error as? StorageError)?.code == .closed { giveUp() }
    }
  }

  /// Reported results must be durable, and so must the start of an effect that must not start twice.
  private func durability(of mail: JobScheduler.Mail) -> Database.Durability {
    mail.conclusions.isEmpty && !scheduler.catalogue.hasUnrepeatable ? .relaxed : .durable
  }

  func execute(_ orders: JobScheduler.Orders) {
    for record in orders.starts { begin(record) }
    for (id, reason) in orders.stops {
      if reason == .cancelled { runs[id]?.state.end() }
      runs[id]?.task.cancel()
    }
  }

  private func begin(_ record: JobRecord) {
    guard let handler = scheduler.catalogue.handler(of: record.kind) else { return }
    let state = JobState(clock: environment.clock) { [database, name] progress in
      Task.detached {
        // A lost update is harmless: the next one replaces it.
        _ = try? await database.write(.relaxed) { transaction in
          try transaction.setProgress(progress, of: record.id, by: name)
        }
      }
    }
    let context = JobContext(record, database: database, runner: name, state: state)
    let task = Task.detached { [inbox, log = environment.log] in
      let conclusion = await handler.run(record, context)
      if case .failed(let error) = conclusion, !(error is CancellationError), !(error is JobDeferral) {
        log(.info, .jobs, "attempt-failed", .row(record.id.rawValue, "job"), .error(error))
      }
      if inbox.post(record.id, conclusion) { await self.pump() }
    }
    runs[record.id] = Run(state: state, task: task)
  }
}

// MARK: - Waiting

extension JobRunner {
  /// Sees to it that it is woken when time alone gives it something to do.
  private func arm() {
    let next = phase == .running ? nextTry ?? scheduler.schedule.nextWake() : nil
    guard next != timer?.time else { return }
    timer?.task.cancel()
    timer = next.map { time in
      let clock = environment.clock
      return (
        time,
        Task.detached { [weak self] in
          await clock.sleep(until: time)
          if !Task.isCancelled { await self?.wake(at: time) }
        }
      )
    }
  }

  private func wake(at time: Int64) {
    guard timer?.time == time else { return }
    timer = nil
    wakeUps += 1
    if phase == .running { scheduler.noteWait(until: time, endedAt: now) }
    pump()
  }

  /// Returns when nothing runs, and nothing that was committed before could run now.
  public func waitUntilIdle() async throws {
    guard phase == .running else { throw JobError(.notRunning, "the runner does not run") }
    let fence = nextFence()
    await withCheckedContinuation { continuation in
      idleWaiters.append((fence, !send(fence), continuation))
      tellIdle(JobScheduler.Mail())
    }
  }

  private func nextFence() -> JobRecord.ID {
    lastFence -= 1
    return JobRecord.ID(rawValue: lastFence)
  }

  /// Sends a marker through the queue of commits: a job that does not exist. False if the database takes no more
  /// writes, so that none is to be waited for.
  private func send(_ fence: JobRecord.ID) -> Bool {
    let sent: Void? = try? database.write(.relaxed) { transaction in
      transaction.note(.updated, .jobRequest(fence))
    }
    return sent != nil
  }

  private func tellIdle(_ mail: JobScheduler.Mail) {
    guard !idleWaiters.isEmpty else { return }
    for index in idleWaiters.indices where !idleWaiters[index].isSeen {
      let fence = idleWaiters[index].fence
      // Among all changes it could not be told apart.
      idleWaiters[index].isSeen = mail.requests.contains(fence) || mail.isEverything && !send(fence)
    }
    guard scheduler.attempts.isEmpty, inbox.isEmpty, !hasMore else { return }
    for waiter in idleWaiters where waiter.isSeen { waiter.continuation.resume() }
    idleWaiters.removeAll(where: \.isSeen)
  }
}

// MARK: - Ending

extension JobRunner {
  /// Starts no more jobs, waits a while for running ones, asks the rest to stop, and leaves unfinished ones to the
  /// next runner. The database is free afterwards.
  public func stop(
    finishingWithin finishTimeout: Duration = .seconds(10), stoppingWithin stopTimeout: Duration = .seconds(2)
  ) async {
    guard phase == .running else {
      if phase == .new { phase = .stopped }
      return
    }
    phase = .stopping
    arm()
    pump()
    await untilNothingRuns(for: finishTimeout)
    guard phase == .stopping else { return }
    execute(scheduler.stopAll())
    await untilNothingRuns(for: stopTimeout)
    guard phase == .stopping else { return }
    for (id, run) in runs {
      run.state.end()
      _ = inbox.post(id, .abandoned)
    }
    pump()
    giveUp()
  }

  private func untilNothingRuns(for timeout: Duration) async {
    guard !scheduler.attempts.isEmpty else { return }
    let clock = environment.clock
    let end = clock.now.later(by: timeout.milliseconds)
    let alarm = Task.detached {
      await clock.sleep(until: end)
      if !Task.isCancelled { await self.stopWaiting() }
    }
    await withCheckedContinuation { stopWaiter = $0 }
    alarm.cancel()
  }

  func stopWaiting() { stopWaiter.take()?.resume() }

  /// Releases everything.
  private func giveUp() {
    phase = .stopped
    timer?.task.cancel()
    timer = nil
    feed?.cancel()
    feed = nil
    for run in runs.values {
      run.state.end()
      run.task.cancel()
    }
    runs = [:]
    role?.giveUp()
    role = nil
    stopWaiting()
    for waiter in idleWaiters { waiter.continuation.resume() }
    idleWaiters = []
  }
}
