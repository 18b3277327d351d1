import SeededNumbers
import SessionCore
import SessionMessaging
import Testing

@Suite struct ConfigPushTests {
  private let account: Account
  private let friend: SessionID
  private var swarm = Swarm()

  private var contacts: ConfigName { ConfigName(.contacts, of: account.id) }
  private var profile: ConfigName { ConfigName(.profile, of: account.id) }

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
  }

  private func block(_ id: SessionID, in store: ConfigStore) throws(SessionError) {
    try store.edit { (configs) throws(SessionError) in try configs.contacts.update(id) { $0.isBlocked = true }
    }
  }

  private func rename(_ name: String, in store: ConfigStore, at now: MessageTime) throws(SessionError) {
    try store.edit { (configs) throws(SessionError) in try configs.profile.update(at: now) { $0.name = name }
    }
  }

  @Test func oneConfigThatIsTooLargeDoesNotHoldUpTheOthers() throws {
    // Random bytes, for others are compressed.
    var random = SeededGenerator(seed: 1)
    var huge: [UInt8] = []
    while huge.count < 5_000_000 { withUnsafeBytes(of: random.next()) { huge.append(contentsOf: $0) } }
    let name = ConfigName(.userGroups, of: account.id)
    let dump = CraftedConfig.dump(name, data: Array("d1:x\(huge.count):".utf8) + huge + Array("e".utf8))
    let store = try ConfigStore(account, dumps: [dump])
    try block(friend, in: store)
    let batch = try #require(try store.pendingPushes(in: account.id, at: swarm.now))
    #expect(batch.pushes.map(\.name) == [contacts])
    #expect(batch.withheld.map(\.name) == [name])
    #expect(batch.withheld.map(\.error.code) == [.tooLarge])
  }

  @Test func aGroupWithoutAKeyWaits() throws {
    let store = try ConfigStore(account)
    let seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    let group = try GroupAdminKey(seed: seed).group
    try store.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      try configs.withGroup(group) { (group) throws(SessionError) in try group.updateInfo { $0.name = "G" } }
    }
    #expect(!store.needsPush(in: group))
    let batch = try #require(try store.pendingPushes(in: group, at: swarm.now))
    #expect(batch.isEmpty)
    #expect(batch.withheld.map(\.error.code) == [.configKeyless])
    try store.edit { (configs) throws(SessionError) in
      try configs.withGroup(group) { (group) throws(SessionError) in try group.rekey() }
    }
    #expect(store.needsPush(in: group))
    #expect(!store.needsPush(in: account.id))
    #expect(try store.pendingPushes(in: group, at: swarm.now)?.pushes.count == 3)
  }

  /// A device stores a config twice and deletes nothing, and another one finds both; the push that stands, and the
  /// hash of the other.
  private mutating func leaveTwo(for other: ConfigStore) throws -> (standing: ConfigPush, old: String) {
    let one = try ConfigStore(account)
    try block(friend, in: one)
    let old = try #require(try one.pendingPushes(at: swarm.now).first?.pushes.first)
    let oldHashes = try swarm.keep(old)
    try one.confirm(old, hashes: oldHashes)
    try one.edit { (configs) throws(SessionError) in
      try configs.contacts.update(friend) { $0.nickname = "N" }
    }
    let new = try #require(try one.pendingPushes(at: swarm.now).first?.pushes.first)
    _ = try swarm.keep(new)
    try swarm.give(contacts, to: other)
    return (new, try #require(oldHashes.first))
  }

  @Test mutating func obsoleteMessagesAreDeletedWithoutAPush() throws {
    let other = try ConfigStore(account)
    let (_, old) = try leaveTwo(for: other)
    #expect(!other.needsPush(in: account.id))
    let batch = try #require(try other.pendingPushes(in: account.id, at: swarm.now))
    #expect(batch.pushes.isEmpty && batch.obsolete == [old])
    other.confirmDeletion(of: [old], in: account.id)
    #expect(try other.pendingPushes(in: account.id, at: swarm.now) == nil)
  }

  @Test mutating func storingAgainLosesNoHashes() throws {
    let other = try ConfigStore(account)
    let (standing, old) = try leaveTwo(for: other)
    let again = try #require(try other.storedAgain(contacts, at: swarm.now))
    #expect(again.messages == standing.messages)
    #expect(try other.pendingPushes(in: account.id, at: swarm.now)?.obsolete == [old])
  }

  @Test func aPushIsConfirmedByItsOwnerWithAllItsHashes() async throws {
    let store = try ConfigStore(account)
    let now = try swarm.now
    try rename("Me", in: store, at: now)
    let push = try #require(store.pendingPushes(at: now).first?.pushes.first)
    await expectFailure(.argument) { try store.confirm(push, hashes: []) }
    await expectFailure(.argument) { try store.confirm(push, hashes: ["one", "two"]) }
    let stranger = try ConfigStore(Example.second())
    try rename("Her", in: stranger, at: now)
    let hers = try #require(stranger.pendingPushes(at: now).first?.pushes.first)
    await expectFailure(.notFound) { try store.confirm(hers, hashes: ["one"]) }
    await expectFailure(.notFound) {
      _ = try store.merge([], into: ConfigName(.profile, of: friend), at: now)
    }
    #expect(store.needsPush(in: account.id))
    try store.confirm(push, hashes: ["one"])
    #expect(!store.needsPush(in: account.id))
  }

  // MARK: Damage

  @Test mutating func aDamagedDumpSurvivesARestart() throws {
    let bad = ConfigDump(contacts, content: [1, 2, 3])
    let store = try ConfigStore(account, dumps: [bad])
    try block(friend, in: store)
    try rename("Me", in: store, at: swarm.now)
    let kept = try store.dumps(at: swarm.now)
    #expect(kept.map(\.name) == [profile], "the damaged one is not written over")
    let batch = try #require(try store.pendingPushes(in: account.id, at: swarm.now))
    #expect(batch.pushes.map(\.name) == [profile])
    #expect(batch.withheld.map(\.name) == [contacts])
    #expect(batch.withheld.map(\.error.code) == [.configDump])
    let again = try ConfigStore(account, dumps: kept + [bad])
    #expect(again.damaged.keys.contains(contacts))
  }

  @Test mutating func damagedConfigsAreRepairedFromReadableOnes() throws {
    let bad = ConfigDump(contacts, content: [1, 2, 3])
    let store = try ConfigStore(account, dumps: [bad])
    let now = try swarm.now
    let garbage = ConfigMessage(hash: "bad", stored: [1, 2, 3], storedAt: now)
    #expect(try store.merge([garbage], into: contacts, at: now).rejected.count == 1)
    #expect(store.damaged.count == 1, "nothing was understood")
    let one = try ConfigStore(account)
    try block(friend, in: one)
    try swarm.take(from: one)
    try swarm.give(contacts, to: store)
    #expect(store.damaged.isEmpty)
    let kept = try store.dumps(at: now)
    #expect(kept.map(\.name) == [contacts])
    #expect(try ConfigStore(account, dumps: kept).damaged.isEmpty)
  }

  @Test func anEmptySwarmMendsDamage() throws {
    let store = try ConfigStore(account, dumps: [ConfigDump(contacts, content: [1, 2, 3])])
    let now = try swarm.now
    _ = try store.merge([], into: contacts, at: now)
    #expect(store.damaged.isEmpty)
    // The bad dump has to go, though nothing is in the config.
    let kept = try store.dumps(at: now)
    #expect(kept.map(\.name) == [contacts])
    #expect(try ConfigStore(account, dumps: kept).damaged.isEmpty)
    #expect(try store.dumps(at: now).isEmpty)
  }
}
