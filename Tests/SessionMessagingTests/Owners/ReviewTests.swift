import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

@Suite struct ReviewTests {
  private let token = [UInt8](repeating: 7, count: 36)

  /// Group info comes before its key, the program is restarted, then the key comes without a new info.
  @Test func infoThatCameBeforeItsKeyIsReadAfterARestart() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      try await withFolder { folder in
        let bob = try await world.start(
          Messenger.create(.generate(), name: "Bob", in: folder, world.dependencies))
        let group = try WorldGroup()
        try await group.found(by: alice, with: [bob.id])
        try await world.settle()
        await alice.suspend()
        world.swarms.failNamespaces([.groupKeys], toMembersOnly: true)
        try await group.join(bob, named: "Old")
        try await world.settle()
        #expect(try bob.author.messageKey(of: group.id) == nil)
        await world.stop(bob)
        let again = try await world.start(Messenger.open(folder, world.dependencies))
        world.swarms.failNamespaces([])
        try await world.settle(rounds: 5)
        #expect(try again.author.messageKey(of: group.id) != nil)
        let name = try await again.context.database.read { transaction in
          try transaction.thread(at: group.id.address).flatMap { try transaction.group($0.id)?.name }
        }
        #expect(name == "Trip")
        await world.stop(again)
      }
    }
  }

  /// A group id that is no key, which a device without this check stored.
  @Test func aGroupWithAnImpossibleIdStopsNothing() async throws {
    let world = World()
    let account = try Account.generate()
    try await withFolder { folder in
      let alice = try await world.start(
        Messenger.create(account, name: "Alice", in: folder, world.dependencies))
      try await world.settle()
      let laptop = try ConfigStore(account)
      let now = try alice.context.time()
      let friend = try Example.second().id
      let id = try SessionID(.group, key: [UInt8](repeating: 0xFF, count: 32))
      let access = try SecretBytes(copying: [UInt8](repeating: 3, count: 100))
      try laptop.edit { configs in
        try configs.groups.update(id) { group in
          group.name = "?"
          group.access = access
          group.membership.joinedAtSeconds = .max
          group.membership.mutedUntilSeconds = .max
        }
        try configs.contacts.update(friend) {
          $0.name = "Ann"
          $0.isApproved = true
          $0.createdAtSeconds = 1
        }
      }
      for push in laptop.pendingPushes(at: now).flatMap(\.pushes) {
        for message in push.messages { world.swarms.put(message, to: account.id, in: push.namespace) }
      }
      try await world.settle()
      let names = try await alice.contacts().map(\.name)
      #expect(names == ["Ann"])
      await world.stop(alice)
      let again = try await Messenger.open(folder, world.dependencies)
      await again.stop()
    }
    await world.stop()
  }

  /// A step alone, which too few nodes did, is repeated.
  @Test func aStepWithoutConfigsThatTooFewDidIsRepeated() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await world.settle()
      world.clock.advance(by: 60_000)
      try await world.settle()
      world.swarms.failSteps { step in
        if case .revoke = step { .done(members: 1, of: 5, until: nil) } else { nil }
      }
      try await alice.context.write { [token] transaction, now in
        _ = try transaction.insertSwarmSteps(
          [.init(.revoke, payload: token)], of: group.id.address, at: now.stored)
        try alice.author.requestSync(of: group.id, in: transaction)
      }
      try await world.settle()
      world.swarms.failSteps { _ in nil }
      for _ in 0..<3 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      let left = try await alice.context.database.read { transaction in
        try transaction.swarmSteps(of: group.id.address).count
      }
      #expect(left == 0)
    }
  }

  /// A failure of the network is no refusal: one node alone does not end a step.
  @Test func oneRefusalAfterAFailureDoesNotEndAStep() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let calls = Mutex(0)
      world.swarms.failSteps { step in
        guard case .revoke = step else { return nil }
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        switch call {
        case 1: return .failed(NetworkFailure(.transient, "busy"))
        case 2: return .failed(NetworkFailure(.rejected, "a lie"))
        default: return nil
        }
      }
      let batch = try await alice.context.write { [token] transaction, now in
        let batch = try transaction.insertSwarmSteps(
          [.init(.revoke, payload: token)], of: group.id.address, at: now.stored)
        try alice.author.requestSync(of: group.id, in: transaction)
        return batch
      }
      let event = ConfigAuthor.stepEvent(of: try #require(batch))
      let job = try await alice.context.write { transaction, _ in
        var request = JobRequest()
        request.dependencies = [.event(event)]
        return try transaction.enqueue(ConfigRestoring(owner: group.id), request, at: 0)
      }
      for _ in 0..<4 {
        world.clock.advance(by: 600_000)
        try await world.settle()
      }
      #expect(calls.withLock { $0 } >= 3)
      let ended = try await alice.context.database.read { transaction in try transaction.job(job) }
      #expect(ended?.state != .failed)
    }
  }

  /// Asking what is left to be stored does not count as handing it out.
  @Test(arguments: 0..<16) func askingWhatIsLeftKeepsEdits(round: Int) async throws {
    // In ConfigEditsTests: anEditThatFollowsAMergeIsNotTakenBack, with a look in between.
    let account = try Example.first()
    let friend = try Example.second().id
    let world = World()
    let one = try Messenger(account, .inMemory(schema: .account), world.dependencies)
    let other = try ConfigStore(account)
    var swarm = Swarm()
    let name = ConfigName(.contacts, of: account.id)
    let after = try DisappearingTimer(.afterRead, seconds: 4)
    let before = try DisappearingTimer(.afterSend, seconds: 20)
    try other.edit { configs in try configs.contacts.update(friend) { $0.name = "Ann" } }
    try swarm.take(from: other)
    try swarm.give(name, to: one.author.configs)
    try one.author.configs.edit { configs in
      try configs.contacts.update(friend) { $0.nickname = "An \(round)" }
    }
    try other.edit { configs in try configs.contacts.update(friend) { $0.disappearing = before } }
    try swarm.take(from: one.author.configs)
    try swarm.take(from: other)
    for device in [one.author.configs, other] { try swarm.give(name, to: device) }
    try one.author.configs.edit { configs in
      try configs.contacts.update(friend) { $0.disappearing = after }
    }
    #expect(!one.author.isInStep(account.id))
    try swarm.take(from: other)
    try swarm.give(name, to: one.author.configs)
    try swarm.take(from: one.author.configs)
    for device in [one.author.configs, other] {
      try swarm.give(name, to: device)
      let ann = try device.read { configs in try configs.contacts[friend] }
      #expect(ann?.disappearing == after && ann?.nickname == "An \(round)")
    }
  }

  /// A case that was built by hand reaches no conversation of another kind.
  @Test func casesBuiltByHandAreRefused() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try group.say("secret", by: alice, in: world)
      try await world.settle()
      let wrong = Conversation.ID.person(group.id)
      await #expect { try await bob.messages(in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.conversation(wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.search("secret", in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.setDraft("x", in: wrong) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      await #expect { try await bob.setDraft("x", in: .group(bob.id)) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      #expect(try await bob.conversation(group.conversation)?.draft == nil)
    }
  }

  /// Who is removed while a message waits for a key learns it at once.
  @Test func aMessageThatWaitsForAKeyFailsWhenWeAreRemoved() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.swarms.failNamespaces([.groupKeys])
      try await group.rekey(by: alice)
      let id = try await alice.send("too late", to: group.conversation)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .sending)
      try await group.kick(alice)
      try await world.settle()
      #expect(try await alice.message(id)?.state == .failed("you are not in this group any more"))
    }
  }

  /// A poll that ends after we were removed leaves nothing behind that hides messages from who comes back.
  @Test func whatAPollBringsAfterARemovalIsReadAfterTheReturn() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let data = try group.sealed("meanwhile", by: alice, at: time)
      await bob.suspend()
      let hash = world.swarms.put(data, to: group.id, in: .groupMessages)
      let message = try #require(group.kept(in: world).last)
      #expect(message.hash == hash)
      let inbox = bob.inbox.makeInbox(of: group.id)
      let node = MemorySwarms.nodes[0].hex
      try await group.kick(bob)
      _ = try? await inbox.take(
        SwarmHarvest(node: node, [.groupMessages: .success(SwarmHarvest.Crop([message]))]))
      let seen = try await bob.context.database.read { transaction in
        try transaction.hasSeen(hash, in: group.id.address)
      }
      #expect(!seen)
      let (number, now) = (Int(StorageNamespace.groupMessages.rawValue), world.clock.now)
      let last = try await bob.context.database.read { transaction in
        try transaction.lastHash(from: node, of: group.id.address, namespace: number, at: now)
      }
      #expect(last == nil)
      let access = try group.key.grantAccess(to: bob.id)
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) {
          $0.markInvited()
          $0.access = access
        }
      } writing: { _, _, _ in
      }
      await bob.resume()
      try await world.settle(rounds: 5)
      #expect(try await group.bodies(bob) == ["meanwhile"])
    }
  }

  /// A timer of a group without measure.
  @Test(arguments: [Int64.max, Int64.max / 1000, 1 << 40]) func anEndlessTimerIsBounded(seconds: Int64)
    async throws
  {
    try await withGroup { (world, group, alice, bob) async throws in
      try await alice.author.edit { [group] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateInfo { $0.disappearsAfterSeconds = seconds }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      let id = try await bob.send("still here", to: group.conversation)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
      #expect(try await group.bodies(bob) == ["still here"])
      #expect(try await bob.conversations().contains { $0.id == group.conversation })
    }
  }

  /// A node that says it keeps a message for ever.
  @Test func aNodeThatKeepsForEverIsNotBelieved() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let ever = try MessageTime(milliseconds: UInt64(Int64.max))
      world.swarms.failSteps { step in
        if case .store = step { .done(members: 1, of: 1, until: ever) } else { nil }
      }
      let id = try await bob.send("ever", to: group.conversation)
      try await bob.send("note", to: bob.id)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
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

  /// The rest of a group counts in the time of the network, as its messages do.
  @Test(arguments: [-20 * 86_400_000, 20 * 86_400_000] as [Int64])
  func aWrongClockDoesNotSlowGroups(error: Int64) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let late = try await world.device(of: .generate(), name: "Carol", aheadBy: error)
      try await group.join(late)
      try await world.settle()
      try await alice.author.edit { [id = late.id] configs, _ in
        try configs.withGroup(group.id) { (group) throws(SessionError) in
          try group.updateMember(id) { $0.note(.inviteAccepted) }
          try group.rekey()
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      try group.say("just now", by: alice, in: world)
      try await world.settle()
      #expect(try await group.bodies(late) == ["just now"])
      let rest = await late.inbox.makeInbox(of: group.id).rest(after: .done, usual: .seconds(1))
      #expect(rest < .seconds(4))
    }
  }

  /// A node that says it keeps a message for ever, when nothing is known of that message any more.
  @Test func aNodeThatKeepsForEverLeavesNoEndlessRow() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      group.decide(.offline, in: world)
      let id = try await bob.send("late", to: group.conversation)
      try await world.settle(rounds: 1)
      // Since then it has expired.
      try await bob.context.write { transaction, _ in
        try transaction.run("DELETE FROM seenMessage WHERE address = ?", group.id.address)
      }
      let ever = try MessageTime(milliseconds: UInt64(Int64.max))
      world.swarms.failSteps { step in
        if case .store = step { .done(members: 1, of: 1, until: ever) } else { nil }
      }
      group.decide(.done, in: world)
      try await world.settle()
      #expect(try await bob.message(id)?.state == .sent)
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

  /// A damaged dump of a group is fetched again.
  @Test(arguments: ["groupKeys", "groupInfo", "groupMembers"])
  func damagedConfigsOfAGroupAreFetchedAgain(kind: String) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      try await withFolder { folder in
        let bob = try await world.start(
          Messenger.create(.generate(), name: "Bob", in: folder, world.dependencies))
        let group = try WorldGroup()
        try await group.found(by: alice, with: [bob.id])
        try await world.settle()
        try await group.join(bob)
        try await world.settle()
        try await bob.context.write { transaction, _ in
          try transaction.put(
            ConfigDumpRecord(kind, of: group.id.address, content: Array("garbage".utf8), at: 1))
        }
        await world.stop(bob)
        let again = try await world.start(Messenger.open(folder, world.dependencies))
        try await alice.author.edit { configs, _ in
          try configs.withGroup(group.id) { (group) throws(SessionError) in
            try group.updateInfo { $0.name = "Journey" }
          }
        } writing: { _, _, _ in
        }
        try await world.settle()
        #expect(try again.author.messageKey(of: group.id) != nil)
        let (count, name) = try again.author.configs.read { configs in
          try configs.readGroup(group.id) { (group) throws(SessionError) in
            (try group.memberCount, try group.getInfo().name)
          }
        }
        #expect(count == 2 && name == "Journey")
        try await again.send("hello", to: group.conversation)
        try await world.settle()
        #expect(try await group.bodies(alice) == ["hello"])
        await world.stop(again)
      }
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

  /// Groups whose swarms are slow do not keep the account's own configs from being stored.
  @Test func slowGroupsDoNotHoldUpTheAccountsConfigs() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let groups = try (0..<6).map { _ in try WorldGroup() }
      for group in groups { try await group.found(by: alice, with: []) }
      try await world.settle()
      let ids = Set(groups.map(\.id))
      world.swarms.decide { swarm, _ in ids.contains(swarm) ? .held : .done }
      for group in groups {
        try await alice.author.edit { configs, _ in
          try configs.withGroup(group.id) { (group) throws(SessionError) in
            try group.updateInfo { $0.name = "Journey" }
          }
        } writing: { _, _, _ in
        }
      }
      world.clock.advance(by: 5000)
      await world.swarms.untilHeld()
      let before = world.swarms.attempts(in: alice.id, .profile).count
      try await alice.setName("Allie")
      for _ in 0..<50 {
        world.clock.advance(by: 1000)
        for _ in 0..<200 { await Task.yield() }
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(world.swarms.attempts(in: alice.id, .profile).count > before)
      world.swarms.decide { _, _ in .done }
      world.swarms.release()
      try await world.settle()
    }
  }

  /// A message with a file that waits for a key fails too when we are removed, and what was behind it.
  @Test func allThatWaitsForAKeyFailsWhenWeAreRemoved() async throws {
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
        #expect(try await alice.message(id)?.state == .failed("you are not in this group any more"))
      }
    }
  }

  /// What another device says of the account's groups takes hold in the middle of a sync and of a delivery.
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

  /// One node that refuses us does not fail a message, two do.
  @Test(arguments: [1, 2]) func aMessageThatOneNodeRefusesIsSentByAnother(refusals: Int) async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let calls = Mutex(0)
      group.decide(in: world) {
        let call = calls.withLock { calls in
          calls += 1
          return calls
        }
        return call <= refusals ? .refused(NetworkFailure(.unauthorized, "not a member")) : .done
      }
      let id = try await bob.send("let me in", to: group.conversation)
      for _ in 0..<3 {
        try await world.settle()
        world.clock.advance(by: 60_000)
      }
      #expect(try await bob.message(id)?.state == (refusals == 1 ? .sent : .failed("not a member")))
    }
  }

  /// A node gives an old message under the name of a new one: the new one is still read.
  @Test func aMessageUnderAnothersNameHidesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      await alice.suspend()
      let old = try #require(world.swarms.kept(alice.id).last)
      try await bob.send("the one to hide", to: alice.id)
      try await bob.waitUntilIdle()
      let new = try #require(world.swarms.kept(alice.id).last)
      #expect(new.hash != old.hash)
      let forged = SwarmMessage(
        hash: new.hash, data: old.data, storedAt: new.storedAt, expiresAt: new.expiresAt)
      _ = try await alice.inbox.makeInbox(of: alice.id).take(
        SwarmHarvest(node: "liar", [.messages: .success(SwarmHarvest.Crop([forged]))]))
      await alice.resume()
      try await world.settle()
      #expect(try await alice.bodies(in: bob.id).last == "the one to hide")
    }
  }

  /// A node gives an old config under the name of a message: we do not delete that message.
  @Test func aConfigUnderAnothersNameDeletesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setName("Alicia")
      try await world.settle()
      let old = try #require(world.swarms.kept(alice.id, in: .profile).last)
      try await alice.setName("Allie")
      try await world.settle()
      let victim = try #require(world.swarms.kept(alice.id).last)
      let forged = SwarmMessage(
        hash: victim.hash, data: old.data, storedAt: old.storedAt, expiresAt: old.expiresAt)
      _ = try await alice.inbox.makeInbox(of: alice.id).take(
        SwarmHarvest(node: "liar", [.profile: .success(SwarmHarvest.Crop([forged]))]))
      for _ in 0..<4 {
        world.clock.advance(by: 10_000)
        try await world.settle()
      }
      #expect(world.swarms.kept(alice.id).contains { $0.hash == victim.hash })
    }
  }
}
