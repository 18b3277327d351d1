import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Networks, clocks and lives as they are.
@Suite(.timeLimit(.minutes(10))) struct ConditionsTests {
  @Test(arguments: [-400 * 86_400_000, -7_200_000, 400 * 86_400_000] as [Int64])
  func aWrongClockHarmsNothing(_ error: Int64) async throws {
    let world = World()
    let alice = try await world.device(of: .generate(), name: "Alice", aheadBy: error)
    let bob = try await world.device(of: .generate(), name: "Bob")
    let id = try await alice.send("Hello Bob", to: bob.id)
    try await world.settle()
    try await bob.send("Hello Alice", to: alice.id)
    try await world.settle()
    #expect(try await alice.message(id)?.state == .sent)
    for (device, other) in [(alice, bob.id), (bob, alice.id)] {
      #expect(try await device.bodies(in: other) == ["Hello Bob", "Hello Alice"])
      for message in try await device.messages(in: .person(other)) {
        #expect(abs(message.sentAt - world.clock.now) < 60_000)
      }
    }
    // Configs and timers go by the network's time.
    let desk = try await world.device(of: alice.context.account, aheadBy: -error)
    try await alice.setNickname("Bobby", of: bob.id)
    try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 3600), in: .person(bob.id))
    try await world.settle()
    try await alice.send("for an hour", to: bob.id)
    try await world.settle()
    for device in [alice, desk] {
      #expect(try await device.conversation(.person(bob.id))?.name == "Bobby")
      #expect(try await device.bodies(in: bob.id).contains("for an hour"))
    }
    world.clock.advance(by: 3_600_000)
    try await world.settle()
    for (device, other) in [(alice, bob.id), (desk, bob.id), (bob, alice.id)] {
      #expect(try await !device.bodies(in: other).contains("for an hour"))
    }
    await world.stop()
  }

  /// By answering, or by reading.
  @Test(arguments: [true, false])
  func aSenderWithAFastClockDoesNotHideLaterMessages(isAnswered: Bool) async throws {
    try await withAliceAndBob { world, alice, bob in
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      let ahead = try MessageTime(milliseconds: UInt64(world.clock.now + 23 * 3_600_000))
      let early = try Message(.visible(VisibleMessage(body: "from tomorrow")), sentAt: ahead)
      world.swarms.put(try alice.context.account.encode(early, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "from tomorrow")
      if isAnswered {
        try await bob.send("Already?", to: alice.id)
      } else {
        try await bob.markRead(.person(alice.id))
      }
      try await world.settle()
      #expect(try await bob.conversation(.person(alice.id))?.unreadMessages == 0)
      let config = try bob.author.configs.read { configs in
        try configs.conversations[.contact(alice.id)]?.lastReadMilliseconds
      }
      #expect(try #require(config) <= world.clock.now)
      try await alice.send("from today", to: bob.id)
      try await world.settle()
      for device in [bob, desk] {
        let message = try await device.messages(in: .person(alice.id)).first { $0.body == "from today" }
        #expect(message?.isRead == false)
      }
      #expect(try await bob.conversation(.person(alice.id))?.unreadMessages == 1)
      // Nothing is left to say.
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      try await bob.markRead(.person(alice.id))
      #expect(!bob.author.configs.needsPush(in: bob.id))
    }
  }

  @Test func messagesFromASlightlyFastClockAreReadOnAllDevices() async throws {
    try await withAliceAndBob { world, alice, bob in
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      let ahead = try MessageTime(milliseconds: UInt64(world.clock.now + 60_000))
      let early = try Message(.visible(VisibleMessage(body: "in a minute")), sentAt: ahead)
      world.swarms.put(try alice.context.account.encode(early, for: .contact(bob.id)), to: bob.id)
      try await world.settle()
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      #expect(try await desk.conversation(.person(alice.id))?.unreadMessages == 0)
    }
  }

  @Test func aNetworkThatComesAndGoesLosesAndDoublesNothing() async throws {
    try await withAliceAndBob { world, alice, bob in
      for number in 0..<20 {
        world.swarms.setReachable(number % 3 == 0)
        world.swarms.decide { _, _ in
          number % 2 == 0 ? .lost : .refused(NetworkFailure(.unreachable, "no path"))
        }
        world.swarms.failPolls(number % 2 == 0 ? nil : NetworkFailure(.unreachable, "no path"))
        try await alice.send("\(number)", to: bob.id)
        try await bob.send("\(number)", to: alice.id)
        try await world.settle(rounds: 1)
      }
      world.swarms.setReachable(true)
      world.swarms.decide { _, _ in .done }
      world.swarms.failPolls(nil)
      world.clock.advance(by: 600_000)
      try await world.settle(rounds: 4)
      for (device, other) in [(alice, bob.id), (bob, alice.id)] {
        let bodies = try await device.bodies(in: other)
        #expect(bodies.count == 42)
        let numbers = bodies.compactMap { Int($0) }.sorted()
        #expect(numbers == (0..<20).flatMap { [$0, $0] })
        for message in try await device.messages(in: .person(other)) where message.isOutgoing {
          #expect(message.state == .sent)
        }
      }
    }
  }

  @Test func aCaptiveNetworkFailsVisiblyAndIsMadeUpFor() async throws {
    try await withAliceAndBob { world, alice, bob in
      // There is a way, they say, and nothing gets through.
      world.swarms.decide { _, _ in .refused(NetworkFailure(.transient, "nothing came back")) }
      world.swarms.failPolls(NetworkFailure(.transient, "nothing came back"))
      let id = try await alice.send("hello?", to: bob.id)
      for _ in 0..<12 {
        world.clock.advance(by: 200_000)
        try await alice.waitUntilIdle()
      }
      #expect(try await alice.message(id)?.state == .failed("nothing came back"))
      world.swarms.decide { _, _ in .done }
      world.swarms.failPolls(nil)
      try await alice.resend(id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "hello?" }.count == 1)
    }
  }

  @Test func suspendedMessengerNeitherPollsNorSends() async throws {
    try await withAliceAndBob { world, alice, bob in
      await alice.suspend()
      let id = try await alice.send("later", to: bob.id)
      try await bob.send("meanwhile", to: alice.id)
      try await bob.waitUntilIdle()
      await bob.suspend()
      try await bob.waitUntilIdle()
      let (polls, changes) = (world.swarms.polls, world.swarms.changes)
      world.clock.advance(by: 3_600_000)
      try await alice.waitUntilIdle()
      try await bob.waitUntilIdle()
      #expect(world.swarms.polls == polls && world.swarms.changes == changes)
      #expect(try await alice.message(id)?.state == .sending)
      await alice.resume()
      await bob.resume()
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "later")
      #expect(try await alice.bodies(in: bob.id).contains("meanwhile"))
    }
  }

  @Test func devicesThatAgreeStoreNoMore() async throws {
    try await withAliceAndBob { world, alice, bob in
      let desk = try await world.device(of: alice.context.account)
      let tablet = try await world.device(of: alice.context.account)
      try await world.settle()
      // All of them change the same things at once, again and again.
      for round in 0..<5 {
        for (number, device) in [alice, desk, tablet].enumerated() {
          try await device.setNickname("Bob \(round) \(number)", of: bob.id)
          try await device.setName("Alice \(round) \(number)")
          try await device.setPinned(number % 2 == 0, .person(bob.id))
          try await device.setMuted(until: Int64(round * 1000 + number) * 1000, .person(bob.id))
        }
        try await world.settle(rounds: 1)
      }
      try await world.settle(rounds: 8)
      let before = world.swarms.changes
      try await world.settle(rounds: 20)
      #expect(world.swarms.changes == before)
      let views = try await [
        alice.conversation(.person(bob.id)), desk.conversation(.person(bob.id)),
        tablet.conversation(.person(bob.id)),
      ]
      #expect(Set(views.map { $0?.name }).count == 1 && Set(views.map { $0?.isPinned }).count == 1)
      #expect(Set(views.map { $0?.mutedUntil }).count == 1)
      let names = try await [alice.name(), desk.name(), tablet.name()]
      #expect(Set(names).count == 1)
      for namespace in [StorageNamespace.profile, .contacts] {
        #expect(world.swarms.kept(alice.id, in: namespace).count == 1)
      }
    }
  }

  @Test func tenThousandMessagesOfTenDaysAreCaughtUpInPieces() async throws {
    try await withAliceAndBob { world, alice, bob in
      await bob.suspend()
      await alice.suspend()
      let (count, day) = (10_000, 86_400_000 as Int64)
      let begun = world.clock.now
      world.clock.advance(by: 10 * day)
      for number in 0..<count {
        let sentAt = begun + Int64(number) * (10 * day / Int64(count))
        // One of ten was there for an hour.
        let timer = number % 10 == 0 ? try DisappearingTimer(.afterSend, seconds: 3600) : nil
        let message = try Message(
          .visible(VisibleMessage(body: "\(number)")), sentAt: MessageTime(milliseconds: UInt64(sentAt)),
          disappearing: timer)
        world.swarms.put(
          try alice.context.account.encode(message, for: .contact(bob.id)), to: bob.id)
      }
      world.swarms.setPageSize(300)
      await bob.resume()
      try await world.settle(rounds: 2)
      while try await bob.conversation(.person(alice.id))?.last?.body != "\(count - 1)" {
        try Task.checkCancellation()
        await bob.poll()
      }
      try await world.settle(rounds: 1)
      // With the configs, which the second node gives once more.
      #expect(world.swarms.largestAnswer <= 300 + ConfigKind.ofAccount.count)
      var (bodies, last): ([Int], MessageView.ID?) = ([], nil)
      while true {
        let page = try await bob.messages(in: .person(alice.id), before: last, limit: Messenger.maxPage)
        guard let end = page.last else { break }
        bodies += page.compactMap { Int($0.body) }
        last = end.id
      }
      let hour = Int(3_600_000 / (10 * day / Int64(count)))
      let left = (0..<count).filter { $0 % 10 != 0 || $0 > count - hour }
      #expect(bodies.reversed() == left)
      // The device remembers each message of the node once, and no longer than the node keeps it.
      world.clock.advance(by: 40 * day)
      await alice.resume()
      try await world.settle(rounds: 3)
      let seen = try await bob.context.database.read { transaction in
        try transaction.seenMessages(expiredBefore: .max).count
      }
      #expect(seen < 100)
    }
  }
}
