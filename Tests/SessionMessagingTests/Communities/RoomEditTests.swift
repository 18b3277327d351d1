import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Changes of messages in rooms by their authors.
@Suite(.timeLimit(.minutes(1))) struct RoomEditTests {
  /// Bob's message in the room of Alice, with its number.
  private func withMessage(
    _ body: (CommunityWorld, CommunityWorld.Visitor, Messenger, Int64) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let number = try await bob.post("first")
      #expect(await world.poll(alice))
      try await body(world, bob, alice, number)
    }
  }

  @Test func anEditIsJudgedByItsOwnTime() async throws {
    try await withMessage { world, bob, alice, number in
      world.world.clock.advance(by: 7 * 3_600_000)
      try await bob.edit(number, "second")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["second"])
    }
  }

  /// Of a message that we see for the first time, only the last text is there.
  @Test func anEditedMessageThatIsNewKeepsTheTimeOfItsPost() async throws {
    try await withMessage { world, bob, alice, _ in
      let number = try await bob.post("early")
      let postedAt = world.world.clock.now
      world.world.clock.advance(by: 7 * 3_600_000)
      try await bob.edit(number, "late")
      #expect(await world.poll(alice))
      let last = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      #expect(last.body == "late" && last.sentAt == postedAt)
    }
  }

  @Test func aMessageThatWasEditedBeforeItsPostIsNotShown() async throws {
    try await withMessage { world, bob, alice, _ in
      let number = try await bob.post("second")
      world.server.change { state in
        guard let message = state.rooms["lobby"]?.messages.last, message.number == number else { return }
        let index = (state.rooms["lobby"]?.messages.count ?? 1) - 1
        state.rooms["lobby"]?.messages[index].edited = message.posted - 1000
      }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["first"])
    }
  }

  @Test func editsOfBlockedPeopleAreNotShown() async throws {
    try await withMessage { world, bob, alice, number in
      try await alice.block(bob.account.id)
      try await bob.edit(number, "second")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["first"])
    }
  }

  @Test func anEditReplacesTheQuoteAndTheMentions() async throws {
    try await withMessage { world, bob, alice, number in
      let own = try BlindedIdentity(of: alice.context.account, on: world.server.key, scheme: .blinded15).id
      let first = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      let other = try await bob.post("other")
      let quote = Quote(
        sentAt: try MessageTime(milliseconds: UInt64(first.sentAt)), author: bob.identity.author)
      try await bob.edit(other, "see @\(own)", quote: quote)
      #expect(await world.poll(alice))
      let last = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      #expect(last.mentionsUs && last.quoted?.message == first.id)
      try await bob.edit(other, "nothing")
      #expect(await world.poll(alice))
      let changed = try #require(try await alice.messages(in: world.conversation, limit: 1).first)
      #expect(changed.body == "nothing" && !changed.mentionsUs && changed.quoted == nil)
    }
  }
}
