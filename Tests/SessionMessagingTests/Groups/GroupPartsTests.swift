import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Reactions, deletion, timers and mentions in groups.
@Suite struct GroupPartsTests {
  @Test func reactionsReachTheGroup() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      let message = try await alice.send("Off we go", to: group)
      try await world.settle()
      let received = try #require(try await bob.messages(in: group).first)
      try await bob.react("👍", to: received.id)
      try await bob.react("👍", to: received.id)
      try await world.settle()
      #expect(try await alice.message(message)?.reactions == [.init(emoji: "👍", author: bob.id)])
      #expect(try await desk.messages(in: group).first?.reactions == [.init(emoji: "👍", author: bob.id)])
      // Other devices read the group: nothing is copied to the own swarm.
      #expect(world.swarms.attempts(in: group.groupID, .groupMessages).last?.signer != nil)
      try await bob.unreact("👍", to: received.id)
      try await world.settle()
      for device in [alice, desk] { #expect(try await device.messages(in: group).first?.reactions == []) }
    }
  }

  @Test func reactionsDoNotOvertakeTheirMessages() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let before = world.swarms.kept(group.groupID, in: .groupMessages).count
      world.swarms.decide { swarm, _ in swarm == group.groupID ? .offline : .done }
      let message = try await bob.send("First", to: group)
      try await bob.waitUntilIdle()
      world.swarms.decide { _, _ in .done }
      // The message is not repeated yet.
      try await bob.react("👍", to: message)
      try await bob.waitUntilIdle()
      #expect(world.swarms.kept(group.groupID, in: .groupMessages).count == before)
      try await world.settle(rounds: 5)
      let keys = try bob.author.openingKeys(of: group.groupID)
      let kinds = try world.swarms.kept(group.groupID, in: .groupMessages).dropFirst(before).map {
        try bob.context.account.decode($0.data, from: .group(group.groupID, keys: keys)).message.content.kind
      }
      #expect(kinds == [.visible, .reaction])
      #expect(try await alice.messages(in: group).first?.reactions == [.init(emoji: "👍", author: bob.id)])
    }
  }

  @Test func reactionsRequireMembership() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Off we go", to: group)
      try await world.settle()
      let received = try #require(try await bob.messages(in: group).first)
      // His devices have not heard of it yet, apart from the config.
      try bob.author.configs.edit { configs in
        try configs.groups.update(group.groupID) { $0.access = nil }
      }
      await expectFailure(.notMember) { try await bob.react("👍", to: received.id) }
      await expectFailure(.notMember) { try await bob.delete(received.id, .forEveryone) }
      #expect(try await bob.message(received.id)?.kind == .message)
    }
  }

  @Test func membersDeleteTheirOwnMessagesForEveryone() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await alice.send("Hers", to: group)
      let his = try await bob.send("His", to: group)
      try await world.settle()
      let hers = try #require(try await bob.messages(in: group).first { $0.body == "Hers" })
      await expectFailure(.notAdmin) { try await bob.delete(hers.id, .forEveryone) }
      await expectFailure(.notAllowed) { try await bob.delete(his, .onOwnDevices) }
      #expect(try await bob.texts(in: group).sorted() == ["Hers", "His"])
      let hash = try #require(try await bob.row(his).serverHash)
      try await bob.delete(his, .forEveryone)
      try await world.settle()
      for device in [alice, bob, desk] {
        #expect(try await device.texts(in: group) == ["Hers"])
        #expect(try await device.messages(in: group).contains { $0.kind == .deleted })
      }
      // Members may not delete in the swarm; the admin's device does.
      #expect(!world.swarms.kept(group.groupID, in: .groupMessages).map(\.hash).contains(hash))
      await expectFailure(.notAllowed) { try await bob.delete(his, .forEveryone) }
    }
  }

  @Test func adminsDeleteTheMessagesOfOthersWithTheirReactions() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let his = try await bob.send("His", to: group)
      try await world.settle()
      try await bob.react("👍", to: his)
      try await world.settle()
      let seen = try #require(try await alice.messages(in: group).first { $0.body == "His" })
      try await alice.react("👎", to: seen.id)
      try await world.settle()
      let hashes = try await alice.context.database.read { transaction in
        try transaction.reactions(to: seen.id.record).map(\.serverHash)
      }
      #expect(hashes.count == 2 && !hashes.contains(nil))
      try await alice.delete(seen.id, .forEveryone)
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group).isEmpty) }
      let kept = world.swarms.kept(group.groupID, in: .groupMessages).map(\.hash)
      #expect(hashes.compactMap(\.self).filter { kept.contains($0) } == [])
    }
  }

  /// A reply of the swarm was lost, and then the message is deleted: others have it.
  @Test func aMessageWithoutReceiptIsDeletedForEveryoneToo() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.decide { swarm, items in
        swarm == group.groupID && items.contains { $0.namespace == .groupMessages } ? .lost : .done
      }
      let message = try await bob.send("Oops", to: group)
      try await bob.waitUntilIdle()
      #expect(try await bob.row(message).serverHash == nil)
      await alice.poll()
      #expect(try await alice.texts(in: group) == ["Oops"])
      world.swarms.decide { _, _ in .done }
      try await bob.delete(message, .forEveryone)
      try await world.settle(rounds: 5)
      #expect(try await alice.texts(in: group).isEmpty)
    }
  }

  @Test func messagesDisappearWithTheTimerOfTheGroup() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.update(group) { $0.timerSeconds = 60 }
      try await world.settle()
      let message = try await bob.send("Soon gone", to: group)
      try await world.settle()
      let sent = try #require(try await bob.message(message))
      let seen = try #require(try await alice.messages(in: group).first { $0.body == "Soon gone" })
      for view in [sent, seen] {
        #expect(view.timer == (try DisappearingTimer(.afterSend, seconds: 60)))
        #expect(view.disappearsAt == sent.sentAt + 60_000)
      }
      world.clock.advance(by: 60_000)
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group).isEmpty) }
    }
  }

  @Test func mentionsInAGroupAreCounted() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("@\(alice.id) and nobody else", to: group)
      try await alice.send("@\(bob.id) look", to: group)
      try await world.settle()
      #expect(try await bob.conversation(group)?.unreadMentions == 1)
      let mentions = try await bob.messages(in: group).filter(\.mentionsUs)
      #expect(mentions.map(\.body) == ["@\(bob.id) look"])
      #expect(try await alice.messages(in: group).contains(where: \.mentionsUs) == false)
    }
  }
}
