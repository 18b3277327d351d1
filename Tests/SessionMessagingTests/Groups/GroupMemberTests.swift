import Foundation
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// An admin invites, promotes and removes members.
@Suite(.timeLimit(.minutes(5))) struct GroupMemberTests {
  /// Carol, whom Alice knows.
  private func carol(in world: World, knowing alice: Messenger) async throws -> Messenger {
    let carol = try await world.device(of: .generate(), name: "Carol")
    try await carol.send("Hello", to: alice.id)
    try await world.settle()
    try await alice.send("Hello Carol", to: carol.id)
    try await world.settle()
    return carol
  }

  /// Carol, whom Alice has made an admin of the group.
  private func carol(
    administering group: Conversation.ID, in world: World, with alice: Messenger
  ) async throws -> Messenger {
    let carol = try await carol(in: world, knowing: alice)
    try await alice.invite([carol.id], to: group)
    try await world.settle(rounds: 5)
    try await alice.promote([carol.id], in: group)
    try await world.settle(rounds: 6)
    return carol
  }

  /// Lets only one admin work for a while.
  private func work(_ admin: Messenger, in world: World, polling: Bool) async throws {
    for _ in 0..<6 {
      world.clock.advance(by: 3100)
      try await admin.waitUntilIdle()
      if polling { await admin.poll() }
    }
  }

  private func member(_ id: SessionID, of group: Conversation.ID, _ messenger: Messenger) async throws
    -> GroupMemberView?
  {
    try await messenger.members(of: group).first { $0.id == id }
  }

  @Test func newMembersReadWhatFollows() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(in: world, knowing: alice)
      try await alice.send("before", to: group)
      try await world.settle()
      world.swarms.recordSteps(in: group.groupID)
      try await alice.invite([carol.id], to: group)
      #expect(try await member(carol.id, of: group, alice)?.status == .inviteSending)
      #expect(try await alice.notes(in: group).last == .members(.added, [carol.id]))
      try await world.settle(rounds: 5)
      // Access comes before the key, and the key before the configs that it opens.
      let sequence = try #require(world.swarms.recordedSteps.first { $0.contains { $0.isUnrevocation } })
      let token = try #require(try alice.author.key(of: group.groupID)).accessToken(of: carol.id)
      #expect(sequence.first == .unrevoke([token]))
      #expect(sequence.compactMap(\.namespace) == [.groupKeys, .groupInfo, .groupMembers])
      try await alice.send("after", to: group)
      try await world.settle()
      #expect(try await carol.texts(in: group) == ["after"])
      #expect(try await bob.texts(in: group) == ["before", "after"])
      #expect(try await bob.members(of: group).count == 3)
    }
  }

  @Test func newMembersReadEarlierMessagesIfTheyAreShared() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let carol = try await carol(in: world, knowing: alice)
      try await alice.send("before", to: group)
      try await world.settle()
      try await alice.invite([carol.id], to: group, sharingHistory: true)
      #expect(
        try await alice.notes(in: group).last
          == .members(.added, [carol.id], more: 0, seesHistory: true))
      try await world.settle(rounds: 6)
      #expect(try await carol.texts(in: group) == ["before"])
    }
  }

  @Test func pendingMembersAreInvitedAgainWithoutANewKey() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      // Alice does not know them, and they do not answer.
      let stranger = try await world.device(of: .generate(), name: "Dan")
      try await alice.invite([stranger.id], to: group)
      try await world.settle(rounds: 5)
      #expect(try await member(stranger.id, of: group, alice)?.status == .inviteSent)
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      let notes = try await alice.notes(in: group)
      world.clock.advance(by: 60_000)
      try await alice.invite([stranger.id], to: group)
      try await world.settle(rounds: 5)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
      #expect(try await alice.notes(in: group) == notes)
      #expect(world.swarms.attempts(in: stranger.id, .messages).count == 2)
    }
  }

  @Test func anInvitationRepeatedWithTheHistorySharesIt() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let carol = try await world.device(of: .generate(), name: "Carol")
      try await alice.send("before", to: group)
      try await world.settle()
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      try #require(try await member(carol.id, of: group, alice)?.isGivenHistory == false)
      world.clock.advance(by: 60_000)
      try await alice.invite([carol.id], to: group, sharingHistory: true)
      #expect(try await member(carol.id, of: group, alice)?.isGivenHistory == true)
      try await world.settle(rounds: 5)
      try await carol.acceptRequest(group)
      try await world.settle(rounds: 5)
      #expect(try await carol.texts(in: group) == ["before"])
    }
  }

  @Test func invitationsThatFailAreShown() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let stranger = try Account.generate().id
      world.swarms.decide { swarm, _ in swarm == stranger ? .refused(NetworkFailure(.rejected, "no")) : .done
      }
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      #expect(try await member(stranger, of: group, alice)?.status == .inviteFailed)
      #expect(try await alice.kinds().contains(.groupOfferFailed))
      world.swarms.decide { _, _ in .done }
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      #expect(try await member(stranger, of: group, alice)?.status == .inviteSent)
    }
  }

  @Test func theLastInvitationIsWrittenDownAtOnce() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let people = [try Account.generate().id, try Account.generate().id]
      // After a while the configs are pushed without a delay.
      try await world.settle()
      try await alice.invite(people, to: group)
      world.clock.advance(by: ConfigSync.gathering)
      for person in people {
        while try await member(person, of: group, alice)?.status != .inviteSent {
          try Task.checkCancellation()
          try await alice.waitUntilIdle()
        }
      }
    }
  }

  @Test func anInvitationIsWrittenDownWithThoseThatFollow() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let people = [try Account.generate().id, try Account.generate().id]
      try await world.settle()
      world.swarms.decide { swarm, _ in
        swarm == people[1] ? .refused(NetworkFailure(.transient, "no path")) : .done
      }
      try await alice.invite(people, to: group)
      world.clock.advance(by: ConfigSync.gathering)
      while world.swarms.attempts(in: people[0], .messages).isEmpty {
        try Task.checkCancellation()
        try await alice.waitUntilIdle()
      }
      try await alice.waitUntilIdle()
      #expect(try await member(people[0], of: group, alice)?.status == .inviteSending)
      world.clock.advance(by: MemberMarks.gathering)
      while try await member(people[0], of: group, alice)?.status != .inviteSent {
        try Task.checkCancellation()
        try await alice.waitUntilIdle()
      }
      #expect(try await member(people[1], of: group, alice)?.status == .inviteSending)
    }
  }

  @Test func aFailedInvitationIsForgottenWhenItIsRepeated() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let stranger = try Account.generate().id
      // The first one has just failed, which is not in the configs yet.
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      try await alice.context.write { [context = alice.context] transaction, _ in
        let mark = MemberMarks.Mark(
          person: stranger, event: GroupMember.Event.inviteFailed.rawValue, reason: "no")
        try transaction.enqueue(
          MemberMarks(group: group.groupID, marks: [mark], isShared: false),
          .at(context.jobTime + MemberMarks.gathering), at: context.jobTime)
      }
      world.swarms.decide { swarm, _ in
        swarm == stranger ? .refused(NetworkFailure(.transient, "no path")) : .done
      }
      try await alice.invite([stranger], to: group)
      world.clock.advance(by: MemberMarks.gathering + 100)
      try await alice.waitUntilIdle()
      #expect(try await member(stranger, of: group, alice)?.status == .inviteSending)
      #expect(try await !alice.kinds().contains(.groupOfferFailed))
    }
  }

  @Test func aRefusedGrantFailsTheInvitation() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let stranger = try Account.generate().id
      world.swarms.failSteps { step in
        step.isUnrevocation ? .failed(NetworkFailure(.rejected, "no such thing")) : nil
      }
      try await alice.invite([stranger], to: group)
      for _ in 0..<10 { try await world.settle() }
      #expect(try await member(stranger, of: group, alice)?.status == .inviteFailed)
      #expect(world.swarms.kept(stranger).isEmpty)
      world.swarms.failSteps { _ in nil }
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      #expect(try await member(stranger, of: group, alice)?.status == .inviteSent)
    }
  }

  @Test func wrongPeopleAreNotInvited() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      await expectFailure(.alreadyMember) { try await alice.invite([bob.id], to: group) }
      await expectFailure(.invalidRecipient) { try await alice.invite([alice.id], to: group) }
      let many = try (0..<99).map { _ in try Account.generate().id }
      await expectFailure(.groupFull) { try await alice.invite(many, to: group) }
      #expect(try await alice.members(of: group).count == 2)
      world.swarms.failSteps { $0.isRevocation ? .failed(NetworkFailure(.transient, "no path")) : nil }
      try await alice.remove([bob.id], from: group)
      await expectFailure(.removalPending) { try await alice.invite([bob.id], to: group) }
      await expectFailure(.removalPending) { try await alice.promote([bob.id], in: group) }
    }
  }

  @Test func promotedMembersAdministerTheGroup() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      #expect(try await alice.notes(in: group).last == .members(.promoted, [bob.id]))
      try await world.settle(rounds: 6)
      #expect(try await bob.group(group)?.isAdmin == true)
      try await bob.update(group) { $0.name = "Ours" }
      try await world.settle()
      #expect(try await alice.group(group)?.name == "Ours")
      await expectFailure(.isAdmin) { try await alice.remove([bob.id], from: group) }
    }
  }

  @Test func onlyMembersArePromoted() async throws {
    try await withCreatedGroup { (_, group, alice, _) async throws in
      let stranger = try Account.generate().id
      await expectFailure(.notMember) { try await alice.promote([stranger], in: group) }
      try await alice.invite([stranger], to: group)
      await expectFailure(.notAllowed) { try await alice.promote([stranger], in: group) }
    }
  }

  @Test func aMemberWhoHasJustAcceptedIsPromoted() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let stranger = try Account.generate().id
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      // Alice has read their answer, which is not in the configs yet.
      try await alice.context.write { [context = alice.context] transaction, _ in
        let mark = MemberMarks.Mark(person: stranger, event: GroupMember.Event.inviteAccepted.rawValue)
        try transaction.enqueue(
          MemberMarks(group: group.groupID, marks: [mark], isShared: true),
          .at(context.jobTime + Int64(MemberMarks.maxAcceptanceDelay)), at: context.jobTime)
      }
      try #require(try await member(stranger, of: group, alice)?.status == .inviteSent)
      try await alice.promote([stranger], in: group)
      try await world.settle(rounds: 6)
      #expect(try await member(stranger, of: group, alice)?.status == .promotionSent)
    }
  }

  @Test func eachDeviceOfANewAdminReadsWhatWasWrittenBefore() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("before", to: group)
      try await world.settle()
      let carol = try await carol(in: world, knowing: alice)
      let other = try await world.device(of: carol.context.account)
      try await world.settle()
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      // One device receives the promotion, and deletes it from the swarm before the other one is back.
      await other.suspend()
      try await alice.promote([carol.id], in: group)
      try await world.settle(rounds: 8)
      await other.resume()
      try await world.settle(rounds: 6)
      for device in [carol, other] { #expect(try await device.texts(in: group) == ["before"]) }
    }
  }

  @Test func removedMembersReadNothingAfterwards() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(in: world, knowing: alice)
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      let oldKeys = try bob.author.openingKeys(of: group.groupID)
      world.swarms.recordSteps(in: group.groupID)
      try await alice.remove([bob.id], from: group)
      #expect(try await alice.notes(in: group).last == .members(.removed, [bob.id]))
      #expect(try await member(bob.id, of: group, alice)?.status == .removed)
      try await world.settle(rounds: 6)
      #expect(try await member(bob.id, of: group, alice) == nil)
      #expect(try await carol.members(of: group).map(\.id).contains(bob.id) == false)
      // The swarm revokes his access and stores the notice before it gets the new key.
      let steps = world.swarms.recordedSteps.flatMap(\.self)
      let revocation = try #require(steps.firstIndex { $0.isRevocation })
      let notice = try #require(steps.firstIndex { $0.namespace == .groupRemovals })
      let key = try #require(steps.lastIndex { $0.namespace == .groupKeys })
      #expect(revocation < notice && notice < key)
      let sealed = try #require(world.swarms.kept(group.groupID, in: .groupRemovals).first)
      #expect(
        try bob.context.account.open(kickNotice: sealed.data, ofGroup: group.groupID).generation == 1)
      try await alice.send("He is gone", to: group)
      try await world.settle()
      #expect(try await carol.texts(in: group) == ["He is gone"])
      let newest = try #require(world.swarms.kept(group.groupID, in: .groupMessages).last)
      #expect(throws: (any Error).self) {
        try bob.context.account.decode(newest.data, from: .group(group.groupID, keys: oldKeys))
      }
    }
  }

  @Test func aRemovalWaitsForTheSwarm() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failSteps { step in
        step.isRevocation ? .failed(NetworkFailure(.transient, "no path")) : nil
      }
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      try await alice.remove([bob.id], from: group)
      for _ in 0..<5 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice)?.status == .removed)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
      world.swarms.failSteps { _ in nil }
      for _ in 0..<30 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice) == nil)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys + 1)
    }
  }

  @Test func aRemovalThatTheSwarmRefusesBeginsAgain() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failSteps { step in
        step.isRevocation ? .failed(NetworkFailure(.rejected, "no such thing")) : nil
      }
      try await alice.remove([bob.id], from: group)
      for _ in 0..<20 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice)?.status == .removed)
      world.swarms.failSteps { _ in nil }
      for _ in 0..<60 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice) == nil)
    }
  }

  @Test(arguments: [true, false])
  func aNewKeyDuringARemovalRepeatsTheNotice(isByAnotherAdmin: Bool) async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(administering: group, in: world, with: alice)
      let generation = try #require(try alice.author.generation(of: group.groupID))
      // An admin adds somebody, with a new key that Bob gets too, before the revocation succeeds.
      world.swarms.failSteps { $0.isRevocation ? .failed(NetworkFailure(.transient, "no path")) : nil }
      try await alice.remove([bob.id], from: group)
      try await alice.waitUntilIdle()
      try await (isByAnotherAdmin ? carol : alice).invite([try Account.generate().id], to: group)
      try await world.settle(rounds: 5)
      world.swarms.failSteps { _ in nil }
      for _ in 0..<40 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice) == nil)
      let notices = try world.swarms.kept(group.groupID, in: .groupRemovals).map { notice in
        try bob.context.account.open(kickNotice: notice.data, ofGroup: group.groupID).generation
      }
      #expect(notices.last.map { Int64($0) > generation } == true)
    }
  }

  @Test func removedMembersReadNothingWhenAdminsRekeyConcurrently() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(administering: group, in: world, with: alice)
      // Carol adds somebody before she learns that Alice has removed Bob, so that both make a key at once.
      for other in [bob, carol] { await other.suspend() }
      try await alice.remove([bob.id], from: group)
      try await work(alice, in: world, polling: true)
      #expect(try await member(bob.id, of: group, alice) == nil)
      await alice.suspend()
      let failure = NetworkFailure(.transient, "no path")
      world.swarms.failPolls(of: group.groupID, failure)
      await carol.resume()
      try await carol.invite([try Account.generate().id], to: group)
      try await work(carol, in: world, polling: false)
      // She gets both keys, but not yet the members, and makes a third key, also for Bob.
      world.swarms.failPolls(of: group.groupID, nil)
      world.swarms.failNamespaces([.groupMembers])
      try await work(carol, in: world, polling: true)
      #expect(try await member(bob.id, of: group, carol) != nil)
      world.swarms.failNamespaces([])
      for other in [alice, bob] { await other.resume() }
      try await world.settle(rounds: 10)
      #expect(try await member(bob.id, of: group, carol) == nil)
      try await alice.send("He is gone", to: group)
      try await world.settle()
      #expect(try await carol.texts(in: group).last == "He is gone")
      #expect(try await bob.texts(in: group).isEmpty)
    }
  }

  @Test func aKeyMadeForARemovedMemberIsReplacedWithoutItsAdmin() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(administering: group, in: world, with: alice)
      for other in [bob, carol] { await other.suspend() }
      try await alice.remove([bob.id], from: group)
      try await work(alice, in: world, polling: true)
      #expect(try await member(bob.id, of: group, alice) == nil)
      await alice.suspend()
      // Carol makes two keys, also for Bob, and her device ends for good.
      world.swarms.failPolls(of: group.groupID, NetworkFailure(.transient, "no path"))
      await carol.resume()
      try await carol.invite([try Account.generate().id], to: group)
      try await work(carol, in: world, polling: false)
      world.swarms.failPolls(of: group.groupID, nil)
      world.swarms.failNamespaces([.groupMembers])
      try await work(carol, in: world, polling: true)
      let bobsKeys = try carol.author.openingKeys(of: group.groupID)
      await world.stop(carol)
      world.swarms.failNamespaces([])
      await alice.resume()
      try await world.settle(rounds: 10)
      try await alice.send("He is gone", to: group)
      try await world.settle()
      let newest = try #require(world.swarms.kept(group.groupID, in: .groupMessages).last)
      #expect(throws: (any Error).self) {
        try bob.context.account.decode(newest.data, from: .group(group.groupID, keys: bobsKeys))
      }
    }
  }

  @Test func aKeyLostBeforeItWasStoredIsMadeAgain() async throws {
    let world = World()
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let device = try await FileDevice(of: .generate(), at: world.folder + "/alice.db", in: world)
    let bob = try Account.generate()
    let group = try await device.messenger.createGroup(GroupDraft(name: "Trip", members: [bob.id]))
    try await world.settle(rounds: 4)
    let bobsKeys = try device.messenger.author.openingKeys(of: group.groupID)
    world.swarms.decide { swarm, items in
      swarm == group.groupID && items.contains { $0.namespace == .groupMembers } ? .offline : .done
    }
    try await device.messenger.remove([bob.id], from: group)
    world.swarms.decide { swarm, items in
      swarm == group.groupID && items.contains { $0.namespace == .groupKeys } ? .offline : .done
    }
    try await world.settle(upTo: 40) { try await member(bob.id, of: group, device.messenger) == nil }
    try #require(try await member(bob.id, of: group, device.messenger) == nil)
    try await device.restart(in: world) { database in
      try await database.write { transaction in
        for dump in try transaction.configDumps()
        where dump.owner == group.address && dump.kind == ConfigKind.groupKeys.storedName {
          try transaction.put(ConfigDumpRecord(dump.kind, of: dump.owner, content: [1, 2, 3], at: dump.at))
        }
      }
    }
    world.swarms.decide { _, _ in .done }
    try await world.settle(rounds: 8)
    try await device.messenger.send("He is gone", to: group)
    try await world.settle()
    let newest = try #require(world.swarms.kept(group.groupID, in: .groupMessages).last)
    #expect(throws: (any Error).self) {
      try bob.decode(newest.data, from: .group(group.groupID, keys: bobsKeys))
    }
    await world.stop()
  }

  /// A removal waits for its requests from the moment in which it makes them: it learns of a refusal in any case.
  @Test func aRemovalWaitsForItsRequestsFromTheStart() async throws {
    var wasSeen = false
    for count in 1... {
      let world = World()
      let alice = try await MemoryDevice(of: .generate(), in: world)
      let bob = try Account.generate().id
      let group = try await alice.messenger.createGroup(GroupDraft(name: "Trip", members: [bob]))
      try await world.settle(rounds: 4)
      let hasEnded = try await alice.crash(afterCommits: count, in: world) { database in
        let found = try await database.read { transaction -> (SwarmStepRecord.ID, [JobDependency])? in
          guard let job = try transaction.job(GroupRemoval.kind, for: group.groupID.address),
            try !transaction.effects(of: job.id).isEmpty,
            let batch = try transaction.swarmSteps(of: group.address).first?.batch
          else { return nil }
          return (batch, try transaction.waits(of: job.id).map(\.dependency))
        }
        guard let (batch, waits) = found else { return }
        wasSeen = true
        #expect(waits == [.event(ConfigAuthor.stepEvent(of: batch))])
      } _: { messenger in
        try await messenger.remove([bob], from: group)
        for _ in 0..<3 {
          world.clock.advance(by: 3100)
          try await messenger.waitUntilIdle()
        }
      }
      await world.stop()
      if !hasEnded { break }
    }
    #expect(wasSeen)
  }

  @Test func anAdminWaitsForOthersBeforeRemovingWhoLeft() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      await bob.suspend()
      world.swarms.recordSteps(in: group.groupID)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: alice, world)
      let time = alice.context.jobTime
      await alice.poll()
      try await alice.waitUntilIdle()
      try #require(try await member(bob.id, of: group, alice)?.status == .removed)
      let job = try await alice.context.database.read { transaction in
        try transaction.job(GroupRemoval.kind, for: group.groupID.address)
      }
      #expect(job?.attempts == 0 && job.map { $0.notBefore >= time + GroupRemoval.delay } == true)
      try await world.settle(rounds: 8)
      #expect(try await member(bob.id, of: group, alice) == nil)
    }
  }

  @Test func anotherAdminCompletesARemoval() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await carol(administering: group, in: world, with: alice)
      // Carol's device ends for good once the mark is in the swarm.
      world.swarms.failSteps { $0.isRevocation ? .failed(NetworkFailure(.transient, "no path")) : nil }
      try await carol.author.edit { configs, _ in
        try configs.withGroup(group.groupID) { (group) throws(SessionError) in
          try group.updateMember(bob.id) { $0.note(.removal) }
        }
      } writing: { _, _, _ in
      }
      try await world.settle(rounds: 2)
      await world.stop(carol)
      world.swarms.failSteps { _ in nil }
      try await world.settle()
      #expect(try await member(bob.id, of: group, alice)?.status == .removed)
      for _ in 0..<10 { try await world.settle() }
      #expect(try await member(bob.id, of: group, alice) == nil)
      #expect(try await bob.group(group)?.standing == .kicked)
    }
  }

  @Test func aRemovalEndsWithItsGroup() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let stranger = try Account.generate().id
      try await alice.invite([stranger], to: group)
      try await world.settle(rounds: 5)
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      // Alice learns of the end by the poll that precedes the removal.
      await alice.suspend()
      try await bob.deleteForEveryone(group)
      for _ in 0..<4 {
        world.clock.advance(by: 3100)
        try await bob.waitUntilIdle()
      }
      try await alice.remove([stranger], from: group)
      await alice.resume()
      for _ in 0..<4 { try await world.settle() }
      #expect(try await alice.group(group)?.standing == .destroyed)
      let kinds = try await alice.jobs().jobs.map(\.kind)
      #expect(!kinds.contains(GroupRemoval.kind))
    }
  }

  @Test func halfOfTheSwarmIsEnoughAndTheOthersAreRetried() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failSteps { $0.isRevocation ? .done(members: 3, of: 6, until: nil) : nil }
      try await alice.remove([bob.id], from: group)
      try await world.settle(rounds: 6)
      #expect(try await member(bob.id, of: group, alice) == nil)
      // Alice adds him again before the job repeats the revocation: then the job must grant him access.
      try await alice.invite([bob.id], to: group)
      try await world.settle(rounds: 5)
      world.swarms.failSteps { _ in nil }
      world.swarms.recordSteps(in: group.groupID)
      for _ in 0..<4 {
        world.clock.advance(by: 3_600_000 / 2)
        try await world.settle()
      }
      let steps = world.swarms.recordedSteps.flatMap(\.self)
      #expect(steps.contains { $0.isUnrevocation })
      #expect(!steps.contains { $0.isRevocation })
    }
  }

  /// The number of requests to revoke access.
  private func revocations(_ world: World) -> Int {
    world.swarms.recordedSteps.joined().count { $0.isRevocation }
  }

  @Test func revocationGoesOnForADayAfterTheClockWasSetBack() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let (id, person) = (group.groupID, try Account.generate().id)
      world.swarms.failSteps { $0.isRevocation ? .done(members: 3, of: 6, until: nil) : nil }
      world.swarms.recordSteps(in: id)
      try await alice.context.write { [context = alice.context] transaction, _ in
        let now = context.jobTime
        let revocation = GroupRevocation(
          group: id, people: [person], until: now + 4 * UnsignedChange.timeLimit)
        try transaction.enqueue(revocation, at: now)
      }
      try await world.settle(rounds: 1)
      #expect(revocations(world) == 1)
      #expect(try await alice.jobs().jobs.contains { $0.kind == GroupRevocation.kind })
      for _ in 0..<26 {
        world.clock.advance(by: 3_600_000)
        try await world.settle(rounds: 1)
      }
      #expect((4...12).contains(revocations(world)))
      #expect(try await alice.jobs().jobs.allSatisfy { $0.kind != GroupRevocation.kind })
    }
  }

  @Test func theLastAttemptOfARevocationIsAfterADay() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let (id, person) = (group.groupID, try Account.generate().id)
      world.swarms.recordSteps(in: id)
      try await alice.context.write { [context = alice.context] transaction, _ in
        let now = context.jobTime
        let revocation = GroupRevocation(group: id, people: [person], until: now + 3_600_000)
        try transaction.enqueue(revocation, .at(now + 3_600_000), at: now)
      }
      world.clock.advance(by: 3_600_000)
      try await world.settle(rounds: 1)
      #expect(revocations(world) == 1)
      #expect(try await alice.jobs().jobs.allSatisfy { $0.kind != GroupRevocation.kind })
    }
  }

  @Test func messagesDoNotWaitForARevocationThatIsRepeated() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      world.swarms.failSteps { $0.isRevocation ? .done(members: 3, of: 6, until: nil) : nil }
      try await alice.remove([bob.id], from: group)
      try await world.settle(rounds: 6)
      #expect(try await alice.jobs().jobs.contains { $0.kind == GroupRevocation.kind })
      let id = try await alice.send("Bob is gone", to: group)
      try await world.settle()
      #expect(try await alice.row(id).state == .sent)
    }
  }
}

extension SwarmStep {
  var isRevocation: Bool {
    guard case .revoke = self else { return false }
    return true
  }

  var isUnrevocation: Bool {
    guard case .unrevoke = self else { return false }
    return true
  }

  /// The namespace in which the step stores a message; nil for other steps.
  var namespace: StorageNamespace? {
    guard case .store(let item) = self else { return nil }
    return item.namespace
  }
}

extension ConfigAuthor {
  func key(of group: SessionID) throws -> GroupAdminKey? {
    try configs.read { configs in try configs.groups[group]?.adminKey }
  }

  func generation(of group: SessionID) throws -> Int64? {
    try configs.read { configs in try configs.readGroup(group) { $0.generation } }
  }
}
