import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Each attempt to deliver a message to a group looks up the current key and credentials.
@Suite struct GroupAttemptTests {
  @Test func retriesStoreTheSameBytes() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.lost, in: world)
      let id = try await bob.send("once", to: group.conversation)
      try await world.settle(rounds: 1)
      group.decide(.done, in: world)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      let attempts = group.attempts(in: world)
      #expect(attempts.count > 1 && Set(attempts.map(\.items)).count == 1)
      #expect(group.kept(in: world).count == 1)
      #expect(try await group.bodies(alice) == ["once"])
    }
  }

  @Test func messagesAreSealedAgainAfterAKeyChange() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("for who is in now", to: group.conversation)
      try await world.settle(rounds: 1)
      let count = group.attempts(in: world).count
      try await group.rekey(by: alice)
      try await world.settle()
      group.decide(.done, in: world)
      try await world.settle(rounds: 4)
      #expect(try await bob.message(id)?.state == .sent)
      let items = group.attempts(in: world).map(\.items)
      #expect(count > 0 && Set(items).count == 2 && items.first != items.last)
      let newest = try #require(try bob.author.openingKeys(of: group.id).first)
      let stored = try #require(group.kept(in: world).last)
      #expect(throws: Never.self) {
        try alice.context.account.decode(stored.data, from: .group(group.id, keys: [newest]))
      }
    }
  }

  @Test func promotionsBetweenAttemptsChangeTheSigner() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("risen", to: group.conversation)
      try await world.settle(rounds: 1)
      try await bob.author.edit { [group] configs, _ in
        try configs.groups.update(group.id) { $0.adminSeed = group.key.seed }
      } writing: { _, _, _ in
      }
      group.decide(.done, in: world)
      try await world.settle(rounds: 4)
      #expect(try await bob.message(id)?.state == .sent)
      let signers = group.attempts(in: world).map { $0.signer?.description }
      #expect(signers.first == "Signer(a member of \(group.id))")
      #expect(signers.last == "Signer(an admin of \(group.id))")
    }
  }

  @Test func messagesToGroupsThatRemovedUsAreNotSent() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("too late", to: group.conversation)
      try await world.settle(rounds: 1)
      try await group.kick(bob)
      group.decide(.done, in: world)
      try await world.settle(rounds: 4)
      #expect(try await bob.message(id) == nil)
      #expect(group.kept(in: world).isEmpty)
    }
  }

  @Test func messagesWithoutRightsFail() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("too late", to: group.conversation)
      try await world.settle(rounds: 1)
      let foreign = try WorldGroup().key.grantAccess(to: bob.id)
      try await bob.author.edit { [group] configs, _ in
        try configs.groups.update(group.id) { $0.access = foreign }
      } writing: { _, _, _ in
      }
      group.decide(.done, in: world)
      try await world.settle(rounds: 4)
      #expect(try await bob.message(id)?.state == .failed("you are not in this group any more"))
      #expect(group.kept(in: world).isEmpty)
    }
  }

  @Test func messagesWaitForAKey() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      // A new key is used once it has been retrieved.
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("when all can read it", to: group.conversation)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sending)
      #expect(group.attempts(in: world).isEmpty)
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sent)
      #expect(try await group.bodies(bob) == ["when all can read it"])
    }
  }

  @Test func messagesWithFilesWaitForAKey() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let file = OutgoingFile(.bytes(Array("map".utf8)), name: "map.txt")
      let id = try await alice.send(OutgoingText("the map"), attachments: [file], to: group.conversation)
      try await alice.send("behind it", to: group.conversation)
      try await world.settle()
      #expect(world.files.uploads == 1 && group.attempts(in: world).isEmpty)
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sent)
      #expect(try group.texts(in: world, by: bob) == ["the map", "behind it"])
    }
  }

  @Test func messagesWokenTooEarlyWaitAgain() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("woken", to: group.conversation)
      try await world.settle()
      let first = try #require(try await alice.delivery(of: id))
      #expect(first.waits == [.event("keys:\(group.id)")] && first.job.attempts == 1)
      try await alice.context.write { transaction, _ in
        try transaction.fulfil(event: "keys:\(group.id)")
      }
      try await world.settle()
      let second = try #require(try await alice.delivery(of: id))
      #expect(second.waits == first.waits && second.job.attempts == 2)
    }
  }

  @Test func messagesWithoutAKeyFailAfterADay() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("in vain", to: group.conversation)
      try await world.settle()
      world.clock.advance(by: 23 * 3_600_000)
      try await world.settle(rounds: 1)
      #expect(try await alice.message(id)?.state == .sending)
      world.clock.advance(by: 3_600_000)
      try await world.settle()
      guard case .failed(let reason) = try await alice.message(id)?.state else {
        Issue.record("the message still waits")
        return
      }
      #expect(reason.contains("the key of the group has not arrived"))
    }
  }

  @Test func waitingForAKeyDoesNotCountAgainstSending() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("patient", to: group.conversation)
      try await world.settle()
      group.decide(.offline, in: world)
      world.swarms.failNamespaces([])
      try await world.settle()
      let delivery = try #require(try await alice.delivery(of: id))
      #expect(delivery.job.failures > 0 && delivery.job.deadline == nil)
    }
  }
}
