import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Actions in conversations reach all devices of both sides.
@Suite struct FeatureTests {
  /// Alice and Bob with two devices each.
  private func withFourDevices(
    _ body: (World, _ alice: [Messenger], _ bob: [Messenger]) async throws -> Void
  ) async throws {
    try await withAliceAndBob { world, alice, bob in
      let desks = (
        try await world.device(of: alice.context.account), try await world.device(of: bob.context.account)
      )
      try await world.settle()
      try await body(world, [alice, desks.0], [bob, desks.1])
    }
  }

  @Test func mentionsAreDetected() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].send("@\(bob[0].id) look, and @\(alice[0].id) too", to: bob[0].id)
      try await world.settle()
      for device in bob {
        #expect(try await device.last(in: alice[0].id).mentionsUs)
        #expect(try await device.conversation(.person(alice[0].id))?.unreadMentions == 1)
      }
      for device in alice { #expect(try await !device.last(in: bob[0].id).mentionsUs) }
      try await bob[0].markRead(.person(alice[0].id))
      try await world.settle()
      for device in bob { #expect(try await device.conversation(.person(alice[0].id))?.unreadMentions == 0) }
    }
  }

  @Test func aReplyToOurMessageCountsAsAMention() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].send("Well?", to: bob[0].id)
      try await world.settle()
      let question = try await bob[1].last(in: alice[0].id)
      let reply = try await bob[1].send(OutgoingText("Yes", answering: question.id), to: alice[0].id)
      try await world.settle()
      for device in alice { #expect(try await device.last(in: bob[0].id).mentionsUs) }
      for device in bob { #expect(try await !device.last(in: alice[0].id).mentionsUs) }
      try await bob[1].send(OutgoingText("I mean it", answering: reply), to: alice[0].id)
      try await world.settle()
      for device in alice { #expect(try await !device.last(in: bob[0].id).mentionsUs) }
    }
  }

  @Test func aLinkComesWithWhatItLeadsTo() async throws {
    try await withFourDevices { world, alice, bob in
      let preview = OutgoingText.Preview(url: "https://example.org/page", title: "A page")
      let id = try await alice[0].send(
        OutgoingText("see https://example.org/page", preview: preview), to: bob[0].id)
      try await world.settle()
      var shown = [try #require(try await alice[0].message(id))]
      for device in bob { shown.append(try await device.last(in: alice[0].id)) }
      shown.append(try await alice[1].last(in: bob[0].id))
      for message in shown {
        #expect(message.link?.url == "https://example.org/page" && message.link?.title == "A page")
        #expect(message.link?.isInvitation == false)
      }
      await #expect(throws: SessionError.self) {
        try await alice[0].send(OutgoingText("no link here", preview: preview), to: bob[0].id)
      }
    }
  }

  @Test func answersReactionsAndRetractionsAreOnAllDevices() async throws {
    try await withFourDevices { world, alice, bob in
      let asked = try await bob[1].last(in: alice[0].id)
      try await bob[1].send(OutgoingText("an answer", answering: asked.id), to: alice[0].id)
      try await world.settle()
      for (device, other) in [(alice[0], bob[0].id), (alice[1], bob[0].id), (bob[0], alice[0].id)] {
        let answer = try await device.last(in: other)
        #expect(answer.body == "an answer" && answer.quoted?.body == asked.body)
        try await device.react("🎉", to: answer.id)
        try await world.settle()
      }
      for (device, other) in [(alice[1], bob[0].id), (bob[1], alice[0].id)] {
        let reactions = try await device.last(in: other).reactions
        #expect(Set(reactions.map(\.author)) == [alice[0].id, bob[0].id] && reactions.count == 2)
      }
      // One device takes back what another one of the same person wrote.
      try await bob[0].delete(try await bob[0].last(in: alice[0].id).id, .forEveryone)
      try await world.settle()
      for (device, other) in alice.map({ ($0, bob[0].id) }) + bob.map({ ($0, alice[0].id) }) {
        let last = try await device.last(in: other)
        #expect(last.kind == .deleted && last.body.isEmpty && last.reactions.isEmpty && last.quoted == nil)
      }
    }
  }

  @Test func deletionOnOwnDevicesKeepsTheRecipientsCopy() async throws {
    try await withFourDevices { world, alice, bob in
      let id = try await alice[0].send("mine alone", to: bob[0].id)
      try await world.settle()
      try await alice[0].delete(id, .onOwnDevices)
      let theirs = try await alice[0].messages(in: .person(bob[0].id)).first { !$0.isOutgoing }
      let foreign = try #require(theirs)
      try await world.settle()
      let before = world.swarms.kept(alice[0].id).count
      try await alice[0].delete(foreign.id, .onOwnDevices)
      try await world.settle()
      #expect(try await alice[0].message(id)?.kind == .deletedHere)
      #expect(try await alice[0].message(foreign.id)?.kind == .deletedHere)
      #expect(try await !alice[1].bodies(in: bob[0].id).contains("mine alone"))
      for device in bob { #expect(try await device.bodies(in: alice[0].id).last == "mine alone") }
      // Of the other one's message nothing is left in the own swarm, and a new device does not get it.
      #expect(world.swarms.kept(alice[0].id).count < before)
      let new = try await world.device(of: alice[0].context.account)
      try await world.settle()
      #expect(try await !new.bodies(in: bob[0].id).contains(foreign.body))
    }
  }

  @Test func mutingAndMarkingTravel() async throws {
    try await withFourDevices { world, alice, bob in
      let until = (world.clock.now / 1000 + 3600) * 1000
      try await alice[0].setMuted(until: until, .person(bob[0].id))
      try await alice[0].markUnread(.person(bob[0].id))
      try await alice[0].setPinned(true, .person(alice[0].id))
      try await world.settle()
      let seen = try #require(try await alice[1].conversation(.person(bob[0].id)))
      #expect(seen.mutedUntil == until && seen.isMarkedUnread)
      #expect(try await alice[1].conversations().first?.id == .person(alice[0].id))
      try await alice[1].markRead(.person(bob[0].id))
      try await alice[1].setMuted(until: nil, .person(bob[0].id))
      try await alice[1].setPinned(false, .person(alice[0].id))
      try await world.settle()
      let again = try #require(try await alice[0].conversation(.person(bob[0].id)))
      #expect(again.mutedUntil == nil && !again.isMarkedUnread)
      #expect(try await alice[0].conversation(.person(alice[0].id))?.isPinned == false)
    }
  }

  @Test func notificationSettingsReachAllDevices() async throws {
    try await withFourDevices { world, alice, bob in
      let group = try await alice[0].createGroup(GroupDraft(name: "Trip", members: [bob[0].id]))
      try await world.settle(rounds: 5)
      let person = Conversation.ID.person(bob[0].id)
      for (mode, conversations) in [
        (Notifying.ofMentions, [group]), (.ofNothing, [person, group]), (.ofEverything, [person, group]),
      ] {
        for conversation in conversations { try await alice[0].setNotified(mode, conversation) }
        for conversation in conversations {
          try await world.settle { try await alice[1].conversation(conversation)?.notifying == mode }
          #expect(try await alice[1].conversation(conversation)?.notifying == mode)
          let other = conversation == group ? group : .person(alice[0].id)
          #expect(try await bob[0].conversation(other)?.notifying == .ofEverything)
        }
      }
      await #expect(throws: MessengerError.self) {
        try await alice[0].setNotified(.ofNothing, .person(alice[0].id))
      }
      await #expect { try await alice[0].setNotified(.ofMentions, person) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
    }
  }

  @Test func aCallIsMissedOnAllDevicesAndOnlyFromContacts() async throws {
    try await withFourDevices { world, alice, bob in
      let (now, stranger) = (try MessageTime(milliseconds: UInt64(world.clock.now)), try Account.generate())
      let call = try Message(.call(CallMessage(.preOffer, of: "call")), sentAt: now)
      for caller in [alice[0].context.account, stranger] {
        world.swarms.put(try caller.encode(call, for: .contact(bob[0].id)), to: bob[0].id)
      }
      try await world.settle()
      for device in bob {
        #expect(try await device.last(in: alice[0].id).kind == .note(.missedCall))
        #expect(try await device.conversation(.person(stranger.id)) == nil)
      }
    }
  }

  @Test func messagesReadElsewhereExpireWithTheSwarm() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setTimer(DisappearingTimer(.afterRead, seconds: 600), in: .person(bob.id))
      try await alice.send("read once", to: bob.id)
      try await world.settle()
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      let end = try #require(try await bob.last(in: alice.id).disappearsAt)
      // The swarm keeps it no longer than the device does.
      #expect(world.swarms.kept(bob.id).contains { Int64($0.expiresAt.milliseconds) == end })
      world.clock.advance(by: 120_000)
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      #expect(try await desk.last(in: alice.id).body == "read once")
      #expect(try await desk.last(in: alice.id).disappearsAt == end)
      world.clock.advance(by: 500_000)
      try await world.settle()
      for device in [bob, desk] { #expect(try await !device.bodies(in: alice.id).contains("read once")) }
      #expect(try await alice.bodies(in: bob.id).contains("read once") == false)
    }
  }

  @Test func notesToOneselfDisappearOnAllDevices() async throws {
    try await withFourDevices { world, alice, _ in
      let own = alice[0].id
      try await alice[0].send("before", to: own)
      try await alice[0].setTimer(DisappearingTimer(.afterSend, seconds: 60), in: .person(own))
      try await world.settle()
      // Configs are stored every three seconds at most.
      world.clock.advance(by: 3_000)
      try await world.settle()
      try await alice[1].send("for a minute", to: own)
      try await world.settle()
      #expect(try await alice[0].bodies(in: own) == ["before", "for a minute"])
      // A message may be a little newer than the clock, so that no two have one time.
      world.clock.advance(by: 61_000)
      try await world.settle()
      for device in alice { #expect(try await device.bodies(in: own) == ["before"]) }
      await #expect(throws: MessengerError.self) {
        try await alice[0].setTimer(DisappearingTimer(.afterRead, seconds: 60), in: .person(own))
      }
    }
  }
}
