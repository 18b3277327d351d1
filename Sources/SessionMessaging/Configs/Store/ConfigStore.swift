public import SessionCore
import Synchronization

/// Owns all configs of an account: the state that its devices, and the members of its groups, synchronise.
///
/// One lock serialises everything, and a call waits only for other calls: nothing is sent or saved here. The order of
/// calls is:
///
///     try store.edit(at: now) { configs in
///       try configs.contacts.update(id) { $0.isBlocked = true }
///     } saving: { outcome in
///       // Save the dumps in one transaction with the other writes of the edit.
///     }
///
///     for batch in store.pendingPushes(at: now) {
///       // Store each push and confirm it, then delete what is obsolete.
///       try store.confirm(push, hashes: hashes)
///       store.confirmDeletion(of: batch.obsolete, in: batch.owner)
///     }
///
///     try store.merge(poll, at: now) { outcome in
///       // Save the dumps in one transaction with the writes that follow from the changes.
///     }
///
/// Closures passed to the store run while the lock is held. They must not call the store, which would end the
/// process.
public final class ConfigStore: Sendable {
  public let account: Account
  private let state: Mutex<State>

  /// Restores the configs of an account from their dumps; an edit opens those of groups. A config whose dump cannot
  /// be read starts empty, see ``damaged``.
  public init(_ account: Account, dumps: [ConfigDump] = []) throws(SessionError) {
    self.account = account
    state = Mutex(State(configs: try Configs(account, dumps: dumps)))
  }

  /// Reads the configs in one consistent state.
  public func read<R: Sendable, E: Error>(
    _ body: (borrowing Configs) throws(E) -> R
  ) throws(E) -> R {
    try state.withLock { (state) throws(E) in try body(state.configs) }
  }

  /// Edits the configs as a whole: if `body` throws, nothing changes.
  @discardableResult
  public func edit<R: Sendable, E: Error>(
    _ body: (inout Configs) throws(E) -> R
  ) throws(E) -> R {
    try state.withLock { (state) throws(E) in
      try state.attempt { (state) throws(E) in try body(&state.configs) }
    }
  }

  /// Edits the configs, and passes the outcome to `save` to be saved in one transaction. If `save` throws, nothing
  /// changes.
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

  /// Configs whose dump could not be read, with the reason. They are neither pushed nor dumped until a message was
  /// merged into them, or the swarm turned out to have none. Forget which of their messages were seen, so that all
  /// are retrieved again.
  public var damaged: [ConfigName: SessionError] { state.withLock { $0.configs.damaged } }
}

// MARK: - Saving

extension ConfigStore {
  /// The unsaved changes, as dumps.
  public func dumps(at now: MessageTime) throws(SessionError) -> [ConfigDump] {
    try state.withLock { (state) throws(SessionError) in try state.dumps(at: now) }
  }
}

// MARK: - Pushing

extension ConfigStore {
  /// True if something must and can be stored in the swarm of an account or of an open group.
  public func needsPush(in owner: SessionID) -> Bool {
    state.withLock { $0.needsPush(in: owner) }
  }

  /// The configs of an account or of an open group that must and can be stored in its swarm.
  func kindsToPush(in owner: SessionID) -> [ConfigKind] {
    state.withLock { $0.kindsToPush(in: owner) }
  }

  /// True if all configs of an owner are stored, except these messages with keys of a group. Hands out no push.
  func isStored(_ owner: SessionID, besides keys: [[UInt8]]) -> Bool {
    state.withLock { $0.isStored(owner, besides: keys) }
  }

  /// The work in each swarm: the account's first, and a group's keys before the configs they open. A push is returned
  /// again until it is confirmed.
  public func pendingPushes(at now: MessageTime) -> [ConfigBatch] {
    state.withLock { state in state.configs.owners.compactMap { state.batch(of: $0, at: now) } }
  }

  /// The work in the swarm of an account or of an open group; nil if there is none.
  public func pendingPushes(in owner: SessionID, at now: MessageTime) -> ConfigBatch? {
    state.withLock { $0.batch(of: owner, at: now) }
  }

  /// Confirms that all messages of a push are stored under these hashes, one each, in order. Has no effect if the
  /// config was edited since. Throws ``SessionError/Code/argument`` if the number of hashes differs, and
  /// ``SessionError/Code/notFound`` for a push of another account, or of a group that is no longer open.
  public func confirm(_ push: ConfigPush, hashes: [String]) throws(SessionError) {
    guard hashes.count == push.messages.count else {
      throw SessionError(.argument, "a push is confirmed with one hash for each of its messages")
    }
    try state.withLock { (state) throws(SessionError) in
      if push.name.kind == .groupKeys {
        // A group's key is confirmed when its message comes back.
        return try state.configs.readGroup(push.name.owner) { _ in }
      }
      try state.configs.confirm(push, hashes: hashes)
    }
  }

  /// Confirms that the swarm does not have these messages any more.
  public func confirmDeletion(of hashes: [String], in owner: SessionID) {
    state.withLock { $0.owed[owner]?.subtract(hashes) }
  }

  /// The hashes of all messages that the swarm of an account or group must keep.
  public func activeHashes(in owner: SessionID, at now: MessageTime) throws(SessionError) -> [String] {
    try state.withLock { (state) throws(SessionError) in
      var hashes: Set<String> = []
      for name in state.configs.names(of: owner) {
        hashes.formUnion(try state.configs.activeHashes(name, at: now))
      }
      return hashes.sorted()
    }
  }

  /// Returns the messages of a config as they are stored, for a swarm that has lost them. Nil if there is nothing to
  /// store, or a newer revision to push.
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
  /// Merges the retrieved messages of one config, all of one poll at once; a group's keys come first. An empty array
  /// means that nothing is stored. Throws ``SessionError/Code/notFound`` for the config of another account, or of a
  /// group that is not open.
  public func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    try state.withLock { (state) throws(SessionError) in
      try state.attempt { (state) throws(SessionError) in try state.merge(messages, into: name, at: now) }
    }
  }

  /// Merges a whole poll of a swarm, in the order in which configs depend on each other. `save` receives the outcome,
  /// to save it in one transaction. If it throws, nothing was merged, and the same messages must be retrieved again.
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
