import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Joining, leaving and using a group while other work is under way.
@Suite(.timeLimit(.minutes(10))) struct GroupLifeTests {
  /// A case that was built by hand reaches no conversation of another kind.
  @Test func casesBuiltByHandAreRefused() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try group.say("secret", by: alice, in: world)
      try await world.settle()
      let before = try await bob.events(limit: 1000).count
      for wrong in [Conversation.ID.person(group.id), .group(bob.id)] {
        for (name, act) in Self.acts {
          await #expect("\(name) takes \(wrong)") {
            try await act(bob, wrong)
          } throws: {
            MessengerError.Code.invalidRecipient ~= $0
          }
        }
      }
      #expect(try await bob.events(limit: 1000).count == before)
      #expect(try await bob.conversation(group.conversation)?.draft == nil)
    }
  }

  /// Everything that is done with a conversation.
  private static let acts:
    [(name: String, act: @Sendable (Messenger, Conversation.ID) async throws -> Void)] = [
      ("conversation", { _ = try await $0.conversation($1) }),
      ("messages", { _ = try await $0.messages(in: $1) }),
      ("search", { _ = try await $0.search("secret", in: $1) }),
      ("setDraft", { try await $0.setDraft("x", in: $1) }),
      ("send", { _ = try await $0.send("x", to: $1) }),
      ("markRead", { try await $0.markRead($1) }),
      ("markUnread", { try await $0.markUnread($1) }),
      ("setPinned", { try await $0.setPinned(true, $1) }),
      ("setHidden", { try await $0.setHidden(true, $1) }),
      ("setNotified", { try await $0.setNotified(.ofNothing, $1) }),
      ("setMuted", { try await $0.setMuted(until: 1, $1) }),
      ("setTimer", { try await $0.setTimer(nil, in: $1) }),
      ("setTyping", { try await $0.setTyping(true, in: $1) }),
      ("deleteConversation", { try await $0.deleteConversation($1) }),
      ("acceptRequest", { try await $0.acceptRequest($1) }),
      ("declineRequest", { try await $0.declineRequest($1) }),
      ("group", { _ = try await $0.group($1) }),
      ("members", { _ = try await $0.members(of: $1) }),
      ("invite", { try await $0.invite([$0.id], to: $1) }),
      ("promote", { try await $0.promote([$0.id], in: $1) }),
      ("remove", { try await $0.remove([$0.id], from: $1) }),
      ("leave", { try await $0.leave($1) }),
      ("deleteForEveryone", { try await $0.deleteForEveryone($1) }),
    ]

  @Test func aMessageThatWaitsForAKeyGoesWithTheGroupThatRemovedUs() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("too late", to: group.conversation)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sending)
      try await group.kick(alice)
      try await world.settle()
      #expect(try await alice.message(id) == nil)
      #expect(try await alice.delivery(of: id) == nil)
    }
  }

  /// Saving a file from a group sends no notice, as a notice names a message between two people.
  @Test func savingAFileOfAGroupSendsNoNotice() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      try await world.settle()
      try await group.join(bob)
      try await world.settle()
      let file = OutgoingFile(.bytes(Array("map".utf8)), name: "map.txt")
      try await alice.send(OutgoingText("the map"), attachments: [file], to: group.conversation)
      try await world.settle()
      let message = try #require(try await bob.messages(in: group.conversation).first)
      try await bob.download(message.attachments[0].id)
      try await world.settle()
      let before = world.swarms.kept(alice.id).count
      try await bob.save(message.attachments[0].id, to: "\(world.folder)/map")
      try await world.settle()
      #expect(world.swarms.kept(alice.id).count == before)
    }
  }

  /// Reading goes forward only, in groups as between people.
  @Test func readingAGroupGoesForwardOnly() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try group.say("one", by: alice, in: world)
      try await world.settle()
      try group.say("two", by: alice, in: world)
      try await world.settle()
      try await bob.markRead(group.conversation)
      try await world.settle()
      let place = ReadMark.Place(group.conversation)!
      let told: @Sendable (Messenger) throws -> Int64? = { device in
        try device.author.configs.read { configs in try configs.conversations[place]?.lastReadMilliseconds }
      }
      let read = try #require(try told(desk))
      try await desk.author.edit { configs, now in
        try configs.conversations.update(place, at: now) { $0.lastReadMilliseconds = read - 3000 }
      } writing: { _, _, _ in
      }
      try await world.settle()
      #expect(try told(desk) == read)
    }
  }

  /// A group that its admins ended stays so, whatever is changed of our membership.
  @Test func anEndedGroupStaysEnded() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.author.edit { configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.isDestroyed = true }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let isDestroyed: @Sendable () async throws -> Bool? = {
        try await bob.context.database.read { transaction in
          try transaction.thread(at: group.id.address).flatMap { try transaction.group($0.id)?.isDestroyed }
        }
      }
      #expect(try await isDestroyed() == true)
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) { $0.membership.mutedUntilSeconds = 5 }
      } writing: { _, _, _ in
      }
      #expect(try await isDestroyed() == true)
    }
  }

  /// Removed and in again, over and over, while messages come: none is lost and none is doubled.
  @Test func comingAndGoingLosesNothing() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      for round in 0..<6 {
        try group.say("line \(round)", by: alice, in: world)
        async let poll = bob.poll()
        try await group.kick(bob)
        let access = try group.key.grantAccess(to: bob.id)
        try await bob.author.edit { configs, _ in
          try configs.groups.update(group.id) {
            $0.markInvited()
            $0.access = access
          }
        } writing: { _, _, _ in
        }
        _ = await poll
        try await world.settle(rounds: 2)
        #expect(try await group.bodies(bob) == (0...round).map { "line \($0)" })
      }
      let id = try await bob.send("still in", to: group.conversation)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
    }
  }

  @Test func messagesWithFilesGoWithTheGroupThatRemovedUs() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let file = OutgoingFile(.bytes(Array("map".utf8)), name: "map.txt")
      let first = try await alice.send(OutgoingText("the map"), attachments: [file], to: group.conversation)
      let second = try await alice.send("behind it", to: group.conversation)
      try await world.settle()
      try await group.kick(alice)
      try await world.settle()
      for id in [first, second] {
        #expect(try await alice.message(id) == nil)
        #expect(try await alice.delivery(of: id) == nil)
      }
    }
  }

  /// Another device changes the account's groups in the middle of a sync and of a delivery.
  @Test func leavingWhileRequestsAreUnderWayLeavesNothing() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.decide { swarm, _ in swarm == group.id ? .held : .done }
      try await alice.author.edit { configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "Journey" }
        }
      } writing: { _, _, _ in
      }
      let id = try await alice.send("going", to: group.conversation)
      world.clock.advance(by: 5000)
      await world.swarms.untilHeld()
      try await group.leave(alice)
      world.swarms.decide { _, _ in .done }
      world.swarms.release()
      try await world.settle()
      #expect(try await alice.message(id) == nil)
      let left = try await alice.context.database.read { transaction in
        (
          try transaction.configDumps().filter { $0.owner == group.id.address }.count,
          try transaction.obsoleteHashes(of: group.id.address).count,
          try transaction.jobs(.waiting, limit: 100).filter {
            String(decoding: $0.payload, as: UTF8.self).contains(group.id.address)
          }
        )
      }
      #expect(left.0 == 0 && left.1 == 0)
      #expect(left.2.map(\.kind) == [])
      #expect(alice.author.configs.read { configs in configs.openGroups } == [])
    }
  }

  @Test func conversationsOfGroupsAreDeletedOnceTheGroupHasEnded() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try group.say("hello", by: alice, in: world)
      try await world.settle()
      await #expect(throws: MessengerError.self) { try await bob.deleteConversation(group.conversation) }
      #expect(try await bob.conversation(group.conversation) != nil)
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) { $0.markKicked() }
      } writing: { _, _, _ in
      }
      try await world.settle()
      #expect(try await desk.group(group.conversation)?.standing == .kicked)
      try await desk.deleteConversation(group.conversation)
      try await world.settle()
      for device in [bob, desk] { #expect(try await device.conversation(group.conversation) == nil) }
      await #expect(throws: MessengerError.self) { try await desk.deleteConversation(group.conversation) }
    }
  }
}
