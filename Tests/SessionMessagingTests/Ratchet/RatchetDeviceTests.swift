import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Several devices of an account.
@Suite struct RatchetDeviceTests {
  @Test func everyDeviceOfBothSidesHasEveryMessage() async throws {
    try await withFourDevices { world, alice, bob in
      #expect(world.swarms.bundles(of: alice[0].id).count == 2)
      #expect(world.swarms.bundles(of: alice[0].id).allSatisfy { $0.roster.count == 2 })
      for (number, sender) in (alice + bob).enumerated() {
        let to = sender.id == alice[0].id ? bob[0].id : alice[0].id
        try await sender.send("from \(number)", to: to)
        try await world.settle()
      }
      for device in alice + bob {
        let with = device.id == alice[0].id ? bob[0].id : alice[0].id
        #expect(try await device.bodies(in: with).suffix(4) == ["from 0", "from 1", "from 2", "from 3"])
        #expect(try await device.lastLevel(in: with) == .sr1)
      }
    }
  }

  @Test func noteToSelfReachesTheOtherDevice() async throws {
    try await withFourDevices { world, alice, _ in
      let before = world.swarms.sealedForDevices(alice[0].id).count
      try await alice[0].send("remember", to: alice[0].id)
      try await world.settle()
      #expect(try await alice[1].bodies(in: alice[0].id) == ["remember"])
      #expect(world.swarms.sealedForDevices(alice[0].id).count == before + 1)
    }
  }

  @Test func twoDevicesThatTakeASlotAtOnceEndInTwo() async throws {
    try await withAliceAndBob { world, alice, bob in
      let second = try await world.device(of: alice.context.account)
      try await alice.enableSecurity()
      try await second.enableSecurity()
      try await world.settle()
      for _ in 0..<3 {
        world.clock.advance(by: BundlePublishing.check + 1000)
        try await world.settle()
      }
      let devices = Set([try await alice.deviceID(), try await second.deviceID()])
      #expect(Set(world.swarms.bundles(of: alice.id).map(\.device)) == devices)
    }
  }

  @Test func aRemovedDeviceGetsNothingMore() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].send("before", to: bob[0].id)
      try await world.settle()
      try await bob[0].removeDevice(try await bob[1].deviceID())
      try await world.settle()
      try await world.pass(days: 2)
      try await alice[0].send("after", to: bob[0].id)
      try await world.settle()
      #expect(try await bob[0].bodies(in: alice[0].id).last == "after")
      #expect(try await !bob[1].bodies(in: alice[0].id).contains("after"))
      #expect(try await alice[0].securityNotes(in: bob[0].id).contains(.deviceRemoved))
    }
  }

  @Test func anUnlinkedDeviceGetsNoCopies() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      let thief = try await world.device(of: alice.context.account)
      try await thief.enableSecurity()
      try await world.settle()
      world.clock.advance(by: World.hour)
      try await world.settle()
      try await alice.send("one", to: bob.id)
      try await world.settle()
      #expect(try await !thief.bodies(in: bob.id).contains("one"))
      let devices = try await alice.ownSecurity().devices
      #expect(devices.map(\.status) == [.own, .provisional])
      #expect(try await alice.kinds().contains(.devicesChanged))
    }
  }

  @Test func contactsSeeANewDeviceAndLaterHoldIt() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      let thief = try await world.device(of: bob.context.account)
      try await thief.enableSecurity()
      try await world.settle()
      try await world.pass(days: 4)
      // Bob's own device has published since, and does not list it.
      try await alice.send("two", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "two")
      #expect(
        try await alice.security(of: bob.id).devices.map(\.status).sorted { $0.rawValue < $1.rawValue } == [
          .accepted, .suspended,
        ])
      #expect(try await !thief.bodies(in: alice.id).contains("two"))
      #expect(try await alice.securityNotes(in: bob.id).contains(.deviceAdded))
    }
  }

  @Test func aCopiedAccountStopsUntilItsDeviceIsRenewed() async throws {
    let world = World()
    let account = try Account.generate()
    let bob = try await world.device(of: .generate(), name: "Bob")
    try await bob.enableSecurity()
    let device = try await MemoryDevice(of: account, in: world)
    try await device.messenger.send("hello", to: bob.id)
    try await world.settle()
    try await bob.send("hello", to: account.id)
    try await world.settle()
    try await device.messenger.enableSecurity()
    try await world.settle()
    let old = try await device.messenger.deviceID()
    var elsewhere = world.environment
    elsewhere.machine = "another machine"
    await world.stop(device.messenger)
    let copy = try Messenger(account, device.database(), elsewhere)
    _ = try await world.start(copy)
    #expect(try await copy.ownSecurity().isForeign)
    try await copy.send("plain", to: bob.id)
    try await world.settle()
    #expect(try await copy.lastLevel(in: bob.id) == .v1)
    try await copy.renewDevice()
    try await world.settle()
    #expect(try await !copy.ownSecurity().isForeign)
    #expect(try await copy.deviceID() != old)
    await world.stop()
  }

  /// Its sessions may be in use on the other machine.
  @Test func aCopiedAccountNeitherUsesItsSessionsNorSendsWithLess() async throws {
    let world = World()
    let account = try Account.generate()
    let bob = try await world.device(of: .generate(), name: "Bob")
    try await bob.enableSecurity()
    let device = try await MemoryDevice(of: account, in: world)
    try await device.messenger.send("hello", to: bob.id)
    try await world.settle()
    try await bob.send("hello", to: account.id)
    try await device.messenger.enableSecurity()
    try await world.settle()
    try await device.messenger.send("sealed", to: bob.id)
    try await world.settle()
    #expect(try await bob.lastLevel(in: account.id) == .sr1)
    var elsewhere = world.environment
    elsewhere.machine = "another machine"
    await world.stop(device.messenger)
    let copy = try Messenger(account, device.database(), elsewhere)
    _ = try await world.start(copy)
    _ = try? await copy.send("refused", to: bob.id)
    let sent = world.swarms.sealedForDevices(bob.id).count
    // Bob waits for an answer, which upkeep would give.
    try await bob.send("are you there", to: account.id)
    try await world.pass(days: 3)
    #expect(try await !bob.bodies(in: account.id).contains("refused"))
    #expect(try await !copy.securityNotes(in: bob.id).contains(.weakened))
    #expect(world.swarms.sealedForDevices(bob.id).count == sent)
    await world.stop()
  }

  /// One of Bob's devices cannot be reached by a session when a message is written.
  @Test func aDeviceWithoutASessionGetsTheMessageLater() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].send("before", to: bob[0].id)
      try await world.settle()
      let (late, own) = (try await bob[1].deviceID(), bob[0].id)
      try await alice[0].context.database.write { transaction in
        let device = try #require(try transaction.ratchetDevice(late))
        try transaction.run("DELETE FROM srSession WHERE deviceID = ?", device.id)
      }
      // Nodes hide its bundle for so long that the known one is too old to start from.
      let slots = StorageNamespace.bundles.flatMap { world.swarms.kept(own, in: $0) }
      let others = slots.filter { message in
        (try? RatchetBundle(opening: message.data, of: own, atSeconds: message.storedAt.seconds))?.device
          != late
      }
      #expect(others.count == 1)
      world.swarms.answerPublished { account, _ in account == own ? others : nil }
      await bob[0].suspend()
      await bob[1].suspend()
      try await world.pass(days: 3)
      try await alice[0].send("to both", to: own)
      try await alice[0].waitUntilIdle()
      #expect(try await alice[0].last(in: own).state == .sent)
      await bob[0].resume()
      await bob[1].resume()
      try await world.settle()
      #expect(try await bob[0].bodies(in: alice[0].id).last == "to both")
      #expect(try await !bob[1].bodies(in: alice[0].id).contains("to both"))
      world.swarms.answerPublished { _, _ in nil }
      world.clock.advance(by: LateSealing.interval.milliseconds)
      try await world.settle()
      #expect(try await bob[1].bodies(in: alice[0].id).last == "to both")
      #expect(try await bob[0].bodies(in: alice[0].id).count { $0 == "to both" } == 1)
    }
  }

  /// Somebody with the recovery phrase uses the slot of the device: both do not overwrite each other all the time.
  @Test func aTakenSlotIsTakenBackOnceAnHourAtMost() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      world.clock.advance(by: BundlePublishing.race)
      try await world.settle()
      let slot = StorageNamespace.bundles[0]
      let thief = try await world.device(of: alice.context.account)
      try await thief.enableSecurity()
      try await world.settle()
      world.clock.advance(by: BundlePublishing.check + 1000)
      try await world.settle()
      try await thief.context.database.write { transaction in
        var row = try #require(try transaction.ratchetSelf())
        row.slot = 0
        try transaction.put(row)
        try transaction.requestPublishing(at: world.clock.now)
      }
      let before = world.swarms.attempts(in: alice.id, slot).count
      for _ in 0..<120 {
        world.clock.advance(by: 31_000)
        for device in [alice, thief] { try await device.waitUntilIdle() }
      }
      let stores = world.swarms.attempts(in: alice.id, slot).count - before
      #expect((1...4).contains(stores), "\(stores) stores in an hour")
      // It is not given up either.
      try await world.pass(days: 1, hoursApart: 1)
      #expect(try await alice.ownSecurity().devices.first?.slot == 0)
      #expect(world.swarms.attempts(in: alice.id, slot).count - before > stores)
    }
  }

  @Test func linkedDevicesInOneSlotEndInTwo() async throws {
    try await withFourDevices { world, alice, _ in
      let ids = [try await alice[0].deviceID(), try await alice[1].deviceID()]
      for device in alice {
        try await device.context.database.write { transaction in
          var row = try #require(try transaction.ratchetSelf())
          row.slot = 3
          try transaction.put(row)
          try transaction.requestPublishing(at: world.clock.now)
        }
        try await world.settle()
      }
      try await world.pass(days: 1, hoursApart: 1)
      let slots = try await [alice[0].ownSecurity(), alice[1].ownSecurity()].map { $0.devices.first?.slot }
      #expect(slots[0] != slots[1])
      let bundles = world.swarms.bundles(of: alice[0].id)
      #expect(ids.allSatisfy { id in bundles.contains { $0.device == id } })
    }
  }

  @Test func keysAreErasedAfterItIsSwitchedOff() async throws {
    try await withSecureAliceAndBob { world, alice, bob in
      try await alice.send("one", to: bob.id)
      try await world.settle()
      try await bob.send("two", to: alice.id)
      try await world.settle()
      func count(_ table: SQL) async throws -> Int? {
        try await bob.context.database.read { transaction in try transaction.value(table) }
      }
      let tables: [SQL] = [
        "SELECT count(*) FROM srPrekey", "SELECT count(*) FROM srOneTimeKey",
        "SELECT count(*) FROM srSession",
      ]
      try await bob.disableSecurity()
      try await world.settle()
      // What was sent before is still received.
      for table in tables { #expect(try await count(table) ?? 0 > 0) }
      try await world.pass(days: 18, hoursApart: 24)
      for table in tables { #expect(try await count(table) == 0) }
      // It begins anew with new keys.
      try await bob.enableSecurity()
      try await world.settle()
      try await alice.lookUpDevices(of: bob.id)
      try await alice.send("three", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).last == "three")
      #expect(try await bob.lastLevel(in: alice.id) == .sr1)
    }
  }

  @Test func keysSharedWithARemovedDeviceAreErased() async throws {
    try await withFourDevices { world, alice, bob in
      try await alice[0].send("before", to: bob[0].id)
      try await bob[0].send("a copy for the other device", to: alice[0].id)
      try await world.settle()
      let removed = try await bob[1].deviceID()
      let generation = try await bob[0].context.database.read { try $0.ratchetSelf()?.generation }
      try await bob[0].removeDevice(removed)
      try await world.settle()
      #expect(try await bob[0].context.database.read { try $0.ratchetSelf()?.generation } != generation)
      await world.stop(bob[1])
      func sessions(_ messenger: Messenger) async throws -> Int {
        try await messenger.context.database.read { transaction in
          let device = try #require(try transaction.ratchetDevice(removed))
          return try transaction.ratchetSessions(with: device.id).count
        }
      }
      try await world.pass(days: 2)
      #expect(try await [sessions(bob[0]), sessions(alice[0])].allSatisfy { $0 > 0 })
      try await world.pass(days: 17)
      #expect(try await [sessions(bob[0]), sessions(alice[0])] == [0, 0])
    }
  }
}
