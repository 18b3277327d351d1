import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// What devices do by themselves.
@Suite struct RatchetUpkeepTests {
  private func sessions(of messenger: Messenger, with person: SessionID) async throws
    -> [RatchetSessionRecord]
  {
    try await messenger.context.database.read { transaction in
      try transaction.ratchetDevices(of: person.address).flatMap { device in
        try transaction.ratchetSessions(with: device.id)
      }
    }
  }

  /// A renewal that is lost is tried again, with the next prekeys.
  @Test func anUnansweredRenewalIsRepeated() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      await bob.suspend()
      for number in 0..<8 {
        try await world.pass(days: 2)
        try await alice.send("still here \(number)", to: bob.id)
        try await alice.waitUntilIdle()
      }
      let started = try await sessions(of: alice, with: bob.id)
      let starts = started.map(\.id.rawValue).max() ?? 0
      #expect(starts >= 3, "one session that is in use, and two renewals at least")
      #expect(started.count <= 2)
      await bob.resume()
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "still here 7")
      try await world.pass(days: 3)
      let newest = try #require(
        try await sessions(of: alice, with: bob.id).first { !$0.isClosed && $0.confirmedAt != nil })
      #expect(world.clock.now - newest.startedAt * 1000 < 9 * World.day)
    }
  }

  /// Anybody can write to us, from any number of accounts.
  @Test func strangersCauseNoLookups() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await alice.enableSecurity()
      try await bob.enableSecurity()
      try await world.settle()
      try await alice.send("a request", to: bob.id)
      try await alice.waitUntilIdle()
      await alice.suspend()
      let readings = world.swarms.readings(of: alice.id)
      try await world.settle()
      #expect(try await bob.lastLevel(in: alice.id) == .sr1)
      #expect(world.swarms.readings(of: alice.id) == readings)
      await alice.resume()
      try await bob.send("an answer", to: alice.id)
      try await world.settle()
      #expect(try await alice.bodies(in: bob.id).last == "an answer")
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
    }
  }

  @Test func typingIsSentToPeopleWithoutForwardSecrecy() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await alice.setTypingIndicators(true)
      try await world.settle()
      func typingMessages() async throws -> Int {
        let before = world.swarms.attempts(in: bob.id).count
        try await alice.setTyping(true, in: .person(bob.id))
        try await alice.waitUntilIdle()
        return world.swarms.attempts(in: bob.id).count - before
      }
      // Not known yet: what the other side has is looked up first.
      #expect(try await typingMessages() == 0)
      world.clock.advance(by: 11_000)
      #expect(try await typingMessages() > 0)
      // The lookup is old, and says nothing else.
      world.clock.advance(by: 3 * World.hour)
      #expect(try await typingMessages() > 0)
    }
  }

  @Test func aStrangerLeavesFewKeysOfMissingMessages() async throws {
    try await withAliceAndBob(areFriends: false) { world, alice, bob in
      try await alice.enableSecurity()
      try await bob.enableSecurity()
      try await world.settle()
      await bob.suspend()
      for number in 0..<130 { try await alice.send("\(number)", to: bob.id) }
      try await alice.waitUntilIdle()
      world.swarms.keepNewest(1, of: bob.id)
      await bob.resume()
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id) == ["129"])
      let kept: Int? = try await bob.context.database.read {
        try $0.value("SELECT count(*) FROM srSkippedKey")
      }
      #expect(kept == RatchetSession.maxSkippedOfStranger)
    }
  }

  /// What a device asks for after a reset is sent again: also what is no message of its own.
  @Test func reactionsDeletionsAndTimersAreSentAgain() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      let one = try await alice.send("one", to: bob.id)
      try await world.settle()
      let regretted = try await bob.send("regretted", to: alice.id)
      try await world.settle()
      let target = try #require(
        try await bob.messages(in: .person(alice.id)).first { $0.kind == .message && $0.body == "one" })
      let there = try #require(
        try await alice.messages(in: .person(bob.id)).first { $0.body == "regretted" }
      ).id
      await alice.suspend()
      let before = Set(world.swarms.kept(alice.id).map(\.hash))
      try await bob.react("👍", to: target.id)
      try await bob.delete(regretted, .forEveryone)
      try await bob.setTimer(DisappearingTimer(.afterSend, seconds: 864_000), in: .person(alice.id))
      try await bob.waitUntilIdle()
      let lost = world.swarms.kept(alice.id).map(\.hash).filter { !before.contains($0) }
      #expect(lost.count == 3)
      world.swarms.keepNewest(0, of: alice.id)
      let device = try await bob.deviceID()
      let now = world.clock.now
      try await alice.context.database.write { transaction in
        let device = try #require(try transaction.ratchetDevice(device))
        for hash in lost { try transaction.noteBroken(hash, of: device.id, at: now) }
      }
      await alice.resume()
      try await world.pass(days: 1, hoursApart: 1)
      #expect(try await alice.message(one)?.reactions.map(\.emoji) == ["👍"])
      #expect(try await alice.message(there)?.kind != .message)
      let notes = try await alice.messages(in: .person(bob.id)).map(\.kind)
      #expect(notes.contains { if case .note(.timerChanged) = $0 { true } else { false } })
    }
  }

  @Test func whatCannotBeHealedIsTold() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      // No session can be started with what was fetched before.
      world.swarms.answerPublished { account, _ in account == bob.id ? [] : nil }
      try await world.pass(days: 3)
      try await noteBroken("a message", of: bob, for: alice, at: world.clock.now)
      try await world.pass(days: 2, hoursApart: 1)
      let notes = try await alice.securityNotes(in: bob.id)
      #expect(notes.filter { $0 == .lost }.count == 1 && !notes.contains(.sessionReset))
    }
  }

  /// A day that the machine slept through is no day of attempts, and what was fetched before is too old by then.
  @Test(arguments: [1, 4]) func aMachineThatSleptHealsBeforeItGivesUp(days: Int64) async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      try await noteBroken("a message", of: bob, for: alice, at: world.clock.now)
      await alice.suspend()
      world.clock.advance(by: days * World.day + World.hour)
      await alice.resume()
      try await world.pass(days: 1, hoursApart: 1)
      let notes = try await alice.securityNotes(in: bob.id)
      #expect(notes.filter { $0 == .sessionReset }.count == 1 && !notes.contains(.lost))
    }
  }

  private func noteBroken(
    _ message: String, of sender: Messenger, for recipient: Messenger, at time: Int64
  ) async throws {
    let device = try await sender.deviceID()
    try await recipient.context.database.write { transaction in
      let device = try #require(try transaction.ratchetDevice(device))
      try transaction.noteBroken(message, of: device.id, at: time)
    }
  }

  @Test func theUserMayBeginSessionsAnew() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      await #expect { try await alice.resetSessions(with: alice.id) } throws: {
        MessengerError.Code.invalidRecipient ~= $0
      }
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      let old = try await sessions(of: alice, with: bob.id).map(\.startKey)
      await #expect { try await alice.resetSessions(with: bob.id, device: [1]) } throws: {
        MessengerError.Code.security ~= $0
      }
      try await alice.resetSessions(with: bob.id)
      try await world.settle()
      let new = try await sessions(of: alice, with: bob.id).filter { !$0.isClosed }
      #expect(new.count == 1 && !old.contains(new[0].startKey))
      #expect(try await alice.securityNotes(in: bob.id).contains(.sessionReset))
      try await alice.send("three", to: bob.id)
      try await bob.send("four", to: alice.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("three"))
      #expect(try await alice.bodies(in: bob.id).contains("four"))
      try await alice.disableSecurity()
      await #expect { try await alice.resetSessions(with: bob.id) } throws: {
        MessengerError.Code.security ~= $0
      }
    }
  }
}
