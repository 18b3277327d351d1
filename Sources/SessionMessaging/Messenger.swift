import SessionBase
public import SessionCore
import SessionJobs
public import SessionNetworking
public import SessionStorage
import Synchronization

/// The messenger of one account: its conversations, what happens in them, and what can be done.
///
///     let network = try Network(.init(file))
///     try await network.start()
///     let alice = try await Messenger.create(account, in: folder, MessengerEnvironment(swarms: NetworkSwarms(network)))
///     try await alice.start()
///     try await alice.send("Hello", to: bob)
///     for try await event in alice.events(for: "bot") {
///       if event.kind == .messageReceived { … }
///       try await alice.acknowledge(event.id, by: "bot")
///     }
///
/// Every operation is stored before it is carried out: it survives the end of the program and resumes when the account is
/// opened again.
public actor Messenger {
  private enum Phase {
    case opened
    case running
    case suspended
    case stopped
  }

  nonisolated let context: AccountContext
  nonisolated let author: ConfigAuthor
  nonisolated let files: Files
  nonisolated let outbox: Outbox
  nonisolated let people: People
  nonisolated let list: ConversationList
  nonisolated let inbox: Inbox
  nonisolated let runner: JobRunner
  private nonisolated let supervisor: PollSupervisor
  private nonisolated let polling: FeedPolling
  /// Held until the messenger stops.
  private var lock: AccountLock?
  private var phase = Phase.opened
  private var watch: Task<Void, Never>?
  /// The last requested change of the phase. The next one starts after it, so that none sees another half done.
  private var change: Task<Void, any Error>?

  /// The account's own id.
  public nonisolated var id: SessionID { context.own }

  init(
    _ account: Account, _ database: Database, _ environment: MessengerEnvironment,
    _ access: Access = .working,
    folder: String? = nil, lock: AccountLock? = nil
  ) throws {
    let context = AccountContext(account, database, environment, access)
    let author = try ConfigAuthor(context)
    let files = Files(context, author, folder: folder)
    let outbox = Outbox(context, author, files)
    let people = People(context, author, outbox)
    let typists = Typists()
    let list = ConversationList(context, author, outbox, people, typists)
    let inbox = Inbox(context, author, typists)
    (self.context, self.author, self.files, self.outbox) = (context, author, files, outbox)
    (self.people, self.list, self.inbox, self.lock) = (people, list, inbox, lock)
    let parts: [any AccountPart] = [author, files, outbox, people, list, inbox]
    let upkeep = [
      DisappearingSweep.handler(context), ExpiryShortening.handler(context), SwarmDeletion.handler(context),
      Upkeep.handler(context, files),
    ]
    runner = try JobRunner(
      database, parts.flatMap(\.handlers) + upkeep, conditions: [.accountActive, .unlocked],
      environment: JobEnvironment(clock: environment.clock, chance: environment.chance),
      purpose: "the messenger")
    let polling = FeedPolling(context: context, author: author, inbox: inbox)
    let supervisor = PollSupervisor(clock: environment.clock, chance: environment.chance) { feed, limits in
      polling.parts(of: feed, within: limits)
    }
    self.supervisor = supervisor
    self.polling = polling
    author.listen { [weak supervisor] news in
      switch news {
      case .memberships:
        if let wanted = try? polling.wanted() { supervisor?.reconcile(wanted) }
      case .keysStored(let owner):
        Task { await supervisor?.pollNow(.group(owner)) }
      }
    }
  }
}

// MARK: - Opening

extension Messenger {
  /// Creates the folder of an account that is new on this machine: a new account, or one restored from its recovery
  /// phrase, whose contacts and conversations come with the first polls. The key of the database is stored without
  /// a passphrase, see ``SessionStorage/OpenKeyFile/warning``, until ``SessionStorage/DatabaseKeys`` protects it.
  public static func create(
    _ account: Account, name: String? = nil, in folder: AccountFolder, _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    let queue = WorkerQueue("session.messenger.opening")
    let messenger = try await queue.run {
      try folder.prepare()
      let lock = try AccountLock(folder, purpose: "session messenger")
      let keys = DatabaseKeys(path: folder.key)
      guard try keys.protection() == .none else {
        throw MessengerError(.accountExists, "this folder already contains an account")
      }
      let database = try Database.open(folder.database, key: try keys.create(), schema: .account)
      let phrase = try account.recoveryPhrase().text()
      try database.write { transaction in try transaction.set(.recoveryPhrase, to: phrase) }
      return try Messenger(account, database, dependencies, folder: folder.data, lock: lock)
    }
    guard let name else { return messenger }
    do { try await messenger.setName(name) } catch {
      // The folder stays, to be opened and named.
      await messenger.stop()
      throw error
    }
    return messenger
  }

  /// The purpose of opening a folder.
  public enum Access: Hashable, Sendable {
    /// Everything. One program at a time.
    case working
    /// Reading stored data, also while another program uses the account. Such a messenger cannot be started, and
    /// refuses every write.
    case reading
  }

  /// Opens the folder of an account, with its passphrase if it has one. `purpose` is shown to other programs that find the
  /// account in use.
  public static func open(
    _ folder: AccountFolder, for access: Access = .working, passphrase: SecretBytes? = nil,
    purpose: String = "session messenger", _ dependencies: MessengerEnvironment
  ) async throws -> Messenger {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let lock = access == .working ? try AccountLock(folder, purpose: purpose) : nil
      let keys = DatabaseKeys(path: folder.key)
      let key = try passphrase.map { try keys.unlock($0) } ?? keys.load()
      // Only `create` makes a database, and reading changes none.
      var options = DatabaseOptions()
      options.mayCreate = false
      if access == .reading { options.confirming = .all }
      let database = try Database.open(folder.database, key: key, schema: .account, options: options)
      guard let phrase = try database.read({ transaction in try transaction.value(of: .recoveryPhrase) })
      else {
        throw MessengerError(.noAccount, "this folder contains no account")
      }
      return try Messenger(
        Account(RecoveryPhrase(phrase)), database, dependencies, access, folder: folder.data,
        lock: lock)
    }
  }
}

extension Messenger {
  /// The recovery phrase of an account on this machine, from its database or else from any copy that is left of it: one
  /// that was replaced as damaged, or was made before a migration. Nothing is written.
  public static func recoveryPhrase(
    of folder: AccountFolder, passphrase: SecretBytes? = nil
  ) async throws -> RecoveryPhrase {
    try await WorkerQueue("session.messenger.opening").run {
      guard folder.exists else { throw MessengerError(.noAccount, "this folder contains no account") }
      let keys = DatabaseKeys(path: folder.key)
      let key = try passphrase.map { try keys.unlock($0) } ?? keys.load()
      var failure: (any Error)?
      for path in folder.databaseCopies {
        do {
          if let phrase = try Database.value(of: .recoveryPhrase, in: path, key: key) {
            return try RecoveryPhrase(phrase)
          }
        } catch {
          failure = failure ?? error
        }
      }
      throw failure ?? MessengerError(.noAccount, "this folder contains no account")
    }
  }
}

// MARK: - Life

extension Messenger {
  /// Starts: resumes pending jobs and polls the swarm from now on. Call once.
  public func start() async throws {
    try context.requireWorking()
    try await inTurn { messenger in try await messenger.startNow() }
  }

  private func inTurn(_ body: @escaping @Sendable (isolated Messenger) async throws -> Void) async throws {
    let before = change
    let turn = Task {
      _ = await before?.result
      try await body(self)
    }
    change = turn
    try await turn.value
  }

  private func startNow() async throws {
    guard phase == .opened else { throw MessengerError(.notReady, "the messenger was already started") }
    phase = .running
    try await prepareStart()
    try await runner.start()
    try await outbox.settleInterrupted()
    await watchReachability()
    // On the queue, so that what changes at the same time is not undone.
    try await context.queue.run { [polling, supervisor] in supervisor.reconcile(try polling.wanted()) }
    await supervisor.start()
  }

  /// Has jobs that need the network wait while there is none. Returns when it is known how that is now.
  private func watchReachability() async {
    let reachability = context.environment.swarms.reachability
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      watch = Task { [runner] in
        var first = Optional(continuation)
        for await isReachable in reachability {
          await runner.set(.network, to: isReachable)
          first.take()?.resume()
        }
        first.take()?.resume()
      }
    }
  }

  /// Stops polling and sending until it is resumed; new work waits.
  public func suspend() async {
    try? await inTurn { messenger in
      guard messenger.phase == .running else { return }
      messenger.phase = .suspended
      messenger.outbox.ownTyping.endAll()
      await messenger.supervisor.suspend()
      await messenger.runner.set(.accountActive, to: false)
    }
  }

  /// Continues after ``suspend()``, with an immediate poll.
  public func resume() async {
    try? await inTurn { messenger in
      guard messenger.phase == .suspended else { return }
      messenger.phase = .running
      await messenger.runner.set(.accountActive, to: true)
      await messenger.supervisor.resume()
    }
  }

  /// Stops. Running work gets a moment to finish, and is resumed at the next start.
  public func stop(finishingWithin patience: Duration = .seconds(2)) async {
    try? await inTurn { messenger in await messenger.stopNow(patience) }
  }

  private func stopNow(_ patience: Duration) async {
    guard phase != .stopped else { return }
    phase = .stopped
    outbox.ownTyping.endAll()
    watch?.cancel()
    files.transfers.finish()
    inbox.intake.finish()
    await supervisor.stop()
    await runner.stop(finishingWithin: patience, stoppingWithin: .seconds(1))
    try? await context.queue.run { [context] in try context.database.close() }
    lock = nil
  }

  /// Polls the swarms of the account and of its groups, and returns when what came is stored; false if the poll of the
  /// account failed.
  @discardableResult
  public func poll() async -> Bool {
    let isDone = await supervisor.pollNow(.account)
    await supervisor.pollAllNow()
    return isDone
  }

  /// The state of processing received messages, now and after each change.
  public nonisolated func intake() -> AsyncStream<Intake> { inbox.intake.stream() }

  /// The key of the node that notifies of new messages, so that they do not wait for the next poll; nil if there is
  /// none.
  public func teller() async -> [UInt8]? { await supervisor.teller(of: .account) }

  /// The state of polling.
  public func pollCondition() async -> SwarmPoller.Condition {
    await supervisor.condition(of: .account) ?? SwarmPoller.Condition()
  }

  /// Returns when nothing is left to do just now.
  public func waitUntilIdle() async throws { try await runner.waitUntilIdle() }

  /// Returns when a message and its copy for the other own devices are stored, or have failed.
  public nonisolated func waitUntilStored(_ id: MessageView.ID) async throws {
    let keys = [
      (Delivery.kind, Delivery.key(.message, id.rawValue)), (Delivery.kind, Delivery.key(.copy, id.rawValue)),
      (AttachmentSending.kind, AttachmentSending.key(id.record)),
    ]
    let changes = context.database.observations.observe(.jobs)
    while true {
      let isPending = try await context.database.read { transaction in
        try keys.contains { kind, key in try transaction.job(kind, for: key) != nil }
      }
      guard isPending else { return }
      guard await changes.next() != nil else { throw CancellationError() }
    }
  }

  /// Returns when all that earlier programs left to be delivered, and that can be now, is delivered.
  public nonisolated func waitUntilDelivered() async throws {
    try await wait { [context] jobs in
      let soon = context.jobTime + Self.patience
      return !jobs.contains { job in job.delivers && job.canRun(before: soon) }
    }
  }

  private nonisolated func wait(until isOver: ([JobStatus]) -> Bool) async throws {
    for try await view in runner.views() where isOver(view.jobs) { return }
    throw CancellationError()
  }

  /// The longest delay of work that ``waitUntilSettled()`` waits for.
  private static let patience: Int64 = 5000

  /// Returns when all earlier calls have taken effect in the network, including briefly delayed work. Without a
  /// network it waits until there is one.
  public nonisolated func waitUntilSettled() async throws {
    try await wait { [context] jobs in
      let soon = context.jobTime + Self.patience
      return jobs.allSatisfy { job in
        switch job.state {
        case .running: false
        case .waiting: (job.next ?? 0) > soon
        case .failed, .setAside: true
        }
      }
    }
  }
}

extension JobStatus {
  /// True for jobs that deliver messages and files.
  fileprivate var delivers: Bool {
    [Delivery.kind, AttachmentSending.kind, AttachmentUpload.kind].contains(kind)
  }

  /// True if it runs, or waits for nothing but its turn or a moment.
  fileprivate func canRun(before time: Int64) -> Bool {
    switch state {
    case .running: true
    case .failed, .setAside: false
    case .waiting(let blockers):
      blockers.allSatisfy { blocker in
        switch blocker {
        case .time(let moment): moment <= time
        case .fullQueue, .fullKind, .partition, .earlierQueues: true
        case .job, .event, .conditions, .pausedQueue: false
        }
      }
    }
  }
}

extension Messenger {
  /// Prepares work left over from the last run.
  private func prepareStart() async throws {
    try await context.queue.run { [context, author] in
      let now = try context.time()
      let dumps = try author.configs.dumps(at: now)
      let behind = try author.ownersBehind()
      try context.database.write { transaction in
        try author.keep(dumps, in: transaction)
        for owner in behind { try author.requestSync(of: owner, in: transaction) }
        if try transaction.nextInteractionExpiry() != nil {
          try transaction.enqueue(DisappearingSweep(), at: context.jobTime)
        }
        try transaction.enqueue(Upkeep(), .every(Upkeep.interval), at: context.jobTime)
        if context.environment.files != nil {
          try transaction.enqueue(PictureKeeping(), .every(PictureKeeping.interval), at: context.jobTime)
        }
        try transaction.requestFileSweep(at: context.jobTime)
      }
    }
  }
}
