import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Members who were removed, or left, and were added again: what they wrote before does not concern their return.
@Suite(.timeLimit(.minutes(5))) struct GroupReturningTests {
  private func status(
    _ person: SessionID, in group: Conversation.ID, _ admin: Messenger
  ) async throws -> GroupMember.Status? {
    try await admin.members(of: group).first { $0.id == person }?.status
  }

  /// Somebody who is invited to a group.
  private func invited(to group: Conversation.ID, by alice: Messenger, _ world: World) async throws -> Account
  {
    let person = try Account.generate()
    try await alice.invite([person.id], to: group)
    try await world.settle(rounds: 5)
    try #require(try await status(person.id, in: group, alice) == .inviteSent)
    return person
  }

  /// Has a member leave, and an admin remove them. Returns when they said so.
  private func leave(
    _ person: Account, _ group: Conversation.ID, seenBy alice: Messenger, _ world: World
  ) async throws -> Int64 {
    let time = world.clock.now
    try put(.memberLeft, by: person, in: group.groupID, keyOf: alice, at: time, world)
    try await world.settle(upTo: 20) { try await status(person.id, in: group, alice) == nil }
    try #require(try await status(person.id, in: group, alice) == nil)
    return time
  }

  @Test func leavingThatIsNotWrittenDownYetDoesNotRemoveWhoReturns() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      await bob.suspend()
      // Alice notes that Bob leaves, and waits for other admins, as long as she ever does.
      world.setChance(1)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: alice, world)
      await alice.poll()
      world.setChance(0)
      let begin = world.clock.now
      try await alice.remove([bob.id], from: group)
      try await world.settle(upTo: 8) { try await status(bob.id, in: group, alice) == nil }
      try await alice.invite([bob.id], to: group)
      try #require(world.clock.now < begin + Int64(MemberMarks.maxLeavingDelay))
      world.clock.advance(by: Int64(MemberMarks.maxLeavingDelay))
      try await world.settle(rounds: 8)
      #expect(try await status(bob.id, in: group, alice) == .inviteSent)
    }
  }

  @Test func whatWasWrittenBeforeAnInvitationDoesNotAcceptIt() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let person = try await invited(to: group, by: alice, world)
      let time = world.clock.now - 3_600_000
      try put(
        .visible(VisibleMessage(body: "Hello")), by: person, in: group.groupID, keyOf: alice, at: time, world)
      try put(.inviteResponse, by: person, in: group.groupID, keyOf: alice, at: time + 1, world)
      try await world.settle(rounds: 4)
      #expect(try await status(person.id, in: group, alice) == .inviteSent)
      try put(.inviteResponse, by: person, in: group.groupID, keyOf: alice, world)
      try await world.settle(rounds: 4)
      #expect(try await status(person.id, in: group, alice) == .inviteAccepted)
    }
  }

  /// Any member can seal the message of another one again.
  @Test func aCopyOfAnOldLeavingRemovesNoOne() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let person = try await invited(to: group, by: alice, world)
      let time = try await leave(person, group, seenBy: alice, world)
      try await alice.invite([person.id], to: group)
      try await world.settle(rounds: 5)
      // Clocks differ, so that this alone does not show that it is old.
      try #require(world.clock.now - time < MessageReceiver.clockTolerance)
      try put(.memberLeft, by: person, in: group.groupID, keyOf: alice, at: time, world)
      try await world.settle(rounds: 8)
      #expect(try await status(person.id, in: group, alice) == .inviteSent)
    }
  }

  @Test func aCopyFromLongAgoRemovesNoOne() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let time = world.clock.now - OwnerInbox.longestMemory - 1000
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: alice, at: time, world)
      try await world.settle(rounds: 8)
      #expect(try await status(bob.id, in: group, alice) == .inviteAccepted)
    }
  }

  @Test func aNewDeviceOfAnAdminRemovesNoOneWhoReturned() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let person = try await invited(to: group, by: alice, world)
      _ = try await leave(person, group, seenBy: alice, world)
      world.clock.advance(by: 2 * MessageReceiver.clockTolerance)
      try await alice.invite([person.id], to: group)
      try await world.settle(rounds: 5)
      let second = try await world.device(of: alice.context.account)
      try await world.settle(rounds: 10)
      for device in [alice, second] {
        #expect(try await status(person.id, in: group, device) == .inviteSent)
      }
    }
  }

  @Test func whoReturnedWhileAnAdminWasAwayIsNotRemoved() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let second = try await world.device(of: alice.context.account)
      try await world.settle(rounds: 5)
      try #require(try await status(bob.id, in: group, second) == .inviteAccepted)
      await second.suspend()
      await bob.suspend()
      _ = try await leave(bob.context.account, group, seenBy: alice, world)
      world.clock.advance(by: 2 * MessageReceiver.clockTolerance)
      try await alice.invite([bob.id], to: group)
      try await world.settle(rounds: 5)
      await second.resume()
      try await world.settle(rounds: 10)
      for device in [alice, second] {
        #expect(try await status(bob.id, in: group, device) == .inviteSent)
      }
    }
  }
}
