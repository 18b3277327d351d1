import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Members leave a group, and admins delete it.
@Suite struct GroupLeavingTests {
  @Test func leavingNotifiesTheOthersAndDeletesTheGroup() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let second = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await second.group(group)?.standing == .joined)
      world.swarms.decide { swarm, _ in swarm == group.groupID ? .offline : .done }
      try await bob.leave(group)
      #expect(try await bob.group(group)?.standing == .leaving)
      #expect(try await bob.notes(in: group).last == .leaving(isDeleting: false))
      await expectFailure(.notMember) { try await bob.leave(group) }
      world.swarms.decide { _, _ in .done }
      try await world.settle {
        let (first, other) = (try await bob.group(group), try await second.group(group))
        return first == nil && other == nil
      }
      for device in [bob, second] {
        #expect(try await device.group(group) == nil)
        #expect(try await device.conversation(group) == nil)
      }
      let kinds = world.swarms.kept(group.groupID, in: .groupMessages).compactMap {
        try? alice.context.account.decode(
          $0.data, from: .group(group.groupID, keys: try alice.author.openingKeys(of: group.groupID))
        ).message.content.kind
      }
      #expect(kinds.suffix(2) == [.groupMemberLeft, .groupMemberLeftNotification])
      let dumps = try await bob.context.database.read { transaction in
        try transaction.configDumps().map(\.owner)
      }
      #expect(!dumps.contains(group.address))
    }
  }

  @Test(arguments: [false, true])
  func aGroupThatWasLeftDoesNotComeBackWhenAnotherDeviceChangesIt(andIsTold isTold: Bool) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let second = try await world.device(of: bob.context.account)
      try await world.settle()
      world.swarms.decide { swarm, _ in swarm == bob.id ? .offline : .done }
      try await bob.leave(group)
      try await bob.waitUntilIdle()
      #expect(try await bob.group(group) == nil)
      await bob.suspend()
      world.swarms.decide { _, _ in .done }
      // Of two changes of one entry the later one stays.
      try await second.setPinned(true, group)
      if isTold {
        try await world.settle { try await second.group(group)?.standing == .kicked }
      } else {
        try await second.waitUntilIdle()
      }
      #expect(try await second.group(group)?.standing == (isTold ? .kicked : .joined))
      await bob.resume()
      try await world.settle { try await second.group(group) == nil }
      for device in [bob, second] {
        #expect(try await device.group(group) == nil)
        #expect(try await device.conversation(group) == nil)
        #expect(try device.author.configs.read { try $0.groups[group.groupID] } == nil)
      }
    }
  }

  @Test func theOnlyAdminCannotLeave() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      await expectFailure(.lastAdmin) { try await alice.leave(group) }
      #expect(try await alice.group(group)?.standing == .joined)
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      try await alice.leave(group)
      try await world.settle(rounds: 4)
      #expect(try await alice.group(group) == nil)
      #expect(try await bob.group(group)?.standing == .joined)
    }
  }

  @Test func theOnlyMemberIsToldToDeleteTheGroup() async throws {
    try await withAliceAndBob { (world, alice, _) async throws in
      let group = try await alice.createGroup(GroupDraft(name: "Notes"))
      try await world.settle()
      await #expect {
        try await alice.leave(group)
      } throws: {
        ($0 as? MessengerError)
          == MessengerError(.lastMember, "you are the only member: delete the group instead")
      }
    }
  }

  @Test func messagesThatWaitAreNotSentByWhoLeaves() async throws {
    try await withCreatedGroup { (world, group, _, bob) async throws in
      world.swarms.setReachable(false)
      let message = try await bob.send("Too late", to: group)
      try await bob.leave(group)
      #expect(try await bob.row(message).state == .failed)
      world.swarms.setReachable(true)
      try await world.settle { try await bob.group(group) == nil }
      #expect(try await bob.group(group) == nil)
    }
  }

  @Test func leavingThatFailsForADayIsGivenUp() async throws {
    try await withCreatedGroup { (world, group, _, bob) async throws in
      world.swarms.decide { swarm, _ in
        swarm == group.groupID ? .refused(NetworkFailure(.transient, "no path")) : .done
      }
      try await bob.leave(group)
      try await world.settle()
      for _ in 0..<30 {
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect(try await bob.group(group)?.standing == .joined)
      let note = try #require(try await bob.notes(in: group).last)
      guard case .leavingFailed(let reason) = note else {
        Issue.record("there is no note of the failure: \(note)")
        return
      }
      #expect(reason.contains("no path"))
    }
  }

  @Test func membersWhomTheSwarmDoesNotLetInCanLeave() async throws {
    try await withCreatedGroup { (world, group, _, bob) async throws in
      world.swarms.decide { swarm, _ in
        swarm == group.groupID ? .refused(NetworkFailure(.unauthorized, "not a member")) : .done
      }
      try await bob.leave(group)
      for _ in 0..<4 { try await world.settle() }
      #expect(try await bob.group(group) == nil)
    }
  }

  @Test func oneNodeDoesNotEndTheMembershipOfWhoLeaves() async throws {
    try await withCreatedGroup { (world, group, _, bob) async throws in
      func refuse(by node: [UInt8]) {
        world.swarms.decide { swarm, _ in
          swarm == group.groupID ? .refused(NetworkFailure(.unauthorized, "not a member", by: node)) : .done
        }
      }
      refuse(by: MemorySwarms.nodes[0])
      try await bob.leave(group)
      for _ in 0..<4 { try await world.settle() }
      #expect(try await bob.group(group)?.standing == .leaving)
      refuse(by: MemorySwarms.nodes[1])
      try await world.settle(upTo: 20) { try await bob.group(group) == nil }
      #expect(try await bob.group(group) == nil)
    }
  }

  @Test func invitationsAreDeclinedRatherThanLeft() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let group = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await world.settle(rounds: 5)
      try #require(try await bob.group(group)?.standing == .invited)
      await #expect {
        try await bob.leave(group)
      } throws: {
        MessengerError.Code.notMember ~= $0 && "\($0)".contains("decline the invitation")
      }
    }
  }

  @Test func membersLeaveBeforeTheyKnowTheOthers() async throws {
    try await withAliceAndBob(areFriends: false) { (world, _, bob) async throws in
      let group = try WorldGroup()
      try await group.join(bob)
      try await world.settle()
      try #require(try await bob.members(of: group.conversation).isEmpty)
      try await bob.leave(group.conversation)
      try await world.settle()
      #expect(try await bob.group(group.conversation) == nil)
    }
  }

  @Test func deletedGroupsEndForEveryone() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await bob.send("Hello", to: group)
      try await world.settle()
      world.swarms.decide { swarm, _ in swarm == group.groupID ? .offline : .done }
      try await alice.deleteForEveryone(group)
      #expect(try await alice.group(group)?.standing == .destroying)
      #expect(try await alice.notes(in: group).last == .leaving(isDeleting: true))
      world.swarms.decide { _, _ in .done }
      try await world.settle { try await bob.group(group)?.standing == .destroyed }
      try await world.settle(rounds: 2)
      #expect(try await alice.group(group) == nil)
      #expect(world.swarms.kept(group.groupID, in: .groupMessages).isEmpty)
      #expect(try await bob.group(group)?.standing == .destroyed)
    }
  }

  @Test func aGroupThatIsBeingCreatedCanBeGivenUp() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      world.swarms.setReachable(false)
      let group = try await alice.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
      try await alice.send("Hello", to: group)
      try await alice.leave(group)
      #expect(try await alice.group(group) == nil)
      world.swarms.setReachable(true)
      try await world.settle(rounds: 5)
      #expect(try await alice.groups().isEmpty)
      #expect(try await bob.groups().isEmpty)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).isEmpty)
    }
  }
}
