import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Servers that were restored from a backup, or lost a room and created it again.
@Suite(.timeLimit(.minutes(1))) struct RoomRestartTests {
  private func withTwoMessages(
    _ body: (CommunityWorld, CommunityWorld.Visitor, Messenger) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      for text in ["one", "two"] { try await bob.post(text) }
      #expect(await world.poll(alice))
      try await body(world, bob, alice)
    }
  }

  private func notes(_ world: CommunityWorld, _ messenger: Messenger) async throws -> Int {
    try await messenger.messages(in: world.conversation).count { $0.kind == .note(.roomRestarted) }
  }

  /// Forgets the second message, as a backup does that was made before it.
  private func restoreBackup(_ world: CommunityWorld) {
    world.server.change { state in
      guard var room = state.rooms["lobby"] else { return }
      room.messages.removeLast()
      room.sequence -= 1
      state.rooms["lobby"] = room
      state.forgetLastNumber()
    }
  }

  /// The numbers of the letters begin anew, too.
  @Test func lettersThatCouldNotBeReadAreForgotten() async throws {
    try await withTwoMessages { world, _, alice in
      try await alice.context.database.write { transaction in
        for (number, box) in zip([50, 60], LetterBox.allCases) {
          try transaction.put(
            BadItemRecord(
              Int64(number), in: box.place, of: CommunityWorld.url, reason: "unreadable", bytes: [1],
              programVersion: "an older one"))
        }
      }
      restoreBackup(world)
      for delay in [6 * 3_600_000, 61_000] {
        world.world.clock.advance(by: Int64(delay))
        #expect(await world.poll(alice))
      }
      #expect(try await notes(world, alice) == 1)
      for box in LetterBox.allCases { #expect(try await world.badLetters(alice, in: box).isEmpty) }
      let feed = LetterFeed(alice.inbox.makeLetterInbox(ofServer: CommunityWorld.url))
      _ = try await feed.spans()
      #expect(try await world.record(alice).inboxLatest == 0)
    }
  }

  @Test func messagesAfterABackupWasRestoredAreShown() async throws {
    try await withTwoMessages { world, bob, alice in
      restoreBackup(world)
      // The server tells this when it describes the whole room, and has to tell it twice.
      for delay in [6 * 3_600_000, 61_000] {
        world.world.clock.advance(by: Int64(delay))
        #expect(await world.poll(alice))
      }
      #expect(try await notes(world, alice) == 1)
      try await bob.post("three")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one", "two", "three"])
      #expect(try await notes(world, alice) == 1)
      // The message that the server kept has its number again, and the lost one has none.
      let numbers = try await alice.context.database.read { [room = world.conversation.address] transaction in
        let thread = try #require(try transaction.thread(at: room))
        return try transaction.page(of: thread.id, limit: 10).filter { !$0.kind.isNote }.map { $0.serverID }
      }
      #expect(numbers.reversed() == [1, nil, 2])
    }
  }

  @Test func messagesAreAsInTheBackupAgain() async throws {
    try await withTwoMessages { world, bob, alice in
      let backup = world.server.change { $0.backup }
      let second = try #require(try await alice.messages(in: world.conversation).first)
      try await alice.react("🦆", to: second.id)
      try await alice.waitUntilIdle()
      try await bob.edit(2, "two, edited")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one", "two, edited"])
      world.server.change { $0.restore(backup) }
      for delay in [6 * 3_600_000, 61_000, 4000] {
        world.world.clock.advance(by: Int64(delay))
        #expect(await world.poll(alice))
      }
      #expect(try await world.texts(alice) == ["one", "two"])
      let restored = try #require(try await alice.message(second.id))
      #expect(restored.body == "two" && restored.reactions.isEmpty)
      // They have their numbers, so all goes on.
      try await bob.edit(2, "two, edited again")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one", "two, edited again"])
    }
  }

  @Test func oneAnswerThatIsBehindChangesNothing() async throws {
    try await withTwoMessages { world, bob, alice in
      world.server.change { $0.rooms["lobby"]?.sequence -= 1 }
      world.world.clock.advance(by: 6 * 3_600_000)
      #expect(await world.poll(alice))
      world.server.change { $0.rooms["lobby"]?.sequence += 1 }
      world.world.clock.advance(by: 61_000)
      #expect(await world.poll(alice))
      #expect(try await notes(world, alice) == 0)
      try await bob.post("three")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one", "two", "three"])
    }
  }

  @Test func aRoomThatIsCreatedAgainAndAgainBeginsAnewOnce() async throws {
    try await withTwoMessages { (world, _, alice) async throws in
      for _ in 1...3 {
        world.server.change { state in
          state.rooms["lobby"]?.created += 5000
          state.rooms["lobby"]?.infoUpdates += 1
        }
        _ = await world.poll(alice)
      }
      #expect(try await notes(world, alice) == 1)
      // It goes on after an hour.
      world.world.clock.advance(by: 2 * 3_600_000)
      #expect(await world.poll(alice))
      #expect(await world.poll(alice))
      #expect(try await notes(world, alice) == 1)
      #expect(try await world.texts(alice) == ["one", "two"])
    }
  }

  @Test func ourMessageThatTheServerLostCannotBeDeletedThere() async throws {
    try await withTwoMessages { (world, _, alice) async throws in
      world.world.clock.advance(by: 5000)
      let id = try await alice.send("mine", to: world.conversation)
      try await alice.waitUntilStored(id)
      world.server.change { state in
        state.rooms["lobby"] = nil
        state.addRoom("lobby", name: "New lobby")
        state.rooms["lobby"]?.infoUpdates = 7
      }
      #expect(await world.poll(alice))
      await #expect { try await alice.delete(id, .forEveryone) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
      #expect(try await alice.message(id)?.kind == .message)
    }
  }

  @Test func aRoomThatWasCreatedAgainIsReadFromItsBeginning() async throws {
    try await withTwoMessages { world, bob, alice in
      world.server.change { state in
        state.rooms["lobby"] = nil
        state.addRoom("lobby", name: "New lobby")
        state.rooms["lobby"]?.infoUpdates = 7
      }
      try await bob.post("new")
      #expect(await world.poll(alice))
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["one", "two", "new"])
      #expect(try await notes(world, alice) == 1)
      #expect(try await alice.rooms().map(\.name) == ["New lobby"])
    }
  }
}
