import Foundation
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct GroupCreationTests {
  @Test func newGroupsAreStoredAndTheirMembersInvited() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      var draft = GroupDraft(name: "  Trip ", members: [bob.id])
      draft.details.description = "To the sea"
      draft.details.timerSeconds = 3600
      let id = try await alice.createGroup(draft)
      let new = try #require(try await alice.group(id))
      #expect(new.standing == .creating && new.name == "Trip" && new.isAdmin && new.memberCount == 2)
      try await world.settle()
      let group = try #require(try await alice.group(id))
      #expect(group.standing == .joined && group.isAdmin)
      #expect(group.description == "To the sea" && group.timerSeconds == 3600)
      // Bob accepted Alice before, and so joins without being asked.
      let his = try #require(try await bob.group(id))
      #expect(his.standing == .joined && !his.isAdmin && his.name == "Trip" && his.memberCount == 2)
      #expect(his.description == "To the sea" && his.timerSeconds == 3600)
      try await alice.send("welcome", to: id)
      try await world.settle()
      #expect(try await bob.texts(in: id) == ["welcome"])
      try await bob.send("thanks", to: id)
      try await world.settle()
      #expect(try await alice.texts(in: id) == ["welcome", "thanks"])
    }
  }

  @Test func messagesWrittenBeforeTheGroupIsStoredWait() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.setReachable(false)
      let id = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await alice.send("first", to: id)
      try await world.settle()
      #expect(try await alice.group(id)?.standing == .creating)
      // Longer than a message waits for a key.
      world.clock.advance(by: 3 * Outbox.keyTimeout)
      world.swarms.setReachable(true)
      try await world.settle {
        let isKnown = try await bob.group(id) != nil
        let texts = isKnown ? try await bob.texts(in: id) : []
        return texts == ["first"]
      }
      #expect(try await alice.group(id)?.standing == .joined)
      #expect(try await bob.texts(in: id) == ["first"])
    }
  }

  @Test func groupsThatTheSwarmRefusesTwiceDisappear() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.decide { swarm, _ in
        swarm.kind == .group ? .refused(NetworkFailure(.rejected, "no such swarm")) : .done
      }
      let id = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle()
      #expect(try await alice.group(id) == nil)
      #expect(try await alice.conversation(id) == nil)
      let failure = try await alice.events(limit: 1000).first { $0.kind == .groupFailed }
      #expect(failure?.conversation == id && failure?.reason == "no such swarm")
      let (left, listed) = alice.author.configs.read { ($0.openGroups, try? $0.groups.groups()) }
      #expect(left.isEmpty && listed?.isEmpty == true)
      let owners = try await alice.context.database.read { transaction in
        try transaction.configDumps().map(\.owner)
      }
      #expect(Set(owners) == [alice.id.address])
      #expect(
        try await alice.context.database.read { try $0.job(GroupCreation.kind, for: id.address) } == nil)
      // Its name can be used again.
      world.swarms.decide { _, _ in .done }
      let other = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle()
      #expect(try await bob.group(other)?.standing == .joined)
    }
  }

  @Test func oneRefusalDoesNotEndAGroup() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let refusals = Counter()
      world.swarms.decide { swarm, _ in
        swarm.kind == .group && refusals.next() == 1 ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      let id = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle()
      #expect(try await bob.group(id)?.standing == .joined)
    }
  }

  @Test func refusalsByOneNodeDoNotEndAGroup() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      func refuse(by node: [UInt8]) {
        world.swarms.decide { swarm, _ in
          swarm.kind == .group ? .refused(NetworkFailure(.rejected, "no", by: node)) : .done
        }
      }
      refuse(by: MemorySwarms.nodes[0])
      let id = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle(upTo: 20) { world.swarms.attempts(in: id.groupID).count > 3 }
      try #require(world.swarms.attempts(in: id.groupID).count > 3)
      #expect(try await alice.group(id)?.standing == .creating)
      refuse(by: MemorySwarms.nodes[1])
      try await world.settle(upTo: 20) { try await alice.group(id) == nil }
      #expect(try await alice.group(id) == nil)
    }
  }

  @Test func aLostReplyStoresTheGroupOnce() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let losses = Counter()
      world.swarms.decide { swarm, _ in swarm.kind == .group && losses.next() <= 2 ? .lost : .done }
      let id = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle(rounds: 5)
      guard case .group(let group) = id else { return }
      #expect(world.swarms.kept(group, in: .groupKeys).count == 1)
      #expect(try await bob.group(id)?.standing == .joined)
    }
  }

  @Test func aNewGroupThatCannotBeReadAnyMoreIsGivenUp() async throws {
    let world = World()
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let alice = try await FileDevice(of: .generate(), at: world.folder + "/alice.db", in: world)
    world.swarms.setReachable(false)
    let group = try await alice.messenger.createGroup(GroupDraft(name: "Trip"))
    try await alice.restart(in: world) { database in
      try await database.write { transaction in
        let dump = try #require(
          try transaction.configDumps().first {
            $0.owner == group.address && $0.kind == ConfigKind.groupMembers.storedName
          })
        try transaction.put(ConfigDumpRecord(dump.kind, of: dump.owner, content: [1, 2, 3], at: dump.at))
      }
    }
    world.swarms.setReachable(true)
    try await world.settle { try await alice.messenger.group(group) == nil }
    #expect(try await alice.messenger.group(group) == nil)
    #expect(try await alice.messenger.kinds().contains(.groupFailed))
    #expect(world.swarms.kept(group.groupID, in: .groupKeys).isEmpty)
    await world.stop()
  }

  @Test func badDraftsAreRefused() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await expectFailure(.invalidName) {
        _ = try await alice.createGroup(GroupDraft(name: " "))
      }
      await expectFailure(.invalidName) {
        _ = try await alice.createGroup(GroupDraft(name: String(repeating: "é", count: 51)))
      }
      await expectFailure(.invalidRecipient) {
        _ = try await alice.createGroup(GroupDraft(name: "Trip", members: [alice.id]))
      }
      let group = try GroupAdminKey(seed: .random(count: 32)).group
      await expectFailure(.invalidRecipient) {
        _ = try await alice.createGroup(GroupDraft(name: "Trip", members: [group]))
      }
      let many = try (0..<100).map { _ in try Account.generate().id }
      await expectFailure(.groupFull) {
        _ = try await alice.createGroup(GroupDraft(name: "Trip", members: many))
      }
      try await alice.block(bob.id)
      await expectFailure(.blocked) {
        _ = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      }
      #expect(try await alice.groups().isEmpty)
    }
  }
}
