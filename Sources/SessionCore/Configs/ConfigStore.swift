internal import Synchronization

/// Owns all configs of an account: what its devices, and the members of its groups, keep in step.
///
/// One lock serialises everything, so a call never waits for anything but another call: nothing is sent or saved
/// here. The order of things is:
///
///     try store.edit { configs throws(SessionError) in try configs.contacts.update(id) { $0.isBlocked = true } }
///     save(try store.dumps(at: now))  // in one transaction with whatever else the edit stands for
///
///     for batch in try store.pendingPushes(at: now) {
///       // Store each push and confirm it, then delete what is obsolete.
///       try store.confirm(push, hashes: hashes)
///       store.confirmDeletion(of: batch.obsolete, in: batch.owner)
///     }
///
///     let merge = try store.merge(messages, into: name, at: now)
public final class ConfigStore: Sendable {
  public let account: Account
  private let state: Mutex<State>

  private struct State: ~Copyable, Sendable {
    var configs: Configs
    /// What is still to be deleted from each swarm.
    var owed: [SessionID: Set<String>] = [:]
  }

  /// The configs of an account, from what was kept of them; those of groups are opened with an edit. One whose dump
  /// cannot be read begins empty, see ``damaged``.
  public init(_ account: Account, dumps: [ConfigDump] = []) throws(SessionError) {
    self.account = account
    state = Mutex(State(configs: try Configs(account, dumps: dumps)))
  }

  /// Reads what belongs together.
  public func read<R: Sendable>(
    _ body: (borrowing Configs) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try state.withLock { (state) throws(SessionError) in try body(state.configs) }
  }

  /// Edits what belongs together. Each single edit happens or not; when one fails, those before it stay.
  @discardableResult
  public func edit<R: Sendable>(
    _ body: (inout Configs) throws(SessionError) -> R
  ) throws(SessionError) -> R {
    try state.withLock { (state) throws(SessionError) in try body(&state.configs) }
  }

  /// Configs whose dump could not be read, and why. They are not pushed before messages of theirs were merged: forget
  /// which messages of theirs were seen, so that all are retrieved again.
  public var damaged: [ConfigName: SessionError] { state.withLock { $0.configs.damaged } }
}

// MARK: - Keeping

extension ConfigStore {
  /// What has changed since it was last dumped, to be kept.
  public func dumps(at now: MessageTime) throws(SessionError) -> [ConfigDump] {
    try state.withLock { (state) throws(SessionError) in
      var dumps: [ConfigDump] = []
      for name in state.configs.names {
        if let content = try state.configs.dump(name, at: now) {
          dumps.append(ConfigDump(name, content: content))
        }
      }
      return dumps
    }
  }
}

// MARK: - Pushing

extension ConfigStore {
  /// What is to be done in each swarm: the account's first, a group's keys before what they open. A push that is not
  /// confirmed is offered again.
  public func pendingPushes(at now: MessageTime) throws(SessionError) -> [ConfigBatch] {
    try state.withLock { (state) throws(SessionError) in
      var pushes: [SessionID: [ConfigPush]] = [:]
      for name in state.configs.names where state.configs.damaged[name] == nil {
        guard let (push, obsolete) = try state.configs.push(name, at: now) else { continue }
        pushes[name.owner, default: []].append(push)
        state.owed[name.owner, default: []].formUnion(obsolete)
      }
      return ([account.id] + state.configs.openGroups).compactMap { owner in
        let obsolete = state.owed[owner, default: []].sorted()
        guard let pushes = pushes[owner] else {
          return obsolete.isEmpty ? nil : ConfigBatch(owner: owner, pushes: [], obsolete: obsolete)
        }
        return ConfigBatch(owner: owner, pushes: pushes, obsolete: obsolete)
      }
    }
  }

  /// All messages of a push are stored, under these hashes. Means nothing when the config was edited since.
  public func confirm(_ push: ConfigPush, hashes: [String]) throws(SessionError) {
    try state.withLock { (state) throws(SessionError) in
      // A group's key is confirmed by its message coming back.
      _ = try state.configs.withHandle(push.name) { (handle) throws(SessionError) in
        try handle.confirm(push.sequenceNumber, hashes: hashes)
      }
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
      for name in state.configs.names where name.owner == owner {
        hashes.formUnion(try state.configs.activeHashes(name, at: now))
      }
      return hashes.sorted()
    }
  }

  /// The messages of a config as they are stored, to be stored again in a swarm that has lost them. Nil when there is
  /// nothing to store, or something newer to push.
  public func storedAgain(_ name: ConfigName, at now: MessageTime) throws(SessionError) -> ConfigPush? {
    try state.withLock { (state) throws(SessionError) in
      guard state.configs.damaged[name] == nil else { return nil }
      return try state.configs.storedAgain(name, at: now)
    }
  }
}

// MARK: - Merging

extension ConfigStore {
  /// Merges what was retrieved for one config, all of one poll at once. A group's keys come first.
  public func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    try state.withLock { (state) throws(SessionError) in
      let merge = try state.configs.merge(messages, into: name, at: now)
      // What is stored has been seen: an edit now follows it.
      state.configs.damaged[name] = nil
      return merge
    }
  }
}
