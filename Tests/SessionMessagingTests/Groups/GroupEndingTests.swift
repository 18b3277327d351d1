import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A group ends for a member: they were removed, it was deleted, or its swarm does not let them in.
@Suite struct GroupEndingTests {
  /// A notice of a removal in the swarm of a group.
  private func put(
    _ generation: UInt64, _ people: [SessionID], in group: Conversation.ID, by admin: Messenger,
    _ world: World
  ) throws {
    let key = try #require(try admin.author.key(of: group.groupID))
    world.swarms.put(
      try key.seal(KickNotice(generation: generation), for: people), to: group.groupID, in: .groupRemovals)
  }

  @Test func removedMembersKeepAnEmptyConversation() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let second = try await world.device(of: bob.context.account)
      try await alice.send("A secret", to: group)
      try await world.settle()
      #expect(try await bob.texts(in: group) == ["A secret"])
      try await alice.remove([bob.id], from: group)
      try await world.settle(rounds: 8)
      for device in [bob, second] {
        let view = try #require(try await device.group(group))
        #expect(view.standing == .kicked && view.name == "Trip" && view.memberCount == 0)
        #expect(try await device.messages(in: group).isEmpty)
        let ends = try await device.events(limit: 1000).filter { $0.kind == .groupEnded }
        #expect(ends.map(\.reason) == ["kicked"] && ends.map(\.conversation) == [group])
        #expect(try device.author.credentials(for: group.groupID) == nil)
        await expectFailure(.notMember) { _ = try await device.send("Hello?", to: group) }
      }
      let polls = world.swarms.polls(of: group.groupID)
      await bob.poll()
      #expect(world.swarms.polls(of: group.groupID) == polls)
      try await bob.deleteConversation(group)
      #expect(try await bob.group(group) == nil)
    }
  }

  @Test func removedMembersCanBeAddedAgain() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.remove([bob.id], from: group)
      try await world.settle(rounds: 8)
      #expect(try await bob.group(group)?.standing == .kicked)
      try await alice.send("He does not read this", to: group)
      try await world.settle()
      try await alice.invite([bob.id], to: group)
      try await world.settle(rounds: 6)
      #expect(try await bob.group(group)?.standing == .joined)
      try await alice.send("Welcome back", to: group)
      try await world.settle()
      #expect(try await bob.texts(in: group) == ["Welcome back"])
    }
  }

  @Test func noticesThatDoNotConcernUsChangeNothing() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let stranger = try Account.generate().id
      let generation = UInt64(try #require(try bob.author.generation(of: group.groupID)))
      try put(generation, [stranger], in: group, by: alice, world)
      world.swarms.put([1, 2, 3], to: group.groupID, in: .groupRemovals)
      let foreign = try GroupAdminKey(seed: .random(count: 32))
      world.swarms.put(
        try foreign.seal(KickNotice(generation: 99), for: [bob.id]), to: group.groupID, in: .groupRemovals)
      try await world.settle()
      #expect(try await bob.group(group)?.standing == .joined)
      // A notice about keys that are older than ours.
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 4)
      try put(generation, [bob.id], in: group, by: alice, world)
      try await world.settle()
      #expect(try await bob.group(group)?.standing == .joined)
      try put(generation + 1, [bob.id], in: group, by: alice, world)
      try await world.settle()
      #expect(try await bob.group(group)?.standing == .kicked)
    }
  }

  /// Notices that the group itself has sealed for a member, with other texts than their key and a number.
  @Test func noticesInAnotherFormChangeNothing() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let admin = try #require(try alice.author.key(of: group.groupID))
      let (key, other) = (bob.id.key, alice.id.key)
      func number(_ text: String) -> [UInt8] { key + Array(text.utf8) }
      let texts =
        [[], Array(key.dropLast()), key, other + Array("99".utf8), key + [0], key + [0x99]]
        + ["x", "99x", "x99", "-99", "+99", " 99", "99 ", "099", "9.9", "99\n", "٩٩"].map(number)
        + [number(String(repeating: "9", count: 21)), number("18446744073709551616")]
      for text in texts {
        world.swarms.put(
          try sealedNotice(text, for: bob.id, by: admin), to: group.groupID, in: .groupRemovals)
      }
      try await world.settle()
      #expect(try await bob.group(group)?.standing == .joined)
      world.swarms.put(
        try sealedNotice(number("99"), for: bob.id, by: admin), to: group.groupID, in: .groupRemovals)
      try await world.settle()
      #expect(try await bob.group(group)?.standing == .kicked)
    }
  }

  @Test func anOldNoticeDoesNotEndAFreshDevice() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.invite([try Account.generate().id], to: group)
      try await world.settle(rounds: 4)
      try put(0, [bob.id], in: group, by: alice, world)
      world.swarms.failNamespaces([.groupKeys, .groupInfo, .groupMembers])
      let fresh = try await world.device(of: bob.context.account)
      try await world.settle()
      // Without keys it cannot tell whether the notice is outdated.
      #expect(try await fresh.group(group)?.standing == .joined)
    }
  }

  @Test func aNoticeReadBeforeItsKeyIsReadAgain() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let account = bob.context.account
      await world.stop(bob)
      let generation = UInt64(try #require(try alice.author.generation(of: group.groupID)))
      try put(generation, [account.id], in: group, by: alice, world)
      world.swarms.failNamespaces([.groupKeys, .groupInfo, .groupMembers], toMembersOnly: true)
      let fresh = try await world.device(of: account)
      try await world.settle()
      #expect(try await fresh.group(group)?.standing == .joined)
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await fresh.group(group)?.standing == .kicked)
    }
  }

  @Test func deletedGroupsLeaveAnEmptyConversation() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("A secret", to: group)
      try await world.settle()
      try await alice.deleteForEveryone(group)
      try await world.settle(rounds: 5)
      #expect(try await bob.group(group)?.standing == .destroyed)
      #expect(try await bob.messages(in: group).isEmpty)
      let ends = try await bob.events(limit: 1000).filter { $0.kind == .groupEnded }
      #expect(ends.map(\.reason) == ["destroyed"])
      await expectFailure(.groupDestroyed) { try await bob.leave(group) }
    }
  }

  @Test func aSwarmThatDoesNotLetUsInDeletesNothing() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Hello", to: group)
      try await world.settle()
      let refused: Set<StorageNamespace> = [.groupKeys, .groupInfo, .groupMembers, .groupMessages]
      world.swarms.failNamespaces(
        refused, with: NetworkFailure(.unauthorized, "no such access"), toMembersOnly: true)
      try await world.settle()
      let view = try #require(try await bob.group(group))
      #expect(view.hasLostAccess && view.standing == .joined)
      #expect(try await bob.texts(in: group) == ["Hello"])
      await expectFailure(.accessLost) { _ = try await bob.send("Hello?", to: group) }
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await bob.group(group)?.hasLostAccess == false)
      try await bob.send("Here I am", to: group)
      try await world.settle()
      #expect(try await alice.texts(in: group).last == "Here I am")
    }
  }

  @Test func aGroupWithoutKeysHasExpired() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let group = try WorldGroup()
      // One node is not enough.
      world.swarms.refuseMembers(at: MemorySwarms.nodes[1])
      try await group.join(bob)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.isExpired == false)
      world.swarms.refuseMembers(at: nil)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.isExpired == true)
      await expectFailure(.groupExpired) { _ = try await bob.send("Hello?", to: group.conversation) }
      try await group.found(by: alice, with: [bob.id])
      try await world.settle(rounds: 4)
      #expect(try await bob.group(group.conversation)?.isExpired == false)
      try await bob.send("Hello", to: group.conversation)
      try await world.settle()
      #expect(try await alice.texts(in: group.conversation) == ["Hello"])
    }
  }

  @Test func membersWhoLeaveAreTakenOffTheList() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      try await bob.leave(group)
      for _ in 0..<10 { try await world.settle() }
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
      #expect(try await alice.notes(in: group).last == .members(.left, [bob.id]))
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys + 1)
    }
  }

  @Test func clearedMessagesGoEverywhere() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await bob.send("old", to: group)
      try await world.settle()
      let time = world.clock.now
      world.clock.advance(by: 5000)
      try await bob.send("new", to: group)
      try await world.settle()
      try await alice.clear(group, .messages, before: time)
      try await world.settle(rounds: 4)
      for device in [alice, bob] { #expect(try await device.texts(in: group) == ["new"]) }
      let later = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await later.texts(in: group) == ["new"])
    }
  }

  @Test func removingWithMessagesDeletesThemEverywhere() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let second = try await world.device(of: alice.context.account)
      try await bob.send("rubbish", to: group)
      try await alice.send("sense", to: group)
      try await world.settle()
      #expect(try await second.texts(in: group).count == 2)
      try await alice.remove([bob.id], from: group, deletingMessages: true)
      for _ in 0..<10 { try await world.settle() }
      for device in [alice, second] { #expect(try await device.texts(in: group) == ["sense"]) }
      let left = world.swarms.kept(group.groupID, in: .groupMessages).compactMap {
        try? alice.context.account.decode(
          $0.data, from: .group(group.groupID, keys: try alice.author.openingKeys(of: group.groupID))
        )
      }
      #expect(!left.contains { $0.sender == bob.id && $0.message.content.kind == .visible })
    }
  }
}
