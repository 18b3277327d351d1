import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Actions on one device of a person reach the others.
@Suite struct DevicesTests {
  private func withTwoDevices(
    _ body: (World, _ phone: Messenger, _ desk: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: alice.context.account)
      try await world.settle()
      try await body(world, alice, desk, bob)
    }
  }

  @Test func aNewDeviceHasContactsNamesAndMessages() async throws {
    try await withTwoDevices { (_, phone, desk, bob) async throws in
      #expect(try await desk.name() == "Alice")
      #expect(try await desk.conversations().compactMap(\.id.account) == [bob.id])
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bob")
      #expect(try await desk.bodies(in: bob.id) == ["Hello Bob", "Hello Alice"])
      #expect(try await desk.contacts().first?.isApproved == true)
    }
  }

  @Test func messagesSentOnOneDeviceAppearOnTheOther() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await desk.send("from my desk", to: bob.id)
      try await world.settle()
      let copy = try await phone.last(in: bob.id)
      #expect(copy.body == "from my desk" && copy.isOutgoing && copy.isRead && copy.state == .sent)
      #expect(try await bob.last(in: phone.id).body == "from my desk")
    }
  }

  @Test func nicknamesPinsAndBlocksAreTheSameEverywhere() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await phone.setNickname("Bobby", of: bob.id)
      try await desk.setPinned(true, .person(bob.id))
      try await world.settle()
      for device in [phone, desk] {
        let conversation = try #require(try await device.conversation(.person(bob.id)))
        #expect(conversation.name == "Bobby" && conversation.isPinned)
      }
      try await phone.setNickname(nil, of: bob.id)
      try await phone.block(bob.id)
      try await world.settle()
      let conversation = try #require(try await desk.conversation(.person(bob.id)))
      #expect(conversation.name == "Bob" && conversation.isBlocked)
    }
  }

  @Test func readStateIsSharedBetweenDevices() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await bob.send("read me", to: phone.id)
      try await world.settle()
      #expect(try await phone.conversation(.person(bob.id))?.unreadMessages ?? 0 > 0)
      try await desk.markRead(.person(bob.id))
      try await world.settle()
      #expect(try await phone.conversation(.person(bob.id))?.unreadMessages == 0)
      #expect(try await phone.last(in: bob.id).isRead)
      try await phone.markUnread(.person(bob.id))
      try await world.settle()
      #expect(try await desk.conversation(.person(bob.id))?.isMarkedUnread == true)
    }
  }

  @Test func theLaterReadPositionWinsBetweenDevices() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      for round in 0..<6 {
        try await bob.send("first \(round)", to: phone.id)
        try await bob.send("second \(round)", to: phone.id)
        try await world.settle()
        let (ahead, behind) = round % 2 == 0 ? (phone, desk) : (desk, phone)
        let first = try #require(
          try await behind.messages(in: .person(bob.id)).first { $0.body == "first \(round)" })
        for device in [phone, desk] { await device.suspend() }
        try await behind.markRead(.person(bob.id), upTo: first.id)
        try await ahead.markRead(.person(bob.id))
        for device in [phone, desk] { await device.resume() }
        try await world.settle(rounds: 20)
        for device in [phone, desk] {
          #expect(try await device.conversation(.person(bob.id))?.unreadMessages == 0)
        }
      }
    }
  }

  @Test func aConversationThatIsDeletedIsGoneEverywhere() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await desk.deleteConversation(.person(bob.id))
      try await world.settle()
      #expect(try await phone.conversation(.person(bob.id)) == nil)
      #expect(try await phone.contacts().isEmpty)
      #expect(try await phone.kinds().contains(.conversationDeleted))
    }
  }

  /// Which of the two changes is merged last is a matter of chance.
  @Test(arguments: 0..<6)
  func contactDeletedDuringAConcurrentEditIsErasedEverywhere(round: Int) async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      for device in [phone, desk] { await device.suspend() }
      try await phone.deleteConversation(.person(bob.id))
      try await desk.setNickname("Bobby", of: bob.id)
      for device in round % 2 == 0 ? [phone, desk] : [desk, phone] {
        await device.resume()
        try await world.settle()
      }
      for device in [phone, desk] {
        #expect(try await device.conversation(.person(bob.id)) == nil)
        #expect(try await device.contacts().isEmpty)
        let left = try device.author.configs.read { configs in
          (try configs.contacts[bob.id], try configs.conversations[.contact(bob.id)])
        }
        #expect(left.0 == nil && left.1 == nil)
      }
      // The two agree, and say no more.
      try await world.settle(rounds: 4)
      let changes = world.swarms.changes
      try await world.settle(rounds: 4)
      #expect(world.swarms.changes == changes)
      #expect(world.swarms.kept(phone.id, in: .contacts).count == 1)
      try await bob.send("Still there?", to: phone.id)
      try await world.settle()
      for device in [phone, desk] {
        #expect(try await device.requests().compactMap(\.id.account) == [bob.id])
      }
    }
  }

  @Test func remnantsMissedOnArrivalAreErasedLater() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let stranger = try Account.generate()
      try await stranger.call(phone.id, in: world)
      try await world.settle()
      for round in 0..<ConfigAuthor.mostErasures + 2 {
        // Another client, which knows no better, brings it back.
        try await desk.author.edit { configs, _ in
          try configs.contacts.update(stranger.id) { $0.nickname = "Stranger \(round)" }
        } writing: { _, _, _ in
        }
        try await world.settle(rounds: 4)
        let isErased = round < ConfigAuthor.mostErasures
        for device in [phone, desk] {
          let left = try device.author.configs.read { configs in try configs.contacts[stranger.id] }
          #expect((left == nil) == isErased)
        }
        // A sender of a message request does not count as a deleted contact.
        #expect(try await phone.requests().compactMap(\.id.account) == [stranger.id])
      }
    }
  }

  @Test func aGroupThatWasLeftAndComesBackIsErasedAndNotPolled() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let group = try WorldGroup()
      let joinedAt = Int64(world.clock.now / 1000)
      try await group.join(phone)
      try await world.settle()
      world.clock.advance(by: 60_000)
      try await group.leave(phone)
      try await world.settle()
      // Another client, which knows no better, brings it back.
      let access = try group.key.grantAccess(to: desk.id)
      try await desk.author.edit { configs, _ in
        try configs.groups.update(group.id) { entry in
          entry.access = access
          entry.membership.joinedAtSeconds = joinedAt
        }
      } writing: { _, _, _ in
      }
      try await world.settle(rounds: 4)
      for device in [phone, desk] {
        #expect(try device.author.configs.read { configs in try configs.groups[group.id] } == nil)
      }
      #expect(await phone.supervisor.condition(of: .group(group.id)) == nil)
      let polls = world.swarms.polls(of: group.id)
      for _ in 0..<5 {
        world.clock.advance(by: 60_000)
        await phone.poll()
      }
      #expect(world.swarms.polls(of: group.id) == polls)
    }
  }

  @Test func laterReadPositionIsPushedAfterARestart() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await phone.markRead(.person(bob.id))
      try await world.settle()
      let read = try #require(try await phone.conversation(.person(bob.id))).lastReadAt
      // The merge was kept, and what follows from it was not.
      try await phone.author.edit { configs, now in
        try configs.conversations.update(.contact(bob.id), at: now) { $0.lastReadMilliseconds = 1 }
      } writing: { _, _, _ in
      }
      phone.author.owesSettling.withLock { $0 = true }
      try await world.settle()
      for device in [phone, desk] {
        let told = try device.author.configs.read { configs in
          try configs.conversations[.contact(bob.id)]?.lastReadMilliseconds
        }
        #expect(told == read)
      }
      #expect(phone.author.owesSettling.withLock { $0 } == false)
    }
  }

  @Test func twoDevicesThatChangeAtOnceAgree() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      try await phone.setNickname("Robert", of: bob.id)
      try await desk.setName("Alicia")
      try await desk.setMuted(until: 1_800_000_000_000, .person(bob.id))
      try await world.settle(rounds: 5)
      for device in [phone, desk] {
        #expect(try await device.name() == "Alicia")
        #expect(try await device.conversation(.person(bob.id))?.name == "Robert")
        #expect(try await device.conversation(.person(bob.id))?.mutedUntil == 1_800_000_000_000)
      }
      // Obsolete configs are deleted from the swarm.
      for namespace in [StorageNamespace.profile, .contacts] {
        #expect(world.swarms.kept(phone.id, in: namespace).count == 1)
      }
    }
  }

  @Test func changesThatCannotBeStoredWaitAndAreNotLost() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      world.swarms.decide { _, _ in .refused(NetworkFailure(.transient, "no path")) }
      try await phone.setNickname("Bobby", of: bob.id)
      try await world.settle(rounds: 2)
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bob")
      world.swarms.decide { _, _ in .lost }
      try await world.settle(rounds: 2)
      world.swarms.decide { _, _ in .done }
      try await world.settle(rounds: 4)
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bobby")
      #expect(world.swarms.kept(phone.id, in: .contacts).count == 1)
    }
  }

  @Test func editsAreGatheredBeforeTheyAreStored() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let stored = Atomic(0)
      world.swarms.decide { _, items in
        if !items.isEmpty { stored.add(1, ordering: .relaxed) }
        return .done
      }
      for number in 0..<10 { try await phone.setNickname("Bob \(number)", of: bob.id) }
      #expect(stored.load(ordering: .relaxed) == 0)
      try await world.settle()
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bob 9")
      #expect(stored.load(ordering: .relaxed) == 1)
    }
  }

  @Test func configsThatTheSwarmHasLostAreStoredAgain() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let hash = try #require(world.swarms.kept(phone.id, in: .contacts).first?.hash)
      try await world.swarms.perform([.delete([hash])], in: phone.id, as: .account(phone.context.account))
        .check()
      #expect(world.swarms.kept(phone.id, in: .contacts).isEmpty)
      world.clock.advance(by: 25 * 3_600_000)
      try await world.settle()
      #expect(world.swarms.kept(phone.id, in: .contacts).map(\.hash) == [hash])
    }
  }

  @Test func supersededConfigsThatReturnAreDeleted() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let old = try #require(world.swarms.kept(phone.id, in: .contacts).first)
      try await phone.setNickname("Bobby", of: bob.id)
      try await world.settle()
      // A node that was away brings it back.
      world.swarms.put(old.data, to: phone.id, in: .contacts)
      #expect(world.swarms.kept(phone.id, in: .contacts).count == 2)
      try await world.settle(rounds: 6)
      let kept = world.swarms.kept(phone.id, in: .contacts)
      #expect(kept.count == 1 && kept.first?.hash != old.hash)
      #expect(try await desk.conversation(.person(bob.id))?.name == "Bobby")
    }
  }

  @Test func notesToOneselfAreOnAllDevicesAndNowhereElse() async throws {
    try await withTwoDevices { (world, phone, desk, bob) async throws in
      let his = world.swarms.kept(bob.id).count
      let id = try await phone.send("milk", to: phone.id)
      try await world.settle()
      #expect(try await phone.message(id)?.state == .sent)
      #expect(try await desk.bodies(in: desk.id) == ["milk"])
      #expect(try await desk.conversation(.person(desk.id))?.kind == .noteToSelf)
      #expect(world.swarms.kept(bob.id).count == his)
      try await phone.delete(id, .forEveryone)
      try await world.settle()
      #expect(try await desk.messages(in: .person(desk.id)).isEmpty)
      #expect(try await phone.messages(in: .person(phone.id)).isEmpty)
    }
  }
}

extension Account {
  /// Writes to somebody who does not know us.
  func call(_ person: SessionID, in world: World) async throws {
    let message = try Message(
      .visible(VisibleMessage(body: "May I?", profile: MessageProfile(name: "Stranger"))),
      sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
    world.swarms.put(try encode(message, for: .contact(person)), to: person)
  }
}
