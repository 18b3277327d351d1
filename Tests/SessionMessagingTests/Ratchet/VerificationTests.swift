import SessionCore
import Testing

@testable import SessionMessaging

@Suite struct VerificationTests {
  /// Alice, who has verified Bob.
  private func withVerifiedBob(
    _ body: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.lookUpDevices(of: bob.id)
      try await bob.lookUpDevices(of: alice.id)
      let candidate = try #require(try await alice.safetyNumber(with: bob.id).candidates.first)
      try await alice.confirm(candidate, of: bob.id, by: .number)
      try await body(world, alice, bob)
    }
  }

  private func state(of person: SessionID, _ messenger: Messenger) async throws -> VerificationState {
    try await messenger.contacts().first { $0.id == person }?.verification ?? .never
  }

  /// A second device of Bob that nothing vouches for, as Alice sees it.
  private func addDevice(to bob: Messenger, _ alice: Messenger, in world: World) async throws -> Messenger {
    let second = try await world.device(of: bob.context.account)
    try await second.enableSecurity()
    try await world.settle()
    world.clock.advance(by: World.hour)
    try await alice.lookUpDevices(of: bob.id)
    return second
  }

  @Test func bothSidesSeeTheSameNumber() async throws {
    try await withVerifiedBob { _, alice, bob in
      let ours = try await alice.safetyNumber(with: bob.id)
      let theirs = try await bob.safetyNumber(with: alice.id)
      #expect(ours.candidates.map(\.number.digits) == theirs.candidates.map(\.number.digits))
      #expect(ours.state == .verified && theirs.state == .never && ours.candidates.count == 1)
      #expect(try await alice.securityNotes(in: bob.id).last == .verified)
    }
  }

  @Test func aNewDeviceEndsAVerificationAndGetsNothing() async throws {
    try await withVerifiedBob { world, alice, bob in
      let second = try await addDevice(to: bob, alice, in: world)
      #expect(try await state(of: bob.id, alice) == .changed)
      #expect(try await alice.safetyNumber(with: bob.id).cause == "new")
      await #expect { try await alice.send("refused", to: bob.id) } throws: {
        MessengerError.Code.identity ~= $0
      }
      // The sender was shown the change, and sends this one message.
      world.clock.advance(by: 3000)
      var text = OutgoingText("all the same")
      text.identityShownAt = world.clock.now
      try await alice.send(text, to: .person(bob.id))
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "all the same")
      #expect(try await !second.bodies(in: alice.id).contains("all the same"))
      #expect(try await state(of: bob.id, alice) == .changed)
    }
  }

  /// What appears between looking and sending is never sent to unseen.
  @Test func aChangeThatTheSenderWasNotShownStopsTheMessage() async throws {
    try await withVerifiedBob { world, alice, bob in
      var text = OutgoingText("unseen")
      text.identityShownAt = world.clock.now
      _ = try await addDevice(to: bob, alice, in: world)
      await #expect { try await alice.send(text, to: .person(bob.id)) } throws: {
        MessengerError.Code.identity ~= $0
      }
    }
  }

  @Test func aLinkedDeviceChangesTheNumberAndGetsMessages() async throws {
    try await withVerifiedBob { world, alice, bob in
      let second = try await world.device(of: bob.context.account)
      try await second.enableSecurity()
      try await world.settle()
      try await bob.linkDevice(try await second.deviceID())
      try await second.linkDevice(try await bob.deviceID())
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      #expect(try await alice.safetyNumber(with: bob.id).cause == "linked")
      let candidate = try #require(
        try await alice.safetyNumber(with: bob.id).candidates.first { $0.devices.count == 2 })
      try await alice.confirm(candidate, of: bob.id, by: .word)
      #expect(try await state(of: bob.id, alice) == .verified)
      try await alice.send("to both", to: bob.id)
      try await world.settle()
      #expect(try await second.bodies(in: alice.id).last == "to both")
    }
  }

  @Test func acceptingGoesOnWithoutComparing() async throws {
    try await withVerifiedBob { world, alice, bob in
      let second = try await addDevice(to: bob, alice, in: world)
      try await alice.acceptChange(of: bob.id)
      #expect(try await state(of: bob.id, alice) == .never)
      try await alice.send("to both", to: bob.id)
      try await world.settle()
      #expect(try await second.bodies(in: alice.id).last == "to both")
      await #expect { try await alice.acceptChange(of: bob.id) } throws: {
        MessengerError.Code.notAllowed ~= $0
      }
    }
  }

  @Test func devicesThatWereNotAcceptedGetNothing() async throws {
    try await withVerifiedBob { world, alice, bob in
      let second = try await addDevice(to: bob, alice, in: world)
      try await alice.acceptChange(of: bob.id, devices: [try await bob.deviceID()])
      #expect(try await state(of: bob.id, alice) == .never)
      try await alice.send("to one", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "to one")
      #expect(try await !second.bodies(in: alice.id).contains("to one"))
    }
  }

  /// The recovery phrase is enough to publish one.
  @Test func theFirstDeviceOfAVerifiedPersonIsNotBelieved() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await world.settle()
      let candidate = try #require(try await alice.safetyNumber(with: bob.id).candidates.first)
      #expect(candidate.devices.isEmpty)
      try await alice.confirm(candidate, of: bob.id, by: .number)
      try await bob.enableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      #expect(try await state(of: bob.id, alice) == .changed)
    }
  }

  @Test func numbersThatChangedWhileTheyWereComparedAreNotConfirmed() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.lookUpDevices(of: bob.id)
      let old = try #require(try await alice.safetyNumber(with: bob.id).candidates.first)
      let second = try await world.device(of: bob.context.account)
      try await second.enableSecurity()
      try await world.settle()
      try await bob.linkDevice(try await second.deviceID())
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      let isThere = try await alice.safetyNumber(with: bob.id).candidates.contains(old)
      if !isThere {
        await #expect { try await alice.confirm(old, of: bob.id, by: .word) } throws: {
          MessengerError.Code.identity ~= $0
        }
      }
      #expect(try await state(of: bob.id, alice) == .never)
    }
  }

  @Test func withThePolicyAlwaysUnverifiedPeopleAreNotWrittenTo() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.setVerificationPolicy(.always)
      await #expect { try await alice.send("refused", to: bob.id) } throws: {
        MessengerError.Code.identity ~= $0
      }
      try await alice.setVerificationPolicy(.off)
      try await alice.send("sent", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "sent")
    }
  }

  @Test func aDeletedContactBeginsAnew() async throws {
    try await withVerifiedBob { world, alice, bob in
      try await alice.deleteConversation(.person(bob.id))
      try await world.settle()
      #expect(try await alice.verifiedPeople().isEmpty)
      #expect(try await alice.security(of: bob.id).devices.isEmpty)
    }
  }

  private func expectRefusal(_ action: () async throws -> Void) async {
    do {
      try await action()
      Issue.record("it was not refused")
    } catch { #expect(MessengerError.Code.identity ~= error) }
  }

  @Test func reactionsTimersAndInvitationsAreRefusedToo() async throws {
    try await withVerifiedBob { world, alice, bob in
      try await bob.send("react to this", to: alice.id)
      try await world.settle()
      let received = try await alice.last(in: bob.id)
      let group = try await alice.createGroup(GroupDraft(name: "Friends", members: []))
      _ = try await addDevice(to: bob, alice, in: world)
      await expectRefusal { try await alice.react("👍", to: received.id) }
      #expect(try await alice.message(received.id)?.reactions.isEmpty == true)
      await expectRefusal {
        try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 60), in: .person(bob.id))
      }
      await expectRefusal { try await alice.invite([bob.id], to: group) }
      await expectRefusal { _ = try await alice.createGroup(GroupDraft(name: "More", members: [bob.id])) }
      try await alice.acceptChange(of: bob.id)
      try await alice.react("👍", to: received.id)
      #expect(try await alice.message(received.id)?.reactions.map(\.emoji) == ["👍"])
    }
  }

  /// A message waits for keys, and what is found with them is a change that its sender was not shown.
  @Test func aWaitingMessageIsStoppedByAChange() async throws {
    try await withVerifiedBob { world, alice, bob in
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      try await world.pass(days: 3)
      let id = try await alice.send("waits", to: bob.id)
      let reaction = try await alice.last(in: bob.id).id
      try await world.settle()
      #expect(try await alice.message(id)?.waitsForKeys == true && reaction == id)
      await alice.suspend()
      world.swarms.answerPublished { _, _ in nil }
      let second = try await world.device(of: bob.context.account)
      try await second.enableSecurity()
      try await world.settle()
      world.clock.advance(by: 61_000)
      await alice.resume()
      try await world.settle()
      guard case .failed(let reason)? = try await alice.message(id)?.state else {
        Issue.record("it was sent")
        return
      }
      #expect(reason.contains("changed while this was waiting"))
      #expect(try await !bob.bodies(in: alice.id).contains("waits"))
      #expect(try await state(of: bob.id, alice) == .changed)
      await expectRefusal { try await alice.resend(id) }
      world.clock.advance(by: 3000)
      try await alice.resend(id, identityShownAt: world.clock.now)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("waits"))
      #expect(try await !second.bodies(in: alice.id).contains("waits"))
    }
  }

  @Test func bothDevicesThatDisagreeCanBeAcceptedForGood() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].lookUpDevices(of: bob[0].id)
      let ids = [try await bob[0].deviceID(), try await bob[1].deviceID()]
      try await bob[0].removeDevice(ids[1])
      try await bob[1].removeDevice(ids[0])
      try await world.settle()
      try await alice[0].lookUpDevices(of: bob[0].id)
      #expect(try await alice[0].safetyNumber(with: bob[0].id).cause == "disagree")
      try await alice[0].acceptChange(of: bob[0].id, devices: ids)
      for _ in 0..<2 {
        try await world.pass(days: 1)
        try await alice[0].lookUpDevices(of: bob[0].id)
        let devices = try await alice[0].security(of: bob[0].id).devices
        #expect(devices.filter { ids.contains($0.id) }.map(\.status) == [.accepted, .accepted])
      }
      try await alice[0].send("to both", to: bob[0].id)
      try await world.settle()
      for device in bob { #expect(try await device.bodies(in: alice[0].id).last == "to both") }
    }
  }
}
