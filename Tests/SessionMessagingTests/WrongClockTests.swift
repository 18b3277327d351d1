import SessionCore
import SessionNetworking
import Testing

@testable import SessionMessaging

/// A machine whose clock is wrong dates nothing wrongly for others.
@Suite struct WrongClockTests {
  private static let day: Int64 = 86_400_000
  static let errors = [day, -day, 20 * day, -20 * day]

  private func withWrongClock(
    _ error: Int64,
    _ body: (World, _ alice: Messenger, _ desk: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    let world = World()
    world.swarms.forgetTime()
    let account = try Account.generate()
    let alice = try await world.device(of: account, aheadBy: error)
    let bob = try await world.device(of: .generate())
    let desk = try await world.device(of: account)
    do { try await body(world, alice, desk, bob) } catch {
      await world.stop()
      throw error
    }
    await world.stop()
  }

  @Test(arguments: errors) func theFirstMessageGoesByTheTimeOfTheNetwork(error: Int64) async throws {
    try await withWrongClock(error) { (world, alice, desk, bob) async throws in
      let id = try await alice.send("Hello", to: bob.id)
      #expect(try await alice.message(id)?.sentAt == world.clock.now)
      let sentAt = world.clock.now
      try await world.settle()
      #expect(try await bob.last(in: alice.id).sentAt == sentAt)
      #expect(try await desk.last(in: bob.id).sentAt == sentAt)
    }
  }

  @Test(arguments: errors) func messagesWrittenOfflineAreDatedBeforeTheyLeave(error: Int64) async throws {
    try await withWrongClock(error) { (world, alice, desk, bob) async throws in
      world.swarms.setReachable(false)
      var times: [Int64] = []
      let first = try await alice.send("one", to: bob.id)
      times.append(world.clock.now)
      #expect(try await alice.message(first)?.sentAt == world.clock.now + error)
      world.clock.advance(by: 5000)
      let file = OutgoingFile(.bytes([1, 2, 3]), name: "two.bin")
      try await alice.send(OutgoingText("two", answering: first), attachments: [file], to: bob.id)
      times.append(world.clock.now)
      world.clock.advance(by: 5000)
      try await alice.send("three", to: bob.id)
      times.append(world.clock.now)
      world.clock.advance(by: 60_000)
      world.swarms.setReachable(true)
      try await world.settle(rounds: 6)
      for (device, other) in [(alice, bob.id), (desk, bob.id), (bob, alice.id)] {
        let messages = try await device.messages(in: .person(other)).reversed().filter { $0.kind == .message }
        #expect(messages.map(\.body) == ["one", "two", "three"])
        #expect(messages.map(\.sentAt) == times)
        #expect(messages[1].quoted?.body == "one")
      }
      #expect(try await alice.last(in: bob.id).state == .sent)
    }
  }
}
