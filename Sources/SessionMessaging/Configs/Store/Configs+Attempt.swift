import SessionCore

extension Configs {
  /// A change that succeeds or fails as a whole. Holds the earlier state of the configs it has touched.
  struct Attempt {
    fileprivate struct Touched {
      let name: ConfigName
      let savepoint: ConfigSavepoint
      let mark: ConfigMark
    }

    fileprivate let opened: [SessionID: OpenGroup]
    fileprivate let unlisted: Set<SessionID>
    fileprivate let damaged: [ConfigName: SessionError]
    fileprivate let mended: Set<ConfigName>
    fileprivate let edits: [ConfigName: ConfigEdits]
    fileprivate var touched: [Touched] = []
    /// The versions of the keys of touched groups.
    fileprivate var keyVersions: [(group: SessionID, version: UInt64)] = []
    fileprivate var owners: Set<SessionID> = []
  }

  mutating func beginAttempt() {
    precondition(attempt == nil, "attempts do not nest")
    attempt = Attempt(opened: opened, unlisted: unlisted, damaged: damaged, mended: mended, edits: edits)
    touch(account.id)
  }

  /// Saves the state of an owner's configs before the attempt changes them. Those of a group are saved only when
  /// needed, as there may be many groups.
  mutating func touch(_ owner: SessionID) {
    guard attempt?.owners.insert(owner).inserted == true else { return }
    for name in names(of: owner) where name.kind != .groupKeys {
      let touched = try? withHandle(name) {
        Attempt.Touched(name: name, savepoint: ConfigSavepoint(of: $0), mark: ConfigMark(of: $0))
      }
      if let touched { attempt?.touched.append(touched) }
    }
    guard let group = opened[owner] else { return }
    group.configs.keys.beginAttempt()
    attempt?.keyVersions.append((owner, group.configs.keys.version))
  }

  /// The changes made by the attempt so far, except in groups that it opened or closed.
  func changesOfAttempt() -> [ConfigChange] {
    guard let attempt else { return [] }
    var changes: [ConfigChange] = []
    for (group, version) in attempt.keyVersions {
      if let opened = opened[group], opened.configs.keys.version != version {
        changes.append(.groupKeys(group))
      }
    }
    for touched in attempt.touched where stillOpen(touched.name.owner) {
      let paths = try? withHandle(touched.name) { touched.mark.changes(in: $0, of: touched.name.kind) }
      changes += self.changes(in: touched.name, paths ?? [])
    }
    return changes
  }

  private func stillOpen(_ owner: SessionID) -> Bool { attempt?.opened[owner] === opened[owner] }

  mutating func endAttempt() {
    for (group, _) in attempt?.keyVersions ?? [] { opened[group]?.configs.keys.endAttempt() }
    attempt = nil
  }

  /// Restores the configs to their state before the attempt.
  mutating func rollBack() {
    guard let attempt else { return }
    self.attempt = nil
    opened = attempt.opened
    unlisted = attempt.unlisted
    damaged = attempt.damaged
    mended = attempt.mended
    edits = attempt.edits
    for touched in attempt.touched {
      _ = try? withHandle(touched.name) { touched.savepoint.rollBack($0) }
    }
    for (group, _) in attempt.keyVersions { opened[group]?.configs.keys.rollBack() }
  }
}
