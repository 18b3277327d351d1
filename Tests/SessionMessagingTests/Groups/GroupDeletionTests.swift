import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Deleting a message of a group for everyone deletes all copies of it that the swarm stores.
@Suite struct GroupDeletionTests {
  private func withGroup(
    _ body: (World, WorldGroup, _ alice: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      try await body(world, WorldGroup(with: key), alice, bob)
    }
  }

  /// The number of copies of visible messages in the swarm.
  private func copies(in group: WorldGroup, _ world: World, _ reader: Messenger) -> Int {
    // A sender cannot read their own response to an invitation.
    group.kept(in: world).count { stored in
      (try? group.opened(stored.data, by: reader))?.message.content.kind == .visible
    }
  }

  /// Has the swarm store a message of Bob's, while he takes it for failed.
  private func fail(_ id: MessageView.ID, of bob: Messenger, in group: WorldGroup, _ world: World)
    async throws
  {
    group.decide(.lost, in: world)
    try await world.settle(upTo: 10) { copies(in: group, world, bob) > 0 }
    group.decide(.refused(NetworkFailure(.rejected, "not this one")), in: world)
    try await world.settle(upTo: 20) { try await bob.row(id).state == .failed }
    group.decide(.done, in: world)
    try #require(try await bob.row(id).state == .failed)
    try #require(copies(in: group, world, bob) == 1)
  }

  @Test func aFailedMessageIsDeletedForEveryone() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupMessages], toMembersOnly: true)
      let id = try await bob.send("Oops", to: group.conversation)
      try await fail(id, of: bob, in: group, world)
      try await world.settle()
      #expect(try await alice.texts(in: group.conversation) == ["Oops"])
      try await bob.delete(id, .forEveryone)
      try await world.settle(rounds: 4)
      #expect(try await alice.texts(in: group.conversation).isEmpty)
      #expect(copies(in: group, world, alice) == 0)
    }
  }

  @Test func aMessageWithFilesIsDeletedBeforeItsReply() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupMessages], toMembersOnly: true)
      group.decide(.lost, in: world)
      let file = OutgoingFile(.bytes(Array("map".utf8)), name: "map.txt")
      let id = try await bob.send(OutgoingText("The map"), attachments: [file], to: group.conversation)
      try await world.settle(upTo: 10) { copies(in: group, world, bob) > 0 }
      try #require(try await bob.row(id).state == .sending)
      group.decide(.done, in: world)
      try await bob.delete(id, .forEveryone)
      try await world.settle(rounds: 4)
      #expect(try await alice.texts(in: group.conversation).isEmpty)
      #expect(copies(in: group, world, alice) == 0)
    }
  }

  @Test func allCopiesOfAMessageSentAgainAreDeleted() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupMessages], toMembersOnly: true)
      let id = try await bob.send("Oops", to: group.conversation)
      try await fail(id, of: bob, in: group, world)
      try await bob.resend(id)
      try await world.settle()
      try #require(copies(in: group, world, alice) == 2)
      try await bob.delete(id, .forEveryone)
      try await world.settle(rounds: 4)
      #expect(try await alice.texts(in: group.conversation).isEmpty)
      #expect(copies(in: group, world, alice) == 0)
    }
  }

  @Test func aBoundedNumberOfCopiesIsKnown() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let id = try await bob.send("Once", to: group.conversation)
      try await world.settle()
      let sentAt = try await bob.row(id).sentAt
      // Any member can seal the message of another one again.
      for _ in 0..<Int(MessageReceiver.maxCopies) + 10 {
        try put(
          .visible(VisibleMessage(body: "Once")), by: bob.context.account, in: group.id, keyOf: alice,
          at: sentAt, world)
      }
      try await world.settle()
      #expect(try await alice.texts(in: group.conversation) == ["Once"])
      let hers = try #require(
        try await alice.messages(in: group.conversation).first { $0.kind == .message }
      ).id
      let known = try await alice.context.database.read { transaction in
        try transaction.hashes(of: hers.record).count
      }
      #expect(known == Int(MessageReceiver.maxCopies))
    }
  }

  @Test(arguments: [true, false])
  func bothCopiesOfAMessageSealedTwiceAreDeleted(byAdmin: Bool) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupMessages], toMembersOnly: true)
      group.decide(.lost, in: world)
      let id = try await bob.send("Oops", to: group.conversation)
      try await world.settle(upTo: 10) { copies(in: group, world, bob) > 0 }
      try await group.rekey(by: alice)
      try await world.settle()
      group.decide(.done, in: world)
      try await world.settle(rounds: 4)
      try #require(try await bob.row(id).state == .sent)
      try #require(copies(in: group, world, alice) == 2)
      world.swarms.failNamespaces([])
      try await world.settle()
      let hers = try #require(
        try await alice.messages(in: group.conversation).first { $0.kind == .message }
      ).id
      try await byAdmin ? alice.delete(hers, .forEveryone) : bob.delete(id, .forEveryone)
      try await world.settle(rounds: 4)
      for device in [alice, bob] { #expect(try await device.texts(in: group.conversation).isEmpty) }
      #expect(copies(in: group, world, alice) == 0)
    }
  }
}
