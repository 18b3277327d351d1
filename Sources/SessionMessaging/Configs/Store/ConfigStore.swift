public import SessionCore
import Synchronization

/// Owns all configs of an account: what its devices, and the members of its groups, keep in step.
///
/// One lock serialises everything, so a call never waits for anything but another call: nothing is sent or saved
/// here. The order of things is:
///
///     try store.edit(at: now) { configs in
///       try configs.contacts.update(id) { $0.isBlocked = true }
///     } saving: { outcome in
///       // Keep the dumps, in one transaction with whatever else the edit stands for.
///     }
///
///     for batch in store.pendingPushes(at: now) {
///       // Store each push and confirm it, then delete what is obsolete.
///       try store.confirm(push, hashes: hashes)
///       store.confirmDeletion(of: batch.obsolete, in: batch.owner)
///     }
///
///     try store.merge(poll, at: now) { outcome in
///       // Keep the dumps, in one transaction with what is made of the changes.
///     }
///
/// What is given to the store to be called back runs while the lock is held: it must not call the store itself, which
/// ends the process.
public final class ConfigStore: Sendable {
  public let account: Account
  private let state: Mutex<State>

  /// The configs of an account, from what was kept of them; those of groups are opened with an edit. One whose dump
  /// cannot be read begins empty, see ``damaged``.
  public init(_ account: Account, dumps: [ConfigDump] = []) throws(SessionError) {
    self.account = account
    state = Mutex(State(configs: try Configs(account, dumps: dumps)))
  }

  /// Reads what belongs together.
  public func read<R: Sendable, E: Error>(
    _ body: (borrowing Configs) throws(E) -> R
  ) throws(E) -> R {
    try state.withLock { (state) throws(E) in try body(state.configs) }
  }

  /// Edits what belongs together: all of it is done, or nothing when it throws.
  @discardableResult
  public func edit<R: Sendable, E: Error>(
    _ body: (inout Configs) throws(E) -> R
  ) throws(E) -> R {
    try state.withLock { (state) throws(E) in
      try state.attempt { (state) throws(E) in try body(&state.configs) }
    }
  }

  /// The same, and whatever hangs on it: `save` is given what became of it, to be kept in one transaction. When that
  /// throws nothing was edited.
  @discardableResult
  public func edit<R: Sendable>(
    at now: MessageTime, _ body: (inout Configs) throws -> R, saving save: (ConfigOutcome) throws -> Void
  ) throws -> R {
    try state.withLock { state in
      try state.attempt { state in
        let result = try body(&state.configs)
        try save(state.outcome(at: now))
        return result
      }
    }
  }

  /// Configs whose dump could not be read, and why. They are neither pushed nor dumped before something of theirs was
  /// merged, or it was seen that nothing is stored: forget which messages of theirs were seen, so that all are
  /// retrieved again.
  public var damaged: [ConfigName: SessionError] { state.withLock { $0.configs.damaged } }
}

// MARK: - Keeping

extension ConfigStore {
  /// What has changed since it was last dumped, to be kept.
  public func dumps(at now: MessageTime) throws(SessionError) -> [ConfigDump] {
    try state.withLock { (state) throws(SessionError) in try state.dumps(at: now) }
  }
}

// MARK: - Pushing

extension ConfigStore {
  /// True if anything is to be stored in the swarm of an account or group that is open, and can be.
  public func needsPush(in owner: SessionID) -> Bool {
    state.withLock { $0.needsPush(in: owner) }
  }

  /// True if all configs of an owner are stored, but for these messages with keys of a group. Unlike what is pending, this
  /// hands out nothing.
  func isStored(_ owner: SessionID, besides keys: [[UInt8]]) -> Bool {
    state.withLock { $0.isStored(owner, besides: keys) }
  }

  /// What is to be done in each swarm: the account's first, a group's keys before what they open. A push that is not
  /// confirmed is offered again.
  public func pendingPushes(at now: MessageTime) -> [ConfigBatch] {
    state.withLock { state in state.configs.owners.compactMap { state.batch(of: $0, at: now) } }
  }

  /// What is to be done in the swarm of an account or group that is open; nil when nothing is.
  public func pendingPushes(in owner: SessionID, at now: MessageTime) -> ConfigBatch? {
    state.withLock { $0.batch(of: owner, at: now) }
  }

  /// All messages of a push are stored, under these hashes, one each in their order. Means nothing when the config was
  /// edited since. Throws ``SessionError/Code/argument`` for another number of hashes, and
  /// ``SessionError/Code/notFound`` for a push of another account, or of a group that is not open any more.
  public func confirm(_ push: ConfigPush, hashes: [String]) throws(SessionError) {
    guard hashes.count == push.messages.count else {
      throw SessionError(.argument, "a push is confirmed with one hash for each of its messages")
    }
    try state.withLock { (state) throws(SessionError) in
      if push.name.kind == .groupKeys {
        // A group's key is confirmed by its message coming back.
        return try state.configs.readGroup(push.name.owner) { _ in }
      }
      try state.configs.confirm(push, hashes: hashes)
    }
  }

  /// The swarm has deleted these, or has them no more.
  public func confirmDeletion(of hashes: [String], in owner: SessionID) {
    state.withLock { $0.owed[owner]?.subtract(hashes) }
  }

  /// The hashes of everything the swarm of an account or group has to keep.
  public func activeHashes(in owner: SessionID, at now: MessageTime) throws(SessionError) -> [String] {
    try state.withLock { (state) throws(SessionError) in
      var hashes: Set<String> = []
      for name in state.configs.names(of: owner) {
        hashes.formUnion(try state.configs.activeHashes(name, at: now))
      }
      return hashes.sorted()
    }
  }

  /// The messages of a config as they are stored, to be stored again in a swarm that has lost them. Nil when there is
  /// nothing to store, or something newer to push.
  public func storedAgain(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> ConfigPush? {
    try state.withLock { (state) throws(SessionError) -> ConfigPush? in
      guard state.configs.damaged[name] == nil else { return nil }
      let (push, obsolete) = try state.configs.storedAgain(name, at: now)
      state.owe(obsolete, in: name.owner)
      return push
    }
  }
}

// MARK: - Merging

extension ConfigStore {
  /// Merges what was retrieved for one config, all of one poll at once; a group's keys come first. Nothing at all tells
  /// that nothing is stored. Throws ``SessionError/Code/notFound`` for the config of another account, or of a group
  /// that is not open.
  public func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    try state.withLock { (state) throws(SessionError) in
      try state.attempt { (state) throws(SessionError) in try state.merge(messages, into: name, at: now) }
    }
  }

  /// Merges all that one poll of a swarm brought, in the order in which configs depend on each other. `save` is given
  /// what became of it, to be kept in one transaction. When that throws nothing was merged, so that the same messages
  /// are to be retrieved again.
  @discardableResult
  public func merge(
    _ poll: ConfigPoll, at now: MessageTime, saving save: (ConfigPollOutcome) throws -> Void
  ) throws -> ConfigPollOutcome {
    try state.withLock { state in
      try state.attempt { state in
        let (merges, failures, retrieveAgain) = state.merge(poll, at: now)
        let outcome = ConfigPollOutcome(
          merges: merges, failures: failures, retrieveAgain: retrieveAgain,
          outcome: try state.outcome(at: now))
        try save(outcome)
        return outcome
      }
    }
  }
}
