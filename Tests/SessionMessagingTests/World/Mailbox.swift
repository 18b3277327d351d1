import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A mailbox of one node, which the test drives poll by poll.
final class Mailbox {
  /// The size of the largest reply of a node, in bytes.
  static let budget = 7_800_000

  enum Conduct {
    case honest
    /// Gives the beginning of the mailbox to everything, and says that there is more.
    case repeatsTheFirstPage
  }

  var messages: [SwarmMessage] = []
  /// The messages that it does not give.
  var hidden: Set<String> = []
  var conduct = Conduct.honest
  /// Bytes that were downloaded in each poll.
  private(set) var downloads: [Int] = []
  /// The cursor of the last poll.
  private(set) var cursor: String?
  let node: String

  init(_ number: UInt8) { node = [UInt8](repeating: number, count: 32).hex }

  var downloaded: Int { downloads.reduce(0, +) }

  /// One poll; true if the node said that there is more.
  func poll(_ inbox: OwnerInbox, at now: UInt64) async throws -> (hasMore: Bool, result: SwarmPollResult) {
    messages.removeAll { $0.expiresAt.milliseconds <= now }
    let poll = try await inbox.nextPoll(at: node)
    let position = try #require(poll.positions.first { $0.namespace == .messages })
    cursor = position.lastHash
    let known = messages.firstIndex { $0.hash == position.lastHash }.map { $0 + 1 } ?? 0
    let start = conduct == .honest ? known : 0
    var (found, bytes): ([SwarmMessage], Int) = ([], 0)
    for message in messages[start...] {
      let cost = 100 + message.hash.utf8.count + message.data.count * 4 / 3
      guard found.isEmpty || bytes + cost <= Self.budget / position.part else { break }
      found.append(message)
      bytes += cost
    }
    found.removeAll { hidden.contains($0.hash) }
    downloads.append(bytes)
    let hasMore = conduct == .honest ? start + found.count + hidden.count < messages.count : true
    let result = try await inbox.take(
      SwarmReply(node: node, [.messages: .success(SwarmReply.Page(found, hasMore: hasMore))]))
    return (hasMore, result)
  }
}

/// A person whose mailboxes a test drives.
final class MailboxScene {
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
    let item = SwarmItem(data, for: .seconds(Int64(seconds)))
    return SwarmMessage(
      hash: item.hash(in: bob.id), data: data, storedAt: time,
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
