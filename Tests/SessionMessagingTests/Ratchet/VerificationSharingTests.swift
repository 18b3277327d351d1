import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Linked devices tell each other whom the user has verified.
@Suite struct VerificationSharingTests {
  private func state(of person: SessionID, _ messenger: Messenger) async throws -> VerificationState {
    try await messenger.contacts().first { $0.id == person }?.verification ?? .never
  }

  private func confirm(_ person: SessionID, _ messenger: Messenger) async throws {
    try await messenger.lookUpDevices(of: person)
    let candidate = try #require(try await messenger.safetyNumber(with: person).candidates.first)
    try await messenger.confirm(candidate, of: person, by: .number)
  }

  /// The fingerprint of a person with the devices that a messenger knows.
  private func fingerprint(of person: SessionID, _ messenger: Messenger) async throws -> [UInt8] {
    try #require(try await messenger.safetyNumber(with: person).candidates.first).number.theirs.fingerprint
  }

  /// Has a messenger hear something, as from its first linked device or from a device of `sender`.
  private func hear(
    _ verifications: [RatchetBody.Verification], _ messenger: Messenger, from sender: SessionID? = nil,
    as status: RatchetDeviceRecord.Status? = nil
  ) async throws {
    let ratchet = messenger.ratchet
    let address = (sender ?? messenger.id).address
    try await ratchet.write { transaction, now in
      var device = try #require(try transaction.ratchetDevices(of: address).first)
      if let status { device.status = status }
      try ratchet.take(verifications, from: device, at: now, in: transaction)
    }
  }

  private func verified(
    _ person: SessionID, _ fingerprint: [UInt8], _ isVerified: Bool = true, at time: Int64
  ) throws -> RatchetBody.Verification {
    RatchetBody.Verification(
      person, fingerprint, isVerified: isVerified, at: try MessageTime(milliseconds: UInt64(time)))
  }

  @Test func aLinkedDeviceWithTheSameViewTakesItOver() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[1].lookUpDevices(of: bob[0].id)
      try await confirm(bob[0].id, alice[0])
      try await world.settle()
      #expect(try await state(of: bob[0].id, alice[1]) == .verified)
      let person = try #require(try await alice[1].verifiedPeople().first)
      #expect(person.state == .verified && !person.isVerifiedElsewhere)
      let note = try await alice[1].messages(in: .person(bob[0].id)).first { message in
        if case .note(.security(.verified, _)) = message.kind { true } else { false }
      }
      let device = Array(try await alice[0].deviceID().prefix(4)).hex
      #expect(note?.kind == .note(.security(.verified, device: device)))
      // It is between our own devices: the other side learns nothing.
      for device in bob { #expect(try await state(of: alice[0].id, device) == .never) }
      try await alice[1].clearVerification(of: bob[0].id)
      try await world.settle()
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
      #expect(try await alice[0].verifiedPeople().isEmpty)
    }
  }

  @Test func aDeviceThatSeesOtherDevicesTakesItOverOnceItSeesTheSame() async throws {
    try await withFourDevices { world, alice, bob in
      // The second device never looked, and is shown nothing of Bob's devices.
      try await confirm(bob[0].id, alice[0])
      world.swarms.answerPublished { account, _ in account == bob[0].id ? [] : nil }
      try await world.settle()
      #expect(try await state(of: bob[0].id, alice[1]) == .never)
      let number = try await alice[1].safetyNumber(with: bob[0].id)
      #expect(number.isVerifiedElsewhere && number.state == .never)
      let listed = try #require(try await alice[1].verifiedPeople().first)
      #expect(listed.isVerifiedElsewhere && listed.state == .never && listed.person == bob[0].id)
      world.swarms.answerPublished { _, _ in nil }
      try await alice[1].lookUpDevices(of: bob[0].id)
      #expect(try await state(of: bob[0].id, alice[1]) == .verified)
      #expect(try await !alice[1].safetyNumber(with: bob[0].id).isVerifiedElsewhere)
    }
  }

  @Test func theLaterWordWins() async throws {
    try await withFourDevices { world, alice, bob in
      try await confirm(bob[0].id, alice[0])
      let print = try await fingerprint(of: bob[0].id, alice[0])
      let then = world.clock.now
      // Earlier than the comparison here.
      try await hear([verified(bob[0].id, print, false, at: then - 1)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .verified)
      world.clock.advance(by: 5000)
      try await hear([verified(bob[0].id, print, false, at: then + 2000)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
      try await hear([verified(bob[0].id, print, at: then + 1000)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
      try await hear([verified(bob[0].id, print, at: then + 3000)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .verified)
    }
  }

  @Test func aChangeAfterTheComparisonIsNotForgottenForIt() async throws {
    try await withFourDevices { world, alice, bob in
      try await confirm(bob[0].id, alice[0])
      let print = try await fingerprint(of: bob[0].id, alice[0])
      let then = world.clock.now
      world.clock.advance(by: World.hour)
      let thief = try await world.device(of: bob[0].context.account)
      try await thief.enableSecurity()
      try await world.settle()
      try await alice[0].lookUpDevices(of: bob[0].id)
      #expect(try await state(of: bob[0].id, alice[0]) == .changed)
      try await hear([verified(bob[0].id, print, at: then + 1)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .changed)
      // Compared again since, on the other device: the new one gets nothing.
      world.clock.advance(by: 1)
      try await hear([verified(bob[0].id, print, at: world.clock.now)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .verified)
      let id = try await thief.deviceID()
      let seen = try await alice[0].security(of: bob[0].id).devices.first { $0.id == id }
      #expect(seen?.status == .suspended)
    }
  }

  @Test func onlyLinkedDevicesAreBelieved() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].lookUpDevices(of: bob[0].id)
      let told = try verified(
        bob[0].id, try await fingerprint(of: bob[0].id, alice[0]), at: world.clock.now)
      try await hear([told], alice[0], from: bob[0].id)
      for status in RatchetDeviceRecord.Status.allCases where status != .accepted {
        try await hear([told], alice[0], as: status)
      }
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
      #expect(try await alice[0].verifiedPeople().isEmpty)
      try await hear([told], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .verified)
    }
  }

  @Test func anotherFingerprintIsNeverTakenOver() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].lookUpDevices(of: bob[0].id)
      let other = [UInt8](repeating: 7, count: 32)
      try await hear([verified(bob[0].id, other, at: world.clock.now)], alice[0])
      try await world.settle()
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
      #expect(try await alice[0].verifiedPeople().map(\.isVerifiedElsewhere) == [true])
      // Messages go on as before.
      try await alice[0].send("sent", to: bob[0].id)
      // A word of the future counts as said now, so that a later one can win.
      try await hear([verified(bob[0].id, other, false, at: world.clock.now + World.day)], alice[0])
      world.clock.advance(by: 1)
      try await confirm(bob[0].id, alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .verified)
    }
  }

  @Test func wordsAboutStrangersAreKeptUntilTheyAreContacts() async throws {
    try await withFourDevices { world, alice, bob in
      let carol = try await world.device(of: try Account.generate(), name: "Carol")
      let print = try SafetySide(carol.id, devices: [[UInt8]]()).fingerprint
      try await hear([verified(carol.id, print, at: world.clock.now)], alice[0])
      #expect(try await alice[0].verifiedPeople().isEmpty)
      try await alice[0].send("hello", to: carol.id)
      try await world.settle()
      #expect(try await state(of: carol.id, alice[0]) == .verified)
      // Only so many strangers are kept, the newest.
      let strangers = try (0..<201).map { number in
        try verified(try Account.generate().id, print, at: world.clock.now - 1000 + Int64(number))
      }
      for part in [strangers[..<50], strangers[50..<100], strangers[100..<150], strangers[150...]] {
        try await hear(Array(part), alice[0])
      }
      let kept = try await alice[0].ratchet.database.read { try $0.verificationsElsewhere().map(\.id) }
      #expect(kept.count == 201 && kept.contains(carol.id.address))
      #expect(!kept.contains(strangers[0].person.address) && kept.contains(strangers[200].person.address))
    }
  }

  /// The other device may not have noticed what this one did.
  @Test(arguments: [VerificationRecord.Cause.new, .weakened])
  func aChangeThatThisDeviceNoticedStaysUntilItIsAcceptedHere(cause: VerificationRecord.Cause) async throws {
    try await withFourDevices { world, alice, bob in
      try await confirm(bob[0].id, alice[0])
      let print = try await fingerprint(of: bob[0].id, alice[0])
      world.clock.advance(by: World.hour)
      if cause == .new {
        let thief = try await world.device(of: bob[0].context.account)
        try await thief.enableSecurity()
        try await world.settle()
        try await alice[0].lookUpDevices(of: bob[0].id)
      } else {
        try await alice[0].ratchet.write { transaction, now in
          try transaction.unverify(bob[0].id, because: cause, at: now)
        }
      }
      #expect(try await state(of: bob[0].id, alice[0]) == .changed)
      world.clock.advance(by: 5000)
      try await hear([verified(bob[0].id, print, false, at: world.clock.now)], alice[0])
      #expect(try await state(of: bob[0].id, alice[0]) == .changed)
      try await alice[0].acceptChange(of: bob[0].id)
      #expect(try await state(of: bob[0].id, alice[0]) == .never)
    }
  }

  @Test func linkingTellsEarlierVerifications() async throws {
    try await withFourDevices { world, alice, bob in
      try await confirm(bob[0].id, alice[0])
      try await world.settle()
      func untold() async throws -> Int {
        try await alice[0].ratchet.database.read { try $0.untoldVerifications(limit: 9).count }
      }
      #expect(try await untold() == 0)
      let other = try await alice[1].deviceID()
      // As if it had been linked only now.
      try await alice[1].ratchet.write { transaction, _ in
        try transaction.deleteVerification(of: bob[0].id.address)
        try transaction.deleteToldVerification(of: bob[0].id.address)
      }
      #expect(try await state(of: bob[0].id, alice[1]) == .never)
      try await alice[0].linkDevice(other)
      try await world.settle()
      #expect(try await state(of: bob[0].id, alice[1]) == .verified)
      #expect(try await untold() == 0)
    }
  }

  @Test func withoutOtherDevicesNothingIsSentYet() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      let before = world.swarms.sealedForDevices(alice.id).count
      try await confirm(bob.id, alice)
      try await world.settle()
      #expect(world.swarms.sealedForDevices(alice.id).count == before)
      let untold = try await alice.ratchet.database.read { try $0.untoldVerifications(limit: 9).count }
      #expect(untold == 1)
    }
  }
}
