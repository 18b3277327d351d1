import SessionBase
public import SessionCore
import SessionJobs
public import SessionNetworking
import SessionStorage
import Synchronization

/// The messenger of one account: its conversations, events and actions.
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
/// Every operation is stored before it runs. It survives the end of the program and resumes when the account is
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
  nonisolated let ratchet: Ratchet
  nonisolated let outbox: Outbox
  nonisolated let people: People
  nonisolated let groups: Groups
  nonisolated let communities: Communities
  nonisolated let list: ConversationList
  nonisolated let inbox: Inbox
  nonisolated let runner: JobRunner
  nonisolated let supervisor: PollSupervisor
  private nonisolated let updates: FeedUpdates
  private nonisolated let watched = WatchedFeeds()
  /// The program that carries out the calls of this one; nil if this one holds the account itself.
  nonisolated let holder: (any AccountHolder)?
  /// Held until the messenger stops.
  private var lock: AccountLock?
  private var phase = Phase.opened
  private var watch: Task<Void, Never>?
  /// Follows the news of the holder.
  private var following: Task<Void, Never>?
  /// The last requested change of the phase. The next one waits for it, so that no two overlap.
  private var change: Task<Void, any Error>?

  /// The account's own id.
  public nonisolated var id: SessionID { context.own }

  init(
    _ account: Account, _ database: Database, _ environment: MessengerEnvironment,
    _ access: Access = .working,
    folder: String? = nil, lock: AccountLock? = nil, holder: (any AccountHolder)? = nil
  ) throws {
    let context = AccountContext(account, database, environment, access)
    self.holder = holder
    let author = try ConfigAuthor(context)
    let files = Files(context, author, folder: folder)
    let ratchet = Ratchet(context, folder: folder)
    let outbox = Outbox(context, author, files, ratchet)
    let people = People(context, author, outbox)
    let groups = Groups(context, author, files, ratchet)
    let typists = Typists()
    let communities = Communities(context, author, typists)
    let list = ConversationList(context, author, outbox, people, typists)
    let inbox = Inbox(context, author, ratchet, typists)
    (self.context, self.author, self.files, self.outbox) = (context, author, files, outbox)
    (self.people, self.groups, self.list, self.inbox, self.lock) = (people, groups, list, inbox, lock)
    self.communities = communities
    self.ratchet = ratchet
    let parts: [any AccountPart] = [author, files, ratchet, outbox, people, groups, communities, list, inbox]
    let upkeep = [
      DisappearingSweep.handler(context), ExpiryShortening.handler(context),
      SwarmDeletion.handler(context, author),
      Upkeep.handler(context, files),
    ]
    runner = try JobRunner(
      database, parts.flatMap(\.handlers) + upkeep, conditions: [.accountActive, .unlocked],
      environment: JobEnvironment(
        clock: environment.clock, chance: environment.chance, log: environment.log),
      purpose: "the messenger")
    let polling = FeedPolling(context: context, author: author, inbox: inbox)
    let supervisor = PollSupervisor(
      clock: environment.clock, chance: environment.chance, watched: watched
    ) { feed, limits in polling.parts(of: feed, within: limits) }
    self.supervisor = supervisor
    let updates = FeedUpdates(context, supervisor) { try polling.wanted() }
    self.updates = updates
    groups.poll { [weak supervisor] group in await supervisor?.pollNow(.group(group)) ?? false }
    author.listen { [weak updates, weak supervisor] news in
      switch news {
      case .memberships: updates?.apply()
      case .keysStored(let owner):
        Task { await supervisor?.pollNow(.group(owner)) }
      }
    }
  }
}

// MARK: - Life cycle

extension Messenger {
  /// Starts: resumes pending jobs and polls the swarm from now on. Call once.
  public func start() async throws {
    try context.requireWorking()
    try await inTurn { messenger in try await messenger.startNow() }
  }

  /// Has another program carry out the calls of this messenger from now on, which was opened with that program as holder.
  func startFollowing() {
    guard let holder, following == nil else { return }
    following = Task { [weak self] in await self?.follow(holder) }
  }

  /// Tells other programs the socket on which this one carries out their calls; nil for none.
  package func tell(socket: String?) { lock?.tell(socket: socket) }

  /// How long the database has been at the same write; zero if it writes nothing.
  package nonisolated var writingTime: Duration {
    context.database.writingSince.map { .now - $0 } ?? .zero
  }

  /// The bytes of the database on the disk.
  package nonisolated var databaseBytes: Int { context.database.bytesOnDisk }

  /// Keeps the lock of the account when this stops, for the same program started anew in this process.
  package func keepLock() { lock?.keep() }

  /// True if calls can be carried out, here or by the holder.
  nonisolated var canChange: Bool { holder != nil || context.access == .working }

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
    try await updates.start()
    await supervisor.start()
  }

  /// Suspends jobs that need the network while it is unreachable. Returns when the current state is known.
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

  /// True from ``suspend()`` to ``resume()``.
  package var isSuspended: Bool { phase == .suspended }

  /// Continues after ``suspend()``, with an immediate poll.
  public func resume() async {
    try? await inTurn { messenger in
      guard messenger.phase == .suspended else { return }
      messenger.phase = .running
      await messenger.runner.set(.accountActive, to: true)
      await messenger.supervisor.resume()
    }
  }

  /// Stops. Running work may finish for a moment, and otherwise resumes at the next start.
  public func stop(finishingWithin timeout: Duration = .seconds(2)) async {
    try? await inTurn { messenger in await messenger.stopNow(timeout) }
  }

  private func stopNow(_ timeout: Duration) async {
    guard phase != .stopped else { return }
    phase = .stopped
    outbox.ownTyping.endAll()
    watch?.cancel()
    following?.cancel()
    files.transfers.finish()
    inbox.receiving.finish()
    list.typists.finish()
    updates.stop()
    await supervisor.stop()
    await runner.stop(finishingWithin: timeout, stoppingWithin: .seconds(1))
    try? await context.queue.run { [context] in try context.database.close() }
    await holder?.close()
    lock?.release()
    lock = nil
  }

  /// Polls the swarms of the account and its groups, and returns when the messages are stored; false if the poll of
  /// the account failed.
  @discardableResult
  public func poll() async -> Bool { (try? await perform(.account(.poll))) == .success(true) }

  /// The swarms that it was opened with.
  package nonisolated var swarms: any SwarmService { context.environment.swarms }

  /// Polls a group, or the server of a room, at once, and then often, while the returned value exists. Messages of
  /// people come with the polls of the account.
  public nonisolated func watch(_ conversation: Conversation.ID) -> ConversationWatch {
    guard holder == nil else {
      let call = Task { _ = try? await perform(.conversation(.watch(conversation))) }
      return ConversationWatch { call.cancel() }
    }
    return watchHere(conversation)
  }

  nonisolated func watchHere(_ conversation: Conversation.ID) -> ConversationWatch {
    let feed = Feed(of: conversation)
    watched.begin(feed)
    if feed != .account { Task { [supervisor] in await supervisor.pollNow(feed) } }
    return ConversationWatch { [watched] in watched.end(feed) }
  }

  /// The state of processing received messages, now and after each change.
  public nonisolated func receivingProgress() -> AsyncStream<ReceivingProgress> { inbox.receiving.stream() }

  /// Returns the key of the node that notifies of new messages, so that they arrive before the next poll; nil if
  /// there is none.
  public func notifier() async -> [UInt8]? { await supervisor.notifier(of: .account) }

  /// Returns the state of polling.
  public func pollCondition() async -> PollCondition {
    guard case .condition(let condition)? = try? await perform(.account(.pollCondition)) else {
      return PollCondition()
    }
    return condition
  }
}

extension Messenger {
  /// Prepares work left over from the last run.
  private func prepareStart() async throws {
    try await context.queue.run { [context, author, ratchet] in
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
        try transaction.requestScheduled(at: context.jobTime)
        try transaction.resumeJoining(at: context.jobTime)
        try transaction.releaseDownloads(at: now)
        try ratchet.checkMark(in: transaction)
        try ratchet.beginWorking(in: transaction)
      }
    }
  }
}
