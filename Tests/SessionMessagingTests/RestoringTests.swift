import SessionCore
import SessionNetworking
import Testing

@testable import SessionMessaging

/// A device that has nothing of its account yet reads the configs before it judges messages.
@Suite(.timeLimit(.minutes(5))) struct RestoringTests {
  @Test(arguments: [StorageNamespace.contacts, .userGroups, .profile])
  func messagesWaitForAConfigThatFails(namespace: StorageNamespace) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failNamespaces([namespace])
      let tablet = try await world.device(of: bob.context.account)
      #expect(try await tablet.requests().isEmpty)
      #expect(try await tablet.conversation(.person(alice.id))?.last == nil)
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await tablet.bodies(in: alice.id) == ["Hello Bob", "Hello Alice"])
      #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
      #expect(try await !tablet.kinds().contains(.requestReceived))
      var progress = tablet.receivingProgress().makeAsyncIterator()
      let last = await progress.next()
      #expect(last.map { $0.given == $0.taken } == true)
    }
  }

  /// One config of the account that was read says nothing about the others.
  @Test func editWaitsForTheConfigThatItChanges() async throws {
    let carol = try Account.generate().id
    try await withAliceAndBob { (world, alice, bob) async throws in
      for number in 1...7 {
        try await bob.setNickname("Al \(number)", of: alice.id)
        try await world.settle(rounds: 1)
      }
      try await world.settle()
      let before = Set(world.swarms.kept(bob.id, in: .contacts).map(\.hash))
      world.swarms.failNamespaces([.contacts])
      let tablet = try await world.device(of: bob.context.account)
      try await tablet.author.edit { configs, _ in
        try configs.contacts.update(carol) { $0.isBlocked = true }
      } writing: { _, _, _ in
      }
      try await world.settle(rounds: 2)
      #expect(before.isSuperset(of: world.swarms.kept(bob.id, in: .contacts).map(\.hash)))
      world.swarms.failNamespaces([])
      try await world.settle(upTo: 20) { try bob.blocks(carol) }
      for device in [bob, tablet] {
        #expect(try device.blocks(carol))
        #expect(try await device.conversation(.person(alice.id))?.name == "Al 7")
      }
    }
  }

  @Test func messagesDoNotWaitForeverForAConfigThatNeverComes() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.failNamespaces([.contacts])
      let tablet = try await world.device(of: bob.context.account)
      try await world.settle(rounds: OwnerInbox.mostWaits + 2)
      #expect(try await tablet.bodies(in: alice.id) == ["Hello Bob", "Hello Alice"])
      // Once they come, the contacts correct the verdict.
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
      #expect(try await tablet.requests().isEmpty)
      #expect(try await tablet.bodies(in: alice.id) == ["Hello Bob", "Hello Alice"])
    }
  }

  @Test func messagesWaitForTheRestOfAConfig() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      // Messages that are older than the config, and ignored.
      for number in 0..<5 { world.swarms.put([UInt8(number)], to: bob.id, in: .contacts) }
      try await bob.setNickname("Al", of: alice.id)
      try await world.settle()
      world.swarms.setPageSize(4)
      let tablet = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
      #expect(try await tablet.bodies(in: alice.id) == ["Hello Bob", "Hello Alice"])
      #expect(try await !tablet.kinds().contains(.requestReceived))
    }
  }

  @Test(arguments: [0, 1]) func oneMemberWithoutConfigsIsNotBelieved(node: Int) async throws {
    let world = World()
    let alice = try await world.device(of: .generate(), name: "Alice")
    let account = try Account.generate()
    // It was away when the configs were stored, and has the message only.
    world.swarms.kill(node, of: account.id, for: 60_000, catchingUpAfter: 24 * 3_600_000)
    let bob = try await world.device(of: account, name: "Bob")
    try await bob.send("Hello Alice", to: alice.id)
    try await world.settle()
    // He does not store them again.
    await bob.suspend()
    world.clock.advance(by: 60_000)
    try await alice.send("Hello Bob", to: bob.id)
    try await world.settle()
    let tablet = try await world.device(of: account)
    try await world.settle()
    #expect(try await tablet.bodies(in: alice.id) == ["Hello Alice", "Hello Bob"])
    #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
    #expect(try await !tablet.kinds().contains(.requestReceived))
    await world.stop()
  }

  @Test(arguments: [0, 1]) func oneMemberWithAPartOfTheConfigsIsNotBelieved(node: Int) async throws {
    let world = World()
    let alice = try await world.device(of: .generate(), name: "Alice")
    let account = try Account.generate()
    let bob = try await world.device(of: account, name: "Bob")
    try await world.settle()
    // It has the profile, was away when the contacts were stored, and has the message.
    world.swarms.kill(node, of: account.id, for: 60_000, catchingUpAfter: 24 * 3_600_000)
    try await bob.send("Hello Alice", to: alice.id)
    try await world.settle()
    await bob.suspend()
    world.clock.advance(by: 60_000)
    try await alice.send("Hello Bob", to: bob.id)
    try await world.settle()
    let tablet = try await world.device(of: account)
    try await world.settle()
    #expect(try await tablet.bodies(in: alice.id) == ["Hello Alice", "Hello Bob"])
    #expect(try await tablet.conversations().map(\.id) == [.person(alice.id)])
    #expect(try await !tablet.kinds().contains(.requestReceived))
    await world.stop()
  }

  @Test func aNewAccountGetsItsFirstMessage() async throws {
    let world = World()
    let bob = try await world.device(of: .generate())
    try await Account.generate().call(bob.id, in: world)
    await bob.poll()
    #expect(try await bob.requests().count == 1)
    await world.stop()
  }
}
