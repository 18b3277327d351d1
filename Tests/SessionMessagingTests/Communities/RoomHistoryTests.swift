import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

/// Older messages, and those that were missed.
@Suite(.timeLimit(.minutes(2))) struct RoomHistoryTests {
  private static let absence: Int64 = 15 * 24 * 3_600_000

  /// A room with some messages before Alice joins.
  private func withMessages(
    _ count: Int, _ body: (CommunityWorld, CommunityWorld.Visitor, Messenger) async throws -> Void
  ) async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      try await world.post((0..<count).map { "\($0)" }, by: bob)
      // We know to the second when we joined.
      world.world.clock.advance(by: 1000)
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      try await body(world, bob, alice)
    }
  }

  @Test func olderMessagesAreFetchedAndAreNoNews() async throws {
    try await withMessages(150) { world, _, alice in
      #expect(try await world.texts(alice) == (50..<150).map { "\($0)" })
      let kinds = try await alice.kinds().count
      let history = try await alice.fetchOlder(in: world.conversation)
      #expect(history == RoomHistory(count: 50, isComplete: true))
      #expect(try await world.texts(alice) == (0..<150).map { "\($0)" })
      #expect(try await alice.conversation(world.conversation)?.unreadMessages == 0)
      #expect(try await alice.kinds().count == kinds)
      let asked = world.server.requests.count
      #expect(
        try await alice.fetchOlder(in: world.conversation) == RoomHistory(count: 0, isComplete: true))
      #expect(world.server.requests.count == asked)
    }
  }

  @Test func messagesOfALongAbsenceAreFetchedBehindTheNewest() async throws {
    try await withMessages(3) { world, bob, alice in
      world.world.clock.advance(by: Self.absence)
      try await world.post((3..<250).map { "\($0)" }, by: bob)
      #expect(await world.poll(alice))
      // The newest come first, and one page of the others with each poll.
      #expect(world.server.requests.contains { $0.contains("messages/recent") })
      for _ in 1...3 {
        world.world.clock.advance(by: 10_000)
        #expect(await world.poll(alice))
      }
      #expect(try await world.texts(alice) == (0..<250).map { "\($0)" })
      #expect(try await alice.room(world.conversation)?.isComplete == false)
    }
  }

  @Test func ourOwnPostAfterALongAbsenceHidesNothing() async throws {
    try await withMessages(3) { world, bob, alice in
      await alice.suspend()
      world.world.clock.advance(by: Self.absence)
      try await world.post((3..<150).map { "\($0)" }, by: bob)
      // It is stored with its number before the others are here.
      world.server.decide { _, path in path.contains("/messages/") ? .refused(500) : .asUsual }
      await alice.resume()
      try await world.post("ours", from: alice)
      world.server.decide { _, _ in .asUsual }
      world.world.clock.advance(by: 60_000)
      for _ in 1...2 { #expect(await world.poll(alice)) }
      #expect(try await world.texts(alice) == (0..<150).map { "\($0)" } + ["ours"])
    }
  }

  /// Twenty large messages, which cannot be read, fill a page with the small ones between them.
  @Test func pagesThatEndForTheirSizeAreNotTheLast() async throws {
    try await withCommunity { world in
      let bob = try world.visitor()
      let large = [UInt8](repeating: 1, count: 40_000)
      for number in 0..<50 {
        try await world.post(["\(number)"], by: bob)
        world.world.clock.advance(by: 10)
        _ = try await bob.call(.post(large, signature: bob.identity.sign(post: large), in: world.room))
      }
      world.server.change { $0.pageBytes = 1024 * 1024 }
      let alice = try await world.device(of: .generate())
      _ = try await alice.joinRoom(world.link)
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == (31..<50).map { "\($0)" })
      #expect(try await alice.fetchOlder(in: world.conversation) == RoomHistory(count: 19, isComplete: false))
      #expect(try await alice.fetchOlder(in: world.conversation) == RoomHistory(count: 12, isComplete: true))
      #expect(try await world.texts(alice) == (0..<50).map { "\($0)" })
    }
  }

  @Test func aGapThatCannotBeFilledDoesNotHoldTheRoom() async throws {
    try await withMessages(3) { world, bob, alice in
      // The room must not be polled while the messages come.
      await alice.suspend()
      world.world.clock.advance(by: Self.absence)
      try await world.post((3..<150).map { "\($0)" }, by: bob)
      world.server.decide { _, path in path.contains("/messages/before/") ? .refused(500) : .asUsual }
      await alice.resume()
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice).last == "149")
      try await bob.post("150")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice).last == "150")
      world.server.decide { _, _ in .asUsual }
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == (0...150).map { "\($0)" })
    }
  }

  @Test func messagesThatWereDeletedInALongAbsenceGo() async throws {
    try await withMessages(5) { world, bob, alice in
      let own = try await alice.send("mine", to: world.conversation)
      try await alice.waitUntilStored(own)
      world.world.clock.advance(by: Self.absence)
      // Deletions are not reported to those who ask for the newest messages.
      world.server.change { state in
        for index in [1, 3] {
          state.rooms["lobby"]?.messages[index].data = nil
          state.rooms["lobby"]?.messages[index].signature = nil
        }
      }
      try await bob.post("new")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["0", "2", "4", "mine", "new"])
    }
  }

  @Test func whatTheServerHidesFromAllStaysHere() async throws {
    try await withMessages(2) { world, bob, alice in
      world.server.change { $0.rooms["lobby"]?.hidesPosts = true }
      let own = try await alice.send("hidden", to: world.conversation)
      try await alice.waitUntilStored(own)
      world.server.change { $0.rooms["lobby"]?.hidesPosts = false }
      world.world.clock.advance(by: Self.absence)
      try await bob.post("new")
      #expect(await world.poll(alice))
      #expect(try await world.texts(alice) == ["0", "1", "hidden", "new"])
    }
  }
}
