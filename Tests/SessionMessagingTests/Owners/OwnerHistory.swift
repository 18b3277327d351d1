import Foundation
import SeededNumbers
import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// A random history: people with several devices talk in groups and with each other and read community rooms, and
/// strangers write to them, over nodes and servers that fail, while programs end between any two commits, and devices
/// are restored.
final class OwnerHistory {
  /// The messages sent, with their place, in order.
  struct Said: Hashable {
    let device: Int
    let place: Place
    let text: String
  }

  /// A conversation: one of two groups, or Alice with Bob.
  enum Place: Int, CaseIterable {
    case everybody, pair, dialogue
  }

  let world = World()
  let rooms: HistoryRooms
  let strangers: HistoryStrangers
  private var random: SeededGenerator
  private var devices: [FileDevice] = []
  private var groups: [WorldGroup] = []
  private(set) var said: [Said] = []
  private(set) var crashes = 0

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    rooms = try HistoryRooms(world.servers)
    strangers = try HistoryStrangers()
  }

  /// The devices that were restored from the recovery phrase.
  var restored: Int { devices.count - 4 }

  private func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  private func chance(_ percent: Int) -> Bool { pick(100) < percent }

  /// Alice, Bob with two devices, and Carol; two groups, of all and of the first two.
  func begin() async throws {
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let accounts = try (0..<3).map { _ in try Account.generate() }
    for owner in [0, 1, 1, 2] { try await addDevice(of: accounts[owner]) }
    let (alice, bob, carol) = (devices[0].messenger, devices[1].messenger, devices[3].messenger)
    for (people, founder) in [([alice, bob, carol], alice), ([alice, bob], bob)] {
      let group = try WorldGroup()
      try await group.found(by: founder, with: people.map(\.id))
      groups.append(group)
      for person in people where person.id != founder.id { try await group.join(person) }
    }
    try await bob.send("hello", to: alice.id)
    try await alice.send("hello", to: bob.id)
    try await world.settle(rounds: 4)
  }

  private func addDevice(of account: Account) async throws {
    let path = "\(world.folder)/\(devices.count).db"
    devices.append(try await FileDevice(of: account, at: path, in: world, preparing: rooms.join))
  }

  /// One step, with the faults of that moment.
  func step() async throws {
    if chance(15) { faults() }
    switch pick(16) {
    case 0...5: await say()
    case 6: await rekey()
    case 7, 8: try rooms.post(at: world.clock, using: &random)
    case 9:
      world.clock.advance(by: Int64(pick(5000)))
      await devices[pick(devices.count)].messenger.poll()
    case 10, 11: try strangers.write(to: devices[pick(2)].account.id, in: world, using: &random)
    case 12: await rename()
    case 13: if restored < 2 { try await addDevice(of: devices[pick(2)].account) }
    default: try await crash()
    }
  }

  /// Changes the behaviour of the nodes and servers.
  private func faults() {
    rooms.faults(using: &random)
    let (seed, percent) = (random.next(), pick(40))
    let generator = Mutex(SeededGenerator(seed: seed))
    world.swarms.decide { _, _ in
      switch generator.withLock({ Int.random(in: 0..<100, using: &$0) }) {
      case 0..<percent / 2: .refused(NetworkFailure(.transient, "no path"))
      case percent / 2..<percent: .lost
      default: .done
      }
    }
    let failing = [StorageNamespace.groupKeys, .groupKeys, .groupMessages, .userGroups, .contacts][pick(5)]
    world.swarms.setPageSize(chance(50) ? 1 + pick(5) : 1000)
    world.swarms.failNamespaces(chance(60) ? [failing] : [], toMembersOnly: failing == .groupKeys)
  }

  /// The conversation of a place as seen by a device; nil if its owner is not in it.
  private func conversation(_ place: Place, of device: Int) -> Conversation.ID? {
    let (alice, bob) = (devices[0].account.id, devices[1].account.id)
    switch (place, devices[device].account.id) {
    case (.everybody, _): return groups[0].conversation
    case (.pair, alice), (.pair, bob): return groups[1].conversation
    case (.dialogue, alice): return .person(bob)
    case (.dialogue, bob): return .person(alice)
    default: return nil
    }
  }

  /// A device sends a message. If it does not know whether the message was stored, it sends it again with the same
  /// key.
  private func say() async {
    let device = pick(devices.count)
    let places = Place.allCases.filter { conversation($0, of: device) != nil }
    let place = places[pick(places.count)]
    let text = "\(device):\(said.count)"
    guard let conversation = conversation(place, of: device), let key = SendKey(text),
      await knows(conversation, device)
    else { return }
    said.append(Said(device: device, place: place, text: text))
    // Author and send time identify a message: two devices that send in the same millisecond send the same one.
    world.clock.advance(by: 100)
    await whatever(device) { messenger in
      try await messenger.send(OutgoingText(text), to: conversation, key: key)
    }
  }

  /// False for a device that was restored and does not know a conversation yet.
  private func knows(_ conversation: Conversation.ID, _ device: Int) async -> Bool {
    (try? await devices[device].messenger.conversation(conversation)?.isAccepted) == true
  }

  /// A device changes the contacts of its owner.
  private func rename() async {
    let (device, name) = (pick(devices.count), "friend \(said.count)")
    guard let conversation = conversation(.dialogue, of: device), let friend = conversation.account,
      await knows(conversation, device)
    else { return }
    await whatever(device) { messenger in try await messenger.setNickname(name, of: friend) }
  }

  /// The first admin of a group rekeys it.
  private func rekey() async {
    let number = pick(2)
    await whatever(number) { [groups] messenger in try await groups[number].rekey(by: messenger) }
  }

  /// Runs an action on a device, and repeats it if its program ends in between.
  private func whatever(_ number: Int, _ body: (Messenger) async throws -> Void) async {
    do {
      do { try await body(devices[number].messenger) } catch let error as StorageError {
        guard error.code == .closed else { throw error }
        try await restart(number)
        try await body(devices[number].messenger)
      }
    } catch {
      Issue.record("device \(number): \(error)")
    }
  }

  private func restart(_ number: Int) async throws {
    try await devices[number].restart(in: world) { [rooms] database in
      try await rooms.checkCursors(of: database, at: number)
    }
  }

  /// Ends a program after some of its next commits.
  private func crash() async throws {
    let number = pick(devices.count)
    let device = devices[number]
    func check(_ database: Database) async throws { try await rooms.checkCursors(of: database, at: number) }
    try await device.crash(afterCommits: pick(6), in: world, checking: check) { messenger in
      await say()
      if chance(50) { try rooms.post(at: world.clock, using: &random) }
      world.clock.advance(by: Int64(pick(4000)))
      await messenger.poll()
    }
    crashes += 1
  }

  /// Delivers everything that is left: first while a server and a room fail, which must not delay the others.
  func end() async throws {
    world.swarms.decide { _, _ in .done }
    world.swarms.failNamespaces([])
    world.swarms.setPageSize(1000)
    rooms.breakSome()
    try await settle(whileRoomsFail: true)
    rooms.heal()
    try await settle()
  }

  private func settle(whileRoomsFail isBroken: Bool = false) async throws {
    for _ in 0..<30 {
      world.clock.advance(by: 600_000)
      try await world.settle(rounds: 2)
      if try await isComplete(whileRoomsFail: isBroken) { return }
    }
    Issue.record("messages are missing \(isBroken ? "while some rooms fail" : "though all servers work")")
  }

  private func isComplete(whileRoomsFail isBroken: Bool) async throws -> Bool {
    for device in devices.indices {
      let messenger = devices[device].messenger
      guard try await rooms.isComplete(messenger, isBroken: isBroken),
        try await strangers.isComplete(messenger)
      else { return false }
      for place in Place.allCases where conversation(place, of: device) != nil {
        let count = said.count { $0.place == place }
        guard try await texts(in: place, at: device).count >= count else { return false }
      }
    }
    return true
  }

  /// The messages that a device shows, oldest first, without the greetings.
  private func texts(in place: Place, at device: Int) async throws -> [String] {
    guard let conversation = conversation(place, of: device) else { return [] }
    return try await devices[device].messenger.messages(in: conversation, limit: 500).reversed()
      .filter { $0.kind == .message && $0.body != "hello" }.map(\.body)
  }

  /// No message is lost or duplicated, and the messages of each device are in order.
  func check() async throws {
    for device in devices.indices {
      try await rooms.check(devices[device].messenger, at: device)
      try await strangers.check(devices[device].messenger, at: device)
      for place in Place.allCases where conversation(place, of: device) != nil {
        let texts = try await texts(in: place, at: device)
        let expected = said.filter { $0.place == place }
        #expect(texts.sorted() == expected.map(\.text).sorted(), "\(place) at device \(device)")
        for speaker in devices.indices {
          let own = texts.filter { $0.hasPrefix("\(speaker):") }
          #expect(own == expected.filter { $0.device == speaker }.map(\.text), "\(place) at device \(device)")
        }
        for message in try await devices[device].messenger.messages(
          in: conversation(place, of: device)!, limit: 500)
        where message.isOutgoing && message.kind == .message {
          #expect(message.state == .sent, "\(message.body) at device \(device)")
        }
      }
    }
  }

  func stop() async { await world.stop() }
}
