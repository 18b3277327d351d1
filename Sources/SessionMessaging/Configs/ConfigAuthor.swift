import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// The only door to an account's configs: edits, merges and pushes them, and keeps the rows that stand for them.
final class ConfigAuthor: AccountPart {
  let context: AccountContext
  let configs: ConfigStore
  /// Of each config, when the newest message that is in it was stored.
  private let times: Mutex<[ConfigName: Int64]>
  /// Of each owner, by the time of jobs.
  let syncPaces = Mutex<[SessionID: SyncPace]>([:])
  /// True if it is not known that the configs say all that follows from what was merged into them: see ``settle(after:)``.
  let owesSettling = Mutex(true)
  /// Of contacts that were deleted, how often their remnants were erased.
  let erasures = Mutex<[SessionID: Int]>([:])

  /// What those who poll want to know of, once it is committed.
  enum News: Sendable {
    /// The account is in other groups than before.
    case memberships
    /// New keys of a group are in its swarm: they can be used once they are retrieved.
    case keysStored(of: SessionID)
  }

  private let listener = Mutex<(@Sendable (News) -> Void)?>(nil)

  var handlers: [JobHandler] { [makeConfigSync(), makeConfigRestoring()] }

  init(_ context: AccountContext) throws {
    self.context = context
    var dumps: [ConfigDump] = []
    var times: [ConfigName: Int64] = [:]
    try context.database.read { transaction in
      for row in try transaction.configDumps() {
        guard let owner = SessionID(row.owner), let kind = ConfigKind(stored: row.kind) else { continue }
        let name = ConfigName(kind, of: owner)
        let parts = try transaction.configParts(row.kind, of: row.owner)
        dumps.append(ConfigDump(name, content: row.content, parts: parts.map(HeldConfigPart.init)))
        times[name] = row.at
      }
    }
    let store = try ConfigStore(context.account, dumps: dumps)
    try store.edit { [dumps] configs in try configs.openJoinedGroups(dumps: dumps) }
    configs = store
    self.times = Mutex(times)
    if context.access == .working { try forgetWhatDamagedConfigsSaw() }
  }

  /// Has one listener told what is new. It must not wait for anything.
  func listen(_ body: @escaping @Sendable (News) -> Void) { listener.withLock { $0 = body } }

  func tell(_ news: News) { listener.withLock { $0 }?(news) }

  private func forgetWhatDamagedConfigsSaw() throws {
    let damaged = configs.damaged.keys
    guard !damaged.isEmpty else { return }
    environment.log("\(damaged.count) configs could not be read and are fetched again")
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
  /// Edits configs, and writes what belongs to that in one transaction: all of it is done, or nothing.
  @discardableResult
  func edit<Plan: Sendable, R: Sendable>(
    _ edit: @escaping @Sendable (inout Configs, MessageTime) throws -> Plan,
    writing write: @escaping @Sendable (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) async throws -> R {
    try await act { [self] in try editNow(edit, writing: write) }
  }

  /// The same on the worker queue's own thread.
  func editNow<Plan: Sendable, R: Sendable>(
    _ edit: (inout Configs, MessageTime) throws -> Plan,
    writing write: (Plan, borrowing WriteTransaction, MessageTime) throws -> R
  ) throws -> R {
    try context.requireWorking()
    let now = try time()
    var plan: Plan?
    var result: R?
    var changes: [ConfigChange] = []
    try configs.edit(at: now) { configs in
      plan = try edit(&configs, now)
    } saving: { outcome in
      guard let plan else { preconditionFailure("an edit is saved when it is done") }
      changes = outcome.changes
      result = try database.write { transaction in
        try keep(outcome, in: transaction, at: now)
        return try write(plan, transaction, now)
      }
    }
    guard let result else { preconditionFailure("an edit that is done was saved") }
    if changes.contains(where: \.isOfMembership) { tell(.memberships) }
    return result
  }

  /// Merges what a poll brought, and writes what belongs to that in the same transaction. On the worker queue's own thread.
  func merge<R: Sendable>(
    _ poll: ConfigPoll, storedAt times: [ConfigName: Int64], at now: MessageTime,
    writing write: (ConfigPollOutcome, borrowing WriteTransaction) throws -> R
  ) throws -> (result: R, changes: [ConfigChange]) {
    var result: R?
    let merged = try configs.merge(poll, at: now) { outcome in
      result = try database.write { transaction in
        try keep(outcome.outcome, storedAt: times, in: transaction, at: now)
        return try write(outcome, transaction)
      }
    }
    guard let result else { preconditionFailure("a merge that is done was saved") }
    let changes = merged.outcome.changes
    if changes.contains(where: \.isOfMembership) { tell(.memberships) }
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

// MARK: - Keeping

extension ConfigAuthor {
  /// When the newest message that is in a config was stored; 0 when none is.
  func time(of name: ConfigName) -> Int64 { times.withLock { $0[name] ?? 0 } }

  /// Keeps dumps, with the time of the newest message that is in them: that which they had, where it is not given.
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

  /// Keeps what became of configs: the dumps, the rows that stand for them, and that they are to be pushed.
  func keep(
    _ outcome: ConfigOutcome, storedAt times: [ConfigName: Int64] = [:],
    in transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    try ConfigProjection(context: context, now: now, mergedAt: times).apply(outcome.changes, in: transaction)
    try keep(outcome.dumps, storedAt: times, in: transaction)
    for owner in outcome.needsPush { try requestSync(of: owner, in: transaction) }
  }
}

// MARK: - Events

extension ConfigAuthor {
  /// Jobs wait for it that need a key of a group which others have too.
  static func keyEvent(of group: SessionID) -> String { "keys:\(group.address)" }

  /// Jobs wait for it that tell of an edit which has to be stored first.
  static func syncEvent(of owner: SessionID) -> String { "synced:\(owner.address)" }

  /// Jobs wait for it that follow a batch of steps.
  static func stepEvent(of batch: SwarmStepRecord.ID) -> String { "step:\(batch.rawValue)" }
}
