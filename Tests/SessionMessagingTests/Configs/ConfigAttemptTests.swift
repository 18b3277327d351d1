import SessionCore
import SessionMessaging
import Testing

/// Edits and merges happen as a whole, or not at all.
@Suite struct ConfigAttemptTests {
  private struct Refusal: Error {}

  private let account: Account
  private let friend: SessionID
  private let seed: SecretBytes
  private let group: SessionID
  private var swarm = Swarm()

  private var contacts: ConfigName { ConfigName(.contacts, of: account.id) }

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
    seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    group = try GroupAdminKey(seed: seed).group
  }

  private func createGroup(in store: ConfigStore) throws {
    let ids = [account.id, friend]
    try store.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      try configs.withGroup(group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Friends" }
        for id in ids { try group.updateMember(id) { $0.name = "Member" } }
        try group.rekey()
      }
    }
  }

  /// The visible content of a store.
  private struct Seen: Equatable {
    let profile: Profile
    let contacts: [Contact]
    let open: [SessionID]
    let info: GroupInfo?
    let members: [GroupMember]?
    let keys: [SecretBytes]?
    let isAdmin: Bool?
    let pushes: [[[UInt8]]]
    let withheld: [ConfigName]
  }

  /// Pushes a copy, so that the check changes nothing.
  private func see(_ store: ConfigStore) throws -> Seen {
    let now = try swarm.now
    var dumps: [ConfigDump] = []
    #expect(throws: Refusal.self) {
      try store.edit(at: now) { _ in
      } saving: { outcome in
        dumps = outcome.dumps
        throw Refusal()
      }
    }
    let copy = try ConfigStore(account, dumps: dumps)
    let batches = copy.pendingPushes(at: now)
    return try store.read { (configs) throws(SessionError) in
      let isOpen = configs.openGroups.contains(group)
      let (info, members, keys, isAdmin) =
        try isOpen
        ? configs.readGroup(group) { (group) throws(SessionError) in
          (try group.getInfo(), try group.allMembers(), try group.messageKeys(), group.isAdmin)
        } : (nil, nil, nil, nil)
      return Seen(
        profile: try configs.profile.get(), contacts: try configs.contacts.all(), open: configs.openGroups,
        info: info, members: members, keys: keys, isAdmin: isAdmin,
        pushes: batches.flatMap(\.pushes).map(\.messages), withheld: batches.flatMap(\.withheld).map(\.name))
    }
  }

  @Test func anEditThatFailsHalfWayChangesNothing() async throws {
    let store = try ConfigStore(account)
    let now = try swarm.now
    try createGroup(in: store)
    let before = try see(store)
    await expectFailure(.configName) {
      try store.edit { (configs) throws(SessionError) in
        try configs.profile.update(at: now) {
          $0.notePriority = .hidden
          $0.name = String(repeating: "x", count: 300)
        }
      }
    }
    await expectFailure(.configDescription) {
      try store.edit { (configs) throws(SessionError) in
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo {
            $0.name = "New"
            $0.description = String(repeating: "x", count: GroupInfo.maxDescriptionBytes + 1)
          }
        }
      }
    }
    #expect(throws: Refusal.self) {
      try store.edit { configs in
        try configs.contacts.update(friend) { $0.isBlocked = true }
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.removeMember(friend)
          try group.rekey()
        }
        configs.closeGroup(group)
        throw Refusal()
      }
    }
    #expect(try see(store) == before)
  }

  @Test func aGroupThatIsClosedAndOpenedAgainInVainIsWhatItWas() throws {
    let store = try ConfigStore(account)
    try createGroup(in: store)
    let before = try see(store)
    #expect(throws: Refusal.self) {
      try store.edit { configs in
        configs.closeGroup(group)
        try configs.openGroup(group, adminSeed: seed)
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "New" }
        }
        throw Refusal()
      }
    }
    #expect(try see(store) == before)
  }

  @Test mutating func failedPromotionLeavesAMember() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(Example.second()))
    try createGroup(in: one)
    try swarm.take(from: one)
    try other.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
    for kind in [ConfigKind.groupKeys, .groupInfo, .groupMembers] {
      try swarm.give(ConfigName(kind, of: group), to: other)
    }
    let keys = try other.read { (configs) throws(SessionError) in
      try configs.readGroup(group) { (group) throws(SessionError) in try group.messageKeys() }
    }
    #expect(throws: Refusal.self) {
      try other.edit { configs in
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.becomeAdmin(seed: seed)
          try group.updateInfo { $0.name = "New" }
          try group.rekey()
        }
        throw Refusal()
      }
    }
    let (isAdmin, name, now) = try other.read { (configs) throws(SessionError) in
      try configs.readGroup(group) { (group) throws(SessionError) in
        (group.isAdmin, try group.getInfo().name, try group.messageKeys())
      }
    }
    #expect(!isAdmin && name == "Friends" && now == keys)
    #expect(!other.needsPush(in: group))
    // The keys that were retrieved before are still to be kept.
    #expect(try other.dumps(at: swarm.now).map(\.name.kind).contains(.groupKeys))
  }

  @Test func groupsOpenedInVainAreNotOpen() throws {
    let store = try ConfigStore(account)
    #expect(throws: Refusal.self) {
      try store.edit { configs in
        try configs.openGroup(
          group, adminSeed: seed,
          dumps: [
            ConfigDump(ConfigName(.groupInfo, of: group), content: [1])
          ])
        throw Refusal()
      }
    }
    #expect(store.read { $0.openGroups.isEmpty } && store.damaged.isEmpty)
  }

  @Test func editsThatCannotBeStoredAreRolledBack() throws {
    let store = try ConfigStore(account)
    let now = try swarm.now
    try createGroup(in: store)
    let before = try see(store)
    #expect(throws: Refusal.self) {
      try store.edit(at: now) { configs in
        try configs.contacts.update(friend) { $0.isBlocked = true }
      } saving: { outcome in
        #expect(Set(outcome.dumps.map(\.name.kind)) == [.contacts, .groupKeys, .groupInfo, .groupMembers])
        throw Refusal()
      }
    }
    #expect(try see(store) == before)
    #expect(try store.dumps(at: now).map(\.name.owner) == [group, group, group])
  }

  @Test func anEditTellsWhatItMadeAnother() throws {
    let store = try ConfigStore(account)
    let now = try swarm.now
    try createGroup(in: store)
    _ = try store.dumps(at: now)
    let memberID = friend
    let contact = try store.edit(at: now) { configs in
      try configs.contacts.update(friend) { $0.isBlocked = true }
      try configs.profile.update(at: now) { $0.name = "Me" }
      try configs.withGroup(group) { (group) throws(SessionError) in
        try group.removeMember(memberID)
        try group.rekey()
      }
      return try configs.contacts[friend]
    } saving: { outcome in
      let profile = outcome.changes.compactMap { change -> String? in
        guard case .profile(let profile) = change else { return nil }
        return profile.name
      }
      #expect(profile == ["Me"])
      #expect(outcome.changes.contains(.groupKeys(group)))
      #expect(outcome.changes.contains(.groupMember(memberID, in: group, nil)))
      #expect(outcome.changes.count == 4)
      #expect(outcome.dumps.count == 5)
      #expect(Set(outcome.needsPush) == [account.id, group])
    }
    #expect(contact?.isBlocked == true)
    try store.edit(at: now) { configs in
      try configs.contacts.update(friend) { $0.isBlocked = true }
    } saving: { outcome in
      #expect(outcome.changes.isEmpty && outcome.dumps.isEmpty)
    }
  }

  // MARK: Polls

  private func poll(_ owner: SessionID, _ kinds: ConfigKind...) -> ConfigPoll {
    var poll = ConfigPoll(of: owner)
    for kind in kinds {
      guard let namespace = kind.namespace else { continue }
      poll.add(swarm.messages(ConfigName(kind, of: owner)), from: namespace)
    }
    return poll
  }

  @Test mutating func aPollIsMergedInTheOrderOfItsConfigs() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(Example.second()))
    let now = try swarm.now
    try createGroup(in: one)
    try swarm.take(from: one)
    try other.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
    let outcome = try other.merge(poll(group, .groupMembers, .groupInfo, .groupKeys), at: now) { outcome in
      #expect(outcome.merges.count == 3 && outcome.failures.isEmpty)
      #expect(outcome.merges.values.allSatisfy { $0.effect == .adopted && $0.rejected.isEmpty })
      #expect(outcome.outcome.dumps.count == 3)
      #expect(outcome.outcome.changes.first == .groupKeys(group))
      #expect(outcome.outcome.needsPush.isEmpty)
    }
    #expect(!outcome.needsRekey && outcome.retrieveAgain.isEmpty)
  }

  @Test mutating func configsThatArriveBeforeTheirKeysAreRetrievedAgain() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(Example.second()))
    let now = try swarm.now
    try createGroup(in: one)
    try swarm.take(from: one)
    try other.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
    let early = try other.merge(poll(group, .groupInfo), at: now) { _ in }
    #expect(early.retrieveAgain.isEmpty)
    let late = try other.merge(poll(group, .groupKeys), at: now) { _ in }
    #expect(late.retrieveAgain == [ConfigName(.groupInfo, of: group)])
    let again = try other.merge(poll(group, .groupKeys, .groupInfo), at: now) { _ in }
    #expect(again.retrieveAgain.isEmpty)
    #expect(again.merges[ConfigName(.groupInfo, of: group)]?.effect == .adopted)
  }

  @Test mutating func aPollThatCannotBeKeptIsMergedAgain() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(Example.second()))
    let now = try swarm.now
    try createGroup(in: one)
    try swarm.take(from: one)
    try other.edit { (configs) throws(SessionError) in try configs.openGroup(group) }
    let poll = poll(group, .groupKeys, .groupInfo)
    #expect(throws: Refusal.self) { try other.merge(poll, at: now) { _ in throw Refusal() } }
    let (generation, name) = try other.read { (configs) throws(SessionError) in
      try configs.readGroup(group) { (group) throws(SessionError) in
        (group.generation, try group.getInfo().name)
      }
    }
    #expect(generation == nil && name.isEmpty)
    let merges = try other.merge(poll, at: now) { _ in }.merges
    #expect(merges.values.allSatisfy { $0.effect == .adopted })
  }

  @Test func onePollFailsOnlyWhereItMust() throws {
    let store = try ConfigStore(account)
    let outcome = try store.merge(poll(group, .groupKeys, .groupInfo), at: swarm.now) { _ in }
    #expect(outcome.merges.isEmpty)
    #expect(outcome.failures.values.map(\.code) == [.notFound, .notFound])
  }
}
