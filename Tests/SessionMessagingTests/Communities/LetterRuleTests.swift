import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// What may be written to people of a community, and what is taken from them.
@Suite(.timeLimit(.minutes(1))) struct LetterRuleTests {
  private func refuses(
    _ code: MessengerError.Code, _ body: () async throws -> Void,
    at location: SourceLocation = #_sourceLocation
  ) async {
    await #expect(sourceLocation: location) { try await body() } throws: { code ~= $0 }
  }

  @Test func onlyTextsGoToPeopleInCommunities() async throws {
    try await withCommunity { world in
      let (alice, _, id) = try await world.guests()
      let file = OutgoingFile(.bytes([1, 2, 3]), name: "a.txt")
      await refuses(.notAllowed) {
        _ = try await alice.send(OutgoingText("look"), attachments: [file], to: id)
      }
      let message = try await world.write("hello", to: id, from: alice)
      await refuses(.notAllowed) { try await alice.react("🦆", to: message) }
      await refuses(.notAllowed) { try await alice.delete(message, .forEveryone) }
      await refuses(.invalidRecipient) { try await alice.setNickname("B", of: id) }
      await refuses(.invalidRecipient) { try await alice.setTimer(nil, in: .person(id)) }
      await refuses(.invalidRecipient) { try await alice.setPinned(true, .person(id)) }
      try await alice.setTypingIndicators(true)
      try await alice.setTyping(true, in: .person(id))
      try await alice.markRead(.person(id))
      try await alice.delete(message)
      #expect(try await alice.bodies(in: id).isEmpty)
    }
  }

  @Test func aConversationUnderAnIDCanBeDeleted() async throws {
    try await withCommunity { world in
      let (alice, _, id) = try await world.guests()
      try await world.write("hello", to: id, from: alice)
      try await alice.deleteConversation(.person(id))
      #expect(try await alice.conversation(.person(id)) == nil)
      // What was sent does not come back.
      #expect(await world.poll(alice))
      #expect(try await alice.conversation(.person(id)) == nil)
    }
  }

  @Test func thereIsNoWayToUnknownIDs() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let stranger = try world.visitor()
      await refuses(.invalidRecipient) { try await alice.send("hello", to: stranger.identity.author) }
      try await world.post("I am Alice", from: alice)
      #expect(await world.poll(alice))
      await refuses(.invalidRecipient) { try await alice.send("hello", to: own) }
      // As if somebody had written under our point with the other sign.
      let other = try #require(
        try alice.id.blinded(on: world.server.key).first { $0.kind == .blinded15 && $0 != own })
      try await alice.context.database.write { transaction in
        try transaction.put(
          BlindedRoute(
            server: CommunityWorld.url, serverKey: world.server.key, account: alice.id), to: other)
      }
      await refuses(.invalidRecipient) { try await alice.send("hello", to: other) }
      // Only servers of the second generation know those ids.
      let (bob, _) = try await world.guest()
      let late = try BlindedIdentity(of: bob.context.account, on: world.server.key, scheme: .blinded25).id
      await refuses(.invalidRecipient) { try await alice.send("hello", to: late) }
      #expect(world.server.change { $0.letters.isEmpty })
    }
  }

  @Test func withoutARoomOfTheServerNothingCanBeSent() async throws {
    try await withCommunity { world in
      let (alice, _, id) = try await world.guests()
      try await world.write("hello", to: id, from: alice)
      try await alice.leaveRoom(world.conversation)
      #expect(try await alice.bodies(in: id) == ["hello"])
      await refuses(.notAllowed) { try await alice.send("still there?", to: id) }
    }
  }

  @Test func thePeopleOfRoomsSayIfTheyTakeLetters() async throws {
    try await withCommunity { world in
      let (alice, bob, id) = try await world.guests()
      try await bob.setCommunityRequests(false)
      try await world.post("leave me alone", from: bob)
      #expect(await world.poll(alice))
      await refuses(.notAllowed) { try await alice.send("hello", to: id) }
      try await bob.setCommunityRequests(true)
      try await world.post("write to me", from: bob)
      #expect(await world.poll(alice))
      try await world.write("hello", to: id, from: alice)
    }
  }

  @Test func anInboxThatIsSwitchedOffIsReadLater() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      try await alice.setCommunityRequests(false)
      let bob = try world.visitor()
      try await bob.write("hello", to: id, on: world)
      let asked = world.server.requests.count
      #expect(await world.poll(alice))
      let requests = world.server.requests.dropFirst(asked)
      #expect(!requests.contains { $0.contains("/inbox") } && requests.contains { $0.contains("/outbox") })
      #expect(try await world.record(alice).inboxLatest == 0)
      #expect(try await alice.requests().isEmpty)
      try await alice.setCommunityRequests(true)
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: bob.account.id) == ["hello"])
    }
  }

  @Test func aServerWithoutBlindedIDsHasNoInbox() async throws {
    try await withCommunity { world in
      world.server.change { $0.capabilities = ["sogs"] }
      let (alice, _) = try await world.guest()
      #expect(await world.poll(alice))
      #expect(!world.server.requests.contains { $0.contains("box") })
    }
  }

  @Test func blockedPeopleNeitherWriteNorAreWrittenTo() async throws {
    try await withCommunity { world in
      let (alice, own) = try await world.guest()
      let bob = try world.visitor()
      try await bob.post("spam")
      #expect(await world.poll(alice))
      try await alice.block(bob.identity.author)
      #expect(try await alice.contacts().filter(\.isBlocked).map(\.id) == [bob.account.id])
      try await bob.write("more spam", to: own, on: world)
      try await bob.post("and more")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["spam"])
      #expect(try await alice.conversation(.person(bob.account.id)) == nil)
      #expect(try await world.badLetters(alice).isEmpty)
      await refuses(.blocked) { try await alice.send("stop", to: bob.identity.author) }
      try await alice.unblock(bob.identity.author)
      try await bob.write("please", to: own, on: world)
      #expect(await world.poll(alice))
      #expect(try await alice.bodies(in: bob.account.id) == ["please"])
    }
  }

  @Test func filesOfLettersAreNotTaken() async throws {
    try await withCommunity { world in
      let (alice, id) = try await world.guest()
      let bob = try world.visitor()
      let file = try MessageAttachment(
        url: try world.world.files.put([1, 2, 3]), pointer: nil, contentType: "image/png")
      for body in ["with a file", ""] {
        world.world.clock.advance(by: 10)
        let sealed = try bob.seal(
          .visible(VisibleMessage(body: body, attachments: [file])), for: id, on: world)
        _ = try await bob.call(.send(sealed, to: id))
      }
      #expect(await world.poll(alice))
      let messages = try await alice.messages(in: .person(bob.account.id))
      #expect(messages.map(\.body) == ["with a file"] && messages.allSatisfy { $0.attachments.isEmpty })
    }
  }
}
