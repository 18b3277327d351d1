import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Invitations to groups, and promotions, are sealed as messages to the person are.
@Suite struct SecureOfferTests {
  /// What was stored for a person so far, sealed for devices and otherwise. Invitations are deleted once they are handled.
  private func counts(to person: SessionID, in world: World) -> (sealed: Int, plain: Int) {
    let items = world.swarms.attempts(in: person, .messages).flatMap(\.items)
    let sealed = items.count { $0.data.starts(with: RatchetEnvelope.prefix) }
    return (sealed, items.count - sealed)
  }

  private func member(_ person: SessionID, of group: Conversation.ID, _ messenger: Messenger) async throws
    -> GroupMemberView?
  {
    try await messenger.members(of: group).first { $0.id == person }
  }

  @Test func offersHaveForwardSecrecyWhereMessagesHaveIt() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      let before = counts(to: bob.id, in: world)
      let group = try await alice.createGroup(GroupDraft(name: "Friends", members: [bob.id]))
      try await world.settle()
      let invited = counts(to: bob.id, in: world)
      #expect(invited.sealed > before.sealed && invited.plain == before.plain)
      #expect(try await bob.group(group)?.name == "Friends")
      try await world.settle(rounds: 5)
      try await world.settle()
      let joined = counts(to: bob.id, in: world)
      try await alice.promote([bob.id], in: group)
      try await world.settle()
      let promoted = counts(to: bob.id, in: world)
      #expect(promoted.sealed > joined.sealed && promoted.plain == joined.plain)
      #expect(try await bob.group(group)?.isAdmin == true)
    }
  }

  @Test func aPersonWithoutKeysIsInvitedAsBefore() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await world.settle()
      let before = counts(to: bob.id, in: world)
      let group = try await alice.createGroup(GroupDraft(name: "Friends", members: [bob.id]))
      try await world.settle()
      let invited = counts(to: bob.id, in: world)
      #expect(invited.sealed == before.sealed && invited.plain > before.plain)
      #expect(try await bob.group(group)?.name == "Friends")
    }
  }

  @Test func nothingWeakerIsSentWhereForwardSecrecyIsRequired() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await alice.setForwardSecrecy(.require)
      try await world.settle()
      let before = counts(to: bob.id, in: world)
      let group = try await alice.createGroup(GroupDraft(name: "Friends", members: [bob.id]))
      try await world.settle()
      let after = counts(to: bob.id, in: world)
      #expect(after == before)
      #expect(try await bob.group(group) == nil)
      #expect(try await member(bob.id, of: group, alice)?.status == .inviteFailed)
    }
  }

  /// Nodes that hide the keys of somebody delay an invitation, and lead to nothing less.
  @Test func anInvitationWaitsForKeys() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("hello", to: bob.id)
      try await world.settle()
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      try await world.pass(days: 3)
      try await alice.context.database.write { transaction in
        for device in try transaction.ratchetDevices(of: bob.id.address) {
          try transaction.closeRatchetSessions(with: device.id)
        }
      }
      let before = counts(to: bob.id, in: world)
      let group = try await alice.createGroup(GroupDraft(name: "Friends", members: [bob.id]))
      try await world.settle()
      #expect(counts(to: bob.id, in: world) == before)
      world.swarms.answerPublished { _, _ in nil }
      world.clock.advance(by: 61_000)
      try await world.settle()
      let after = counts(to: bob.id, in: world)
      #expect(after.sealed > before.sealed && after.plain == before.plain)
      #expect(try await bob.group(group)?.name == "Friends")
    }
  }
}
