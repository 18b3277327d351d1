import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Several owners: an account and its groups, each with its own swarm, configs and credentials.
@Suite(.timeLimit(.minutes(5))) struct OwnersTests {
  private func bodies(_ group: WorldGroup, _ messenger: Messenger) async throws -> [String] {
    try await messenger.messages(in: group.conversation).reversed().map(\.body)
  }

  @Test func membersReadGroupMessages() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try group.say("hello", by: alice, in: world)
      try await world.settle()
      try group.say("hi", by: bob, in: world)
      try await world.settle()
      for messenger in [alice, bob] {
        #expect(try await bodies(group, messenger) == ["hello", "hi"])
      }
      #expect(try await alice.conversation(.person(bob.id)) == nil)
    }
  }

  @Test func groupsShowTheirUnreadCountOnAllDevices() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try group.say("hello", by: alice, in: world)
      try await world.settle()
      for messenger in [bob, desk] {
        let view = try #require(try await messenger.conversations().first { $0.id == group.conversation })
        #expect(view.kind == .group && view.name == "Trip" && !view.isRequest)
        #expect(view.unreadMessages == 1 && view.last?.body == "hello")
      }
      try await bob.markRead(group.conversation)
      try await world.settle()
      #expect(try await desk.conversation(group.conversation)?.unreadMessages == 0)
    }
  }

  @Test func membersAreKnownWithTheirRoles() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let view = try #require(try await bob.group(group.conversation))
      #expect(try await bob.groups() == [view])
      #expect(view.standing == .joined && view.name == "Trip" && view.memberCount == 2 && !view.isAdmin)
      #expect(try await Set(bob.members(of: group.conversation).map(\.id)) == [alice.id, bob.id])
      let carol = try Account.generate()
      let cursor = try await bob.events(limit: 1000).last?.id ?? .start
      try await alice.author.edit { configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateMember(carol.id) { member in
            member.name = "Carol"
            member.note(.inviteSent)
          }
          try group.updateMember(bob.id) { $0.note(.promotionSent) }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let members = try await bob.members(of: group.conversation)
      let promoted = members.first { $0.id == bob.id }
      #expect(promoted?.isAdmin == true && promoted?.status == .promotionSent)
      #expect(members.prefix(2).map(\.isAdmin) == [true, true])
      #expect(members.last { $0.id == carol.id }?.name == "Carol")
      #expect(members.first { $0.id == carol.id }?.status == .inviteSent)
      let told = try await bob.events(after: cursor, limit: 1000).filter { $0.kind == .groupMembersChanged }
      #expect(told.map(\.conversation) == [group.conversation])
      #expect(Set(told.flatMap(\.people)) == [bob.id, carol.id])
      // Members were added before the swarm stored the list in which this device found them.
      let times = try await bob.context.database.read { transaction in
        let thread = try transaction.conversation(group.conversation)
        return try transaction.members(of: thread.id).map { ($0.member, $0.addedAt) }
      }
      let last = times.map(\.1).max()
      #expect(times.allSatisfy { $0.1 > 0 && ($0.1 == last) == ($0.0 == carol.id.address) })
      try await alice.author.edit { configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in _ = try group.removeMember(carol.id)
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      #expect(try await bob.members(of: group.conversation).map(\.id).contains(carol.id) == false)
    }
  }

  @Test func failingGroupsDoNotDelayOthers() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failPolls(of: group.id, NetworkFailure(.unreachable, "no node is there"))
      try await alice.send("are you there?", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id) == ["are you there?"])
      #expect(await bob.poll())
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  @Test func refusedNamespacesDoNotFailAGroupPoll() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let plan = InboxPlan(of: group.id)
      let refusal = NetworkFailure(.unauthorized, "not a member")
      var pages: [StorageNamespace: Result<SwarmReply.Page, NetworkFailure>] = [
        .groupMessages: .failure(refusal), .groupKeys: .success(SwarmReply.Page([])),
      ]
      #expect(plan.failure(of: SwarmReply(node: "", pages)) == nil)
      pages[.groupKeys] = .failure(refusal)
      #expect(plan.failure(of: SwarmReply(node: "", pages)) == refusal)
      pages[.groupKeys] = .failure(NetworkFailure(.transient, "busy"))
      pages[.groupInfo] = .success(SwarmReply.Page([]))
      #expect(plan.failure(of: SwarmReply(node: "", pages)) != nil)
    }
  }

  @Test func hashesOfAGroupAreNotTakenForThoseOfTheOwnSwarm() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.send("hello", to: bob.id)
      try await world.settle()
      try await bob.send("read once", to: alice.id)
      try await world.settle()
      let message = try await alice.row(alice.last(in: bob.id).id)
      let hash = try #require(message.serverHash)
      let other = try await alice.context.write { transaction, now in
        let thread = try transaction.conversation(group.conversation)
        #expect(thread.id.rawValue < message.threadID.rawValue)
        var row = InteractionRecord(
          in: thread.id, by: bob.id.address, .incoming, body: "", sentAt: 1, receivedAt: now.stored,
          state: .received)
        row.serverHash = hash
        return try transaction.insert(row).id
      }
      // Another device has read it, and shortened its lifetime.
      let soon = try MessageTime(milliseconds: UInt64(world.clock.now + 100_000))
      _ = try await world.swarms.shorten([hash], to: soon, as: .account(alice.context.account))
      try await alice.context.write { [context = alice.context] transaction, now in
        let shortening = ExpiryShortening(hashes: [hash], expiry: now.stored + 600_000)
        try transaction.enqueue(shortening, at: context.jobTime)
      }
      try await world.settle(rounds: 1)
      #expect(try await alice.row(MessageView.ID(message.id)).expiryStartedAt == soon.stored)
      #expect(try await alice.row(MessageView.ID(other)).expiryStartedAt == nil)
    }
  }

  @Test func aFeedThatStopsWhileItStoresLeavesWholePieces() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      await bob.suspend()
      for number in 0..<350 {
        world.clock.advance(by: 1)
        try group.say("\(number)", by: alice, in: world)
      }
      let (inbox, node) = (bob.inbox.makeInbox(of: group.id), MemorySwarms.nodes[0].hex)
      let messages = group.kept(in: world)
      let reply = SwarmReply(node: node, [.groupMessages: .success(SwarmReply.Page(messages))])
      let changes = bob.context.database.observations.observe(.events)
      let taking = Task { try await inbox.take(reply) }
      _ = await changes.next()
      taking.cancel()
      _ = await taking.result
      let (count, last) = try await bob.context.database.read { [now = world.clock.now] transaction in
        let thread = try transaction.conversation(group.conversation)
        return (
          try transaction.interactionCount(of: thread.id),
          try transaction.lastHash(
            from: node, of: group.id.address,
            namespace: Int(StorageNamespace.groupMessages.rawValue), at: now)
        )
      }
      #expect(count > 0 && (count % OwnerInbox.pieceSize == 0 || count == messages.count))
      #expect(last == messages[count - 1].hash)
      _ = try await inbox.take(reply)
      let bodies = try await bob.messages(in: group.conversation, limit: 500).reversed().map(\.body)
      #expect(bodies == (0..<350).map(String.init))
    }
  }

  @Test func onlyAdminsPushGroupConfigs() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let before = world.swarms.kept(group.id, in: .groupInfo)
      #expect(before.count == 1)
      // A node would accept it, but other members would not.
      _ = try await bob.context.write { [bob] transaction, _ in
        try bob.author.requestSync(of: group.id, in: transaction)
      }
      try await world.settle()
      #expect(world.swarms.kept(group.id, in: .groupInfo) == before)
      try await alice.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "Journey" }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      #expect(world.swarms.kept(group.id, in: .groupInfo).map(\.hash) != before.map(\.hash))
      let name = try await bob.context.database.read { transaction in
        try transaction.thread(at: group.id.address).flatMap { try transaction.group($0.id)?.name }
      }
      #expect(name == "Journey")
    }
  }

  @Test func leavingAGroupStopsPollingAndDeletesItsState() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try group.say("hello", by: alice, in: world)
      try await world.settle()
      try await group.leave(bob)
      try await world.settle()
      #expect(try bob.author.credentials(for: group.id) == nil)
      let left = try await bob.context.database.read { transaction in
        (
          try transaction.thread(at: group.id.address), try transaction.tombstone(of: group.id.address),
          try transaction.configDumps().filter { $0.owner == group.id.address }
        )
      }
      #expect(left.0 == nil && left.1 != nil && left.2.isEmpty)
      let polls = world.swarms.polls(of: group.id)
      await alice.suspend()
      try await world.settle()
      #expect(world.swarms.polls(of: group.id) == polls)
    }
  }

  @Test func messagesReceivedBeforeTheirKeyAreReadOnceItArrives() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      await bob.suspend()
      try await group.rekey(by: alice)
      try await world.settle()
      try group.say("with the new key", by: alice, in: world)
      await alice.suspend()
      // Nodes do not send him the new key yet.
      world.swarms.failNamespaces([.groupKeys])
      await bob.resume()
      try await world.settle()
      #expect(try await bodies(group, bob) == [])
      world.swarms.failNamespaces([])
      try await world.settle()
      #expect(try await bodies(group, bob) == ["with the new key"])
    }
  }
}
