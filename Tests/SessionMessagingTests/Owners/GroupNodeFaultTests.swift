import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Nodes of a group that lie, refuse or are slow, and clocks that are wrong.
@Suite struct GroupNodeFaultTests {
  /// A poll that ends after we were removed leaves nothing behind that hides messages from who comes back.
  @Test func messagesPolledAfterARemovalAreReadAfterTheReturn() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let data = try group.sealed("meanwhile", by: alice, at: time)
      await bob.suspend()
      let hash = world.swarms.put(data, to: group.id, in: .groupMessages)
      let message = try #require(group.kept(in: world).last)
      #expect(message.hash == hash)
      let inbox = bob.inbox.makeInbox(of: group.id)
      let node = MemorySwarms.nodes[0].hex
      try await group.kick(bob)
      _ = try? await inbox.take(
        SwarmReply(node: node, [.groupMessages: .success(SwarmReply.Page([message]))]))
      let seen = try await bob.context.database.read { transaction in
        try transaction.hasSeen(hash, in: group.id.address)
      }
      #expect(!seen)
      let (number, now) = (Int(StorageNamespace.groupMessages.rawValue), world.clock.now)
      let last = try await bob.context.database.read { transaction in
        try transaction.lastHash(from: node, of: group.id.address, namespace: number, at: now)
      }
      #expect(last == nil)
      let access = try group.key.grantAccess(to: bob.id)
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) {
          $0.markInvited()
          $0.access = access
        }
      } writing: { _, _, _ in
      }
      await bob.resume()
      try await world.settle(rounds: 5)
      #expect(try await group.bodies(bob) == ["meanwhile"])
    }
  }

  /// A timer of a group without measure.
  @Test(arguments: [Int64.max, Int64.max / 1000, 1 << 40]) func anEndlessTimerIsBounded(seconds: Int64)
    async throws
  {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.disappearsAfterSeconds = seconds }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let id = try await bob.send("still here", to: group.conversation)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      #expect(try await group.bodies(bob) == ["still here"])
      #expect(try await bob.conversations().contains { $0.id == group.conversation })
    }
  }

  /// A node that says it keeps a message for ever.
  @Test func aNodeThatKeepsForEverIsNotBelieved() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let ever = try MessageTime(milliseconds: UInt64(Int64.max))
      world.swarms.failSteps { step in
        if case .store = step { .done(members: 1, of: 1, until: ever) } else { nil }
      }
      let id = try await bob.send("ever", to: group.conversation)
      try await bob.send("note", to: bob.id)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
    }
  }

  /// The poll interval of a group is measured in network time, as its messages are.
  @Test(arguments: [-20 * 86_400_000, 20 * 86_400_000] as [Int64])
  func aWrongClockDoesNotSlowGroups(error: Int64) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let late = try await world.device(of: .generate(), name: "Carol", aheadBy: error)
      try await group.join(late)
      try await world.settle()
      try await alice.author.edit { [id = late.id] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateMember(id) { $0.note(.inviteAccepted) }
          try group.rekey()
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      try group.say("just now", by: alice, in: world)
      try await world.settle()
      #expect(try await group.bodies(late) == ["just now"])
      let delay = await late.inbox.makeInbox(of: group.id).delay(after: .done, usual: .seconds(1))
      #expect(delay < .seconds(4))
    }
  }

  /// A node that says it keeps a message for ever, when nothing is known of that message any more.
  @Test func aNodeThatKeepsForEverLeavesNoEndlessRow() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("late", to: group.conversation)
      try await world.settle(rounds: 1)
      // Since then it has expired.
      try await bob.context.write { transaction, _ in
        try transaction.run("DELETE FROM seenMessage WHERE address = ?", group.id.address)
      }
      let ever = try MessageTime(milliseconds: UInt64(Int64.max))
      world.swarms.failSteps { step in
        if case .store = step { .done(members: 1, of: 1, until: ever) } else { nil }
      }
      group.decide(.done, in: world)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
    }
  }

  /// One node that refuses us does not fail a message, two do.
  @Test(arguments: [1, 2]) func aMessageThatOneNodeRefusesIsSentByAnother(refusals: Int) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let calls = Mutex(0)
      group.decide(in: world) {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        return call <= refusals ? .refused(NetworkFailure(.unauthorized, "not a member")) : .done
      }
      let id = try await bob.send("let me in", to: group.conversation)
      for _ in 0..<3 {
        try await world.settle()
        world.clock.advance(by: 60_000)
      }
      #expect(try await bob.message(id)?.state == (refusals == 1 ? .sent : .failed("not a member")))
    }
  }

  /// A node gives an old message under the name of a new one: the new one is still read.
  @Test func aMessageUnderAnothersNameHidesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      let old = try #require(world.swarms.kept(alice.id).last)
      try await bob.send("the one to hide", to: alice.id)
      try await bob.waitUntilIdle()
      let new = try #require(world.swarms.kept(alice.id).last)
      #expect(new.hash != old.hash)
      let forged = SwarmMessage(
        hash: new.hash, data: old.data, storedAt: new.storedAt, expiresAt: new.expiresAt)
      _ = try await alice.inbox.makeInbox(of: alice.id).take(
        SwarmReply(node: "liar", [.messages: .success(SwarmReply.Page([forged]))]))
      await alice.resume()
      try await world.settle()
      #expect(try await alice.bodies(in: bob.id).last == "the one to hide")
    }
  }
}
