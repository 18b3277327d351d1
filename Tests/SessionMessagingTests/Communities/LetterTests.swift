import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Two people write to each other through a community, until one has answered.
@Suite(.timeLimit(.minutes(2))) struct LetterTests {
  @Test func aLetterOfAStrangerIsAMessageRequestOfTheirAccount() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      let bob = try world.visitor()
      try await bob.write("May I?", to: id, on: world)
      for _ in 0..<2 {
        #expect(await world.poll(alice))
        #expect(try await alice.requests().map(\.id) == [.person(bob.account.id)])
        #expect(try await alice.bodies(in: bob.account.id) == ["May I?"])
        #expect(try await alice.kinds().filter { $0 == .requestReceived }.count == 1)
      }
      #expect(try await world.record(alice).inboxLatest > 0)
    }
  }

  @Test func peopleWhoHaveNotAnsweredHaveAConversationUnderTheirID() async throws {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      try await world.write("Hello Bob", to: id, from: alice)
      let hers = try #require(try await alice.conversation(.person(id)))
      #expect(!hers.isRequest && !hers.isAccepted && hers.name == "Bob")
      #expect(try await alice.last(in: id).state == .sent)
      #expect(try await alice.contacts().isEmpty)
      #expect(await world.poll(bob))
      #expect(try await bob.requests().map(\.id) == [.person(alice.id)])
      #expect(try await bob.bodies(in: alice.id) == ["Hello Bob"])
    }
  }

  /// By accepting the request, or by writing.
  @Test(arguments: [true, false]) func conversationsMergeWhenTheOtherSideAnswers(byAccepting: Bool)
    async throws
  {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      let desk = try await world.device(of: alice.context.account)
      try await world.world.settle(rounds: 1)
      try await world.write("Hello Bob", to: id, from: alice)
      #expect(await world.poll(desk))
      // The outbox is the copy for our other devices.
      #expect(try await desk.bodies(in: id) == ["Hello Bob"])
      #expect(try await desk.last(in: id).isOutgoing)
      #expect(try await desk.kinds().contains(.requestReceived) == false)
      #expect(await world.poll(bob))
      if byAccepting {
        try await bob.acceptRequest(.person(alice.id))
      } else {
        try await bob.send("Hello Alice", to: alice.id)
      }
      try await world.world.settle()
      for device in [alice, desk] {
        #expect(try await device.conversation(.person(id)) == nil)
        let merged = try #require(try await device.conversation(.person(bob.id)))
        #expect(merged.isAccepted && !merged.isRequest && merged.name == "Bob")
        #expect(
          try await device.bodies(in: bob.id) == (byAccepting ? ["Hello Bob"] : ["Hello Bob", "Hello Alice"]))
        #expect(try await device.contacts().map(\.id) == [bob.id])
        #expect(try await device.requests().isEmpty)
      }
      // From now on everything goes through the swarm.
      let before = world.server.change { $0.letters.count }
      try await alice.send("At last", to: id)
      try await world.world.settle()
      #expect(world.server.change { $0.letters.count } == before)
      #expect(try await bob.bodies(in: alice.id).last == "At last")
      #expect(try await alice.bodies(in: bob.id).last == "At last")
    }
  }

  /// Another device of ours may tell first that somebody has accepted.
  @Test func theCopyOfALetterStaysWithItUntilTheOtherSideHasProvenWhoTheyAre() async throws {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      try await world.write("first", to: id, from: alice)
      world.server.decide { method, path in
        method == "POST" && path.hasPrefix("/inbox/") ? .lost : .asUsual
      }
      try await alice.send("once", to: id)
      try await alice.waitUntilIdle()
      try await alice.context.database.write { transaction in
        let route = BlindedRoute(server: CommunityWorld.url, serverKey: world.server.key, account: bob.id)
        try transaction.put(route, to: id)
        var contact = try transaction.contact(bob.id.address) ?? ContactRecord(bob.id.address, createdAt: 1)
        contact.didApproveMe = true
        try transaction.put(contact)
      }
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      try await world.world.settle(upTo: 20) { try await alice.last(in: id).state == .sent }
      #expect(try await alice.bodies(in: id) == ["first", "once"])
      #expect(world.server.change { $0.letters.count } == 2)
    }
  }

  @Test func anUnansweredConversationMergesWithALetter() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      let bob = try world.visitor()
      try await bob.post("I am here")
      #expect(await world.poll(alice))
      try await world.write("Hello", to: bob.identity.author, from: alice)
      try await bob.write("Who is there?", to: id, on: world)
      #expect(await world.poll(alice))
      #expect(try await alice.conversation(.person(bob.identity.author)) == nil)
      #expect(try await alice.bodies(in: bob.account.id) == ["Hello", "Who is there?"])
      #expect(try await alice.requests().isEmpty)
    }
  }

  @Test func peopleWithIDsOfTheSecondGenerationWriteToEachOther() async throws {
    try await withCommunity { world in
      world.server.change {
        $0.capabilities.append("blind25")
        $0.requires25 = true
      }
      let (alice, bob, old) = try await world.guests()
      let id = try BlindedIdentity(of: bob.context.account, on: world.server.key, scheme: .blinded25).id
      try await world.write("Hello Bob", to: id, from: alice)
      // The server takes none of the first generation any more.
      await bob.poll()
      #expect(await world.poll(bob))
      #expect(try await bob.bodies(in: alice.id) == ["Hello Bob"])
      try await bob.acceptRequest(.person(alice.id))
      try await world.world.settle()
      #expect(try await alice.conversation(.person(id)) == nil)
      #expect(try await alice.bodies(in: bob.id) == ["Hello Bob"])
      #expect(old.kind == .blinded15)
    }
  }

  @Test func allPagesOfAnInboxCome() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      let bob = try world.visitor()
      for number in 0..<230 {
        world.world.clock.advance(by: 1)
        try await bob.write("\(number)", to: id, on: world)
      }
      try await world.world.settle(upTo: 10) { try await alice.conversation(.person(bob.account.id)) != nil }
      for _ in 0..<4 { #expect(await world.poll(alice)) }
      let texts = try await alice.messages(in: .person(bob.account.id), limit: 500).reversed().map(\.body)
      #expect(texts == (0..<230).map { "\($0)" })
    }
  }

  // MARK: - Lost replies

  @Test(arguments: [false, true]) func aLetterWhoseReplyIsLostIsNotSentTwice(pollsBefore: Bool) async throws {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      world.server.decide { method, path in
        method == "POST" && path.hasPrefix("/inbox/") ? .lost : .asUsual
      }
      try await alice.send("once", to: id)
      try await alice.waitUntilIdle()
      world.server.decide { _, _ in .asUsual }
      if pollsBefore { #expect(await world.poll(alice)) }
      try await world.world.settle(upTo: 20) { try await alice.last(in: id).state == .sent }
      // The job tries again, although a poll may have settled the message.
      try await world.world.settle(rounds: 8)
      #expect(try await alice.bodies(in: id) == ["once"])
      #expect(world.server.change { $0.letters.count } == 1)
      #expect(await world.poll(bob))
      #expect(try await bob.bodies(in: alice.id) == ["once"])
    }
  }

  @Test func aFailedLetterThatHasArrivedIsNotSentAgain() async throws {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      world.server.decide { method, path in
        if method == "POST", path.hasPrefix("/inbox/") { return .lost }
        return path.hasPrefix("/outbox") ? .refused(400) : .asUsual
      }
      try await alice.send("once", to: id)
      try await alice.waitUntilIdle()
      try await world.world.settle(upTo: 20) {
        if case .failed = try await alice.last(in: id).state { true } else { false }
      }
      world.server.decide { _, _ in .asUsual }
      try await alice.resend(try await alice.last(in: id).id)
      try await world.world.settle(upTo: 20) { try await alice.last(in: id).state == .sent }
      #expect(world.server.change { $0.letters.count } == 1)
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: id) == ["once"])
      #expect(await world.poll(bob))
      #expect(try await bob.bodies(in: alice.id) == ["once"])
    }
  }

  @Test func aLetterThatWasSentTwiceIsShownOnce() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      let bob = try world.visitor()
      let sealed = try bob.seal("once", for: id, on: world)
      for _ in 0..<2 {
        world.world.clock.advance(by: 1000)
        _ = try await bob.call(.send(sealed, to: id))
      }
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: bob.account.id) == ["once"])
    }
  }

  @Test func aLetterToAnUnknownPersonFails() async throws {
    try await withCommunity { world in
      let (alice, _, id) = try await world.guests()
      world.server.decide { method, _ in method == "POST" ? .refused(404) : .asUsual }
      try await alice.send("Hello?", to: id)
      try await alice.waitUntilIdle()
      guard case .failed = try await alice.last(in: id).state else {
        Issue.record("the message has not failed")
        return
      }
    }
  }
}
