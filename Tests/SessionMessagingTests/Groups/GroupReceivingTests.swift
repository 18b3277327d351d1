import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// The handling of messages about a group, and the senders from which they are accepted.
@Suite struct GroupReceivingTests {
  private func visible(_ text: String) throws -> MessageContent { .visible(try VisibleMessage(body: text)) }

  private func member(_ id: SessionID, of group: Conversation.ID, _ messenger: Messenger) async throws
    -> GroupMemberView?
  {
    try await messenger.members(of: group).first { $0.id == id }
  }

  private func ids(_ count: Int) -> [SessionID] {
    (0..<count).compactMap { number in
      var key = [UInt8](repeating: 9, count: 32)
      (key[0], key[1]) = (UInt8(number % 256), UInt8(number / 256))
      return try? SessionID(.standard, key: key)
    }
  }

  // MARK: - Notes

  @Test func actionsOfAdminsAreNotedByAllMembers() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let before = try await bob.notes(in: group)
      let stranger = try Account.generate().id
      try await alice.update(group) { details in
        details.name = "Journey"
        details.timerSeconds = 3600
      }
      try await alice.invite([stranger], to: group, sharingHistory: true)
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 3)
      try await alice.remove([stranger], from: group)
      try await world.settle(rounds: 5)
      let notes = try await bob.notes(in: group).dropFirst(before.count)
      #expect(
        notes == [
          .renamed("Journey"), .timerChanged, .members(.added, [stranger], more: 0, seesHistory: true),
          .members(.promoted, [bob.id]), .members(.removed, [stranger]),
        ])
      let rows = try await bob.messages(in: group).filter { $0.kind != .message }
      #expect(rows.allSatisfy { $0.isRead && $0.author == alice.id })
      // Both see them at the same time.
      let hers = try await alice.messages(in: group).map(\.sentAt)
      #expect(Set(rows.map(\.sentAt)).isSubset(of: hers))
      #expect(try await bob.conversation(group)?.unreadMessages == 0)
    }
  }

  @Test func membersDoNotSpeakForAdmins() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await world.device(of: .generate(), name: "Carol")
      try await carol.send("Hello", to: alice.id)
      try await world.settle()
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      let notes = try await carol.notes(in: group)
      let key = try #require(try alice.author.key(of: group.groupID))
      // A signature covers the kind and the time only, so anyone can put other names beside it.
      try put(
        signing: .memberChange(GroupMemberChange(.removed, members: [carol.id])), with: key,
        by: bob.context.account, in: group.groupID, keyOf: bob, world)
      try put(
        signing: .infoChange(.name("Bob's")), with: key, by: bob.context.account, in: group.groupID,
        keyOf: bob,
        world)
      try put(
        signing: .infoChange(.disappearing(seconds: 1)), with: key, by: bob.context.account,
        in: group.groupID,
        keyOf: bob, world)
      try await world.settle()
      for device in [alice, carol] {
        #expect(try await device.group(group)?.name == "Trip")
        #expect(try await device.group(group)?.timerSeconds == 0)
      }
      #expect(try await carol.notes(in: group) == notes)
    }
  }

  /// Until the members have arrived, the inviter is only assumed to be an admin.
  @Test func messagesAreReadOnceTheMembersAreKnown() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let carol = try await world.device(of: .generate(), name: "Carol")
      try await carol.send("Hello", to: alice.id)
      try await world.settle()
      try await alice.send("Hello Carol", to: carol.id)
      try await world.settle()
      world.swarms.failNamespaces([.groupMembers], toMembersOnly: true)
      try await alice.invite([carol.id], to: group)
      try await world.settle(rounds: 5)
      #expect(Set(try await carol.members(of: group).map(\.id)) == [alice.id, carol.id])
      try await alice.update(group) { $0.name = "Early" }
      try await world.settle(rounds: 4)
      #expect(try await carol.group(group)?.name == "Early")
      #expect(try await carol.notes(in: group).contains(.renamed("Early")) == false)
      world.swarms.failNamespaces([])
      try await world.settle()
      for member in [bob, carol] { #expect(try await member.notes(in: group).last == .renamed("Early")) }
    }
  }

  @Test func aCopiedSignatureOfAnotherAdminIsDropped() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      let (key, time) = (try #require(try alice.author.key(of: group.groupID)), world.clock.now)
      let (real, wrong) = (ids(2)[0], ids(2)[1])
      try put(
        signing: .memberChange(GroupMemberChange(.added, members: [real])), with: key,
        by: alice.context.account, in: group.groupID, keyOf: alice, at: time, world)
      try put(
        signing: .memberChange(GroupMemberChange(.added, members: [wrong])), with: key,
        by: bob.context.account, in: group.groupID, keyOf: bob, at: time, world)
      let carol = try await world.device(of: bob.context.account)
      try await world.settle()
      let notes = try await carol.notes(in: group)
      #expect(notes.contains(.members(.added, [real])))
      #expect(!notes.contains(.members(.added, [wrong])))
    }
  }

  @Test func changesOfTwoTypesAtTheSameTimeAreTwoNotes() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.promote([bob.id], in: group)
      try await world.settle(rounds: 6)
      let (key, time) = (try #require(try alice.author.key(of: group.groupID)), world.clock.now)
      let before = try await alice.notes(in: group).count
      let (added, removed) = (ids(2)[0], ids(2)[1])
      let changes: [(GroupUpdate, by: Account)] = [
        (.infoChange(.name("Journey")), alice.context.account), (.infoChange(.picture), bob.context.account),
        (.memberChange(try GroupMemberChange(.added, members: [added])), alice.context.account),
        (.memberChange(try GroupMemberChange(.removed, members: [removed])), bob.context.account),
      ]
      // One who sends two messages in the same millisecond sends the same one twice.
      for (number, change) in changes.enumerated() {
        try put(
          signing: change.0, with: key, by: change.by, in: group.groupID, keyOf: alice,
          at: time + Int64(number / 2), world)
      }
      let fresh = try await world.device(of: bob.context.account)
      try await world.settle()
      let notes = try await fresh.notes(in: group)
      for note in [
        MessageView.Note.renamed("Journey"), .pictureChanged, .members(.added, [added]),
        .members(.removed, [removed]),
      ] { #expect(notes.contains(note), "\(note)") }
      #expect(try await alice.notes(in: group).count == before + 4)
    }
  }

  @Test func twoMembersWhoLeaveAtTheSameTimeAreBothNoted() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let other = try Account.generate()
      try await alice.invite([other.id], to: group)
      try await world.settle(rounds: 5)
      let time = world.clock.now
      for member in [bob.context.account, other] {
        try put(.memberLeftNotification, by: member, in: group.groupID, keyOf: bob, at: time, world)
      }
      try await world.settle()
      let notes = try await alice.notes(in: group)
      #expect(notes.contains(.members(.left, [bob.id])) && notes.contains(.members(.left, [other.id])))
    }
  }

  @Test func signaturesCountForTheirTimeAndGroupOnly() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let other = try await alice.createGroup(GroupDraft(name: "Other", members: [bob.id]))
      try await world.settle(rounds: 5)
      let key = try #require(try alice.author.key(of: group.groupID))
      let now = world.clock.now
      let change = GroupUpdate.memberChange(try GroupMemberChange(.added, members: ids(1)))
      try put(
        signing: change, with: key, for: now, by: alice.context.account, in: group.groupID, keyOf: alice,
        at: now + 1, world)
      try put(
        signing: change, with: key, by: alice.context.account, in: other.groupID, keyOf: alice, at: now, world
      )
      let deletion = GroupUpdate.contentDeletion(try GroupContentDeletion(ofMembers: [bob.id]))
      try await bob.send("Stays", to: group)
      try await bob.send("Stays", to: other)
      try await world.settle()
      let later = world.clock.now
      try put(
        signing: deletion, with: key, for: later, by: alice.context.account, in: group.groupID, keyOf: alice,
        at: later + 1, world)
      try put(
        signing: deletion, with: key, by: alice.context.account, in: other.groupID, keyOf: alice, at: later,
        world)
      try await world.settle()
      for conversation in [group, other] {
        #expect(try await bob.texts(in: conversation) == ["Stays"])
        #expect(try await bob.notes(in: conversation).contains(.members(.added, ids(1))) == false)
      }
    }
  }

  @Test func aNoteListsAHundredMembers() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      let people = ids(8000)
      try put(
        signing: .memberChange(GroupMemberChange(.added, members: people)), with: key,
        by: alice.context.account, in: group.groupID, keyOf: alice, world)
      try await world.settle()
      guard case .members(.added, let listed, let more, _)? = try await bob.notes(in: group).last else {
        Issue.record("there is no note")
        return
      }
      #expect(listed == Array(people.prefix(100)) && more == 7900)
    }
  }

  // MARK: - Accepting and leaving

  @Test func writingAcceptsAnInvitation() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let accounts = try (0..<3).map { _ in try Account.generate() }
      try await alice.invite(accounts.map(\.id), to: group)
      let message = try await alice.send("Welcome", to: group)
      try await world.settle(rounds: 5)
      for account in accounts {
        #expect(try await member(account.id, of: group, alice)?.status == .inviteSent)
      }
      try put(.inviteResponse, by: accounts[0], in: group.groupID, keyOf: alice, world)
      try put(visible("Thanks"), by: accounts[1], in: group.groupID, keyOf: alice, world)
      let welcome = try #require(try await alice.message(message))
      let reaction = try MessageReaction(
        .react, emoji: "👍", targetSentAt: MessageTime(milliseconds: UInt64(welcome.sentAt)),
        targetAuthor: alice.id)
      try put(.reaction(reaction), by: accounts[2], in: group.groupID, keyOf: alice, world)
      try await world.settle(rounds: 4)
      for account in accounts {
        #expect(try await member(account.id, of: group, alice)?.status == .inviteAccepted)
      }
    }
  }

  @Test func aPictureThatNoConfigHoldsDoesNotStopOtherMembers() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let invited = try Account.generate()
      try await alice.invite([invited.id], to: group)
      try await world.settle(rounds: 5)
      let host = (0..<5).map { _ in String(repeating: "a", count: 60) }.joined(separator: ".")
      let picture = try #require(FileURL("http://\(host).org/file/1"))
      let key = try SecretBytes(copying: [UInt8](repeating: 7, count: 32))
      let profile = try MessageProfile(
        name: "Long", picture: .init(url: picture, key: key), updatedAtSeconds: 1)
      try put(
        .visible(VisibleMessage(body: "Hi", profile: profile)), by: invited, in: group.groupID, keyOf: alice,
        world)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: alice, world)
      try await world.settle(rounds: 6)
      let member = try #require(try await member(invited.id, of: group, alice))
      #expect(member.status == .inviteAccepted && member.name == "Long")
      #expect(try await alice.members(of: group).map(\.id).contains(bob.id) == false)
    }
  }

  @Test func outsidersCannotAcceptOrLeave() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let outsider = try Account.generate()
      try put(.inviteResponse, by: outsider, in: group.groupID, keyOf: alice, world)
      try put(.memberLeft, by: outsider, in: group.groupID, keyOf: alice, world)
      // Our own devices learn of leaving by our configs.
      try put(.memberLeft, by: alice.context.account, in: group.groupID, keyOf: alice, world)
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      try await world.settle(rounds: 4)
      #expect(Set(try await alice.members(of: group).map(\.id)) == [alice.id, bob.id])
      #expect(try await member(alice.id, of: group, alice)?.status == .promotionAccepted)
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys)
    }
  }

  @Test func adminsRemoveWhoLeaves() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let keys = world.swarms.kept(group.groupID, in: .groupKeys).count
      let notes = try await alice.notes(in: group)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: bob, world)
      try put(.memberLeftNotification, by: bob.context.account, in: group.groupID, keyOf: bob, world)
      await bob.suspend()
      try await world.settle(rounds: 10)
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
      #expect(world.swarms.kept(group.groupID, in: .groupKeys).count == keys + 1)
      #expect(try await alice.notes(in: group).dropFirst(notes.count) == [.members(.left, [bob.id])])
    }
  }

  @Test func leavingBeforeBeingAddedAgainIsIgnored() async throws {
    try await withCreatedGroup { (world, group, alice, _) async throws in
      let account = try Account.generate()
      try await alice.invite([account.id], to: group)
      try await world.settle(rounds: 5)
      let time = world.clock.now
      try put(.memberLeft, by: account, in: group.groupID, keyOf: alice, at: time - 200_000, world)
      try await world.settle(rounds: 4)
      #expect(try await member(account.id, of: group, alice)?.status == .inviteSent)
      // Clocks differ.
      try put(.memberLeft, by: account, in: group.groupID, keyOf: alice, at: time - 60_000, world)
      try await world.settle(rounds: 6)
      #expect(try await member(account.id, of: group, alice) == nil)
    }
  }

  // MARK: - Deleting

  @Test func membersDeleteOnlyTheirOwnMessages() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let hers = try await alice.send("Hers", to: group)
      let his = try await bob.send("His", to: group)
      try await world.settle()
      let hashes = [try await alice.row(hers).serverHash, try await bob.row(his).serverHash].compactMap(
        \.self)
      try put(
        .contentDeletion(GroupContentDeletion(ofMembers: [alice.id], messageHashes: hashes)),
        by: bob.context.account, in: group.groupID, keyOf: bob, world)
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group) == ["Hers"]) }
    }
  }

  @Test func everythingOfAMemberIsDeletedUpToTheRequest() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      let first = try await bob.send("Before", to: group)
      try await alice.send("Hers", to: group)
      try await world.settle()
      let hash = try #require(try await bob.row(first).serverHash)
      let time = world.clock.now
      world.clock.advance(by: 5)
      try await bob.send("After", to: group)
      // One message may be meant twice.
      try put(
        signing: .contentDeletion(
          GroupContentDeletion(ofMembers: [bob.id, bob.id], messageHashes: [hash, hash])),
        with: key, by: alice.context.account, in: group.groupID, keyOf: alice, at: time, world)
      let before = try await bob.kinds().count { $0 == .messageDeleted }
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group) == ["Hers", "After"]) }
      #expect(try await bob.kinds().count { $0 == .messageDeleted } == before + 1)
    }
  }

  @Test func aDeletedMessageDoesNotComeBackFromAnotherNode() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      let text = try visible("Unwanted")
      let time = try MessageTime(milliseconds: UInt64(world.clock.now))
      let messageKey = try #require(try alice.author.messageKey(of: group.groupID))
      let bytes = try alice.context.account.encode(
        Message(text, sentAt: time), for: .group(group.groupID, key: messageKey))
      let hash = SwarmItem(bytes, in: .groupMessages, for: .zero).hash(in: group.groupID)
      world.clock.advance(by: 1000)
      try put(
        signing: .contentDeletion(GroupContentDeletion(messageHashes: [hash])), with: key,
        by: alice.context.account, in: group.groupID, keyOf: alice, world)
      try await world.settle()
      world.swarms.put(bytes, to: group.groupID, in: .groupMessages)
      try await world.settle()
      #expect(try await bob.texts(in: group).isEmpty)
    }
  }

  @Test func clearedGroupsTakeNoOlderMessages() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Old", to: group)
      try await world.settle()
      let time = world.clock.now
      world.clock.advance(by: 10_000)
      try await alice.clear(group, .messages, before: .max)
      try await world.settle(rounds: 4)
      #expect(try await bob.texts(in: group).isEmpty)
      // Late messages do not count as new either, unless they change the group.
      try put(visible("Late"), by: alice.context.account, in: group.groupID, keyOf: alice, at: time, world)
      let key = try #require(try alice.author.key(of: group.groupID))
      try put(
        signing: .infoChange(.picture), with: key, by: alice.context.account, in: group.groupID, keyOf: alice,
        at: time, world)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: bob, at: time, world)
      await bob.poll()
      #expect(try await bob.texts(in: group).isEmpty)
      #expect(try await bob.notes(in: group).contains(.pictureChanged) == false)
      await bob.suspend()
      try await world.settle(rounds: 6)
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
    }
  }

  @Test func timesInTheFutureClearOnlyWhatWasSentBefore() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      try await alice.send("Gone", to: group)
      try await world.settle()
      world.clock.advance(by: 5000)
      try await alice.author.edit { configs, _ in
        try configs.withGroup(group.groupID) { (group) throws(SessionError) in
          try group.updateInfo { info in
            info.deletesBeforeSeconds = 7_258_118_400
            info.deletesAttachmentsBeforeSeconds = 7_258_118_400
          }
        }
      } writing: { _, _, _ in
      }
      try await world.settle()
      world.clock.advance(by: 5000)
      try await alice.send("Still here", to: group)
      try await world.settle()
      world.clock.advance(by: 5000)
      try await alice.update(group) { $0.name = "Other name" }
      try await world.settle()
      #expect(try await bob.group(group)?.name == "Other name")
      #expect(try await bob.texts(in: group) == ["Still here"])
      #expect(try await alice.texts(in: group) == ["Still here"])
      // An admin can still clear the group.
      world.clock.advance(by: 5000)
      try await alice.clear(group, .messages, before: .max)
      try await world.settle()
      try await bob.send("New", to: group)
      try await world.settle()
      #expect(try await bob.texts(in: group) == ["New"])
      #expect(try await alice.texts(in: group) == ["New"])
    }
  }

  // MARK: - Hostile members

  @Test func blockedMembersAreNotShownButStillLeave() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let mine = try await alice.send("Hello", to: group)
      try await alice.block(bob.id)
      try put(visible("Spam"), by: bob.context.account, in: group.groupID, keyOf: bob, world)
      let target = try #require(try await alice.message(mine))
      let reaction = try MessageReaction(
        .react, emoji: "👍", targetSentAt: MessageTime(milliseconds: UInt64(target.sentAt)),
        targetAuthor: alice.id)
      try put(.reaction(reaction), by: bob.context.account, in: group.groupID, keyOf: bob, world)
      try put(.memberLeft, by: bob.context.account, in: group.groupID, keyOf: bob, world)
      await bob.suspend()
      try await world.settle(rounds: 6)
      #expect(try await alice.texts(in: group) == ["Hello"])
      #expect(try await alice.message(mine)?.reactions == [])
      #expect(try await alice.members(of: group).map(\.id) == [alice.id])
    }
  }

  @Test func reactionsToTheMessagesOfBlockedMembersAreDropped() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let other = try Account.generate()
      try await alice.invite([other.id], to: group)
      try await world.settle(rounds: 5)
      try await alice.block(bob.id)
      let time = world.clock.now
      try put(visible("Spam"), by: bob.context.account, in: group.groupID, keyOf: bob, at: time, world)
      let reaction = try MessageReaction(
        .react, emoji: "👍", targetSentAt: MessageTime(milliseconds: UInt64(time)), targetAuthor: bob.id)
      try put(.reaction(reaction), by: other, in: group.groupID, keyOf: bob, world)
      try put(visible("Hello"), by: other, in: group.groupID, keyOf: bob, world)
      try await world.settle()
      let messages = try await alice.messages(in: group).filter { $0.kind == .message }
      #expect(messages.map(\.body) == ["Hello"] && messages.allSatisfy(\.reactions.isEmpty))
    }
  }

  @Test func aThousandControlMessagesDoNoHarm() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let time = world.clock.now
      for number in 0..<250 as Range<Int64> {
        try put(
          .inviteResponse, by: bob.context.account, in: group.groupID, keyOf: bob, at: time + number, world)
        try put(
          .contentDeletion(GroupContentDeletion(ofMembers: [bob.id])), by: bob.context.account,
          in: group.groupID, keyOf: bob, at: time + number, world)
        try put(
          .memberLeft, by: .generate(), in: group.groupID, keyOf: bob, at: time + number, world)
        try put(
          .contentDeletion(GroupContentDeletion(messageHashes: ["\(number)"])), by: .generate(),
          in: group.groupID, keyOf: bob, at: time + number, world)
      }
      let pushes = world.swarms.attempts(in: group.groupID, .groupMembers).count
      try await world.settle(rounds: 4)
      try await alice.send("Still here", to: group)
      try await world.settle()
      for device in [alice, bob] { #expect(try await device.texts(in: group) == ["Still here"]) }
      #expect(try await alice.members(of: group).count == 2)
      #expect(world.swarms.attempts(in: group.groupID, .groupMembers).count == pushes)
      #expect(await alice.pollCondition().failures == 0)
    }
  }
}
