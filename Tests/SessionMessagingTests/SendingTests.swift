import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct SendingTests {
  @Test func aTextIsInTheSwarmOfTheOtherSideAndACopyInOurs() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      await alice.suspend()
      let id = try await alice.send("Hello", to: bob.id)
      #expect(try await alice.message(id)?.state == .sending)
      await alice.resume()
      try await world.settle()
      let sent = try #require(try await alice.message(id))
      #expect(sent.state == .sent && sent.isOutgoing && sent.isRead && sent.body == "Hello")
      #expect(world.swarms.kept(bob.id).count == 1)
      #expect(world.swarms.kept(alice.id).count == 1)
      let kinds = try await alice.kinds().filter {
        [.messageQueued, .messageSent, .messageReceived].contains($0)
      }
      #expect(kinds == [.messageQueued, .messageSent])
      #expect(try await alice.bodies(in: bob.id) == ["Hello"])
    }
  }

  /// The time of the network is estimated anew now and then.
  @Test func newestMessageIsShownLast() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.send("one", to: bob.id)
      world.clock.advance(by: -1500)
      try await alice.send("two", to: bob.id)
      try await world.settle()
      #expect(try await alice.bodies(in: bob.id).suffix(2) == ["one", "two"])
      #expect(try await bob.bodies(in: alice.id).suffix(2) == ["one", "two"])
    }
  }

  @Test func failedDeliveriesAreRetriedAndStoredOnce() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = world.swarms.kept(bob.id).count
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.transient, "no path")) : .done
      }
      let id = try await alice.send("again", to: bob.id)
      try await world.settle(rounds: 1)
      #expect(try await alice.message(id)?.state == .sending)
      // The reply is lost, though the swarm has it.
      world.swarms.decide { swarm, _ in swarm == bob.id ? .lost : .done }
      try await world.settle(rounds: 2)
      #expect(try await alice.message(id)?.state == .sending)
      world.swarms.decide { _, _ in .done }
      try await world.settle(rounds: 3)
      #expect(try await alice.message(id)?.state == .sent)
      #expect(world.swarms.kept(bob.id).count == before + 1)
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "again" }.count == 1)
    }
  }

  @Test func rejectedMessagesHaveAReasonAndCanBeResent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.decide { _, _ in .refused(NetworkFailure(.rateLimited, "asked too often")) }
      let id = try await alice.send("too fast", to: bob.id)
      try await world.settle(rounds: 1)
      #expect(try await alice.message(id)?.state == .failed("asked too often"))
      #expect(try await alice.kinds().last == .messageFailed)
      await #expect(throws: MessengerError.self) {
        try await alice.resend(try await alice.messages(in: .person(bob.id)).last?.id ?? id)
      }
      world.swarms.decide { _, _ in .done }
      try await alice.resend(id)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sent)
      #expect(try await bob.last(in: alice.id).body == "too fast")
    }
  }

  @Test func aCopyThatFailsDoesNotFailTheMessage() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.decide { swarm, _ in
        swarm == alice.id ? .refused(NetworkFailure(.rejected, "not here")) : .done
      }
      let id = try await alice.send("one-sided", to: bob.id)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .unsynced("not here"))
      #expect(try await bob.last(in: alice.id).body == "one-sided")
      let own = world.swarms.kept(alice.id).count
      let his = world.swarms.kept(bob.id).count
      world.swarms.decide { _, _ in .done }
      try await alice.resend(id)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sent)
      #expect(world.swarms.kept(alice.id).count == own + 1)
      #expect(world.swarms.kept(bob.id).count == his)
    }
  }

  @Test func messagesDeletedBeforeSendingAreNotSent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let before = world.swarms.kept(bob.id).count
      await alice.suspend()
      let id = try await alice.send("never mind", to: bob.id)
      try await alice.delete(id, .forEveryone)
      await alice.resume()
      try await world.settle()
      #expect(world.swarms.kept(bob.id).count == before)
      #expect(try await alice.message(id)?.kind == .deleted)
      #expect(try await !bob.bodies(in: alice.id).contains("never mind"))
    }
  }

  @Test func invalidRecipientsAreRejectedBeforeAnyWrite() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let count = try await alice.messages(in: .person(bob.id)).count
      let group = try SessionID(.group, key: bob.id.key)
      await #expect(throws: MessengerError.self) { try await alice.send("to a group", to: group) }
      await #expect(throws: SessionError.self) { try await alice.send(" \n ", to: bob.id) }
      await #expect(throws: MessengerError.self) {
        try await alice.send(String(repeating: "x", count: 2001), to: bob.id)
      }
      await #expect(throws: MessengerError.self) {
        try await alice.send(OutgoingText("to nothing", answering: .init(rawValue: 99)), to: bob.id)
      }
      try await alice.block(bob.id)
      await #expect(throws: MessengerError.self) { try await alice.send("blocked", to: bob.id) }
      #expect(try await alice.messages(in: .person(bob.id)).count == count)
    }
  }

  @Test func messagesOfOneMomentAreToldApart() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for number in 0..<5 { try await alice.send("\(number)", to: bob.id) }
      let times = try await alice.messages(in: .person(bob.id), limit: 5).map(\.sentAt)
      #expect(Set(times).count == 5)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(5) == ["0", "1", "2", "3", "4"])
    }
  }

  @Test func unsentMessagesAreSentAfterARestart() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let bob = try await world.device(of: .generate())
      let account = try Account.generate()
      let first = try await world.start(
        try await Messenger.create(account, name: "Alice", in: folder, world.environment))
      world.swarms.decide { _, _ in .refused(NetworkFailure(.unreachable, "offline")) }
      let id = try await first.send("kept", to: bob.id)
      try await world.settle(rounds: 1)
      await world.stop(first)
      world.swarms.decide { _, _ in .done }
      let second = try await world.start(try await Messenger.open(folder, world.environment))
      #expect(second.id == account.id)
      try await world.settle()
      #expect(try await second.message(id)?.state == .sent)
      #expect(try await bob.bodies(in: second.id) == ["kept"])
      await world.stop()
    }
  }

  @Test func messagesWithoutAJobHaveFailed() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let bob = try await world.device(of: .generate())
      let first = try await Messenger.create(.generate(), in: folder, world.environment)
      let id = try await first.send("lost", to: bob.id)
      // Its job is gone, as after a repair of the database.
      try await first.context.write { transaction, _ in
        for job in try transaction.jobs(.waiting, limit: 10) { try transaction.deleteJob(job.id) }
      }
      await first.stop()
      let second = try await world.start(try await Messenger.open(folder, world.environment))
      #expect(try await second.message(id)?.state == .failed("the program ended before it was sent"))
      await world.stop()
    }
  }

  @Test func offlineMessagesWaitForTheNetwork() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.setReachable(false)
      let id = try await alice.send("later", to: bob.id)
      world.swarms.setReachable(true)
      var sent = false
      for try await event in alice.events(for: "test") where event.kind == .messageSent && event.message == id
      {
        sent = true
        break
      }
      #expect(sent)
    }
  }

  @Test func anAccountBehindAPassphraseIsOpenedWithItAlone() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let created = try await Messenger.create(.generate(), name: "Alice", in: folder, world.environment)
      await created.stop()
      let passphrase = try SecretBytes(copying: Array("correct horse".utf8))
      try DatabaseKeys(path: folder.key).setPassphrase(passphrase)
      await #expect(throws: StorageError.self) { try await Messenger.open(folder, world.environment) }
      await #expect(throws: StorageError.self) {
        let wrong = try SecretBytes(copying: Array("battery staple".utf8))
        _ = try await Messenger.open(folder, secret: .passphrase(wrong), world.environment)
      }
      let again = try await world.start(
        try await Messenger.open(folder, secret: .passphrase(passphrase), world.environment))
      #expect(try await again.name() == "Alice" && again.id == created.id)
      await world.stop()
    }
  }

  @Test func anAccountHasItsNameOnceAllOfItIsThere() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let passphrase = try SecretBytes(copying: Array("correct horse".utf8))
      let unfinished = folder.unfinished(.new)
      // The remains of a killed attempt are no obstacle.
      try unfinished.prepare()
      _ = try DatabaseKeys(path: unfinished.key).create()
      try await Messenger.make(
        .generate(), name: "Alice", in: folder, protecting: .passphrase(passphrase), world.environment
      ) {
        let protection = try DatabaseKeys(path: unfinished.key).protection()
        #expect(!folder.exists && protection == .passphrase)
      }
      #expect(folder.exists && !unfinished.exists)
      #expect(try DatabaseKeys(path: folder.key).protection() == .passphrase)
      let alice = try await Messenger.open(folder, secret: .passphrase(passphrase), world.environment)
      #expect(try await alice.name() == "Alice")
      await alice.stop()
    }
  }

  @Test func anAccountThatCannotBeFinishedLeavesNothing() async throws {
    struct Stop: Error {}
    try await withFolder { (folder) async throws in
      let world = World()
      await #expect(throws: Stop.self) {
        try await Messenger.make(.generate(), in: folder, world.environment) { throw Stop() }
      }
      #expect(!folder.exists && !folder.unfinished(.new).exists)
      let alice = try await Messenger.create(.generate(), in: folder, world.environment)
      await alice.stop()
    }
  }

  @Test func aFolderHoldsOneAccountForOneProcess() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      await #expect(throws: MessengerError.self) { try await Messenger.open(folder, world.environment) }
      let first = try await Messenger.create(.generate(), in: folder, world.environment)
      try await first.start()
      await #expect(throws: MessengerError.self) { try await first.start() }
      await first.stop()
      await #expect(throws: MessengerError.self) {
        try await Messenger.create(.generate(), in: folder, world.environment)
      }
    }
  }
}
