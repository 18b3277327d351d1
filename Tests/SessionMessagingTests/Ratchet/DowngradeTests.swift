import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Attempts to have messages sent with less protection.
@Suite struct DowngradeTests {
  /// Alice and Bob, who have talked with forward secrecy.
  private func withTalkers(
    _ body: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      try await body(world, alice, bob)
    }
  }

  /// A message as an app without forward secrecy sends it, and as a thief of the recovery phrase can.
  private func putStandard(_ text: String, by sender: Messenger, to recipient: SessionID, in world: World)
    throws
  {
    let now = try MessageTime(milliseconds: UInt64(world.clock.now))
    let message = try Message(.visible(VisibleMessage(body: text)), sentAt: now)
    world.swarms.put(try sender.context.account.encode(message, for: .contact(recipient)), to: recipient)
  }

  @Test func nodesThatHideBundlesChangeNothing() async throws {
    try await withTalkers { world, alice, bob in
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      try await world.pass(days: 3)
      try await alice.send("three", to: bob.id)
      try await world.settle()
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
      #expect(try await bob.bodies(in: alice.id).last == "three")
      #expect(try await !alice.securityNotes(in: bob.id).contains(.weakened))
    }
  }

  @Test func aForgedMessageWhileTheDevicesLiveChangesNothing() async throws {
    try await withTalkers { world, alice, bob in
      try await world.pass(days: 1)
      try putStandard("forged", by: bob, to: alice.id, in: world)
      try await world.settle()
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
      try await alice.send("three", to: bob.id)
      try await world.settle()
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
    }
  }

  @Test func somebodyWhoMovedToAnotherAppIsFollowedAfterThreeDays() async throws {
    try await withTalkers { world, alice, bob in
      await world.stop(bob)
      try await world.pass(days: 2)
      try putStandard("too soon", by: bob, to: alice.id, in: world)
      await alice.poll()
      try await alice.waitUntilIdle()
      #expect(try await alice.security(of: bob.id).level == .sr1)
      try await world.pass(days: 3)
      try putStandard("from another app", by: bob, to: alice.id, in: world)
      await alice.poll()
      try await alice.waitUntilIdle()
      #expect(try await alice.security(of: bob.id).obstacle == .foreign)
      try await alice.send("as you like", to: bob.id)
      try await alice.waitUntilIdle()
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
      #expect(try await alice.securityNotes(in: bob.id).contains(.weakened))
    }
  }

  /// A thief of the recovery phrase publishes a device when the owner's has none any more.
  @Test func anUnknownDeviceDoesNotReplaceWithdrawnOnes() async throws {
    try await withTalkers { world, alice, bob in
      try await bob.disableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      world.clock.advance(by: World.hour)
      let thief = try await world.device(of: bob.context.account)
      try await thief.enableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      #expect(try await alice.security(of: bob.id).obstacle == .withdrawn)
      try await alice.send("in the old way", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "in the old way")
    }
  }

  @Test func marksOfOldMessagesGoAlsoWhenItIsOff() async throws {
    try await withTalkers { world, _, bob in
      func count() async throws -> Int? {
        try await bob.context.database.read { try $0.value("SELECT count(*) FROM srOpened") }
      }
      try await bob.disableSecurity()
      #expect(try await count() ?? 0 > 0)
      try await world.pass(days: 18, hoursApart: 48)
      #expect(try await count() == 0)
    }
  }

  @Test func theOtherSideMayTakeItsKeysBack() async throws {
    try await withTalkers { world, alice, bob in
      try await bob.disableSecurity()
      try await world.settle()
      let bundles = world.swarms.bundles(of: bob.id)
      #expect(bundles.allSatisfy { $0.isWithdrawal })
      try await alice.lookUpDevices(of: bob.id)
      #expect(try await alice.security(of: bob.id).obstacle == .withdrawn)
      try await alice.send("in the old way", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "in the old way")
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
      #expect(try await alice.securityNotes(in: bob.id).contains(.weakened))
    }
  }

  private func verify(_ bob: Messenger, by alice: Messenger) async throws {
    try await alice.lookUpDevices(of: bob.id)
    let candidate = try #require(try await alice.safetyNumber(with: bob.id).candidates.first)
    try await alice.confirm(candidate, of: bob.id, by: .number)
  }

  private func expectRefusal(of messenger: Messenger, to person: SessionID) async throws {
    let before = try await messenger.bodies(in: person)
    await #expect { try await messenger.send("with less", to: person) } throws: {
      MessengerError.Code.identity ~= $0
    }
    #expect(try await messenger.bodies(in: person) == before)
  }

  @Test func theFirstMessageToAVerifiedPersonIsRefusedAfterForeignEvidence() async throws {
    try await withTalkers { world, alice, bob in
      try await verify(bob, by: alice)
      await world.stop(bob)
      try await world.pass(days: 5)
      try putStandard("from another app", by: bob, to: alice.id, in: world)
      await alice.poll()
      try await alice.waitUntilIdle()
      #expect(try await alice.safetyNumber(with: bob.id).cause == "weakened")
      try await expectRefusal(of: alice, to: bob.id)
      world.clock.advance(by: 3000)
      var text = OutgoingText("all the same")
      text.identityShownAt = world.clock.now
      try await alice.send(text, to: .person(bob.id))
      try await alice.waitUntilIdle()
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
    }
  }

  @Test func theFirstMessageToAVerifiedPersonIsRefusedAfterAWithdrawal() async throws {
    try await withTalkers { world, alice, bob in
      try await verify(bob, by: alice)
      try await bob.disableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      #expect(try await alice.safetyNumber(with: bob.id).cause == "weakened")
      try await expectRefusal(of: alice, to: bob.id)
    }
  }

  @Test func theFirstMessageToAVerifiedPersonIsRefusedAfterALongSilence() async throws {
    try await withTalkers { world, alice, bob in
      try await verify(bob, by: alice)
      await world.stop(bob)
      await alice.suspend()
      world.clock.advance(by: 62 * World.day)
      try await expectRefusal(of: alice, to: bob.id)
    }
  }

  /// That messages would be less protected can be accepted before anything is sent.
  @Test func lessProtectionAfterALongSilenceCanBeAccepted() async throws {
    try await withTalkers { world, alice, bob in
      try await verify(bob, by: alice)
      await world.stop(bob)
      await alice.suspend()
      world.clock.advance(by: 62 * World.day)
      try await expectRefusal(of: alice, to: bob.id)
      try await alice.acceptChange(of: bob.id)
      #expect(try await alice.safetyNumber(with: bob.id).state == .never)
      try await alice.send("all the same", to: bob.id)
      #expect(try await alice.bodies(in: bob.id).last == "all the same")
    }
  }

  /// The messages of somebody whose clock is a day behind are sealed again once the network's time is known.
  private func sealAgain(
    _ change: (World, _ alice: Messenger, _ bob: Messenger) async throws -> Void
  ) async throws -> (failure: String?, level: SecurityLevel?, next: MessageView.State?, bodies: [String]) {
    let world = World()
    let alice = try await world.device(of: .generate(), aheadBy: -World.day)
    let bob = try await world.device(of: .generate())
    do {
      try await alice.send("hello", to: bob.id)
      try await world.settle()
      try await bob.send("hello", to: alice.id)
      try await alice.enableSecurity()
      try await bob.enableSecurity()
      try await world.settle()
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      try await verify(bob, by: alice)
      world.swarms.setReachable(false)
      world.swarms.forgetTime()
      world.swarms.decide { swarm, _ in
        swarm == bob.id ? .refused(NetworkFailure(.transient, "no network")) : .done
      }
      let id = try await alice.send("three", to: bob.id)
      let sealed = try await alice.lastLevel(in: bob.id)
      #expect(sealed == .sr1)
      let next = try await alice.send("four", to: bob.id)
      try await change(world, alice, bob)
      world.swarms.decide { _, _ in .done }
      world.swarms.setReachable(true)
      try await world.settle(rounds: 8)
      let message = try await alice.message(id)
      var failure: String?
      if case .failed(let reason)? = message?.state { failure = reason }
      let result = (
        failure, message?.level, try await alice.message(next)?.state, try await bob.bodies(in: alice.id)
      )
      await world.stop()
      return result
    } catch {
      await world.stop()
      throw error
    }
  }

  @Test func aMessageThatIsSealedAgainIsCheckedAgain() async throws {
    let result = try await sealAgain { _, alice, bob in
      try await alice.context.database.write { transaction in
        try transaction.unverify(bob.id, because: .new, at: MessageTime(milliseconds: 1))
      }
    }
    #expect(result.failure?.contains("changed while this was waiting") == true)
    #expect(!result.bodies.contains("three"))
  }

  @Test func aRefusalFailsTheMessageAndHoldsNothingUp() async throws {
    let result = try await sealAgain { _, alice, bob in
      try await alice.context.database.write { transaction in
        for var device in try transaction.ratchetDevices(of: bob.id.address) {
          device.status = .suspended
          try transaction.put(device)
        }
      }
    }
    #expect(result.failure?.contains("disagree") == true)
    #expect(!result.bodies.contains("three") && result.next != .sending)
  }

  /// What this account does itself ends no verification.
  @Test func switchingItOffHereLeavesPeopleVerified() async throws {
    try await withTalkers { world, alice, bob in
      try await verify(bob, by: alice)
      try await alice.disableSecurity()
      for text in ["in the old way", "and again"] { try await alice.send(text, to: bob.id) }
      try await world.settle()
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
      #expect(try await alice.safetyNumber(with: bob.id).state == .verified)
    }
  }

  /// Nodes that hide the keys of somebody who wrote with forward secrecy delay an answer, and lead to nothing less.
  @Test func anAnswerToAMessageWithForwardSecrecyIsNotSentWithLess() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await alice.enableSecurity()
      try await bob.enableSecurity()
      try await world.settle()
      world.swarms.answerPublished { account, _ in account == alice.id ? [] : nil }
      try await alice.send("a request", to: bob.id)
      try await world.settle()
      #expect(try await bob.lastLevel(in: alice.id) == .sr1)
      let before = world.swarms.kept(alice.id).count
      try await bob.send("an answer", to: alice.id)
      for _ in 0..<5 {
        world.clock.advance(by: 61_000)
        try await world.settle()
      }
      #expect(world.swarms.kept(alice.id).count == before)
      world.swarms.answerPublished { _, _ in nil }
      for _ in 0..<2 {
        world.clock.advance(by: 61_000)
        try await world.settle()
      }
      #expect(try await alice.bodies(in: bob.id).last == "an answer")
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
    }
  }

  /// A thief of the recovery phrase begins sessions as a device that was never published.
  @Test func aSessionThatAThiefBeganHoldsNoAnswerToWhoWritesWithoutIt() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await world.settle()
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      let thief = try await world.device(of: bob.context.account)
      try await thief.enableSecurity()
      try await world.settle()
      try await thief.send("not from bob", to: alice.id)
      try await world.settle()
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
      let id = try await alice.send("an answer", to: bob.id)
      try await world.settle()
      #expect(try await alice.message(id)?.waitsForKeys == true)
      try await bob.send("from bob", to: alice.id)
      for _ in 0..<3 {
        world.clock.advance(by: 61_000)
        try await world.settle()
      }
      #expect(try await bob.bodies(in: alice.id).contains("an answer"))
      #expect(try await alice.message(id)?.level == .v1)
      #expect(try await alice.securityNotes(in: bob.id).contains(.weakened))
    }
  }

  /// The sender required forward secrecy of one message, and it had to wait.
  @Test(arguments: [SecurityLevel.sr1, nil])
  func aMessageThatWaitedHasTheProtectionThatItsSenderRequires(level: SecurityLevel?) async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.lookUpDevices(of: bob.id)
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      try await world.pass(days: 3)
      var text = OutgoingText("waits")
      text.requiredLevel = level
      let id = try await alice.send(text, to: .person(bob.id))
      try await world.settle()
      #expect(try await alice.message(id)?.waitsForKeys == true)
      await alice.suspend()
      world.swarms.answerPublished { _, _ in nil }
      try await bob.disableSecurity()
      try await world.settle()
      world.clock.advance(by: 61_000)
      await alice.resume()
      try await world.settle()
      let isThere = try await bob.bodies(in: alice.id).contains("waits")
      #expect(isThere == (level == nil))
      guard level != nil else { return }
      guard case .failed(let reason)? = try await alice.message(id)?.state else {
        Issue.record("it was sent")
        return
      }
      #expect(reason.contains("took its keys back"))
      // Sending it again requires the same.
      await #expect {
        try await alice.resend(id)
      } throws: {
        ($0 as? MessengerError)?.code == .security
      }
      try await bob.enableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      try await alice.resend(id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("waits"))
      #expect(try await alice.message(id)?.level == .sr1)
    }
  }

  /// A session of a device that published nothing, and a message without the protocol from before or after it.
  @Test(arguments: [-1, 0, 1], [false, true])
  func onlyAMessageAfterTheLastSignOfLifeLeadsToLess(after: Int64, wasVerified: Bool) async throws {
    try await withTalkers { world, alice, bob in
      let address = bob.id.address
      try await alice.ratchet.write { transaction, _ in
        for var device in try transaction.ratchetDevices(of: address) {
          (device.bundle, device.status) = (nil, .provisional)
          try transaction.put(device)
        }
        if wasVerified { try transaction.put(VerificationRecord(address, .verified)) }
      }
      let isForeign = try await alice.ratchet.database.read { transaction in
        let devices = try transaction.ratchetDevices(of: address)
        let heard = try devices.flatMap { try transaction.ratchetSessions(with: $0.id) }.compactMap(\.heardAt)
        let newest = (heard + devices.map(\.firstSeenAt)).max() ?? 0
        return try transaction.isForeign(
          sentAt: newest + after, bob.id, at: MessageTime(milliseconds: UInt64(newest + World.hour)))
      }
      #expect(isForeign == (after > 0 && !wasVerified))
    }
  }
}
