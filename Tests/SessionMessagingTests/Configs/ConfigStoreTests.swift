import SessionCore
import SessionMessaging
import Testing

@Suite struct ConfigStoreTests {
  private let account: Account
  private let friend: SessionID
  private var swarm = Swarm()

  private var contacts: ConfigName { ConfigName(.contacts, of: account.id) }

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
  }

  private static func block(_ id: SessionID, in store: ConfigStore) throws(SessionError) {
    try store.edit { (configs) throws(SessionError) in try configs.contacts.update(id) { $0.isBlocked = true }
    }
  }

  private static func contact(_ id: SessionID, in store: ConfigStore) throws(SessionError) -> Contact? {
    try store.read { (configs) throws(SessionError) in try configs.contacts[id] }
  }

  @Test mutating func changesOfOneDeviceReachAnother() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    let picture = try ProfilePicture(url: "http://example.org/a", key: [UInt8](repeating: 7, count: 32))
    try one.edit { (configs) throws(SessionError) in
      try configs.contacts.update(friend) {
        $0.name = "Ann"
        $0.isApproved = true
        $0.priority = .pinned(2)
        $0.picture = picture
      }
    }
    try swarm.take(from: one)
    let merge = try swarm.give(contacts, to: other)
    let ann = try #require(try Self.contact(friend, in: other))
    #expect(merge.changes == [.contact(friend, ann)])
    #expect(merge.rejected.isEmpty)
    #expect(ann.name == "Ann" && ann.isApproved && ann.priority == .pinned(2) && !ann.isBlocked)
    #expect(ann.picture?.url == "http://example.org/a")
    #expect(try swarm.give(contacts, to: other).changes.isEmpty)
    try one.edit { (configs) throws(SessionError) in try configs.contacts.remove(friend) }
    try swarm.take(from: one)
    #expect(try swarm.give(contacts, to: other).changes == [.contact(friend, nil)])
  }

  @Test func aChangeThatChangesNothingIsNotPushed() throws {
    let store = try ConfigStore(account)
    try Self.block(friend, in: store)
    for batch in try store.pendingPushes(at: swarm.now) {
      for push in batch.pushes { try store.confirm(push, hashes: ["h"]) }
    }
    #expect(try store.pendingPushes(at: swarm.now).isEmpty)
    try Self.block(friend, in: store)
    #expect(try store.pendingPushes(at: swarm.now).isEmpty)
  }

  @Test func unconfirmedPushesAreOfferedAgain() throws {
    let store = try ConfigStore(account)
    try Self.block(friend, in: store)
    let push = try #require(try store.pendingPushes(at: swarm.now).first?.pushes.first)
    let again = try #require(try store.pendingPushes(at: swarm.now).first?.pushes.first)
    #expect(push.messages == again.messages && push.sequenceNumber == again.sequenceNumber)
    try store.confirm(push, hashes: ["one"])
    #expect(try store.pendingPushes(at: swarm.now).isEmpty)
    #expect(try store.activeHashes(in: account.id, at: swarm.now) == ["one"])
    try store.edit { (configs) throws(SessionError) in
      try configs.contacts.update(friend) { $0.nickname = "N" }
    }
    #expect(try store.pendingPushes(at: swarm.now).first?.obsolete == ["one"])
    #expect(try store.pendingPushes(at: swarm.now).first?.obsolete == ["one"], "not deleted yet")
    store.confirmDeletion(of: ["one"], in: account.id)
    #expect(try store.pendingPushes(at: swarm.now).first?.obsolete == [])
  }

  @Test mutating func devicesThatEditAtOnceAgree() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    try Self.block(friend, in: one)
    try other.edit { (configs) throws(SessionError) in
      try configs.contacts.update(friend) { $0.nickname = "Nick" }
    }
    for store in [one, other] { try swarm.take(from: store) }
    for _ in 0..<3 {
      for store in [one, other] {
        try swarm.give(contacts, to: store)
        try swarm.take(from: store)
      }
    }
    let agreed = try #require(try Self.contact(friend, in: one))
    #expect(agreed.isBlocked && agreed.nickname == "Nick")
    #expect(try Self.contact(friend, in: other) == agreed)
    #expect(swarm.count(contacts) == 1)
    #expect(try one.pendingPushes(at: swarm.now).isEmpty && other.pendingPushes(at: swarm.now).isEmpty)
  }

  @Test func aDumpBringsEverythingBack() throws {
    let store = try ConfigStore(account)
    let now = try swarm.now
    let link = try CommunityLink(parsing: "https://example.org/Room?public_key=\(Example.server)")
    try store.edit { (configs) throws(SessionError) in
      try configs.profile.update(at: now) { $0.name = "Me" }
      try configs.contacts.update(friend) { $0.name = "Ann" }
      try configs.conversations.update(.contact(friend), at: now) {
        $0.lastReadMilliseconds = Int64(now.milliseconds)
      }
      try configs.groups.update(link) { $0.priority = .pinned(1) }
      try configs.local.set("quiet", to: true)
    }
    let dumps = try store.dumps(at: now)
    #expect(Set(dumps.map(\.name.kind)) == [.profile, .contacts, .conversations, .userGroups, .local])
    #expect(try store.dumps(at: now).isEmpty)
    let again = try ConfigStore(account, dumps: dumps)
    #expect(again.damaged.isEmpty)
    try again.read { (configs) throws(SessionError) in
      #expect(try configs.profile.get().name == "Me")
      #expect(try configs.contacts.all().map(\.name) == ["Ann"])
      #expect(try configs.conversations.all().map(\.lastReadMilliseconds) == [Int64(now.milliseconds)])
      #expect(try configs.groups.communities().map(\.spelling) == ["Room"])
      #expect(try configs.local["quiet"] == true)
    }
    #expect(again.pendingPushes(at: now).count == 1)
  }

  @Test mutating func aDamagedDumpIsFetchedAgainBeforeItIsPushed() throws {
    let one = try ConfigStore(account)
    try Self.block(friend, in: one)
    try swarm.take(from: one)
    let other = try ConfigStore(account, dumps: [ConfigDump(contacts, content: [1, 2, 3])])
    #expect(other.damaged[contacts]?.code == .configDump)
    let stranger = try Account.generate().id
    try Self.block(stranger, in: other)
    #expect(try other.pendingPushes(at: swarm.now).allSatisfy(\.isEmpty))
    try swarm.give(contacts, to: other)
    #expect(other.damaged.isEmpty)
    #expect(try Self.contact(friend, in: other)?.isBlocked == true)
    #expect(try Self.contact(stranger, in: other)?.isBlocked == true)
    #expect(try !other.pendingPushes(at: swarm.now).isEmpty)
  }

  @Test func unreadableMessagesAreRejectedByHash() throws {
    let store = try ConfigStore(account)
    let merge = try store.merge(
      [ConfigMessage(hash: "bad", stored: [1, 2, 3], storedAt: swarm.now)], into: contacts, at: swarm.now)
    #expect(merge.rejected.map(\.hash) == ["bad"])
    #expect(merge.changes.isEmpty)
  }

  @Test func aPictureHasAKeyOfItsSize() async {
    for count in [0, 31, 33] {
      await expectFailure(.keySize) {
        _ = try ProfilePicture(url: "http://example.org/a", key: [UInt8](repeating: 7, count: count))
      }
    }
  }

  @Test func failuresOfEditsAreOfAnyType() throws {
    struct Refusal: Error {}
    let store = try ConfigStore(account)
    #expect(throws: Refusal.self) { try store.edit { _ in throw Refusal() } }
    #expect(throws: Refusal.self) { try store.read { _ in throw Refusal() } }
    #expect(store.read { $0.openGroups.isEmpty })
  }

  @Test func secretsAreNotPrinted() throws {
    let secret = [UInt8](repeating: 0x11, count: 32)
    let id = try SessionID(parsing: "03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737")
    let store = try ConfigStore(account)
    let now = try swarm.now
    let picture = try ProfilePicture(url: "http://example.org/a", key: secret)
    let seed = try SecretBytes(copying: secret)
    let group = try store.edit { (configs) throws(SessionError) in
      try configs.profile.update(at: now) { $0.picture = picture }
      try configs.groups.update(id) { $0.adminSeed = seed }
      return try configs.groups[id]
    }
    #expect(group?.adminSeed == seed && group?.isAdmin == true)
    let profile = try store.read { (configs) throws(SessionError) in try configs.profile.get() }
    #expect(profile.picture == picture)
    let shown: [Any] = [group as Any, profile, try store.dumps(at: now)]
    for value in shown {
      var text = "\(value) \(String(reflecting: value))"
      dump(value, to: &text)
      #expect(!text.contains("17, 17") && !text.contains("\u{11}"))
    }
  }

  @Test func callingTheStoreFromAnEditTraps() async {
    await #expect(processExitsWith: .failure) {
      let store = try ConfigStore(Example.first())
      try store.edit { _ throws(SessionError) in _ = try store.dumps(at: MessageTime(milliseconds: 1)) }
    }
  }

  @Test mutating func manyBadMessagesDoNotHideAGoodOne() throws {
    let (one, other) = (try ConfigStore(account), try ConfigStore(account))
    try Self.block(friend, in: one)
    try swarm.take(from: one)
    let now = try swarm.now
    let bad = (0..<250).map { ConfigMessage(hash: "bad\($0)", stored: [1, 2, 3], storedAt: now) }
    let merge = try other.merge(bad + swarm.messages(contacts), into: contacts, at: now)
    #expect(merge.rejected.map(\.hash) == bad.map(\.hash))
    #expect(!merge.rejected.contains { $0.error.code == .configUnread })
    #expect(try Self.contact(friend, in: other)?.isBlocked == true)
  }

  @Test func badIdsAndNamesChangeNothing() async throws {
    let store = try ConfigStore(account)
    await expectFailure(.configOwnID) { try Self.block(account.id, in: store) }
    let group = try SessionID(.group, key: [UInt8](repeating: 1, count: 32))
    await expectFailure(.idKind) { try Self.block(group, in: store) }
    let now = try swarm.now
    await expectFailure(.configName) {
      try store.edit { (configs) throws(SessionError) in
        try configs.profile.update(at: now) { $0.name = String(repeating: "x", count: 101) }
      }
    }
    #expect(store.pendingPushes(at: now).isEmpty)
  }

  @Test func aKnownServerKeepsItsKey() async throws {
    let store = try ConfigStore(account)
    let key = [UInt8](repeating: 5, count: 32)
    let known = try CommunityLink(parsing: "https://example.org/one?public_key=\(Example.server)")
    let other = try CommunityLink(parsing: "https://example.org/two?public_key=\(key.hex)")
    try store.edit { (configs) throws(SessionError) in try configs.groups.update(known) { _ in } }
    await expectFailure(.keyMismatch) {
      try store.edit { (configs) throws(SessionError) in try configs.groups.update(other) { _ in } }
    }
    try store.edit { (configs) throws(SessionError) in
      try configs.groups.update(other, replacesKey: true) { _ in }
    }
    #expect(
      try store.read { (configs) throws(SessionError) in try configs.groups.communities().map(\.serverKey) }
        == [key, key])
  }

  @Test func manyTasksEditAtOnce() async throws {
    let store = try ConfigStore(account)
    let ids = try (0..<200).map { _ in try Account.generate().id }
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for id in ids { tasks.addTask { try Self.block(id, in: store) } }
      try await tasks.waitForAll()
    }
    #expect(try store.read { (configs) throws(SessionError) in try configs.contacts.count } == 200)
  }
}
