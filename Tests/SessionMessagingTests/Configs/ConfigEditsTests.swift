import SeededNumbers
import SessionCore
import SessionMessaging
import Testing

/// Edits of a device that was away for longer than others look back.
@Suite struct ConfigEditsTests {
  private let account: Account
  private let friend: SessionID
  private let other: SessionID
  private var swarm = Swarm()

  private var contacts: ConfigName { ConfigName(.contacts, of: account.id) }

  init() throws {
    account = try Example.first()
    friend = try Example.second().id
    other = try SessionID(.standard, key: [UInt8](repeating: 9, count: 32))
  }

  private func update(
    _ id: SessionID, in store: ConfigStore, _ change: (inout Contact) -> Void
  ) throws(SessionError) {
    try store.edit { (configs) throws(SessionError) in try configs.contacts.update(id, change) }
  }

  private func contact(_ id: SessionID, in store: ConfigStore) throws(SessionError) -> Contact? {
    try store.read { (configs) throws(SessionError) in try configs.contacts[id] }
  }

  /// Two devices that know a contact, of whom one is about to be away.
  private mutating func twoDevices() throws -> (away: ConfigStore, home: ConfigStore) {
    let (away, home) = (try ConfigStore(account), try ConfigStore(account))
    try update(friend, in: home) {
      $0.name = "Ann"
      $0.priority = .pinned(1)
    }
    try swarm.take(from: home)
    try swarm.give(contacts, to: away)
    return (away, home)
  }

  /// Makes revisions, each of them stored.
  private mutating func goOn(_ home: ConfigStore, for revisions: Int = 6) throws {
    for number in 1...revisions {
      try update(friend, in: home) { $0.createdAtSeconds = 1_700_000_000 + Int64(number) }
      try swarm.take(from: home)
    }
  }

  @Test(arguments: [false, true])
  mutating func editsThatWereLeftBehindAreMadeAgain(wasPushedInVain: Bool) throws {
    let (away, home) = try twoDevices()
    try update(friend, in: away) { $0.nickname = "An" }
    try update(other, in: away) { $0.isBlocked = true }
    if wasPushedInVain { _ = away.pendingPushes(at: try swarm.now) }
    try goOn(home)
    let merge = try swarm.give(contacts, to: away)
    #expect(merge.effect == .redone)
    let ann = try contact(friend, in: away)
    #expect(ann?.nickname == "An" && ann?.createdAtSeconds == 1_700_000_006)
    #expect(try contact(other, in: away)?.isBlocked == true)
    #expect(merge.changes == [.contact(friend, ann)])
    #expect(away.needsPush(in: account.id))
    try swarm.take(from: away)
    try swarm.give(contacts, to: home)
    #expect(try contact(friend, in: home) == ann)
    #expect(try contact(other, in: home)?.isBlocked == true)
    // Nothing is left to be made again.
    try goOn(home)
    #expect(try swarm.give(contacts, to: away).effect == .adopted)
  }

  @Test mutating func distantSeqnosMayFollowManyMessages() throws {
    let (away, home) = try twoDevices()
    try update(friend, in: away) { $0.nickname = "An" }
    try goOn(home, for: 1)
    var messages = swarm.messages(contacts)
    for number in 0..<1000 {
      messages.append(ConfigMessage(hash: "other\(number)", stored: [1, 2, 3], storedAt: try swarm.now))
    }
    try goOn(home, for: 8)
    messages += swarm.messages(contacts)
    #expect(try away.merge(messages, into: contacts, at: swarm.now).effect == .redone)
    #expect(try contact(friend, in: away)?.nickname == "An")
    #expect(try contact(friend, in: away)?.createdAtSeconds == 1_700_000_008)
  }

  @Test mutating func laterChangesOfOtherDevicesAreKept() throws {
    let (away, home) = try twoDevices()
    try update(friend, in: away) {
      $0.name = "Anna"
      $0.priority = .hidden
    }
    try update(friend, in: home) { $0.priority = .pinned(7) }
    try goOn(home)
    #expect(try swarm.give(contacts, to: away).effect == .redone)
    let ann = try contact(friend, in: away)
    #expect(ann?.name == "Anna" && ann?.priority == .pinned(7))
  }

  @Test mutating func aDeviceWithoutEditsAdoptsTheNewerConfig() throws {
    let (away, home) = try twoDevices()
    try goOn(home)
    #expect(try swarm.give(contacts, to: away).effect == .adopted)
    #expect(!away.needsPush(in: account.id))
  }

  @Test mutating func editsThatOthersCanStillSeeAreMerged() throws {
    let (away, home) = try twoDevices()
    try update(friend, in: away) { $0.nickname = "An" }
    try goOn(home, for: 3)
    #expect(try swarm.give(contacts, to: away).effect == .resolved)
    #expect(try contact(friend, in: away)?.nickname == "An")
  }

  /// An idle device that merges two revisions writes the whole config anew. Another device may have merged the same
  /// ones and edited the result; by its hash, that revision precedes the first one in some of these rounds.
  @Test(arguments: 0..<16) mutating func anEditThatFollowsAMergeIsNotTakenBack(round: Int) throws {
    let (one, other) = try twoDevices()
    let before = try DisappearingTimer(.afterSend, seconds: 20)
    let after = try DisappearingTimer(.afterRead, seconds: 4)
    try update(friend, in: one) { $0.nickname = "An \(round)" }
    try update(friend, in: other) { $0.disappearing = before }
    try swarm.take(from: one)
    try swarm.take(from: other)
    for device in [one, other] { #expect(try swarm.give(contacts, to: device).effect == .resolved) }
    try update(friend, in: one) { $0.disappearing = after }
    try swarm.take(from: other)
    try swarm.give(contacts, to: one)
    try swarm.take(from: one)
    for device in [one, other] {
      try swarm.give(contacts, to: device)
      let ann = try contact(friend, in: device)
      #expect(ann?.disappearing == after && ann?.nickname == "An \(round)")
    }
    #expect(!one.needsPush(in: account.id) && !other.needsPush(in: account.id))
  }

  @Test mutating func entriesDeletedByOtherDevicesStayDeleted() throws {
    let (one, other) = try twoDevices()
    try update(self.other, in: one) { $0.name = "Carl" }
    let push = try #require(try one.pendingPushes(at: swarm.now).first?.pushes.first)
    let hashes = try swarm.keep(push)
    try update(friend, in: one) { $0.nickname = "An" }
    try one.confirm(push, hashes: hashes)
    try swarm.give(contacts, to: other)
    let carl = self.other
    try other.edit { (configs) throws(SessionError) in try configs.contacts.remove(carl) }
    try swarm.take(from: other)
    try swarm.give(contacts, to: one)
    #expect(try contact(carl, in: one) == nil)
    #expect(try contact(friend, in: one)?.nickname == "An")
  }

  /// For any edits in any order, devices converge soon after the last edit.
  @Test(arguments: 0..<100 as Range<UInt64>) func devicesAgree(seed: UInt64) throws {
    var swarm = Swarm()
    var random = SeededGenerator(seed: seed)
    let devices = try (0..<3).map { _ in try ConfigStore(account) }
    for step in 0..<60 {
      let device = devices[Int.random(in: 0..<3, using: &random)]
      let (id, value) = (Bool.random(using: &random) ? friend : other, "\(step)")
      switch Int.random(in: 0..<8, using: &random) {
      case 0: try update(id, in: device) { $0.nickname = value }
      case 1: try update(id, in: device) { $0.name = value }
      case 2:
        try device.edit { (configs) throws(SessionError) in try configs.contacts.remove(id) }
      case 3, 4: try swarm.take(from: device)
      default: try swarm.give(contacts, to: device)
      }
    }
    var rounds = 0
    repeat {
      for device in devices { try swarm.take(from: device) }
      for device in devices { try swarm.give(contacts, to: device) }
      rounds += 1
    } while devices.contains { $0.needsPush(in: account.id) } && rounds < 20
    #expect(rounds < 8)
    for id in [friend, other] {
      let told = try devices.map { try contact(id, in: $0) }
      #expect(told[1] == told[0] && told[2] == told[0])
    }
  }

  @Test(arguments: [false, true])
  mutating func editsOutliveARestart(wasPushedInVain: Bool) throws {
    let devices = try twoDevices()
    var away = devices.away
    try update(friend, in: away) { $0.nickname = "An" }
    if wasPushedInVain { _ = away.pendingPushes(at: try swarm.now) }
    away = try ConfigStore(account, dumps: away.dumps(at: swarm.now))
    try update(other, in: away) { $0.isBlocked = true }
    try goOn(devices.home, for: 8)
    #expect(try swarm.give(contacts, to: away).effect == .redone)
    #expect(try contact(friend, in: away)?.nickname == "An")
    #expect(try contact(friend, in: away)?.createdAtSeconds == 1_700_000_008)
    #expect(try contact(other, in: away)?.isBlocked == true)
  }
}
