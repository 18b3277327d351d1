import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct RoomPostingTests {
  /// Alice in the lobby.
  private func withAlice(_ body: (CommunityWorld, Messenger) async throws -> Void) async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await body(world, alice)
    }
  }

  private func last(_ world: CommunityWorld, _ messenger: Messenger) async throws -> MessageView {
    try #require(try await messenger.messages(in: world.conversation, limit: 1).first)
  }

  @Test func aPostIsSeenByOthersAndByOurOtherDevices() async throws {
    try await withAlice { world, alice in
      let other = try await world.device(of: alice.context.account)
      let id = try await alice.send("hello", to: world.conversation)
      world.world.clock.advance(by: 5)
      try await alice.waitUntilStored(id)
      let sent = try await last(world, alice)
      #expect(sent.id == id && sent.state == .sent && sent.isOutgoing)
      let posted = world.server.change { $0.rooms["lobby"]?.messages.map(\.author) ?? [] }
      #expect(posted == [sent.author.description] && sent.author.kind == .blinded15)
      try await world.world.settle()
      for device in [alice, other] {
        #expect(await world.poll(device))
        #expect(try await world.texts(device) == ["hello"])
        let shown = try await last(world, device)
        #expect(shown.isOutgoing && shown.state == .sent && shown.sentAt == sent.sentAt)
      }
    }
  }

  @Test func aReplyNamesTheMessageAsOthersKnowIt() async throws {
    try await withAlice { world, alice in
      let bob = try world.visitor()
      try await bob.post("who is there?")
      #expect(await world.poll(alice))
      let question = try await last(world, alice)
      var reply = OutgoingText("me")
      reply.answering = question.id
      try await alice.waitUntilStored(try await alice.send(reply, to: world.conversation))
      let page = try await bob.call(.messages(.recent, in: world.room))
      guard case .post(let post)? = page.messages.first?.change else {
        throw NetworkFailure(.gone, "no post")
      }
      let origin = MessageOrigin.community(sender: post.author, postedAt: post.postedAt)
      guard case .visible(let visible) = try bob.account.decode(post.data, from: origin).message.content
      else { throw NetworkFailure(.gone, "no text") }
      #expect(visible.quote?.author == bob.identity.author)
      #expect(visible.quote?.sentAt.milliseconds == UInt64(question.sentAt))
    }
  }

  /// The server stored it, and the reply was lost.
  @Test(arguments: [false, true]) func aPostWhoseReplyIsLostIsNotPostedTwice(pollsBefore: Bool) async throws {
    try await withAlice { world, alice in
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message") ? .lost : .asUsual
      }
      let id = try await alice.send("once", to: world.conversation)
      try await alice.waitUntilIdle()
      world.server.decide { _, _ in .asUsual }
      if pollsBefore { #expect(await world.poll(alice)) }
      try await world.world.settle(upTo: 20) {
        try await last(world, alice).state == .sent
      }
      #expect(try await last(world, alice).id == id)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["once"])
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count ?? 0 } == 1)
    }
  }

  /// An end of the program counts as no failure of the delivery.
  @Test func aPostThatWasInterruptedIsNotPostedTwice() async throws {
    try await withAlice { world, alice in
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message") ? .lost : .asUsual
      }
      _ = try await alice.send("once", to: world.conversation)
      try await alice.waitUntilIdle()
      try await alice.context.database.write { transaction in
        try transaction.run("UPDATE job SET failures = 0")
      }
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle(upTo: 20) { try await last(world, alice).state == .sent }
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count ?? 0 } == 1)
    }
  }

  /// Others refuse messages whose own time is more than six hours from that of their post.
  @Test func aPostThatHadToWaitIsSignedAnew() async throws {
    try await withAlice { world, alice in
      world.server.decide { _, _ in .refused(500) }
      let id = try await alice.send("late", to: world.conversation)
      try await alice.waitUntilIdle()
      world.world.clock.advance(by: 7 * 3_600_000)
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle(upTo: 20) { try await last(world, alice).state == .sent }
      #expect(try await last(world, alice).id == id)
      let bob = try await world.device(of: .generate())
      _ = try await bob.joinRoom(world.link)
      #expect(await world.poll(bob))
      #expect(try await world.texts(bob) == ["late"])
    }
  }

  /// It failed for good after its reply was lost.
  @Test func aResentPostThatHadArrivedIsNotPostedTwice() async throws {
    try await withAlice { world, alice in
      world.server.decide { method, path in
        if method == "POST", path.hasSuffix("/message") { return .lost }
        return path.contains("/messages/") ? .refused(400) : .asUsual
      }
      let id = try await alice.send("once", to: world.conversation)
      try await alice.waitUntilIdle()
      world.world.clock.advance(by: 60_000)
      try await alice.waitUntilStored(id)
      guard case .failed = try await last(world, alice).state else {
        throw NetworkFailure(.gone, "it did not fail")
      }
      world.server.decide { _, _ in .asUsual }
      try await alice.resend(id)
      try await alice.waitUntilStored(id)
      #expect(try await last(world, alice).state == .sent)
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count ?? 0 } == 1)
    }
  }

  @Test func aServerCannotMoveOurPostToAnotherDay() async throws {
    try await withAlice { world, alice in
      world.server.change { $0.postError = -24 * 3_600_000 }
      let now = world.world.clock.now
      let id = try await alice.send("now", to: world.conversation)
      try await alice.waitUntilStored(id)
      let sent = try await last(world, alice)
      #expect(sent.state == .sent && abs(sent.sentAt - now) < 60_000)
    }
  }

  /// Both devices write in the same millisecond.
  @Test func aPostOfOurOtherDeviceIsNotTakenForOurs() async throws {
    try await withAlice { world, alice in
      let other = try await world.device(of: alice.context.account)
      try await world.world.settle()
      #expect(await world.poll(other))
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message") ? .refused(500) : .asUsual
      }
      let id = try await alice.send("from one", to: world.conversation)
      try await alice.waitUntilIdle()
      world.server.decide { _, _ in .asUsual }
      try await other.waitUntilStored(try await other.send("from the other", to: world.conversation))
      #expect(try await last(world, other).sentAt == last(world, alice).sentAt)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice).count == 2)
      try await world.world.settle(upTo: 20) { try await alice.message(id)?.state == .sent }
      for device in [alice, other] {
        #expect(await world.poll(device))
        #expect(try await Set(world.texts(device)) == ["from one", "from the other"])
      }
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count ?? 0 } == 2)
    }
  }

  /// The server asks for other ids while a message waits.
  @Test func aPostHasTheIdUnderWhichItWasPosted() async throws {
    try await withAlice { world, alice in
      world.server.change { state in
        state.capabilities.append("blind25")
        state.requires25 = true
      }
      _ = try await alice.send("hello", to: world.conversation)
      #expect(try await last(world, alice).author.kind == .blinded15)
      try await world.world.settle(upTo: 20) { try await last(world, alice).state == .sent }
      let sent = try await last(world, alice)
      let posted = world.server.change { $0.rooms["lobby"]?.messages.map(\.author) ?? [] }
      #expect(posted == [sent.author.description] && sent.author.kind == .blinded25)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["hello"])
    }
  }

  @Test func postsThatAreTooManyGoOutLaterInTheirOrder() async throws {
    try await withAlice { world, alice in
      for number in 1...8 { _ = try await alice.send("\(number)", to: world.conversation) }
      try await world.world.settle(upTo: 40) {
        try await alice.messages(in: world.conversation).allSatisfy { $0.state == .sent }
      }
      #expect(try await world.texts(alice) == (1...8).map { "\($0)" })
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count ?? 0 } == 8)
      // The server had to refuse none.
      #expect(world.server.requests.count { $0.hasPrefix("POST") && $0.hasSuffix("/message") } == 8)
    }
  }

  @Test func aRefusedPostFailsWithTheReason() async throws {
    try await withAlice { world, alice in
      world.server.decide { method, path in
        method == "POST" && path.hasSuffix("/message")
          ? .refused(429, body: "filtration rejected message (spam)") : .asUsual
      }
      let id = try await alice.send("spam", to: world.conversation)
      try await alice.waitUntilStored(id)
      guard case .failed(let reason) = try await last(world, alice).state else {
        throw NetworkFailure(.gone, "it did not fail")
      }
      #expect(reason.contains("rejected the text"))
      world.server.decide { _, _ in .asUsual }
      try await alice.resend(id)
      try await alice.waitUntilStored(id)
      #expect(try await last(world, alice).state == .sent)
    }
  }

  @Test func nothingIsWrittenWhereWeMayNot() async throws {
    try await withAlice { world, alice in
      world.server.change { $0.rooms["lobby"]?.canWrite = false }
      #expect(await world.poll(alice))
      await #expect { try await alice.send("no", to: world.conversation) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
      let texts = try await world.texts(alice)
      #expect(texts.isEmpty)
    }
  }
}
