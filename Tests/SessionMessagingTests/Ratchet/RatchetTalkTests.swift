import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct RatchetTalkTests {
  @Test func nothingIsPublishedOrLookedForWhileItIsOff() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.send("plain", to: bob.id)
      try await world.pass(days: 2)
      #expect(world.swarms.readings(of: alice.id) == 0 && world.swarms.readings(of: bob.id) == 0)
      #expect(world.swarms.bundles(of: alice.id).isEmpty)
      #expect(world.swarms.sealedForDevices(bob.id).isEmpty)
      #expect(try await alice.lastLevel(in: bob.id) == .v1)
      #expect(try await bob.lastLevel(in: alice.id) == .v1)
    }
  }

  @Test func messagesHaveForwardSecrecyOnceBothSidesHaveItOn() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      try await alice.send("three", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(3) == ["one", "two", "three"])
      #expect(try await alice.bodies(in: bob.id).suffix(3) == ["one", "two", "three"])
      #expect(try await bob.lastLevel(in: alice.id) == .sr1)
      #expect(try await alice.lastLevel(in: bob.id) == .sr1)
      #expect(world.swarms.sealedForDevices(bob.id).count == 2)
      // One device: no copy at all.
      #expect(world.swarms.sealedForDevices(alice.id).count == 1)
      #expect(try await alice.securityNotes(in: bob.id) == [.protected])
      // The first one came before Bob had looked at what Alice's devices are.
      let received = try await bob.messages(in: .person(alice.id))
      #expect(received.allSatisfy { !$0.isFromHeldDevice })
    }
  }

  @Test func reactionsAndDeletionsGoTheSameWay() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      let id = try await alice.send("one", to: bob.id)
      try await world.settle()
      let received = try #require(
        try await bob.messages(in: .person(alice.id)).first { $0.kind == .message })
      try await bob.react("👍", to: received.id)
      try await world.settle()
      #expect(try await alice.message(id)?.reactions.map(\.emoji) == ["👍"])
      let before = world.swarms.kept(bob.id).count
      try await alice.delete(id, .forEveryone)
      try await world.settle()
      #expect(try await bob.message(received.id)?.kind != .message)
      #expect(world.swarms.kept(bob.id).count - before <= 1)
    }
  }

  @Test func somebodyWithoutItGetsMessagesAsBefore() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await world.settle()
      try await alice.send("as before", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "as before")
      #expect(try await bob.lastLevel(in: alice.id) == .v1)
      let security = try await alice.security(of: bob.id)
      #expect(security.level == .v1 && security.obstacle == .noKeys)
      // Asked once, and not again within the hour.
      let readings = world.swarms.readings(of: bob.id)
      try await alice.send("again", to: bob.id)
      try await world.settle()
      #expect(world.swarms.readings(of: bob.id) == readings)
      #expect(try await alice.securityNotes(in: bob.id).isEmpty)
    }
  }

  @Test func anOpenRosterReceivesNothingThisWay() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await bob.setForwardSecrecy(.auto)
      try await world.settle()
      try await alice.send("one", to: bob.id)
      try await world.settle()
      #expect(try await bob.lastLevel(in: alice.id) == .v1)
      #expect(try await alice.security(of: bob.id).obstacle == .notAllDevices)
      #expect(try await bob.security(of: alice.id).obstacle == .openRoster)
    }
  }

  @Test func messagesThatAWriterSendsWhileKeysAreFetchedKeepTheirOrder() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      for number in 0..<5 { try await alice.send("\(number)", to: bob.id) }
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(5) == ["0", "1", "2", "3", "4"])
      #expect(world.swarms.sealedForDevices(bob.id).count == 5)
    }
  }

  @Test func messagesInAnyOrderAndSeveralTimesAreShownOnce() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("zero", to: bob.id)
      try await world.settle()
      try await bob.send("answer", to: alice.id)
      try await world.settle()
      await bob.suspend()
      for number in 1...6 {
        try await alice.send("\(number)", to: bob.id)
        world.clock.advance(by: 10)
      }
      try await alice.waitUntilIdle()
      // A node that gives them backwards, and each under a second name.
      world.swarms.reverse(bob.id, newest: 6)
      await bob.resume()
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(6) == ["1", "2", "3", "4", "5", "6"])
      for message in world.swarms.sealedForDevices(bob.id) {
        world.swarms.put(message.data, to: bob.id)
      }
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).count(where: { $0 == "3" }) == 1)
    }
  }

  @Test func forgedAndDamagedMessagesChangeNothing() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      let genuine = try #require(world.swarms.sealedForDevices(bob.id).first).data
      let stored = world.swarms.attempts(in: alice.id).count
      for place in stride(from: 2, to: genuine.count, by: 211) {
        var forged = genuine
        forged[place] ^= 0x40
        world.swarms.put(forged, to: bob.id)
      }
      // Among them a start whose key is no key at all.
      for place in 2..<80 {
        world.swarms.put(
          Array(genuine[..<place]) + [UInt8](repeating: 0, count: 32) + genuine[(place + 32)...], to: bob.id)
      }
      world.swarms.put([0x00, 0xD1] + [UInt8](repeating: 7, count: 1500), to: bob.id)
      world.swarms.put([0x00, 0xD1], to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(2) == ["one", "two"])
      try await alice.send("three", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "three")
      // Nothing answers a message of unknown keys.
      world.clock.advance(by: 2 * World.hour)
      try await world.settle()
      #expect(
        world.swarms.attempts(in: alice.id).dropFirst(stored).allSatisfy { attempt in
          attempt.items.allSatisfy { $0.namespace != .messages }
        })
    }
  }

  @Test func twoWhoStartAtOnceAgreeOnOneSession() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("from alice", to: bob.id)
      try await bob.send("from bob", to: alice.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("from alice"))
      #expect(try await alice.bodies(in: bob.id).contains("from bob"))
      for number in 0..<3 {
        try await alice.send("a\(number)", to: bob.id)
        try await bob.send("b\(number)", to: alice.id)
        try await world.settle()
      }
      let ours = try await alice.bodies(in: bob.id)
      #expect(Set(ours) == Set(try await bob.bodies(in: alice.id)))
      #expect(ours.count == 10)
    }
  }

  @Test func typingIsNotSentWithForwardSecrecy() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.setTypingIndicators(true)
      try await alice.send("one", to: bob.id)
      try await world.settle()
      let before = world.swarms.attempts(in: bob.id).count
      try await alice.setTyping(true, in: .person(bob.id))
      try await world.settle()
      #expect(world.swarms.attempts(in: bob.id).count == before)
    }
  }

  @Test func aRequiredLevelIsRefusedBeforeAnythingIsWritten() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.enableSecurity()
      try await world.settle()
      try await alice.send("finds out", to: bob.id)
      try await world.settle()
      let count = try await alice.bodies(in: bob.id).count
      var text = OutgoingText("secret")
      text.requiredLevel = .sr1
      await #expect { try await alice.send(text, to: .person(bob.id)) } throws: {
        MessengerError.Code.security ~= $0
      }
      try await alice.setSecurityRequired(true, for: bob.id)
      await #expect { try await alice.send("secret", to: bob.id) } throws: {
        MessengerError.Code.security ~= $0
      }
      #expect(try await alice.bodies(in: bob.id).count == count)
    }
  }

  @Test func readReceiptsArrive() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.setReadReceipts(true)
      try await bob.setReadReceipts(true)
      let id = try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.markRead(.person(alice.id))
      try await world.settle(rounds: 6)
      #expect(try await alice.message(id)?.readByRecipientAt != nil)
    }
  }
}
