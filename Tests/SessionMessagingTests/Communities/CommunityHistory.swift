import SeededNumbers
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import TestCommunity
import Testing

@testable import SessionMessaging

/// A random history of four people on six devices, who are in the rooms of two community servers and write to each other
/// there, edit and delete what they wrote, and react. One of them moderates rooms. Programs end between any two commits,
/// replies are lost, servers fail, and one is restored from a backup.
final class CommunityHistory {
  /// A person with devices. The programs of the first one end now and then.
  private struct Person {
    let account: Account
    let phone: MemoryDevice
    let others: [Messenger]
    /// The id on each server.
    let ids: [SessionID]

    var devices: [Messenger] { [phone.messenger] + others }
  }

  private struct Site {
    let url: String
    let server: TestCommunity
    let rooms: [Community.Place]

    /// What the server has of a room.
    func messages(in room: Community.Place) -> [CommunityState.Message] {
      server.change { $0.rooms[room.room]?.messages ?? [] }.filter { $0.data != nil }
    }
  }

  /// What was written in a room, by numbers that stay when a text is edited.
  private struct Posts {
    var all: Set<Int> = []
    /// Those that somebody wanted to delete for everyone.
    var deleted: Set<Int> = []
    /// Those that the server lost when it was restored.
    var lost: Set<Int> = []
  }

  /// What the servers draw.
  private final class Luck: Sendable {
    let numbers: Mutex<SeededGenerator>

    init(seed: UInt64) { numbers = Mutex(SeededGenerator(seed: seed)) }

    func roll(_ sides: Int) -> Int { numbers.withLock { Int.random(in: 0..<sides, using: &$0) } }
  }

  let world = World()
  private let communities = TestCommunities()
  private let environment: MessengerEnvironment
  private let sites: [Site]
  private var people: [Person] = []
  private var random: SeededGenerator
  private let luck: Luck
  private var posts: [Community.Place: Posts] = [:]
  /// The texts from one person to another.
  private var letters: [Int: [Int: Set<String>]] = [:]
  private var count = 0
  private(set) var crashes = 0
  private(set) var losses = 0
  private(set) var changes = 0
  private(set) var moderated = 0
  private var backup: CommunityState.Backup?

  private static let roomsOfServer = 10
  /// The rooms of each server in which messages are changed, and the first person is a moderator.
  private static let changedRooms = 3

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    luck = Luck(seed: seed &+ 1)
    var environment = world.environment
    environment.communities = CommunityClient(through: communities)
    environment.makeServerFeed = nil
    self.environment = environment
    sites = try ["one", "two"].map { [world, communities] name in
      let url = "https://\(name).example"
      let server = try TestCommunity { [clock = world.clock] in clock.now }
      let rooms = try (0..<Self.roomsOfServer).map { try Community.Place(server: url, room: "room\($0)") }
      server.change { state in for room in rooms { state.addRoom(room.room) } }
      try communities.add(server, at: url)
      return Site(url: url, server: server, rooms: rooms)
    }
  }

  func begin() async throws {
    for number in 0..<4 {
      let account = try Account.generate()
      let phone = try await MemoryDevice(of: account, in: world, environment)
      for site in sites {
        for room in site.rooms {
          let link = "\(room.server)/\(room.room)?public_key=\(site.server.key.hex)"
          _ = try await phone.messenger.joinRoom(CommunityLink(parsing: link))
        }
      }
      try await phone.messenger.setName("Person \(number)")
      try await phone.messenger.waitUntilIdle()
      // The first two have a second device.
      let others =
        number < 2
        ? [try await world.start(Messenger(account, .inMemory(schema: .account), environment))] : []
      people.append(
        Person(
          account: account, phone: phone, others: others,
          ids: try sites.map { site in
            try BlindedIdentity(of: account, on: site.server.key, scheme: .blinded15).id
          }))
    }
    for (site, id) in zip(sites, people[0].ids) {
      let rooms = site.rooms.prefix(Self.changedRooms).map(\.room)
      site.server.change { state in
        for room in rooms { _ = state.rooms[room]?.moderators.insert("\(id)") }
      }
    }
    try await world.settle(rounds: 1)
    // Everybody is seen in one room of each server, which is the way to write to them.
    for number in people.indices {
      for site in sites.indices { try await post(by: number, in: sites[site].rooms[0]) }
    }
    try await settle(rounds: 2)
  }

  func step() async throws {
    let person = Int.random(in: people.indices, using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<4:
      let site = try #require(sites.randomElement(using: &random))
      try await post(by: person, in: try #require(site.rooms.randomElement(using: &random)))
    case 4..<7: try await write(from: person)
    case 7: setFates()
    case 8..<10:
      world.clock.advance(by: Int64.random(in: 3000...20_000, using: &random))
      for device in people[person].devices { await poll(device) }
    case 10..<14: try await change(by: person)
    default: try await crash(person)
    }
  }

  private func text() -> String {
    count += 1
    return "text \(count)"
  }

  /// The number of a text, which may have been edited.
  private static func number(of text: String) -> Int? {
    text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
  }

  private func post(by person: Int, in room: Community.Place) async throws {
    // The servers take few posts at a time.
    world.clock.advance(by: 4000)
    let text = text()
    let device = try #require(people[person].devices.randomElement(using: &random))
    _ = try await device.send(text, to: .room(room))
    posts[room, default: Posts()].all.insert(count)
  }

  /// Edits, deletes, or reacts to one of the messages of a room.
  private func change(by person: Int) async throws {
    let device = try #require(people[person].devices.randomElement(using: &random))
    let site = try #require(sites.randomElement(using: &random))
    let room = try #require(site.rooms.prefix(Self.changedRooms).randomElement(using: &random))
    let messages = try await device.messages(in: .room(room), limit: 500).filter { $0.kind == .message }
    guard let message = messages.randomElement(using: &random) else { return }
    let number = try #require(Self.number(of: message.body))
    let emoji = ["👍", "🦆"].randomElement(using: &random) ?? "👍"
    do {
      switch Int.random(in: 0..<8, using: &random) {
      case 0..<3: try await device.react(emoji, to: message.id)
      case 3: try await device.unreact(emoji, to: message.id)
      case 4..<7 where message.isOutgoing:
        count += 1
        try await device.edit(message.id, "text \(number) edited \(count)")
      case 7 where message.isOutgoing:
        try await device.delete(message.id, .forEveryone)
        posts[room]?.deleted.insert(number)
      case 4..<8 where person == 0: try await moderate(message, number, in: room, on: device)
      default: return
      }
      changes += 1
    } catch let error as MessengerError where [.notAllowed, .noMessage, .serverFailed].contains(error.code) {
      // The server does not have the message yet, or any more, or did not answer a moderator.
    }
  }

  /// Deletes a message of somebody else, or all of theirs, or the reactions to it.
  private func moderate(
    _ message: MessageView, _ number: Int, in room: Community.Place, on device: Messenger
  ) async throws {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      // It may be done even if the server does not answer.
      let all = posts[room]?.all ?? []
      posts[room]?.deleted.formUnion(all)
      try await device.act(.deleteAll(message.author, onServer: false), in: .room(room))
    case 1..<3: try await device.act(.clearReactions(message.id, emoji: nil), in: .room(room))
    default:
      try await device.delete(message.id, .forEveryone)
      posts[room]?.deleted.insert(number)
    }
    moderated += 1
  }

  private func write(from person: Int) async throws {
    let other = people.indices.filter { $0 != person }.randomElement(using: &random) ?? 0
    let site = Int.random(in: sites.indices, using: &random)
    world.clock.advance(by: 10)
    let text = text()
    let device = try #require(people[person].devices.randomElement(using: &random))
    do { _ = try await device.send(text, to: people[other].ids[site]) } catch let error as MessengerError
      where error.code == .invalidRecipient
    {
      // This device has not seen them yet.
      return
    }
    letters[person, default: [:]][other, default: []].insert(text)
  }

  /// Has the servers lose some replies, or refuse some requests, from now on.
  private func setFates() {
    let share = Int.random(in: 0..<4, using: &random)
    losses += share > 0 ? 1 : 0
    for site in sites {
      site.server.decide { [luck] _, _ in
        switch luck.roll(20) {
        case ..<share: .lost
        case 19 where share > 1: .refused(500)
        default: .asUsual
        }
      }
    }
  }

  private func poll(_ device: Messenger) async {
    await device.poll()
    for site in sites { _ = await device.supervisor.pollNow(.server(site.url)) }
  }

  private func crash(_ person: Int) async throws {
    let commits = Int.random(in: 0..<12, using: &random)
    let hasEnded = try await people[person].phone.crash(afterCommits: commits, in: world) { device in
      await self.poll(device)
      try await device.waitUntilIdle()
    }
    crashes += hasEnded ? 1 : 0
  }

  private func settle(rounds: Int) async throws {
    for _ in 0..<rounds {
      world.clock.advance(by: 61_000)
      for device in people.flatMap(\.devices) {
        try await device.waitUntilIdle()
        await poll(device)
        try await device.waitUntilIdle()
      }
    }
  }

  /// Backs the first server up.
  func backUp() { backup = sites[0].server.change { $0.backup } }

  /// Restores the first server. No one writes meanwhile, and all devices poll until they have noticed.
  func restore() async throws {
    let backup = try #require(backup)
    for site in sites { site.server.decide { _, _ in .asUsual } }
    world.clock.advance(by: 3_700_000)
    try await settle(rounds: 4)
    let before = try texts(of: sites[0])
    sites[0].server.change { $0.restore(backup) }
    for (room, texts) in try texts(of: sites[0]) {
      let numbers = Set((before[room] ?? [:]).keys).subtracting(texts.keys)
      posts[room]?.lost.formUnion(numbers)
    }
    world.clock.advance(by: 6 * 3_600_000)
    try await settle(rounds: 4)
  }

  /// The texts that a server has in each room, by number.
  private func texts(of site: Site) throws -> [Community.Place: [Int: String]] {
    var found: [Community.Place: [Int: String]] = [:]
    for room in site.rooms {
      let texts = try site.messages(in: room).map { try self.text(of: $0) }
      found[room] = try Dictionary(
        texts.map { (try #require(Self.number(of: $0)), $0) }, uniquingKeysWith: { first, _ in first })
      #expect(found[room]?.count == texts.count, "doubled in \(room.room)")
    }
    return found
  }

  private func text(of message: CommunityState.Message) throws -> String {
    let received = try people[0].account.decode(
      try #require(message.data),
      from: .community(
        sender: try #require(SessionID(message.author)),
        postedAt: try MessageTime(milliseconds: UInt64(message.edited ?? message.posted))))
    guard case .visible(let visible) = received.message.content else { return "" }
    return visible.body
  }

  func end() async throws {
    for site in sites { site.server.decide { _, _ in .asUsual } }
    // The longest rest after failures.
    world.clock.advance(by: 3_700_000)
    try await settle(rounds: 6)
  }

  /// Nothing is lost, nothing doubled, and all devices of a person agree.
  func check() async throws {
    for site in sites {
      for (room, texts) in try texts(of: site) {
        let posts = posts[room] ?? Posts()
        #expect(posts.all.subtracting(texts.keys).isSubset(of: posts.deleted.union(posts.lost)))
        let reactions = try site.messages(in: room).map { message in
          let counts = message.reactions.filter { !$0.by.isEmpty }.map { ($0.emoji, $0.by.count) }
          return (try self.text(of: message), Dictionary(uniqueKeysWithValues: counts))
        }
        for device in people.flatMap(\.devices) {
          try await check(
            Dictionary(uniqueKeysWithValues: reactions), butFor: posts.lost, in: room, on: device)
        }
      }
    }
    for (sender, all) in letters {
      for (recipient, texts) in all {
        for device in people[recipient].devices { try await check(texts, from: sender, on: device) }
        for device in people[sender].devices { try await check(texts, to: recipient, on: device) }
      }
    }
  }

  /// A device shows the texts and reactions of the server, and what the server has lost.
  private func check(
    _ wanted: [String: [String: Int]], butFor lost: Set<Int>, in room: Community.Place, on device: Messenger
  ) async throws {
    let shown = try await device.messages(in: .room(room), limit: 500).filter { $0.kind == .message }
    let numbers = shown.compactMap { Self.number(of: $0.body) }
    #expect(Set(numbers).count == shown.count, "doubled in \(room.server)/\(room.room)")
    for message in shown {
      guard let reactions = wanted[message.body] else {
        let number = try #require(Self.number(of: message.body))
        #expect(lost.contains(number), "\(message.body) in \(room.server)/\(room.room)")
        continue
      }
      let counts = message.reactions.map { ($0.emoji, 1 + $0.others) }
      #expect(Dictionary(counts, uniquingKeysWith: +) == reactions, "to \(message.body)")
    }
    #expect(Set(wanted.keys).isSubset(of: shown.map(\.body)), "in \(room.server)/\(room.room)")
  }

  private func check(_ texts: Set<String>, from sender: Int, on device: Messenger) async throws {
    let shown = try await device.messages(in: .person(people[sender].account.id), limit: 500)
      .filter { $0.kind == .message && !$0.isOutgoing }.map(\.body)
    #expect(shown.count == texts.count && Set(shown) == texts)
  }

  /// What was written to somebody is in the conversation with their account if they have written, too, and in those with
  /// their ids otherwise.
  private func check(_ texts: Set<String>, to recipient: Int, on device: Messenger) async throws {
    let person = people[recipient]
    var shown: [MessageView] = []
    for id in [person.account.id] + person.ids where try await device.conversation(.person(id)) != nil {
      shown += try await device.messages(in: .person(id), limit: 500).filter {
        $0.kind == .message && $0.isOutgoing
      }
    }
    #expect(shown.allSatisfy { $0.state == .sent })
    #expect(shown.count == texts.count && Set(shown.map(\.body)) == texts)
  }
}
