import SessionCore

extension ConfigStore {
  // Sendable without the compiler's check: only the store's Mutex gives access to the configs. It lends them to one
  // thread at a time, they cannot be copied, and results must be Sendable themselves.
  struct State: ~Copyable, @unchecked Sendable {
    var configs: Configs
    /// The hashes still to be deleted from each swarm.
    var owed: [SessionID: Set<String>] = [:]
    /// Configs of groups with messages that could not be opened because a key was missing.
    var unopened: Set<ConfigName> = []
  }
}

extension ConfigStore.State {
  mutating func owe(_ hashes: [String], in owner: SessionID) {
    if !hashes.isEmpty { owed[owner, default: []].formUnion(hashes) }
  }

  /// A config that fails does not stop the others from being stored.
  mutating func batch(of owner: SessionID, at now: MessageTime) -> ConfigBatch? {
    var pushes: [ConfigPush] = []
    var withheld: [ConfigBatch.Withheld] = []
    for name in configs.names(of: owner) {
      do throws(SessionError) {
        if let error = configs.damaged[name] {
          if try configs.needsPush(name) { withheld.append(ConfigBatch.Withheld(name: name, error: error)) }
          continue
        }
        let (push, obsolete) = try configs.push(name, at: now)
        owe(obsolete, in: owner)
        if let push { pushes.append(push) }
      } catch {
        withheld.append(ConfigBatch.Withheld(name: name, error: error))
      }
    }
    let batch = ConfigBatch(
      owner: owner, pushes: pushes, obsolete: owed[owner, default: []].sorted(), withheld: withheld)
    return batch.isEmpty && withheld.isEmpty ? nil : batch
  }
}

// MARK: - Attempts

extension ConfigStore.State {
  /// Runs `body` as a whole: if it throws, nothing changes.
  mutating func attempt<R, E: Error>(_ body: (inout Self) throws(E) -> R) throws(E) -> R {
    let (owed, unopened) = (owed, unopened)
    configs.beginAttempt()
    do throws(E) {
      let result = try body(&self)
      configs.endAttempt()
      return result
    } catch {
      configs.rollBack()
      self.owed = owed
      self.unopened = unopened
      throw error
    }
  }

  /// The outcome of the attempt.
  mutating func outcome(at now: MessageTime) throws(SessionError) -> ConfigOutcome {
    let changes = configs.changesOfAttempt()
    if changes.contains(where: \.isOfMembership) { try configs.followMemberships() }
    let dumps = try dumps(at: now)
    return ConfigOutcome(
      changes: changes, dumps: dumps,
      needsPush: configs.owners.filter { !configs.unlisted.contains($0) && needsPush(in: $0) })
  }

  /// The unsaved dumps of all configs.
  mutating func dumps(at now: MessageTime) throws(SessionError) -> [ConfigDump] {
    var dumps: [ConfigDump] = []
    for name in configs.allNames {
      if let dump = try configs.dump(name, at: now) { dumps.append(dump) }
    }
    return dumps
  }

  func needsPush(in owner: SessionID) -> Bool {
    configs.names(of: owner).contains { isToPush($0) }
  }

  func kindsToPush(in owner: SessionID) -> [ConfigKind] {
    configs.names(of: owner).filter { isToPush($0) }.map(\.kind)
  }

  private func isToPush(_ name: ConfigName) -> Bool {
    (try? configs.needsPush(name) && configs.canPush(name)) == true
  }

  func isStored(_ owner: SessionID, besides keys: [[UInt8]]) -> Bool {
    configs.names(of: owner).allSatisfy { name in
      if name.kind == .groupKeys {
        return (try? configs.pendingKeys(of: owner).map(keys.contains) ?? true) == true
      }
      return (try? configs.needsPush(name)) == false
    }
  }

  /// Merges a poll config by config; one that fails does not affect the others.
  mutating func merge(_ poll: ConfigPoll, at now: MessageTime) -> (
    merges: [ConfigName: ConfigMerge], failures: [ConfigName: SessionError], retrieveAgain: [ConfigName]
  ) {
    var merges: [ConfigName: ConfigMerge] = [:]
    var failures: [ConfigName: SessionError] = [:]
    var retrieveAgain: Set<ConfigName> = []
    for (kind, messages) in poll.messages.sorted(by: { $0.key < $1.key }) {
      let name = ConfigName(kind, of: poll.owner)
      do throws(SessionError) {
        let merge = try merge(messages, into: name, at: now)
        merges[name] = merge
        guard kind == .groupKeys, !merge.changes.isEmpty else { continue }
        retrieveAgain = unopened.filter { $0.owner == poll.owner }
        unopened.subtract(retrieveAgain)
      } catch {
        failures[name] = error
      }
    }
    return (merges, failures, retrieveAgain.sorted { $0.kind < $1.kind })
  }

  mutating func merge(
    _ messages: [ConfigMessage], into name: ConfigName, at now: MessageTime
  ) throws(SessionError) -> ConfigMerge {
    let merge = try configs.merge(messages, into: name, at: now)
    if name.kind.isOfGroup, merge.rejected.contains(where: { $0.error.code == .noKey }) {
      unopened.insert(name)
    }
    return merge
  }
}
