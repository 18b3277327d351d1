import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Reactions, edits and deletions in rooms.
@Suite(.timeLimit(.minutes(1))) struct RoomChangeTests {
  /// Alice in the lobby, where Bob has written.
  private func withMessage(
    _ body: (CommunityWorld, Messenger, CommunityWorld.Visitor, MessageView.ID, Int64) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let number = try await bob.post("hello")
      #expect(await world.poll(alice))
      let id = try #require(try await alice.messages(in: world.conversation, limit: 1).first?.id)
      try await body(world, alice, bob, id, number)
    }
  }

  private func reactors(_ world: CommunityWorld) -> [String: Int] {
    world.server.change { state in
      let reactions = state.rooms["lobby"]?.messages.flatMap(\.reactions) ?? []
      return Dictionary(reactions.map { ($0.emoji, $0.by.count) }, uniquingKeysWith: +)
    }
  }

  private func shown(_ messenger: Messenger, _ id: MessageView.ID) async throws -> [MessageView.Reaction] {
    try #require(try await messenger.message(id)).reactions
  }

  /// Alice's own message, posted.
  private func posted(_ world: CommunityWorld, _ alice: Messenger) async throws -> MessageView.ID {
    world.world.clock.advance(by: 5000)
    let id = try await alice.send("mine", to: world.conversation)
    try await alice.waitUntilStored(id)
    return id
  }

  // MARK: - Reactions

  @Test func aReactionIsShownAtOnceAndReachesTheServer() async throws {
    try await withMessage { world, alice, bob, id, number in
      _ = try await bob.call(try .react("🦆", to: number, in: world.room))
      #expect(await world.poll(alice))
      world.server.decide { _, path in path.hasSuffix("/🦆") ? .refused(500) : .asUsual }
      try await alice.react("🦆", to: id)
      #expect(try await shown(alice, id).map(\.author) == [bob.identity.author, alice.id])
      // Reports of the server that do not have it do not hide it.
      _ = try await bob.call(try .react("🐈", to: number, in: world.room))
      #expect(await world.poll(alice))
      #expect(try await shown(alice, id).map(\.emoji) == ["🦆", "🦆", "🐈"])
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle(upTo: 20) { reactors(world)["🦆"] == 2 }
      #expect(await world.poll(alice))
      #expect(try await shown(alice, id).count { $0.author == alice.id } == 1)
      try await alice.unreact("🦆", to: id)
      #expect(try await shown(alice, id).allSatisfy { $0.author != alice.id })
      try await world.world.settle(upTo: 20) { reactors(world)["🦆"] == 1 }
      #expect(await world.poll(alice))
      #expect(try await shown(alice, id).allSatisfy { $0.author != alice.id })
    }
  }

  @Test func aReactionThatTheServerRefusesIsTakenBack() async throws {
    try await withMessage { world, alice, _, id, _ in
      world.server.decide { _, path in path.contains("/reaction/") ? .refused(403) : .asUsual }
      try await alice.react("🦆", to: id)
      #expect(try await shown(alice, id).count == 1)
      try await alice.waitUntilIdle()
      #expect(try await shown(alice, id).isEmpty)
      #expect(try await alice.message(id)?.changeFailure?.contains("refuses access") == true)
      world.server.decide { _, _ in .asUsual }
      try await alice.react("🦆", to: id)
      #expect(try await alice.message(id)?.changeFailure == nil)
    }
  }

  @Test func reactionsNeedTheServer() async throws {
    try await withMessage { world, alice, _, id, _ in
      for emoji in ["a/b", String(repeating: "🦆", count: 13)] {
        await #expect { try await alice.react(emoji, to: id) } throws: {
          MessengerError.Code.notAllowed ~= $0
        }
      }
      world.server.change { $0.capabilities = ["sogs", "blind"] }
      #expect(await world.poll(alice))
      await #expect { try await alice.react("🦆", to: id) } throws: { MessengerError.Code.notAllowed ~= $0 }
    }
  }

  @Test func reactionsAreCountedWithoutNamingEveryone() async throws {
    try await withMessage { world, alice, _, id, number in
      for _ in 1...8 {
        _ = try await world.visitor().call(try .react("🦆", to: number, in: world.room))
      }
      #expect(await world.poll(alice))
      let reactions = try await shown(alice, id)
      #expect(reactions.count == 5 && reactions.map(\.others) == [3, 0, 0, 0, 0])
    }
  }

  @Test func atMostTwentyReactionsAMinuteAreSent() {
    let pace = SendingPace(limit: 20, period: 60_000)
    for time in Int64(0)..<20 {
      #expect(pace.delay(at: time) == nil)
      pace.note(at: time)
    }
    #expect(pace.delay(at: 30_000) == 30_000)
    #expect(pace.delay(at: 60_000) == nil)
    pace.note(at: 60_000)
    #expect(pace.delay(at: 60_000) == 1)
    #expect(pace.delay(for: "elsewhere", at: 60_000) == nil)
  }

  @Test func aReactionAndItsRemovalThatAreBothRefusedLeaveNothing() async throws {
    try await withMessage { world, alice, _, id, _ in
      world.server.decide { _, path in path.contains("/reaction/") ? .refused(500) : .asUsual }
      try await alice.react("🦆", to: id)
      try await alice.unreact("🦆", to: id)
      try await alice.waitUntilIdle()
      world.server.decide { _, path in path.contains("/reaction/") ? .refused(403) : .asUsual }
      try await world.world.settle(upTo: 20) { try await alice.message(id)?.changeFailure != nil }
      try await world.world.settle()
      #expect(try await shown(alice, id).isEmpty)
    }
  }

  private func pending(_ world: CommunityWorld, _ alice: Messenger, to number: Int64) async throws -> Int {
    try await alice.context.database.read { [room = world.conversation.address] transaction in
      let thread = try #require(try transaction.thread(at: room))
      return try transaction.pendingReactions(to: number, in: thread.id).count
    }
  }

  @Test func aReactionThatAPollBroughtBeforeItsReplyIsForgotten() async throws {
    try await withMessage { world, alice, _, id, number in
      world.server.decide { method, _ in method == "PUT" ? .lost : .asUsual }
      try await alice.react("🦆", to: id)
      try await alice.waitUntilIdle()
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      try await world.world.settle(upTo: 20) { try await pending(world, alice, to: number) == 0 }
      #expect(try await pending(world, alice, to: number) == 0)
      #expect(try await shown(alice, id).map(\.author) == [alice.id])
    }
  }

  @Test func aReactionToADeletedMessageIsForgotten() async throws {
    try await withMessage { world, alice, bob, id, number in
      world.server.decide { _, path in path.contains("/reaction/") ? .refused(500) : .asUsual }
      try await alice.react("🦆", to: id)
      try await alice.waitUntilIdle()
      #expect(try await pending(world, alice, to: number) == 1)
      try await bob.call(.delete(number, in: world.room))
      #expect(await world.poll(alice))
      #expect(try await pending(world, alice, to: number) == 0)
    }
  }

  private func failedJob(_ messenger: Messenger) async throws -> JobRecord.ID {
    let jobs = try await messenger.context.database.read { transaction in
      try transaction.jobs(.failed, limit: 1)
    }
    return try #require(jobs.first).id
  }

  @Test func aReactionThatWasTakenBackIsNotTriedAgain() async throws {
    try await withMessage { world, alice, _, id, _ in
      world.server.decide { _, path in path.contains("/reaction/") ? .refused(403) : .asUsual }
      try await alice.react("🦆", to: id)
      try await alice.waitUntilIdle()
      world.server.decide { _, _ in .asUsual }
      try await alice.retryJob(try await failedJob(alice))
      try await world.world.settle(upTo: 20) {
        try await alice.message(id)?.changeFailure?.contains("react again") == true
      }
      #expect(try await alice.message(id)?.changeFailure?.contains("react again") == true)
      #expect(reactors(world).isEmpty)
    }
  }

  @Test func aChangeThatIsTriedAgainAndWorksEndsItsFailure() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await posted(world, alice)
      world.server.decide { method, _ in method == "PUT" ? .refused(403) : .asUsual }
      try await alice.edit(id, "better")
      try await alice.waitUntilIdle()
      #expect(try await alice.message(id)?.changeFailure != nil)
      world.server.decide { _, _ in .asUsual }
      try await alice.retryJob(try await failedJob(alice))
      try await world.world.settle(upTo: 20) { try await alice.message(id)?.body == "better" }
      #expect(try await alice.message(id)?.changeFailure == nil)
    }
  }

  @Test func ofTwoFormsOfAnEmojiOursIsRemoved() async throws {
    try await withMessage { world, alice, bob, id, number in
      let (theirs, ours) = ("\u{2764}", "\u{2764}\u{FE0F}")
      _ = try await bob.call(try .react(theirs, to: number, in: world.room))
      try await alice.react(ours, to: id)
      try await world.world.settle(upTo: 20) { reactors(world)[ours] == 1 }
      #expect(await world.poll(alice))
      try await alice.unreact(theirs, to: id)
      try await world.world.settle(upTo: 20) { reactors(world)[ours] == nil }
      #expect(reactors(world) == [theirs: 1])
    }
  }

  // MARK: - Edits

  @Test func anEditReachesOthersAndOurOtherDevices() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await posted(world, alice)
      let other = try await world.device(of: alice.context.account)
      try await world.world.settle()
      #expect(await world.poll(other))
      try await alice.edit(id, "mine, better")
      try await alice.waitUntilIdle()
      let edited = try #require(try await alice.message(id))
      #expect(edited.body == "mine, better" && edited.editedAt != nil && edited.state == .sent)
      for device in [alice, other] {
        #expect(await world.poll(device))
        #expect(try await world.texts(device) == ["hello", "mine, better"])
      }
      await #expect { try await alice.edit(id, "") } throws: { _ in true }
    }
  }

  @Test func anEditThatIsRefusedChangesNothing() async throws {
    try await withMessage { world, alice, _, other, _ in
      let id = try await posted(world, alice)
      world.server.decide { method, _ in method == "PUT" ? .refused(403) : .asUsual }
      try await alice.edit(id, "no")
      try await alice.waitUntilIdle()
      let kept = try #require(try await alice.message(id))
      #expect(kept.body == "mine" && kept.editedAt == nil && kept.changeFailure != nil)
      await #expect { try await alice.edit(other, "no") } throws: { MessengerError.Code.notAllowed ~= $0 }
    }
  }

  // MARK: - Deletions

  /// A filter that refuses an edit does not say so.
  @Test func anEditThatTheServerOnlyPretendsToTakeFails() async throws {
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      let id = try await alice.send("right", to: world.conversation)
      try await alice.waitUntilIdle()
      world.server.decide { method, _ in method == "PUT" ? .pretended : .asUsual }
      try await alice.edit(id, "wrong")
      for _ in 1...4 {
        try await alice.waitUntilIdle()
        world.world.clock.advance(by: 60_000)
      }
      try await alice.waitUntilIdle()
      let shown = try #require(try await alice.messages(in: world.conversation).first)
      #expect(shown.body == "right" && shown.editedAt == nil)
      #expect(shown.changeFailure?.contains("filter") == true)
    }
  }

  @Test func ourMessagesAreDeletedForEveryone() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await posted(world, alice)
      world.server.decide { method, _ in method == "DELETE" ? .lost : .asUsual }
      try await alice.delete(id, .forEveryone)
      try await alice.waitUntilIdle()
      // Until the server says that it is deleted, it is not.
      #expect(try await alice.message(id)?.kind == .message)
      world.server.decide { _, _ in .asUsual }
      // The second attempt finds none.
      try await world.world.settle(upTo: 20) { try await alice.message(id)?.kind == .deleted }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["hello"])
    }
  }

  private func texts(onServer world: CommunityWorld) -> Int {
    world.server.change { $0.rooms["lobby"]?.messages.count { $0.data != nil } ?? 0 }
  }

  @Test func aMessageIsDeletedOnTheServerThoughWeDeleteItHereToo() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await posted(world, alice)
      world.server.decide { method, _ in method == "DELETE" ? .refused(500) : .asUsual }
      try await alice.delete(id, .forEveryone)
      try await alice.waitUntilIdle()
      try await alice.delete(id, .here)
      world.server.decide { _, _ in .asUsual }
      try await world.world.settle(upTo: 20) { texts(onServer: world) == 1 }
      #expect(texts(onServer: world) == 1)
    }
  }

  @Test func aDeletionIsTriedForLongerThanAMessage() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await posted(world, alice)
      world.server.decide { method, _ in method == "DELETE" ? .refused(500) : .asUsual }
      try await alice.delete(id, .forEveryone)
      for _ in 1...40 where world.server.requests.count(where: { $0.hasPrefix("DELETE") }) < 13 {
        world.world.clock.advance(by: 160_000)
        try await world.world.settle(rounds: 1)
      }
      #expect(world.server.requests.count { $0.hasPrefix("DELETE") } >= 13)
      world.server.decide { _, _ in .asUsual }
      world.world.clock.advance(by: 160_000)
      try await world.world.settle(upTo: 20) { try await alice.message(id)?.kind == .deleted }
      #expect(texts(onServer: world) == 1)
    }
  }

  /// Alice's message that the server has, while its reply was lost.
  private func lostPost(_ world: CommunityWorld, _ alice: Messenger) async throws -> MessageView.ID {
    world.world.clock.advance(by: 5000)
    world.server.decide { method, path in
      method == "POST" && path.hasSuffix("/message") ? .lost : .asUsual
    }
    let id = try await alice.send("mine", to: world.conversation)
    try await alice.waitUntilIdle()
    world.server.decide { _, _ in .asUsual }
    #expect(texts(onServer: world) == 2)
    return id
  }

  @Test func aMessageThatIsDeletedWhileItIsPostedIsDeletedOnTheServer() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await lostPost(world, alice)
      try await alice.delete(id, .forEveryone)
      #expect(try await alice.message(id)?.kind == .deleted)
      try await world.world.settle(upTo: 20) { texts(onServer: world) == 1 }
      #expect(texts(onServer: world) == 1)
      #expect(await world.poll(alice))
      #expect(try await alice.messages(in: world.conversation).count == 2)
    }
  }

  @Test func aMessageThatIsDeletedHereWhileItIsPostedDoesNotComeBack() async throws {
    try await withMessage { world, alice, _, _, _ in
      let id = try await lostPost(world, alice)
      try await alice.delete(id, .here)
      #expect(await world.poll(alice))
      try await alice.waitUntilIdle()
      #expect(try await alice.message(id)?.kind == .deletedHere)
      #expect(try await alice.messages(in: world.conversation).count == 2)
      #expect(texts(onServer: world) == 2)
    }
  }

  @Test func onlyModeratorsDeleteMessagesOfOthers() async throws {
    try await withMessage { world, alice, _, id, _ in
      await #expect { try await alice.delete(id, .forEveryone) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
      let own = try BlindedIdentity(of: alice.context.account, on: world.server.key, scheme: .blinded15).id
      world.server.change { _ = $0.rooms["lobby"]?.moderators.insert(own.description) }
      #expect(await world.poll(alice))
      try await alice.delete(id, .forEveryone)
      try await alice.waitUntilIdle()
      #expect(try await alice.message(id)?.kind == .deleted)
      #expect(world.server.change { $0.rooms["lobby"]?.messages.allSatisfy { $0.data == nil } ?? false })
    }
  }

  @Test func aMessageThatIsDeletedHereStaysDeletedHere() async throws {
    try await withMessage { world, alice, bob, id, number in
      try await alice.delete(id, .here)
      try await bob.edit(number, "again")
      #expect(await world.poll(alice))
      #expect(try await alice.message(id)?.kind == .deletedHere)
      #expect(world.server.change { $0.rooms["lobby"]?.messages.count { $0.data != nil } ?? 0 } == 1)
    }
  }
}
