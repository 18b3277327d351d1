import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct ReceivingTests {
  /// A text of somebody, sealed for somebody else.
  private func sealed(
    _ body: String, from sender: Account, to recipient: SessionID, at time: Int64,
    syncTarget: SessionID? = nil
  ) throws -> [UInt8] {
    let content = try VisibleMessage(body: body, syncTarget: syncTarget)
    let message = try Message(.visible(content), sentAt: MessageTime(milliseconds: UInt64(time)))
    return try sender.encode(message, for: .contact(recipient))
  }

  @Test func aTextArrivesOnceWithItsEventAndCounts() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.send("news", to: bob.id)
      try await world.settle()
      let message = try await bob.last(in: alice.id)
      #expect(message.body == "news" && message.author == alice.id && message.state == .received)
      #expect(!message.isRead && !message.isOutgoing)
      let conversation = try #require(try await bob.conversation(.person(alice.id)))
      #expect(conversation.name == "Alice" && conversation.kind == .person && conversation.unreadMessages > 0)
      let events = try await bob.events(limit: 1000).filter { $0.message == message.id }
      #expect(events.map(\.kind) == [.messageReceived])
      #expect(events.first?.conversation == .person(alice.id))
    }
  }

  @Test func theSameIsNotShownTwice() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let mallory = try Account.generate()
      let time = world.clock.now
      let data = try sealed("once", from: mallory, to: bob.id, at: time)
      world.swarms.put(data, to: bob.id)
      // The same message under another seal has another hash.
      world.swarms.put(try sealed("once", from: mallory, to: bob.id, at: time), to: bob.id)
      try await world.settle(rounds: 10)
      #expect(try await bob.bodies(in: mallory.id) == ["once"])
    }
  }

  @Test func unreadableMessagesDoNotBlockOthers() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.put([1, 2, 3], to: bob.id)
      world.swarms.put([], to: bob.id)
      let forAnother = try sealed("not for you", from: .generate(), to: alice.id, at: world.clock.now)
      world.swarms.put(forAnother, to: bob.id)
      try await alice.send("behind it", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "behind it")
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  /// A sender does not wait for one to be stored before the next.
  @Test func messagesOfOnePollAreReportedInTheOrderOfSending() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = try await bob.events(limit: 1000).last?.id ?? .start
      let carol = try Account.generate()
      let now = world.clock.now
      for number in [2, 0, 3, 1] as [Int64] {
        for sender in [alice.context.account, carol] {
          world.swarms.put(
            try sealed("\(number)", from: sender, to: bob.id, at: now + number - 10), to: bob.id)
        }
        world.swarms.put([UInt8(number)], to: bob.id)
      }
      try await world.settle()
      for sender in [alice.id, carol.id] {
        let told = try await bob.events(after: before, limit: 1000)
          .filter { $0.kind == .messageReceived && $0.conversation == .person(sender) }
        let messages = try await bob.messages(in: .person(sender))
        let bodies = told.compactMap { event in messages.first { $0.id == event.message }?.body }
        #expect(bodies == ["0", "1", "2", "3"])
      }
    }
  }

  /// A reaction that was stored before what it is about, because that had to be tried again.
  @Test func messagesAboutAnotherMessageWaitForIt() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let time = world.clock.now
      let reaction = try MessageReaction(
        .react, emoji: "🎉", targetSentAt: MessageTime(milliseconds: UInt64(time)), targetAuthor: alice.id)
      world.swarms.put(
        try alice.context.account.encode(
          Message(.reaction(reaction), sentAt: MessageTime(milliseconds: UInt64(time + 5))),
          for: .contact(bob.id)), to: bob.id)
      world.swarms.put(try sealed("later", from: alice.context.account, to: bob.id, at: time), to: bob.id)
      world.swarms.put(try sealed("first", from: alice.context.account, to: bob.id, at: time - 9), to: bob.id)
      try await world.settle()
      let message = try #require(try await bob.messages(in: .person(alice.id)).first { $0.body == "later" })
      #expect(message.reactions.map(\.emoji) == ["🎉"])
    }
  }

  @Test func futureTimestampsDoNotDelayMessages() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = try await bob.events(limit: 1000).last?.id ?? .start
      let (mallory, carol) = (try Account.generate(), try Account.generate())
      for (sender, rest) in [(mallory, 20 * 3_600_000), (carol, 0)] as [(Account, Int64)] {
        let data = try sealed("here I am", from: sender, to: bob.id, at: world.clock.now + rest)
        world.swarms.put(data, to: bob.id)
      }
      try await world.settle()
      let told = try await bob.events(after: before, limit: 1000).filter { $0.kind == .messageReceived }
      #expect(told.compactMap(\.conversation?.account) == [mallory.id, carol.id])
    }
  }

  @Test func theBlockedAreNotHeard() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await bob.block(alice.id)
      try await world.settle()
      let count = try await bob.messages(in: .person(alice.id)).count
      try await alice.send("listen", to: bob.id)
      try await world.settle()
      #expect(try await bob.messages(in: .person(alice.id)).count == count)
      try await bob.unblock(alice.id)
      try await alice.send("thanks", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "thanks")
      #expect(try await !bob.bodies(in: alice.id).contains("listen"))
    }
  }

  @Test func messagesOlderThanADeletionDoNotRestoreTheConversation() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let old = world.clock.now
      world.clock.advance(by: 600_000)
      try await bob.deleteConversation(.person(alice.id))
      try await world.settle()
      let data = try sealed("from before", from: alice.context.account, to: bob.id, at: old)
      world.swarms.put(data, to: bob.id)
      try await world.settle()
      #expect(try await bob.conversation(.person(alice.id)) == nil)
      try await alice.send("from now", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id) == ["from now"])
      #expect(try await bob.requests().compactMap(\.id.account) == [alice.id])
    }
  }

  @Test func futureTimestampsAreLimitedToNow() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let mallory = try Account.generate()
      let future = world.clock.now + 10 * 86_400_000
      world.swarms.put(try sealed("from tomorrow", from: mallory, to: bob.id, at: future), to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: mallory.id).sentAt <= world.clock.now)
    }
  }

  @Test func messagesFromTheFutureAreAllKeptAndNoneTwice() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let mallory = try Account.generate()
      let future = world.clock.now + 10 * 86_400_000
      var sent: [(body: String, at: Int64)] = (0..<5).map { ("tomorrow \($0)", future + $0) }
      func put() throws {
        // Each time under another seal.
        for (body, time) in sent {
          world.swarms.put(try sealed(body, from: mallory, to: bob.id, at: time), to: bob.id)
        }
      }
      try put()
      try await world.settle()
      var shown = try await bob.messages(in: .person(mallory.id)).reversed().map(\.sentAt)
      #expect(shown.count == 5 && shown.allSatisfy { $0 < world.clock.now })
      // Others were really sent at those times.
      for (number, time) in shown.enumerated() { sent.append(("now \(number)", time)) }
      for _ in 0..<2 {
        try put()
        try await world.settle()
        #expect(try await bob.bodies(in: mallory.id).sorted() == sent.map(\.body).sorted())
      }
      shown = try await bob.messages(in: .person(mallory.id)).map(\.sentAt)
      world.clock.advance(by: 10 * 86_400_000)
      try put()
      try await world.settle()
      #expect(try await bob.bodies(in: mallory.id).sorted() == sent.map(\.body).sorted())
      #expect(try await bob.messages(in: .person(mallory.id)).map(\.sentAt) == shown)
    }
  }

  @Test func aLongAbsenceIsMadeUpForInPieces() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await bob.suspend()
      let mallory = try Account.generate()
      for number in 0..<450 {
        let time = world.clock.now + Int64(number)
        world.swarms.put(try sealed("\(number)", from: mallory, to: bob.id, at: time), to: bob.id)
      }
      world.swarms.setPageSize(100)
      await bob.resume()
      // Five answers hold them all.
      try await world.settle(rounds: 5)
      let bodies = try await bob.messages(in: .person(mallory.id), limit: 500).reversed().map(\.body)
      #expect(bodies == (0..<450).map { "\($0)" })
      #expect(world.swarms.largestAnswer <= 100)
    }
  }

  @Test func aPollThatFailsIsMadeAgain() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failPolls(NetworkFailure(.transient, "no path"))
      #expect(await !bob.poll())
      #expect(await bob.pollCondition().failure == "no path")
      world.swarms.failPolls(nil)
      try await alice.send("at last", to: bob.id)
      try await world.settle()
      #expect(await bob.pollCondition().failures == 0)
      #expect(try await bob.last(in: alice.id).body == "at last")
    }
  }

  @Test func receivedMessagesSurviveTheEndOfTheProgram() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let alice = try await world.device(of: .generate(), name: "Alice")
      let bob = try await world.start(try await Messenger.create(.generate(), in: folder, world.environment))
      try await alice.send("one", to: bob.id)
      try await world.settle()
      let last = try #require(try await bob.events(limit: 1000).last)
      try await bob.acknowledge(last.id, by: "reader")
      await world.stop(bob)
      try await alice.send("two", to: bob.id)
      let again = try await world.start(try await Messenger.open(folder, world.environment))
      try await world.settle()
      #expect(try await again.bodies(in: alice.id) == ["one", "two"])
      let news = try await again.events(after: try await again.cursor(of: "reader"), limit: 1000)
      #expect(news.filter { $0.kind == .messageReceived }.count == 1)
      await world.stop()
    }
  }
}
