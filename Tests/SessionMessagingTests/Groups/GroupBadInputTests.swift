import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Input that no client of ours writes, and moments at which something else happens to a group.
@Suite(.timeLimit(.minutes(5))) struct GroupBadInputTests {
  /// Edits the configs of a group as another client of an admin might.
  private func edit(
    _ group: Conversation.ID, by admin: Messenger,
    _ body: @escaping @Sendable (inout GroupConfigs) throws(SessionError) -> Void
  ) async throws {
    try await admin.author.edit { configs, _ in
      try configs.withGroup(group.groupID) { (configs) throws(SessionError) in try body(&configs) }
    } writing: { _, _, _ in
    }
  }

  private let configs: [StorageNamespace] = [.groupKeys, .groupInfo, .groupMembers]

  // MARK: - Messages

  /// A message about members, with their ids as texts.
  private func memberChange(_ ids: [String], at time: Int64) -> [UInt8] {
    let change =
      [0x08, 1] + ids.flatMap { field(0x12, Array($0.utf8)) } + field(0x22, [UInt8](repeating: 7, count: 64))
    return field(0x0A, field(0x3C2, field(0x1A, change))) + [0x78] + varint(UInt64(time))
  }

  @Test func changesOfNoValidMemberAreUnreadable() throws {
    let member = try Account.generate().id
    let time: Int64 = 1_700_000_000_000
    let others = ["", "05", "nobody", "03" + member.description.dropFirst(2), member.description + "0"]
    let mixed = try Message(parsing: memberChange(others + [member.description], at: time))
    #expect(mixed.content.kind == .groupMemberChange)
    #expect(try mixed == Message(parsing: memberChange([member.description], at: time)))
    for ids in [others, []] {
      #expect(throws: SessionError.self) { try Message(parsing: memberChange(ids, at: time)) }
    }
  }

  @Test func theProvenSenderCountsWhateverTheEnvelopeClaims() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let time = UInt64(world.clock.now)
      let content = try Message(
        .visible(VisibleMessage(body: "His")), sentAt: MessageTime(milliseconds: time)
      ).bytes()
      let envelope =
        [0x08, 7] + field(0x12, Array(alice.id.description.utf8)) + [0x28] + varint(time)
        + field(0x42, content) + field(0x5A, [UInt8](repeating: 7, count: 64))
      let key = try #require(try bob.author.messageKey(of: group.groupID))
      world.swarms.put(
        try bob.context.account.seal(envelope, forGroup: group.groupID, key: key), to: group.groupID,
        in: .groupMessages)
      try await world.settle()
      for device in [alice, bob] {
        let message = try #require(try await device.messages(in: group).first { $0.kind == .message })
        #expect(message.body == "His" && message.author == bob.id)
      }
    }
  }

  // MARK: - Configs

  @Test func aPollReadsABoundedNumberOfConfigs() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      await bob.suspend()
      for namespace in configs {
        for number in 0..<500 as Range<UInt16> {
          world.swarms.put(
            [UInt8(number % 256), UInt8(number / 256), 1, 2], to: group.groupID, in: namespace)
        }
      }
      let node = MemorySwarms.nodes[0].hex
      let pages = configs.map { namespace in
        let junk = world.swarms.kept(group.groupID, in: namespace).suffix(500)
        return (namespace, Result<_, NetworkFailure>.success(SwarmReply.Page(Array(junk))))
      }
      let result = try await bob.inbox.makeInbox(of: group.groupID).take(
        SwarmReply(node: node, Dictionary(uniqueKeysWithValues: pages)))
      #expect(result.isUnfinished)
      for namespace in configs {
        let junk = world.swarms.kept(group.groupID, in: namespace).suffix(500)
        let (number, now) = (Int(namespace.rawValue), world.clock.now)
        let last = try await bob.context.database.read { transaction in
          try transaction.lastHash(from: node, of: group.groupID.address, namespace: number, at: now)
        }
        #expect(last == Array(junk)[InboxPlan.mostConfigs - 1].hash)
      }
    }
  }

  @Test func floodsOfJunkHideNoConfigs() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      for namespace in configs {
        for number in 0..<500 as Range<UInt16> {
          world.swarms.put(
            [UInt8(number % 256), UInt8(number / 256), 1, 2], to: group.groupID, in: namespace)
        }
      }
      try await alice.update(group) { $0.name = "Journey" }
      try await alice.invite([try Account.generate().id], to: group)
      try await world.settle(upTo: 20) {
        let (view, members) = (try await bob.group(group), try await bob.members(of: group))
        return view?.name == "Journey" && members.count == 3
      }
      #expect(try await bob.group(group)?.name == "Journey")
      #expect(try await bob.members(of: group).count == 3)
    }
  }

  @Test(arguments: [-1, Int64.min]) func negativeTimesClearNothing(time: Int64) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Stays", to: group)
      try await world.settle()
      try await edit(group, by: alice) { (group) throws(SessionError) in
        try group.updateInfo { info in
          info.createdAtSeconds = time
          info.disappearsAfterSeconds = time
          info.deletesBeforeSeconds = time
          info.deletesAttachmentsBeforeSeconds = time
          info.description = "Odd"
        }
      }
      try await world.settle()
      #expect(try await bob.group(group)?.description == "Odd")
      #expect(try await bob.group(group)?.timerSeconds == 0)
      try await bob.send("So does this", to: group)
      try await world.settle()
      for device in [alice, bob] {
        #expect(try await device.texts(in: group) == ["Stays", "So does this"])
      }
    }
  }

  /// Members whose ids are no account's, as only a faulty client of an admin writes them.
  @Test func oddMembersAreSkipped() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let id = group.groupID
      let fourth = try Account.generate().id
      func entry(_ key: [UInt8], _ flags: String) -> [UInt8] {
        Array("\(key.count):".utf8) + key + Array("d\(flags)1:n0:e".utf8)
      }
      let ids = [
        [UInt8](repeating: 1, count: 3), id.bytes, [0x15] + bob.id.bytes.dropFirst(),
        bob.id.bytes + [0],
      ]
      let members = [(alice.id.bytes, "1:Ai1e"), (bob.id.bytes, ""), (fourth.bytes, "1:Ii3e")]
      let entries = (ids.map { ($0, "") } + members).sorted { $0.0.lexicographicallyPrecedes($1.0) }
      let data = Array("d1:md".utf8) + entries.flatMap { entry($0.0, $0.1) } + Array("ee".utf8)
      // Another device of Alice stores them.
      let rows = try await alice.context.database.read { transaction in
        try transaction.configDumps().filter { $0.owner == id.address && $0.kind == "groupKeys" }
      }
      let dumps = rows.map { ConfigDump(ConfigName(.groupKeys, of: id), content: $0.content) }
      let seed = try #require(try alice.author.key(of: id)).seed
      let store = try ConfigStore(alice.context.account)
      try store.edit { configs in
        try configs.openGroup(
          id, adminSeed: seed,
          dumps: dumps + [CraftedConfig.dump(ConfigName(.groupMembers, of: id), data: data, revision: 40)])
      }
      try #require(store.damaged.isEmpty && dumps.count == 1)
      let batch = try #require(store.pendingPushes(in: id, at: alice.context.time()))
      let push = try #require(batch.pushes.first { $0.namespace == .groupMembers })
      for message in push.messages { world.swarms.put(message, to: id, in: .groupMembers) }
      try await world.settle()
      for device in [alice, bob] {
        #expect(Set(try await device.members(of: group).map(\.id)) == [alice.id, bob.id, fourth])
      }
      try await bob.send("Still here", to: group)
      try await world.settle()
      #expect(try await alice.texts(in: group) == ["Still here"])
    }
  }

  // MARK: - Nodes

  @Test func afterANodeThatRefusesEverythingAnotherIsPolled() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Hello", to: group)
      world.swarms.refuseMembers(at: MemorySwarms.nodes[0])
      try await world.settle(upTo: 80) { world.swarms.refusals > 0 }
      try #require(world.swarms.refusals > 0)
      let refusals = world.swarms.refusals
      try await alice.send("Are you there?", to: group)
      try await world.settle(rounds: 2)
      #expect(try await bob.texts(in: group) == ["Hello", "Are you there?"])
      // It is passed over in its next turn.
      #expect(world.swarms.refusals <= refusals + 1)
      let view = try #require(try await bob.group(group))
      #expect(view.standing == .joined && !view.hasLostAccess && !view.isExpired)
    }
  }

  @Test func stepsThatANodeDoesNotConfirmAreNotDone() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let (id, carol) = (group.groupID, try Account.generate().id)
      let notes = try await bob.notes(in: group)
      world.swarms.failSteps { step in step.namespace == .groupMembers ? .notDone : nil }
      try await alice.invite([carol], to: group)
      try await world.settle(rounds: 4)
      // The list of members counts as not stored, and its announcement waits.
      #expect(alice.author.configs.needsPush(in: id))
      #expect(try await bob.members(of: group).count == 2)
      #expect(try await bob.notes(in: group) == notes)
      world.swarms.failSteps { _ in nil }
      try await world.settle(upTo: 40) { try await bob.notes(in: group) != notes }
      #expect(try await bob.members(of: group).count == 3)
      #expect(try await bob.notes(in: group).dropFirst(notes.count) == [.members(.added, [carol])])
      #expect(!alice.author.configs.needsPush(in: id))
    }
  }

  @Test func membersWhoReturnWhileNodesAreDownAreNotRevokedAgain() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failSteps { step in
        step.isRevocation || step.isUnrevocation ? .done(members: 4, of: 6, until: nil) : nil
      }
      try await alice.remove([bob.id], from: group)
      try await world.settle(rounds: 8)
      #expect(try await bob.group(group)?.standing == .kicked)
      world.clock.advance(by: 3_600_000 / 2)
      try await alice.invite([bob.id], to: group)
      try await world.settle(rounds: 6)
      world.swarms.recordSteps(in: group.groupID)
      // For longer than the repetition lasts.
      for _ in 0..<30 {
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
      }
      let steps = world.swarms.recordedSteps.flatMap(\.self)
      #expect(steps.contains { $0.isUnrevocation })
      #expect(!steps.contains { $0.isRevocation })
      #expect(try await alice.jobs().jobs.allSatisfy { $0.kind != GroupRevocation.kind })
      #expect(try await bob.group(group)?.standing == .joined)
    }
  }

  // MARK: - Moments

  @Test func twoDevicesOfAnAdminThatPushAtOnceAgree() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let desk = try await world.device(of: alice.context.account)
      try await world.settle(upTo: 10) { try await desk.group(group)?.isAdmin == true }
      for device in [alice, desk] { try await device.update(group) { $0.name = "Journey" } }
      try await alice.update(group) { $0.description = "To the sea" }
      try await desk.update(group) { $0.timerSeconds = 3600 }
      // Both store their edits before they hear of the other.
      world.clock.advance(by: ConfigSync.gathering)
      for device in [alice, desk] { try await device.waitUntilIdle() }
      try await world.settle(rounds: 10)
      for device in [alice, desk, bob] {
        let view = try #require(try await device.group(group))
        #expect(view.name == "Journey" && view.description == "To the sea" && view.timerSeconds == 3600)
      }
      let pushes = world.swarms.attempts(in: group.groupID, .groupInfo).count
      #expect(pushes < 8)
      try await world.settle(rounds: 10)
      #expect(world.swarms.attempts(in: group.groupID, .groupInfo).count == pushes)
      #expect(world.swarms.kept(group.groupID, in: .groupInfo).count == 1)
    }
  }

  @Test func editsDuringASyncAreToldOnceTheyAreStored() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let id = group.groupID
      try await world.settle()
      world.swarms.recordSteps(in: id)
      world.swarms.decide { swarm, items in
        swarm == id && items.contains { $0.namespace == .groupInfo } ? .held : .done
      }
      try await alice.update(group) { $0.name = "One" }
      world.clock.advance(by: ConfigSync.gathering)
      await world.swarms.untilHeld()
      try await alice.update(group) { $0.name = "Two" }
      world.swarms.decide { _, _ in .done }
      world.swarms.release()
      try await world.settle(rounds: 5)
      #expect(try await bob.notes(in: group).suffix(2) == [.renamed("One"), .renamed("Two")])
      let steps = world.swarms.recordedSteps.flatMap(\.self).compactMap(\.namespace)
      let stored = try #require(steps.lastIndex(of: .groupInfo))
      let told = try #require(steps.firstIndex(of: .groupMessages))
      #expect(steps.count { $0 == .groupInfo } == 2 && told > stored)
    }
  }

  @Test func messagesThatComeBeforeTheirKeyAreShownOnce() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys], toMembersOnly: true)
      try await alice.invite([try Account.generate().id], to: group)
      try await world.settle(rounds: 4)
      try await alice.send("Under the new key", to: group)
      try await world.settle()
      #expect(try await bob.texts(in: group).isEmpty)
      world.swarms.failNamespaces([])
      try await world.settle(upTo: 20) { try await !bob.texts(in: group).isEmpty }
      try await world.settle()
      #expect(try await bob.texts(in: group) == ["Under the new key"])
    }
  }
}
