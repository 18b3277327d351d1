import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A mailbox of one node, which the test drives poll by poll.
private final class Mailbox {
  /// What the largest answer of a node may have, in bytes.
  static let budget = 7_800_000

  enum Conduct {
    case honest
    /// Gives the beginning of the mailbox to everything, and says that there is more.
    case repeatsTheFirstPage
  }

  var messages: [SwarmMessage] = []
  var conduct = Conduct.honest
  /// Bytes that were downloaded in each poll.
  private(set) var downloads: [Int] = []
  let node: String

  init(_ number: UInt8) { node = [UInt8](repeating: number, count: 32).hex }

  var downloaded: Int { downloads.reduce(0, +) }

  /// One poll; true if the node said that there is more.
  func poll(_ inbox: OwnerInbox, at now: UInt64) async throws -> (hasMore: Bool, gain: SwarmGain) {
    messages.removeAll { $0.expiresAt.milliseconds <= now }
    let poll = try await inbox.nextPoll(at: node)
    let position = try #require(poll.positions.first { $0.namespace == .messages })
    let known = messages.firstIndex { $0.hash == position.lastHash }.map { $0 + 1 } ?? 0
    let start = conduct == .honest ? known : 0
    var (found, bytes): ([SwarmMessage], Int) = ([], 0)
    for message in messages[start...] {
      let cost = 100 + message.hash.utf8.count + message.data.count * 4 / 3
      guard found.isEmpty || bytes + cost <= Self.budget / position.part else { break }
      found.append(message)
      bytes += cost
    }
    downloads.append(bytes)
    let hasMore = conduct == .honest ? start + found.count < messages.count : true
    let gain = try await inbox.take(
      SwarmHarvest(node: node, [.messages: .success(SwarmHarvest.Crop(found, hasMore: hasMore))]))
    return (hasMore, gain)
  }
}

/// Swarms that no longer have the message which a poll goes on behind.
@Suite struct ForgetfulSwarmTests {
  /// The smallest page size, exceeded by one message.
  private let perPoll = Mailbox.budget / SwarmPoll.smallPart + 110_000

  private final class Scene {
    let world: World
    let bob: Messenger
    let alice: Account
    let inbox: OwnerInbox
    private var number = 0

    init() async throws {
      world = World()
      bob = try await world.device(of: .generate(), name: "Bob")
      alice = try Account.generate()
      inbox = bob.inbox.makeInbox(of: bob.id)
      await bob.suspend()
    }

    var now: UInt64 { UInt64(world.clock.now) }

    /// A message of about 2 KB, which expires after a while.
    func message(for seconds: UInt64 = 1_209_600) throws -> SwarmMessage {
      number += 1
      world.clock.advance(by: 1)
      let time = try MessageTime(milliseconds: now)
      let text = String("\(number) " + String(repeating: "x", count: 1900))
      let content = try Message(.visible(try VisibleMessage(body: text)), sentAt: time).bytes()
      let data = try forged(content, by: alice, for: bob.id, at: now)
      let parcel = SwarmParcel(data, for: .seconds(Int64(seconds)))
      return SwarmMessage(
        hash: parcel.hash(in: bob.id), data: data, storedAt: time,
        expiresAt: try MessageTime(milliseconds: now + seconds * 1000))
    }

    func received() async throws -> Int {
      try await bob.context.database.read { transaction in
        try transaction.value("SELECT count(*) FROM interaction WHERE kind < 1000") ?? 0
      }
    }

    /// Polls until a node says that there is nothing more.
    func drain(_ mailbox: Mailbox, upTo most: Int = 100) async throws {
      for _ in 0..<most where try await !mailbox.poll(inbox, at: now).hasMore { return }
      Issue.record("the mailbox has no end")
    }
  }

  private func size(_ messages: some Sequence<SwarmMessage>) -> Int {
    messages.reduce(0) { $0 + 143 + $1.data.count * 4 / 3 }
  }

  @Test(arguments: [1, 20, 90]) func aForgottenCursorCostsNoMoreThanSmallAnswers(forgotten: Int) async throws
  {
    let scene = try await Scene()
    let mailbox = Mailbox(7)
    mailbox.messages = try (0..<300).map { _ in try scene.message() }
    try await scene.drain(mailbox)
    #expect(try await scene.received() == 300)
    for _ in 0..<3 {
      let (before, polls) = (mailbox.downloaded, mailbox.downloads.count)
      mailbox.messages.removeLast(forgotten)
      let new = try (0..<5).map { _ in try scene.message() }
      mailbox.messages += new
      try await scene.drain(mailbox)
      for _ in 0..<20 { try await scene.drain(mailbox) }
      let count = mailbox.downloads.count - polls
      #expect(count <= 40)
      #expect(mailbox.downloaded - before <= 2 * size(new) + 20 * perPoll)
      // Once the cursor is found again, polls bring nothing.
      #expect(mailbox.downloads.last == 0)
    }
    #expect(try await scene.received() == 315)
    await scene.world.stop()
  }

  @Test func aNodeThatForgotEverythingIsReadFromTheStart() async throws {
    let scene = try await Scene()
    let mailbox = Mailbox(7)
    mailbox.messages = try (0..<200).map { _ in try scene.message() }
    try await scene.drain(mailbox)
    let kept = try (0..<200).map { _ in try scene.message() }
    mailbox.messages = kept
    let before = mailbox.downloaded
    try await scene.drain(mailbox)
    #expect(try await scene.received() == 400)
    #expect(mailbox.downloaded - before <= 2 * size(kept))
    await scene.world.stop()
  }

  @Test func aNodeThatRepeatsItselfGetsLittleAttention() async throws {
    let scene = try await Scene()
    let (liar, other) = (Mailbox(7), Mailbox(8))
    liar.messages = try (0..<300).map { _ in try scene.message() }
    try await scene.drain(liar)
    liar.conduct = .repeatsTheFirstPage
    let (before, polls) = (liar.downloaded, liar.downloads.count)
    for _ in 0..<60 { _ = try await liar.poll(scene.inbox, at: scene.now) }
    #expect(liar.downloaded - before <= (liar.downloads.count - polls) * perPoll)
    other.messages = liar.messages + [try scene.message()]
    try await scene.drain(other)
    #expect(try await scene.received() == 301)
    await scene.world.stop()
  }

  @Test func shortenedMessagesAreNoCursor() async throws {
    let scene = try await Scene()
    let mailbox = Mailbox(7)
    mailbox.messages = try (0..<30).map { _ in try scene.message() }
    try await scene.drain(mailbox)
    let last = try #require(mailbox.messages.last).hash
    let (end, bob) = (Int64(scene.now) + 60_000, scene.bob)
    try await bob.context.write { transaction, _ in
      try transaction.shorten([last], of: bob.id.description, to: end)
    }
    func cursor() async throws -> String? {
      try await scene.inbox.nextPoll(at: mailbox.node).positions.first { $0.namespace == .messages }?.lastHash
    }
    #expect(try await cursor() == last)
    scene.world.clock.advance(by: 55_000)
    #expect(try await cursor() == mailbox.messages.dropLast().last?.hash)
    await scene.world.stop()
  }
}
