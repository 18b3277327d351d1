import Foundation
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct GroupInvitationTests {
  /// Puts an invitation into the swarm of `invitee`, as an admin's client sends it. Returns its hash.
  @discardableResult
  private func invite(
    _ invitee: Messenger, to key: GroupAdminKey, by admin: Account, named name: String = "Trip",
    access: SecretBytes? = nil, at time: Int64? = nil, _ world: World
  ) throws -> String {
    let sentAt = try MessageTime(milliseconds: UInt64(time ?? world.clock.now))
    let invite = try GroupInvite(
      to: key.group, name: name, authData: access ?? key.grantAccess(to: invitee.id))
    let update = try GroupUpdateMessage(
      signing: .invite(invite), with: key, sentAt: sentAt, invitee: invitee.id)
    return try put(update, sentAt: sentAt, to: invitee, by: admin, world)
  }

  private func promote(
    _ person: Messenger, with key: GroupAdminKey, by admin: Account, at time: Int64? = nil, _ world: World
  ) throws {
    let sentAt = try MessageTime(milliseconds: UInt64(time ?? world.clock.now))
    let update = try GroupUpdateMessage(.promotion(GroupPromotion(with: key, name: "Trip")))
    try put(update, sentAt: sentAt, to: person, by: admin, world)
  }

  @discardableResult
  private func put(
    _ update: GroupUpdateMessage, sentAt: MessageTime, to person: Messenger, by sender: Account,
    _ world: World
  ) throws -> String {
    let bytes = try sender.encode(Message(.groupUpdate(update), sentAt: sentAt), for: .contact(person.id))
    world.swarms.put(bytes, to: person.id)
    return SwarmItem(bytes, in: .messages, for: .zero).hash(in: person.id)
  }

  private func newKey() throws -> GroupAdminKey { try GroupAdminKey(seed: .random(count: 32)) }

  private func entry(_ key: GroupAdminKey, of messenger: Messenger) async throws -> Group? {
    try messenger.author.configs.read { configs in try configs.groups[key.group] }
  }

  @Test func strangersInviteWithARequest() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      let hash = try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      let request = try #require(try await bob.requests().first)
      #expect(request.id == group.conversation && request.name == "Trip")
      #expect(request.last?.kind == .note(.invited(by: alice.id, group: "Trip", asAdmin: false)))
      #expect(request.unreadMessages == 1)
      #expect(try await bob.conversations().isEmpty)
      #expect(try await bob.group(group.conversation)?.standing == .invited)
      #expect(try await bob.group(group.conversation)?.inviter == alice.id)
      #expect(try await bob.members(of: group.conversation).map(\.id) == [alice.id])
      #expect(try await bob.kinds().contains(.requestReceived))
      // Until it is accepted the group is not polled, and learns nothing.
      #expect(bob.author.configs.read { configs in configs.openGroups }.isEmpty)
      #expect(group.kept(in: world).isEmpty)
      // The configs have it now: the message is deleted.
      #expect(!world.swarms.kept(bob.id).map(\.hash).contains(hash))
    }
  }

  @Test func acceptedGroupsAreJoinedAndTold() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      try await bob.acceptRequest(group.conversation)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      #expect(try await bob.conversations().map(\.id) == [group.conversation])
      #expect(try await bob.messages(in: group.conversation).isEmpty)
      let kinds = try group.kept(in: world).map { try group.opened($0.data, by: alice).message.content.kind }
      #expect(kinds == [.groupInviteResponse])
      #expect(Set(try await bob.members(of: group.conversation).map(\.id)) == [alice.id, bob.id])
      try await alice.send("Welcome", to: group.conversation)
      try await world.settle()
      #expect(try await group.bodies(bob) == ["Welcome"])
      await #expect(throws: MessengerError.self) { try await bob.acceptRequest(group.conversation) }
    }
  }

  @Test func writingToAGroupAcceptsItsInvitation() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      try await bob.send("Here I am", to: group.conversation)
      try await world.settle()
      let kinds = try group.kept(in: world).map { try group.opened($0.data, by: alice).message.content.kind }
      #expect(kinds == [.groupInviteResponse, .visible])
      #expect(try await group.bodies(alice) == ["Here I am"])
    }
  }

  @Test func acceptedContactsInviteWithoutARequest() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let group = try WorldGroup()
      try await group.found(by: alice, with: [bob.id])
      try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.standing == .joined)
      #expect(try await bob.requests().isEmpty)
      #expect(
        try group.kept(in: world).map { try group.opened($0.data, by: alice).message.content.kind } == [
          .groupInviteResponse
        ])
    }
  }

  @Test func declinedInvitationsDoNotComeBack() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let (key, second) = (try newKey(), try await world.device(of: bob.context.account))
      let time = world.clock.now
      try invite(bob, to: key, by: alice.context.account, at: time, world)
      try await world.settle()
      #expect(try await second.requests().count == 1)
      try await bob.declineRequest(.group(key.group))
      try await world.settle()
      for device in [bob, second] {
        #expect(try await device.requests().isEmpty)
        #expect(try await device.group(.group(key.group)) == nil)
      }
      // The same invitation under another hash, a promotion of that time, and a newer invitation.
      try invite(bob, to: key, by: alice.context.account, at: time, world)
      try promote(bob, with: key, by: alice.context.account, at: time, world)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      try invite(bob, to: key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.requests().count == 1)
    }
  }

  @Test func blockingTheInviterDeclinesTheirInvitations() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      for _ in 0..<3 {
        try invite(bob, to: newKey(), by: alice.context.account, world)
        try await world.settle(rounds: 1)
      }
      let requests = try await bob.requests()
      #expect(requests.count == 3)
      try await bob.declineRequest(requests[0].id, blocking: true)
      #expect(try await bob.requests().isEmpty)
      try invite(bob, to: newKey(), by: alice.context.account, world)
      try promote(bob, with: newKey(), by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
    }
  }

  @Test func promotedMembersBecomeAdmins() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      world.clock.advance(by: 5000)
      try promote(bob, with: group.key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await entry(group.key, of: bob)?.adminKey == group.key)
      #expect(try await bob.group(group.conversation)?.standing == .joined)
      // As an admin Bob edits the group.
      try await group.rekey(by: bob)
      try await world.settle()
      try await bob.send("with my key", to: group.conversation)
      try await world.settle()
      #expect(try await group.bodies(alice) == ["with my key"])
    }
  }

  @Test func strangersWithThePromotionOfAnotherGroupAskFirst() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let key = try newKey()
      try promote(bob, with: key, by: alice.context.account, world)
      try await world.settle()
      let request = try #require(try await bob.requests().first)
      #expect(request.last?.kind == .note(.invited(by: alice.id, group: "Trip", asAdmin: true)))
      #expect(try await entry(key, of: bob)?.isAdmin == true)
    }
  }

  @Test func invitationsFromBeforeARemovalDoNotUndoIt() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      let before = world.clock.now - 60_000
      try await group.kick(bob)
      try invite(bob, to: group.key, by: alice.context.account, at: before, world)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.standing == .kicked)
      world.clock.advance(by: 5000)
      try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.standing == .invited)
    }
  }

  @Test func destroyedGroupsStayDestroyed() async throws {
    try await withGroup { (world, group, alice, bob) async throws in
      try await bob.author.edit { configs, _ in
        try configs.groups.update(group.id) { $0.markDestroyed() }
      } writing: { _, _, _ in
      }
      world.clock.advance(by: 5000)
      try invite(bob, to: group.key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.group(group.conversation)?.standing == .destroyed)
    }
  }

  // MARK: - Bad invitations

  @Test func badInvitationsAreDropped() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let (key, account) = (try newKey(), alice.context.account)
      let now = world.clock.now
      // For another person, of another group, and from the far future.
      try invite(bob, to: key, by: account, access: key.grantAccess(to: alice.id), world)
      try invite(bob, to: key, by: account, access: newKey().grantAccess(to: bob.id), world)
      try invite(bob, to: key, by: account, at: now + 25 * 3_600_000, world)
      let time = try MessageTime(milliseconds: UInt64(now))
      let offer = try GroupInvite(to: key.group, name: "Trip", authData: key.grantAccess(to: bob.id))
      // Signed for another time, and for another person.
      let later = try MessageTime(milliseconds: UInt64(now + 1))
      try put(
        GroupUpdateMessage(signing: .invite(offer), with: key, sentAt: time, invitee: bob.id), sentAt: later,
        to: bob, by: account, world)
      try put(
        GroupUpdateMessage(signing: .invite(offer), with: key, sentAt: time, invitee: alice.id), sentAt: time,
        to: bob, by: account, world)
      try await world.settle()
      #expect(try await bob.requests().isEmpty)
      #expect(try await entry(key, of: bob) == nil)
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  @Test func oneInvitationUnderManyHashesIsOneRequest() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let (key, time) = (try newKey(), world.clock.now)
      for _ in 0..<100 { try invite(bob, to: key, by: alice.context.account, at: time, world) }
      try await world.settle()
      #expect(try await bob.requests().count == 1)
      #expect(try await bob.kinds().count { $0 == .requestReceived } == 1)
    }
  }

  @Test func strangersCannotFloodTheListOfRequests() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let time = world.clock.now
      for number in 0..<200 {
        try invite(bob, to: newKey(), by: .generate(), at: time + Int64(number), world)
      }
      try await world.settle()
      #expect(try await bob.requests().count == GroupInvitations.maxByStrangers)
      // More come with each hour, and the oldest give way.
      for _ in 0..<4 {
        world.clock.advance(by: GroupInvitations.strangersInterval)
        for _ in 0..<GroupInvitations.maxByStrangers { try invite(bob, to: newKey(), by: .generate(), world) }
        try await world.settle()
      }
      #expect(try await bob.requests().count == GroupInvitations.maxRequests)
      // A contact's invitation always arrives.
      let key = try newKey()
      try invite(bob, to: key, by: alice.context.account, world)
      try await world.settle()
      #expect(try await bob.group(.group(key.group))?.standing == .joined)
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  @Test func invitationsThatCameFirstGiveWayWhateverTimeTheyClaim() async throws {
    try await withAliceAndBob { (world, _, bob) async throws in
      let future = world.clock.now + 20 * 3_600_000
      let early = try (0..<GroupInvitations.maxByStrangers).map { _ in try newKey() }
      for key in early { try invite(bob, to: key, by: .generate(), at: future, world) }
      try await world.settle()
      var late: Set<Conversation.ID> = []
      for _ in 0..<2 {
        world.clock.advance(by: GroupInvitations.strangersInterval)
        for _ in 0..<GroupInvitations.maxByStrangers {
          let key = try newKey()
          late.insert(.group(key.group))
          try invite(bob, to: key, by: .generate(), world)
        }
        try await world.settle()
      }
      let requests = Set(try await bob.requests().map(\.id))
      #expect(requests.count == GroupInvitations.maxRequests)
      #expect(late.isSubset(of: requests))
    }
  }

  @Test func contactsCannotHaveUsJoinAnyNumberOfGroups() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let time = world.clock.now
      for number in 0..<100 {
        try invite(bob, to: newKey(), by: alice.context.account, at: time + Int64(number), world)
      }
      try await world.settle()
      #expect(try await bob.requests().count == GroupInvitations.maxRequestsByInviter)
      let joined = try await bob.conversations().filter { $0.kind == .group }
      #expect(joined.count == GroupInvitations.maxJoins)
    }
  }

  @Test(arguments: [
    (String(repeating: "é", count: 5000), String(repeating: "é", count: 50)),
    // Whatever prints a name takes away what turns its direction.
    ("Tr\u{202E}ip\u{2066}", "Tr\u{202E}ip\u{2066}"), ("Trip\u{0}Other", nil),
  ]) func longOrOddNamesAreCut(name: String, shown: String?) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let bytes = try invitation(named: name, to: bob.id, at: world.clock.now)
      if let message = try? Message(parsing: bytes) {
        world.swarms.put(try alice.context.account.encode(message, for: .contact(bob.id)), to: bob.id)
      }
      try await world.settle()
      let requests = try await bob.requests()
      if let shown { #expect(requests.map(\.name) == [shown]) }
      for request in requests {
        #expect((1...GroupDetails.maxNameBytes).contains(request.name.utf8.count))
        #expect(!request.name.unicodeScalars.contains { $0.properties.generalCategory == .control })
      }
      #expect(await bob.pollCondition().failures == 0)
    }
  }

  /// An invitation with a name that no client of ours sends. Its signature does not cover the name.
  private func invitation(named name: String, to person: SessionID, at time: Int64) throws -> [UInt8] {
    let (key, sentAt) = (try newKey(), try MessageTime(milliseconds: UInt64(time)))
    let access = try key.grantAccess(to: person)
    let offer = try GroupInvite(to: key.group, name: "Trip", authData: access)
    let valid = try Message(
      .groupUpdate(GroupUpdateMessage(signing: .invite(offer), with: key, sentAt: sentAt, invitee: person)),
      sentAt: sentAt
    ).bytes()
    let signature = try #require(
      valid.indices.dropLast(65).first {
        valid[$0] == 0x22 && valid[$0 + 1] == 64 && valid[$0 - 1] == access.reveal().last
      })
    let invite =
      field(0x0A, Array(key.group.description.utf8)) + field(0x12, Array(name.utf8))
      + field(0x1A, access.reveal()) + valid[signature..<signature + 66]
    return field(0x0A, field(0x3C2, field(0x0A, invite))) + [0x78] + varint(UInt64(time))
  }

  @Test func anotherDeviceDoesNotUndoARemovalWithAnEarlierInvitation() async throws {
    try await withCreatedGroup { (world, group, alice, bob) async throws in
      let key = try #require(try alice.author.key(of: group.groupID))
      let second = try await world.device(of: bob.context.account)
      try await world.settle()
      await second.suspend()
      // After he joined, and before he is removed.
      let time = world.clock.now
      world.clock.advance(by: 5000)
      try await alice.remove([bob.id], from: group)
      try await world.settle(upTo: 10) { try await bob.group(group)?.standing == .kicked }
      try #require(try await bob.group(group)?.standing == .kicked)
      try invite(bob, to: key, by: alice.context.account, at: time, world)
      await second.resume()
      try await world.settle(rounds: 5)
      for device in [bob, second] { #expect(try await device.group(group)?.standing == .kicked) }
    }
  }

  @Test func aRequestIsDeclinedAndItsSenderBlockedAtOnce() async throws {
    for isGroup in [true, false] {
      for count in 1... {
        let world = World()
        let alice = try await world.device(of: .generate(), name: "Alice")
        let bob = try await MemoryDevice(of: .generate(), in: world)
        let key = try newKey()
        if isGroup {
          try invite(bob.messenger, to: key, by: alice.context.account, world)
        } else {
          try await alice.send("Hello", to: bob.messenger.id)
        }
        try await world.settle()
        let request: Conversation.ID = isGroup ? .group(key.group) : .person(alice.id)
        try #require(try await bob.messenger.requests().map(\.id) == [request])
        let hasEnded = try await bob.crash(afterCommits: count, in: world) { messenger in
          try await messenger.declineRequest(request, blocking: true)
        }
        let isBlocked = try await bob.messenger.context.database.read { transaction in
          try transaction.contact(alice.id.address)?.isBlocked == true
        }
        #expect(try await bob.messenger.requests().isEmpty == isBlocked)
        await world.stop()
        if !hasEnded {
          #expect(isBlocked)
          break
        }
      }
    }
  }

  // MARK: - Kept by earlier versions

  @Test func keptInvitationsBecomeRequests() async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, bob) async throws in
      let (key, now) = (try newKey(), try MessageTime(milliseconds: UInt64(world.clock.now)))
      let offer = try GroupInvite(to: key.group, name: "Trip", authData: key.grantAccess(to: bob.id))
      let update = try GroupUpdateMessage(
        signing: .invite(offer), with: key, sentAt: now, invitee: bob.id)
      let content = try Message(.groupUpdate(update), sentAt: now).bytes().base64
      try await bob.context.write { transaction, _ in
        for sender in [alice.id, bob.id] {
          try transaction.enqueue(
            KeptInvitation(
              group: key.group, sender: sender, sentAt: now.stored + (sender == bob.id ? 1 : 0),
              message: content),
            at: bob.context.jobTime)
        }
      }
      try await world.settle()
      #expect(try await bob.requests().map(\.id) == [.group(key.group)])
      #expect(try await bob.group(.group(key.group))?.inviter == alice.id)
    }
  }

  @Test func keptInvitationsWaitForTheAnswersOfOtherDevices() async throws {
    let world = World()
    try FileManager.default.createDirectory(atPath: world.folder, withIntermediateDirectories: true)
    let bob = try await FileDevice(of: .generate(), at: world.folder + "/bob.db", in: world)
    let (key, now) = (try newKey(), try MessageTime(milliseconds: UInt64(world.clock.now)))
    let offer = try GroupInvite(to: key.group, name: "Trip", authData: key.grantAccess(to: bob.account.id))
    let update = try GroupUpdateMessage(
      signing: .invite(offer), with: key, sentAt: now, invitee: bob.account.id)
    let kept = KeptInvitation(
      group: key.group, sender: try Account.generate().id, sentAt: now.stored,
      message: try Message(.groupUpdate(update), sentAt: now).bytes().base64)
    world.swarms.failNamespaces([.userGroups])
    try await bob.restart(in: world) { database in
      try await database.write { transaction in _ = try transaction.enqueue(kept, at: now.stored) }
    }
    try await world.settle()
    #expect(try await bob.messenger.requests().isEmpty)
    world.swarms.failNamespaces([])
    try await world.settle()
    #expect(try await bob.messenger.requests().map(\.id) == [.group(key.group)])
    await world.stop()
  }
}
