import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Devices follow the state of a group that others wrote, including hostile members.
@Suite struct GroupFollowingTests {
  /// Edits the members or the info of a group as another client of an admin might.
  private func edit(
    _ group: Conversation.ID, by admin: Messenger,
    _ body: @escaping @Sendable (inout GroupConfigs) throws(SessionError) -> Void
  ) async throws {
    try await admin.author.edit { configs, _ in
      try configs.withGroup(group.groupID) { (configs) throws(SessionError) in try body(&configs) }
    } writing: { _, _, _ in
    }
  }

  private func strangers(_ count: Int) throws -> [SessionID] {
    try (0..<count).map { _ in try Account.generate().id }
  }

  // MARK: - Administration

  @Test func membersDoNotCompleteRemovals() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.invite([try Account.generate().id], to: group)
      try await world.settle(rounds: 4)
      let stranger = try #require(
        try await alice.members(of: group).first { ![alice.id, bob.id].contains($0.id) })
      try await edit(group, by: alice) { (group) throws(SessionError) in
        try group.updateMember(stranger.id) { $0.note(.removal) }
      }
      world.clock.advance(by: ConfigSync.gathering)
      try await alice.waitUntilIdle()
      await alice.suspend()
      try await world.settle()
      let jobs = try await bob.context.database.read { transaction in
        try transaction.jobs(.waiting, limit: 100).map(\.kind)
      }
      #expect(!jobs.contains(GroupRemoval.kind))
    }
  }

  @Test func theLastAdminIsNotRemoved() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      try await edit(group, by: alice) { (group) throws(SessionError) in
        try group.updateMember(alice.id) { $0.note(.removal) }
      }
      try await alice.context.write { transaction, _ in
        try transaction.enqueue(GroupRemoval(group: group.groupID), at: alice.context.jobTime)
      }
      for _ in 0..<10 { try await world.settle() }
      #expect(try await alice.members(of: group).contains { $0.id == alice.id })
      #expect(try await bob.group(group)?.standing == .joined)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
    }
  }

  /// Only a faulty client leaves a group without another admin.
  @Test func theOnlyAdminOfTheListIsNotRemoved() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      await bob.suspend()
      try await edit(group, by: alice) { (group) throws(SessionError) in
        try group.removeMember(alice.id)
        try group.updateMember(bob.id) { $0.note(.removal) }
      }
      for _ in 0..<10 { try await world.settle() }
      #expect(try await alice.members(of: group).map(\.id) == [bob.id])
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
    }
  }

  @Test func adminsWhoInviteAtOnceAgreeOnAKey() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      let people = try strangers(2)
      try await alice.invite([people[0]], to: group)
      try await bob.invite([people[1]], to: group)
      for _ in 0..<8 { try await world.settle() }
      let all = Set([alice.id, bob.id] + people)
      for device in [alice, bob] {
        #expect(Set(try await device.members(of: group).map(\.id)) == all)
        let needsRekey = try device.author.configs.read { configs in
          try configs.readGroup(group.groupID) { $0.needsRekey || $0.isRekeying }
        }
        #expect(!needsRekey)
      }
      #expect(
        try alice.author.generation(of: group.groupID) == (try bob.author.generation(of: group.groupID)))
      // One that both made, and the one that settled it.
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      for _ in 0..<8 { try await world.settle() }
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
      try await alice.send("One", to: group)
      try await bob.send("Two", to: group)
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group).sorted() == ["One", "Two"]) }
    }
  }

  @Test func aKeyThatIsNotStoredYetIsNotMadeAgain() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      for admin in [alice, bob] { try await admin.invite(try strangers(1), to: group) }
      world.clock.advance(by: ConfigSync.gathering)
      for admin in [alice, bob] { try await admin.waitUntilIdle() }
      // From here on, the key that settles the conflict cannot be stored.
      world.swarms.decide { swarm, _ in swarm == group.groupID ? .offline : .done }
      await alice.poll()
      let (isOwed, isMade) = try alice.author.configs.read { configs in
        try configs.readGroup(group.groupID) { ($0.needsRekey, $0.isRekeying) }
      }
      try #require(isOwed && isMade)
      let inbox = alice.inbox.makeInbox(of: group.groupID)
      for _ in 0..<3 {
        let isIn = try await inbox.context.queue.run {
          try inbox.follow(SwarmReply(node: "node", [:]), [], hasStrangeKey: false)
        }
        #expect(isIn)
      }
      #expect(inbox.repairs.withLock { $0.isEmpty })
    }
  }

  @Test func announcementsAreTriedThreeTimes() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.decide { swarm, items in
        swarm == group.groupID && items.contains { $0.namespace == .groupMessages } ? .offline : .done
      }
      let before = world.swarms.attempts(in: group.groupID, .groupMessages).count
      try await alice.update(group) { $0.name = "Journey" }
      try await world.settle(rounds: 60)
      #expect(world.swarms.attempts(in: group.groupID, .groupMessages).count == before + 3)
      world.swarms.decide { _, _ in .done }
      try await alice.send("Then", to: group)
      try await world.settle(upTo: 10) { try await bob.texts(in: group) == ["Then"] }
      #expect(try await bob.texts(in: group) == ["Then"])
      #expect(try await bob.group(group)?.name == "Journey")
    }
  }

  /// The deletion must reach the swarm before the admin's device forgets the group.
  @Test func pollsDoNotEndAGroupBeforeItsDeletionIsStored() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.decide { swarm, _ in swarm == group.groupID ? .offline : .done }
      try await alice.deleteForEveryone(group)
      await alice.poll()
      #expect(try await alice.group(group)?.standing == .destroying)
      world.swarms.decide { _, _ in .done }
      try await world.settle(rounds: 6)
      #expect(try await alice.group(group) == nil)
      #expect(try await bob.group(group)?.standing == .destroyed)
    }
  }

  // MARK: - Removal and access

  @Test func noticesFromBeforeWeJoinedAreIgnored() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      world.swarms.put(
        try group.key.seal(KickNotice(generation: 99), for: [bob.id]), to: group.id, in: .groupRemovals)
      world.clock.advance(by: 5000)
      try await group.join(bob)
      try await world.settle(rounds: 4)
      #expect(try await bob.group(group.conversation)?.standing == .joined)
      #expect(try bob.author.messageKey(of: group.id) != nil)
    }
  }

  /// Without a key, a device cannot tell whether a notice is outdated, unless the swarm lets it in no more.
  @Test func aNoticeEndsAFreshDeviceThatTheSwarmDoesNotLetIn() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      world.clock.advance(by: 5000)
      await bob.suspend()
      world.swarms.put(
        try key.seal(KickNotice(generation: 0), for: [bob.id]), to: group.groupID, in: .groupRemovals)
      world.swarms.failNamespaces(
        [.groupKeys, .groupInfo, .groupMembers, .groupMessages],
        with: NetworkFailure(.unauthorized, "no such access"), toMembersOnly: true)
      let fresh = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await fresh.group(group)?.standing == .kicked)
    }
  }

  @Test func aNodeThatRefusesEverythingTellsNothing() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Hello", to: group)
      try await world.settle()
      world.swarms.failNamespaces(
        [.groupKeys, .groupInfo, .groupMembers, .groupMessages, .groupRemovals],
        with: NetworkFailure(.unauthorized, "no such access"), toMembersOnly: true)
      try await world.settle()
      let view = try #require(try await bob.group(group))
      #expect(view.standing == .joined && !view.hasLostAccess && !view.isExpired)
      #expect(try await bob.texts(in: group) == ["Hello"])
    }
  }

  // MARK: - Odd configs

  @Test func junkAmongTheConfigsHidesNothing() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      for namespace in [StorageNamespace.groupKeys, .groupInfo, .groupMembers] {
        for number in 0..<170 as Range<UInt8> {
          world.swarms.put([number, 1, 2, 3], to: group.groupID, in: namespace)
        }
      }
      try await alice.update(group) { $0.name = "Journey" }
      try await alice.invite(try strangers(1), to: group)
      for _ in 0..<6 { try await world.settle() }
      for device in [alice, bob] {
        #expect(try await device.group(group)?.name == "Journey")
        #expect(try await device.members(of: group).count == 3)
      }
      try await alice.send("Still here", to: group)
      try await world.settle()
      #expect(try await bob.texts(in: group) == ["Still here"])
    }
  }

  @Test func aGroupWithoutANameKeepsTheOneItHad() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await edit(group, by: alice) { (group) throws(SessionError) in
        try group.updateInfo { info in
          info.name = ""
          info.description = "Nameless"
        }
      }
      try await world.settle()
      let his = try #require(try await bob.group(group))
      #expect(his.name == "Trip" && his.description == "Nameless")
    }
  }

  @Test func groupsWithMoreMembersThanAllowedAreShown() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let people = try strangers(120)
      try await edit(group, by: alice) { (group) throws(SessionError) in
        for person in people { try group.updateMember(person) { $0.note(.inviteAccepted) } }
      }
      try await world.settle()
      #expect(try await bob.members(of: group).count == 122)
      await expectFailure(.groupFull) { try await alice.invite([try Account.generate().id], to: group) }
    }
  }

  @Test(arguments: [true, false]) func groupsWithoutValidSecretsAreShownAndCanBeDeleted(
    isAdmin: Bool
  ) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let (group, foreign) = (try WorldGroup(), try WorldGroup())
      let access = try foreign.key.grantAccess(to: bob.id)
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) { entry in
          entry.name = "Broken"
          if isAdmin { entry.adminSeed = foreign.key.seed } else { entry.access = access }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.name == "Broken")
      #expect(world.swarms.polls(of: group.id) == 0 && world.swarms.polls(of: foreign.id) == 0)
      await expectFailure(.notMember) { _ = try await bob.send("Hello?", to: group.conversation) }
      try await bob.deleteConversation(group.conversation)
      #expect(try await bob.group(group.conversation) == nil)
    }
  }
}
