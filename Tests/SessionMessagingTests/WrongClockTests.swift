import SessionCore
import SessionNetworking
import SessionStorage
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

  /// What a clock that was days ahead put off is not put off by days once it is set right.
  @Test(arguments: [1, 20] as [Int64]) func workIsDoneInTimeOnceTheClockIsSetRight(days: Int64) async throws {
    let world = World()
    let bob = try Account.generate().id
    let clock = WrongClock(clock: world.clock, error: days * Self.day)
    var dependencies = world.dependencies
    dependencies.clock = clock
    let alice = try await world.start(
      try Messenger(.generate(), .inMemory(schema: .account), dependencies))
    try await alice.send("Hello", to: bob)
    try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 3600), in: bob)
    let id = try await alice.send("for an hour", to: bob)
    try await world.settle()
    let end = try #require(try await alice.message(id)?.disappearsAt)
    func isThere() async throws -> Bool {
      try await alice.engine.database.read { transaction in
        try transaction.interaction(id.record) != nil
      }
    }
    world.clock.advance(by: end - world.clock.now - 1000)
    try await alice.waitUntilIdle()
    // The sleep that ends when the message does has begun by the wrong clock.
    for _ in 0..<10_000 where !world.clock.isAwaited(in: end - 900...end + 900) {
      try await Task.sleep(for: .milliseconds(1))
    }
    clock.setRight()
    #expect(try await isThere())
    world.clock.advance(by: 2000)
    for _ in 0..<10_000 where try await isThere() { await Task.yield() }
    #expect(try await !isThere())
    await world.stop()
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
        let messages = try await device.messages(in: other).reversed().filter { $0.kind == .message }
        #expect(messages.map(\.body) == ["one", "two", "three"])
        #expect(messages.map(\.sentAt) == times)
        #expect(messages[1].quoted?.body == "one")
      }
      #expect(try await alice.last(in: bob.id).state == .sent)
    }
  }
}
