import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct RequestTests {
  private func withRequest(
    _ body: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      try await alice.send("May I?", to: bob.id)
      try await world.settle()
      try await body(world, alice, bob)
    }
  }

  @Test func firstMessageOfAStrangerIsARequest() async throws {
    try await withRequest { (_, alice, bob) async throws in
      #expect(try await bob.conversations().isEmpty)
      let request = try #require(try await bob.requests().first)
      #expect(request.id == .person(alice.id) && request.isRequest && request.name == "Alice")
      #expect(try await bob.kinds().filter { $0 == .requestReceived }.count == 1)
      let hers = try #require(try await alice.conversation(.person(bob.id)))
      #expect(!hers.isRequest && !hers.isAccepted)
    }
  }

  @Test func acceptingTellsTheOtherSideOnce() async throws {
    try await withRequest { (world, alice, bob) async throws in
      try await bob.acceptRequest(.person(alice.id))
      try await bob.acceptRequest(.person(alice.id))
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      #expect(try await bob.conversations().compactMap(\.id.account) == [alice.id])
      let hers = try #require(try await alice.conversation(.person(bob.id)))
      #expect(hers.isAccepted && hers.name == "Bob")
      let notes = try await alice.messages(in: .person(bob.id)).filter { $0.kind == .note(.requestAccepted) }
      #expect(notes.count == 1)
      #expect(try await alice.kinds().contains(.requestAccepted))
    }
  }

  @Test func answeringAcceptsAndSaysSoFirst() async throws {
    try await withRequest { (world, alice, bob) async throws in
      let before = world.swarms.kept(alice.id).count
      try await bob.send("You may", to: alice.id)
      try await world.settle()
      let stored = world.swarms.kept(alice.id).dropFirst(before)
      let kinds = stored.map { message in
        try? alice.context.account.decode(message.data, from: .ownSwarm).message.content.kind
      }
      #expect(kinds == [.messageRequestResponse, .visible])
      #expect(try await bob.requests().isEmpty)
      #expect(try await alice.conversation(.person(bob.id))?.isAccepted == true)
    }
  }

  @Test func decliningDeletesTheRequestSilently() async throws {
    try await withRequest { (world, alice, bob) async throws in
      let before = world.swarms.kept(alice.id).count
      try await bob.declineRequest(.person(alice.id))
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      #expect(try await bob.conversation(.person(alice.id)) == nil)
      #expect(world.swarms.kept(alice.id).count == before)
      await #expect(throws: MessengerError.self) { try await bob.declineRequest(.person(alice.id)) }
    }
  }

  /// By declining, or by deleting the conversation.
  @Test(arguments: [true, false]) func declinedRequestsDisappearOnAllDevices(isDeclined: Bool) async throws {
    try await withRequest { (world, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await desk.requests().compactMap(\.id.account) == [alice.id])
      world.clock.advance(by: 300_000)
      if isDeclined {
        try await bob.declineRequest(.person(alice.id))
      } else {
        try await bob.deleteConversation(.person(alice.id))
      }
      try await world.settle()
      #expect(try await desk.kinds().filter { $0 == .conversationDeleted }.count == 1)
      // A device that comes later finds the message in the swarm.
      let tablet = try await world.device(of: bob.context.account)
      try await world.settle()
      for device in [bob, desk, tablet] {
        #expect(try await device.requests().isEmpty)
        #expect(try await device.conversation(.person(alice.id)) == nil)
        #expect(try await device.contacts().isEmpty)
      }
      // A declined sender may write again and be accepted.
      world.clock.advance(by: 300_000)
      try await alice.send("May I now?", to: bob.id)
      try await world.settle()
      for device in [bob, desk, tablet] {
        #expect(try await device.requests().compactMap(\.id.account) == [alice.id])
        #expect(try await device.bodies(in: alice.id) == ["May I now?"])
        #expect(try await device.kinds().last { $0 != .contactChanged } == .requestReceived)
      }
      try await desk.acceptRequest(.person(alice.id))
      try await world.settle()
      for device in [bob, desk, tablet] {
        #expect(try await device.conversations().compactMap(\.id.account) == [alice.id])
      }
    }
  }

  @Test func unblockedSendersMakeRequestsAgain() async throws {
    try await withRequest { (world, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await bob.block(alice.id)
      try await world.settle()
      try await desk.unblock(alice.id)
      try await world.settle()
      for device in [bob, desk] {
        #expect(try await device.requests().compactMap(\.id.account) == [alice.id])
        #expect(try await device.bodies(in: alice.id) == ["May I?"])
      }
    }
  }

  @Test func blockedSendersMakeNoRequests() async throws {
    try await withRequest { (world, alice, bob) async throws in
      try await bob.block(alice.id)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      try await alice.send("Hello?", to: bob.id)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      await #expect(throws: MessengerError.self) { try await bob.acceptRequest(.person(alice.id)) }
    }
  }

  @Test func strangersDoNotGrowTheConfigs() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = world.swarms.kept(bob.id, in: .contacts).map(\.hash)
      for number in 0..<20 {
        let stranger = try Account.generate()
        let message = try Message(
          .visible(VisibleMessage(body: "buy \(number)", profile: MessageProfile(name: "Spam"))),
          sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
        world.swarms.put(try stranger.encode(message, for: .contact(bob.id)), to: bob.id)
      }
      try await world.settle()
      #expect(try await bob.requests().count == 20)
      #expect(world.swarms.kept(bob.id, in: .contacts).map(\.hash) == before)
    }
  }

  @Test func unsolicitedAcceptanceGetsNoReply() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let stranger = try Account.generate()
      let message = try Message(
        .messageRequestResponse(MessageRequestResponse()),
        sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
      world.swarms.put(try stranger.encode(message, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      #expect(try await bob.conversation(.person(stranger.id)) == nil)
      #expect(try await bob.contacts().map(\.id) == [alice.id])
    }
  }
}
