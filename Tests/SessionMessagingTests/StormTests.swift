import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A flooding sender: stored data stays bounded, and other people stay visible.
@Suite(.timeLimit(.minutes(10))) struct StormTests {
  private func put(
    _ content: MessageContent, by sender: Account, to reader: SessionID, at time: Int64, _ world: World
  ) throws {
    let message = try Message(content, sentAt: MessageTime(milliseconds: UInt64(time)))
    world.swarms.put(try sender.encode(message, for: .contact(reader)), to: reader)
  }

  @Test func strangersBeyondMeasurePushOutStrangers() async throws {
    try await withAliceAndBob { world, alice, bob in
      var strangers: [Account] = []
      for number in 0..<MessageReceiver.maxRequests + 20 {
        let stranger = try Account.generate()
        strangers.append(stranger)
        // Timestamps in the future do not extend the life of a request.
        let time = world.clock.now + (number < 20 ? 20 * 3_600_000 : 0)
        try put(.visible(VisibleMessage(body: "buy")), by: stranger, to: bob.id, at: time, world)
      }
      try await world.settle()
      let requests = Set(try await bob.requests().compactMap(\.id.account))
      #expect(requests == Set(strangers.suffix(MessageReceiver.maxRequests).map(\.id)))
      #expect(try await bob.contacts().count == MessageReceiver.maxRequests + 1)
      #expect(try await bob.conversations().compactMap(\.id.account) == [alice.id])
      try await alice.send("still here", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "still here")
    }
  }

  @Test func aStrangerSaysOnlySoMuch() async throws {
    try await withAliceAndBob { world, alice, bob in
      let stranger = try Account.generate()
      let limit = MessageReceiver.maxRequestMessages
      for number in 0..<limit + 30 {
        try put(
          .visible(VisibleMessage(body: "\(number)")), by: stranger, to: bob.id,
          at: world.clock.now + Int64(number), world)
      }
      try await world.settle()
      #expect(try await bob.messages(in: .person(stranger.id), limit: Messenger.maxPage).count == limit)
      try await bob.acceptRequest(.person(stranger.id))
      try await world.settle()
      try put(
        .visible(VisibleMessage(body: "thanks")), by: stranger, to: bob.id, at: world.clock.now, world)
      try await world.settle()
      #expect(try await bob.last(in: stranger.id).body == "thanks")
    }
  }

  @Test func receiptsOfNothingAreNotHoarded() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setReadReceipts(true)
      for round in 0..<3 {
        let times = try (0..<ReadReceipt.maxMessages).map { number in
          try MessageTime(milliseconds: UInt64(1 + round * ReadReceipt.maxMessages + number))
        }
        try put(
          .readReceipt(ReadReceipt(of: times)), by: alice.context.account, to: bob.id, at: world.clock.now,
          world)
      }
      try await world.settle()
      let pending = try await bob.context.database.read { transaction in
        try transaction.values("SELECT sentAt FROM pendingReadReceipt") as [Int64]
      }
      #expect(pending.count == MessageReceiver.maxPendingReceipts)
      let id = try await bob.send("read this", to: alice.id)
      try await alice.setReadReceipts(true)
      try await world.settle()
      try await alice.markRead(.person(bob.id))
      try await world.settle()
      #expect(try await bob.message(id)?.readByRecipientAt != nil)
    }
  }

  @Test func reactionsAreBoundedForEverySender() async throws {
    try await withAliceAndBob { world, alice, bob in
      let target = try await bob.messages(in: .person(alice.id)).first { $0.isOutgoing }
      let mine = try #require(target)
      let sentAt = try MessageTime(milliseconds: UInt64(mine.sentAt))
      for number in 0..<300 as Range<UInt32> {
        let scalar = try #require(Unicode.Scalar(0x1F300 + number))
        // Some of them are no emoji yet.
        guard
          let reaction = try? MessageReaction(
            .react, emoji: String(Character(scalar)), targetSentAt: sentAt, targetAuthor: bob.id)
        else { continue }
        for sender in [alice.context.account, try Account.generate()] {
          try put(.reaction(reaction), by: sender, to: bob.id, at: world.clock.now + Int64(number), world)
        }
      }
      try await world.settle()
      let reactions = try #require(try await bob.message(mine.id)).reactions
      #expect(reactions.count == MessageReceiver.maxReactions)
      #expect(reactions.allSatisfy { $0.author == alice.id })
      #expect(try await bob.requests().isEmpty)
    }
  }

  @Test func junkLeavesNoTraceButWhereItEnds() async throws {
    try await withAliceAndBob { world, alice, bob in
      func remembered(_ table: SQL) async throws -> Int {
        try await bob.context.database.read { transaction in try transaction.value(table) ?? 0 }
      }
      let seen = try await remembered("SELECT count(*) FROM seenMessage")
      let received = try await remembered("SELECT count(*) FROM receivedHash")
      let count = 2000
      for number in 0..<count { world.swarms.put(Array("junk \(number)".utf8), to: bob.id) }
      try await alice.send("behind all of it", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "behind all of it")
      #expect(try await remembered("SELECT count(*) FROM seenMessage") == seen + 1)
      let pieces = count / OwnerInbox.pieceSize
      let left = try await remembered("SELECT count(*) FROM receivedHash") - received
      #expect(left <= MemorySwarms.nodes.count * (pieces + 2))
      // It is not fetched once more, either.
      #expect(await bob.poll())
      #expect(try await remembered("SELECT count(*) FROM receivedHash") - received == left)
    }
  }

  @Test func onlySoMuchOfWhatANodeGaveIsRemembered() async throws {
    try await withAliceAndBob { world, alice, bob in
      for number in 0..<OwnerInbox.longestTrail + 200 {
        world.swarms.put(Array("no config \(number)".utf8), to: bob.id, in: .contacts)
      }
      try await world.settle()
      let counts: [Int] = try await bob.context.database.read { transaction in
        try transaction.values("SELECT count(*) FROM receivedHash GROUP BY node, namespace")
      }
      #expect(counts.max() == OwnerInbox.longestTrail)
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  @Test func theNumberOfTypingSendersIsLimited() throws {
    let typists = Typists()
    let names = try (0..<1200).map { _ in try Account.generate().id }
    for name in names { _ = typists.note(name, isTyping: true, at: 1, now: 1) }
    let shown = names.filter { typists.isTyping($0, now: 1) }
    #expect(shown.count == 1000)
  }
}
