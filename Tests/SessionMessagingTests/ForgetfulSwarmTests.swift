import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Swarms that no longer have the message which a poll goes on behind.
@Suite struct ForgetfulSwarmTests {
  /// The smallest page size, exceeded by one message.
  private let perPoll = Mailbox.budget / SwarmPoll.smallPart + 110_000

  private func size(_ messages: some Sequence<SwarmMessage>) -> Int {
    messages.reduce(0) { $0 + 143 + $1.data.count * 4 / 3 }
  }

  @Test(arguments: [1, 20, 90]) func aForgottenCursorCostsNoMoreThanSmallAnswers(forgotten: Int) async throws
  {
    let scene = try await MailboxScene()
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
    let scene = try await MailboxScene()
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
    let scene = try await MailboxScene()
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
    let scene = try await MailboxScene()
    let mailbox = Mailbox(7)
    mailbox.messages = try (0..<30).map { _ in try scene.message() }
    try await scene.drain(mailbox)
    let last = try #require(mailbox.messages.last).hash
    let (end, bob) = (Int64(scene.now) + 3_660_000, scene.bob)
    try await bob.context.write { transaction, _ in
      try transaction.shorten([last], of: bob.id.description, to: end)
    }
    func cursor() async throws -> String? {
      try await scene.inbox.nextPoll(at: mailbox.node).positions.first { $0.namespace == .messages }?.lastHash
    }
    #expect(try await cursor() == last)
    scene.world.clock.advance(by: 61_000)
    #expect(try await cursor() == mailbox.messages.dropLast().last?.hash)
    await scene.world.stop()
  }
}
