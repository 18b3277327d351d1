import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// The only access to an account's configs: edits, merges and pushes them, and updates the rows derived from them.
final class ConfigAuthor: AccountPart {
  let context: AccountContext
  let configs: ConfigStore
  /// When the newest merged message of each config was stored.
  private let times: Mutex<[ConfigName: Int64]>
  /// The pace of pushes for each owner, by the job clock.
  let syncPaces = Mutex<[SessionID: SyncPace]>([:])
  /// True unless the configs are known to include everything that follows from earlier merges: see
  /// ``settle(after:)``.
  let owesSettling = Mutex(true)
  /// True once the account's list of groups was retrieved by this run of the program.
  let hasReadGroups = Mutex(false)
  /// True once the configs of the account were read from its swarm, or enough members have none.
  let hasReadConfigs = Mutex(false)
  let verifiedAccess = VerifiedAccess()
  /// How often the remnants of each deleted contact were erased.
  let erasures = Mutex<[SessionID: Int]>([:])

  /// News for the pollers, sent once it is committed.
  enum News: Sendable {
    /// The account joined or left groups.
    case memberships
    /// New keys of a group are in its swarm. They can be used once they are retrieved.
    case keysStored(of: SessionID)
  }

  private let listener = Mutex<(@Sendable (News) -> Void)?>(nil)

  var handlers: [JobHandler] { [makeConfigSync(), makeConfigRestoring()] }

  init(_ context: AccountContext) throws {
    self.context = context
    var dumps: [ConfigDump] = []
    var times: [ConfigName: Int64] = [:]
    var newGroups: [GroupAdminKey] = []
    try context.database.read { transaction in
      for row in try transaction.configDumps() {
        guard let owner = SessionID(row.owner), let kind = ConfigKind(stored: row.kind) else { continue }
        let name = ConfigName(kind, of: owner)
        let parts = try transaction.configParts(row.kind, of: row.owner)
        dumps.append(ConfigDump(name, content: row.content, parts: parts.map(HeldConfigPart.init)))
        times[name] = row.at
      }
      newGroups = try transaction.groups(in: .creating).compactMap { group in
        group.seed.flatMap { seed in try? GroupAdminKey(seed: SecretBytes(copying: seed)) }
      }
    }
    let store = try ConfigStore(context.account, dumps: dumps)
    try store.edit { [dumps, newGroups] configs in
      try configs.openJoinedGroups(dumps: dumps)
      for key in newGroups where try configs.groups[key.group] == nil {
        try configs.openUnlistedGroup(with: key, dumps: dumps)
      }
    }
    configs = store
    self.times = Mutex(times)
    if context.access == .working { try refetchDamagedConfigs() }
  }

  /// Sets the one listener. It must not block.
  func listen(_ body: @escaping @Sendable (News) -> Void) { listener.withLock { $0 = body } }

  func tell(_ news: News) { listener.withLock { $0 }?(news) }

  private func refetchDamagedConfigs() throws {
    let damaged = configs.damaged.keys
    guard !damaged.isEmpty else { return }
    environment.log(.error, .configs, "damaged", .count(damaged.count))
    try database.write { transaction in
      for name in damaged {
        guard let namespace = name.kind.namespace else { continue }
        try transaction.forgetHashes(of: name.owner.description, namespace: Int(namespace.rawValue))
      }
    }
  }
}

// MARK: - Editing

extension ConfigAuthor {
  /// Edits configs and writes the related rows in one transaction: all or nothing.
  @discardableResult
  func edit<Plan: Sendable, R: Sendable>(
    _ edit: @escaping @Sendable (inout Configs, MessageTime) throws -> Plan,
    writing write: @escaping @Sendable (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try await act { [self] in try editNow(edit, writing: write) }
  }

  /// Does the same on the worker queue's own thread.
  func editNow<Plan: Sendable, R: Sendable>(
    _ edit: (inout Configs, MessageTime) throws -> Plan,
    writing write: (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) throws -> R {
    try context.requireWorking()
    let now = try time()
    let settling = Settling.current
    var plan: Plan?
    var result: R?
    var isSettled = false
    var changes: [ConfigChange] = []
    try configs.edit(at: now) { configs in
      plan = try edit(&configs, now)
    } saving: { outcome in
      guard let plan else { preconditionFailure("an edit is saved when it is done") }
      changes = outcome.changes
      result = try database.write { transaction in
        // Before the change, whose own event must not count as known.
        isSettled = try settling?.settle(in: transaction, at: context.jobTime) ?? false
        try keep(outcome, ConfigProjection(context: context, now: now), in: transaction, at: now)
        return try write(plan, transaction, now)
      }
    }
    if isSettled { settling?.noteDone() }
    guard let result else { preconditionFailure("an edit that is done was saved") }
    if changes.contains(where: \.affectsFeeds) { tell(.memberships) }
    return result
  }

  /// Merges the result of a poll and writes the related rows in the same transaction. `knownAt` is when the contacts
  /// were known to be current last. Runs on the worker queue's own thread.
  func merge<R: Sendable>(
    _ poll: ConfigPoll, storedAt times: [ConfigName: Int64], contactsKnownAt knownAt: Int64?,
    at now: MessageTime,
    writing write: (ConfigPollOutcome, borrowing WriteTransaction) throws -> R
  ) throws -> (result: R, changes: [ConfigChange]) {
    var result: R?
    let merged = try configs.merge(poll, at: now) { outcome in
      result = try database.write { transaction in
        let contacts = outcome.merges[ConfigName(.contacts, of: own)]
        let projection = ConfigProjection(
          context: context, now: now, mergedAt: times,
          contactsKnownAt: contacts?.isOneRevision == true ? nil : knownAt)
        try keep(outcome.outcome, storedAt: times, projection, in: transaction, at: now)
        return try write(outcome, transaction)
      }
    }
    guard let result else { preconditionFailure("a merge that is done was saved") }
    let changes = merged.outcome.changes
    if changes.contains(where: \.affectsFeeds) { tell(.memberships) }
    return (result, changes)
  }

  /// Edits our own profile.
  func editProfile(_ body: @escaping @Sendable (inout Profile) -> Void) async throws {
    try await edit { configs, now in
      try configs.profile.update(at: now, body)
    } writing: { _, _, _ in
    }
  }
}

// MARK: - Saving

extension ConfigAuthor {
  /// Returns when the newest merged message of a config was stored; 0 if there is none.
  private func time(of name: ConfigName) -> Int64 { times.withLock { $0[name] ?? 0 } }

  /// Saves dumps with the time of the newest message in each; without a given time, the known one stays.
  func keep(
    _ dumps: [ConfigDump], storedAt times: [ConfigName: Int64] = [:],
    in transaction: borrowing WriteTransaction
  ) throws {
    for dump in dumps {
      if let time = times[dump.name] {
        self.times.withLock { $0[dump.name] = max($0[dump.name] ?? 0, time) }
      }
      let owner = dump.name.owner.address
      try transaction.put(
        ConfigDumpRecord(
          dump.name.kind.storedName, of: owner, content: dump.content, at: time(of: dump.name)))
      try transaction.keep(
        dump.parts.map(ConfigPartRecord.init), besideDump: dump.name.kind.storedName, of: owner)
    }
  }

  /// Saves the outcome of an edit or merge: the dumps, the rows derived from them, and the request to push.
  private func keep(
    _ outcome: ConfigOutcome, storedAt times: [ConfigName: Int64] = [:], _ projection: ConfigProjection,
    in transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    var projection = projection
    try projection.apply(outcome.changes, in: transaction)
    try request(projection.followUps, in: transaction, at: now)
    try keep(outcome.dumps, storedAt: times, in: transaction)
    for owner in outcome.needsPush { try requestSync(of: owner, in: transaction) }
  }
}

extension ConfigAuthor {
  /// Requests the work that follows from a change of the configs.
  func request(
    _ followUps: [ConfigFollowUp], in transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    for followUp in followUps {
      switch followUp {
      case .picture(let person, let before):
        try transaction.requestPicture(of: person, after: before, context)
      case .groupPicture(let group): try transaction.requestPicture(ofGroup: group, context)
      case .reading(let id, let time):
        guard let thread = try transaction.thread(id) else { continue }
        try transaction.markRead(in: thread, upTo: time, at: now, context)
      case .clearing(let group): try transaction.enqueue(GroupClearing(group: group), at: jobTime)
      case .removal(let group):
        // The admin who marked them completes the removal at once; another one does it if that fails.
        let delay = GroupRemoval.delay + Int64(environment.chance() * Double(GroupRemoval.spread))
        try transaction.enqueue(GroupRemoval(group: group), .at(jobTime.saturatingAdd(delay)), at: jobTime)
      case .fileSweep: try transaction.requestFileSweep(at: jobTime)
      }
    }
  }
}

// MARK: - Events

extension ConfigAuthor {
  /// Jobs that need a group key which other members already have wait for this event.
  static func keyEvent(of group: SessionID) -> String { "keys:\(group.address)" }

  /// Jobs that announce an edit, which must be stored first, wait for this event.
  static func syncEvent(of owner: SessionID) -> String { "synced:\(owner.address)" }

  /// Jobs that need to know what other devices of the account did with its groups wait for this event.
  static let groupsReadEvent = "groups:read"

  /// The first push of the account's configs waits for this event.
  static let configsReadEvent = "configs:read"

  /// Jobs that follow a batch of steps wait for this event.
  static func stepEvent(of batch: SwarmStepRecord.ID) -> String { "step:\(batch.rawValue)" }
}
