import SessionCore

extension Configs {
  /// Something that is done as a whole or not at all: what the configs were that it has touched so far.
  struct Attempt {
    fileprivate struct Touched {
      let name: ConfigName
      let savepoint: ConfigSavepoint
      let mark: ConfigMark
    }

    fileprivate let opened: [SessionID: OpenGroup]
    fileprivate let damaged: [ConfigName: SessionError]
    fileprivate let mended: Set<ConfigName>
    fileprivate let edits: [ConfigName: ConfigEdits]
    fileprivate var touched: [Touched] = []
    /// The versions of the keys of the groups among them.
    fileprivate var keyVersions: [(group: SessionID, version: UInt64)] = []
    fileprivate var owners: Set<SessionID> = []
  }

  mutating func beginAttempt() {
    precondition(attempt == nil, "attempts do not nest")
    attempt = Attempt(opened: opened, damaged: damaged, mended: mended, edits: edits)
    touch(account.id)
  }

  /// Remembers what the configs of an account or group are before they are changed by an attempt. Those of groups are
  /// remembered only when they are about to be changed, for there may be many.
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

  /// What the attempt has made another so far, but for groups that it has opened or closed.
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

  /// Makes the configs what they were before the attempt.
  mutating func rollBack() {
    guard let attempt else { return }
    self.attempt = nil
    opened = attempt.opened
    damaged = attempt.damaged
    mended = attempt.mended
    edits = attempt.edits
    for touched in attempt.touched {
      _ = try? withHandle(touched.name) { touched.savepoint.rollBack($0) }
    }
    for (group, _) in attempt.keyVersions { opened[group]?.configs.keys.rollBack() }
  }
}
