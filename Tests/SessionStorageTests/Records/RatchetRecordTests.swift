import SessionCore
import Testing

@testable import SessionStorage

@Suite struct RatchetRecordTests {
  private let database: Database

  init() throws { database = try ExampleAccount.inMemory() }

  private static let day: Int64 = 24 * 3_600_000

  private func erase(at now: Int64, readAt: Int64?) throws {
    try database.write { transaction in
      try transaction.erase(RatchetErasure(at: now, readAt: readAt))
    }
  }

  private func prekeys(_ generation: UInt32) throws -> RatchetPrekeys? {
    try database.read { transaction in try transaction.ratchetPrekeys(generation) }
  }

  private func addDevice(_ byte: UInt8, of account: String = ExampleAccount.bob) throws -> RatchetDeviceRecord
  {
    try database.write { transaction in
      try transaction.put(
        RatchetDeviceRecord([UInt8](repeating: byte, count: 32), of: account, .accepted, at: 1))
    }
  }

  private func session(
    _ startedAt: Int64, _ key: UInt8, with device: RatchetDeviceRecord
  ) throws -> RatchetSessionRecord {
    RatchetSessionRecord(
      with: device.id, startedAt: startedAt, startKey: [UInt8](repeating: key, count: 32),
      state: try ExampleRatchet.secret(1), tagKeys: [], usedAt: 1)
  }

  @Test func aReplacedGenerationOutlivesItsTimeUntilTheMailboxWasRead() throws {
    try database.write { transaction in
      try transaction.insert(try ExampleRatchet.prekeys(1), at: 0)
      try transaction.insert(try ExampleRatchet.prekeys(2), at: 1000)
      try transaction.noteStart(ExampleRatchet.startKey, generation: 1, oneTimePlace: nil, at: 1)
    }
    let over = 1000 + RatchetErasure.lifetime
    try erase(at: over + 5 * Self.day, readAt: nil)
    try erase(at: over + 5 * Self.day, readAt: over - 1)
    #expect(try prekeys(1) != nil)
    try erase(at: over + 5 * Self.day, readAt: over)
    #expect(try prekeys(1) == nil)
    #expect(try database.read { transaction in try !transaction.hasSeenStart(ExampleRatchet.startKey) })
    #expect(try prekeys(2) != nil, "the newest generation stays")
  }

  @Test func aReplacedGenerationGoesInTheEndWithoutAnyReading() throws {
    try database.write { transaction in
      try transaction.insert(try ExampleRatchet.prekeys(1), at: 0)
      try transaction.insert(try ExampleRatchet.prekeys(2), at: 1000)
    }
    try erase(at: 999 + RatchetErasure.latest, readAt: nil)
    #expect(try prekeys(1) != nil)
    try erase(at: 1000 + RatchetErasure.latest, readAt: nil)
    #expect(try prekeys(1) == nil)
  }

  @Test func aOneTimeKeyGoesTwoDaysAfterItsFirstUse() throws {
    try database.write { transaction in
      try transaction.insert(try ExampleRatchet.prekeys(1), at: 0)
      try transaction.noteStart([1], generation: 1, oneTimePlace: 3, at: 1000)
      try transaction.noteStart([2], generation: 1, oneTimePlace: 3, at: 5000)
    }
    let over = 1000 + RatchetErasure.oneTimeLifetime
    try erase(at: over, readAt: over - 1)
    #expect(try prekeys(1)?.oneTime.keys.sorted() == [0, 3])
    try erase(at: over, readAt: over)
    #expect(try prekeys(1)?.oneTime.keys.sorted() == [0])
  }

  @Test func onlyTheNewestSessionsOfADeviceAreKept() throws {
    let device = try addDevice(1)
    try database.write { transaction in
      for number in 1...7 {
        // The same time: the start key decides.
        try transaction.put(try session(9, UInt8(number), with: device))
      }
    }
    let kept = try database.read { transaction in try transaction.ratchetSessions(with: device.id) }
    #expect(kept.map { $0.startKey[0] } == [7, 6, 5, 4, 3])
  }

  /// A peer that starts sessions again and again does not push out the one in use.
  @Test func theSessionInUseIsKeptBesidesNewerOnes() throws {
    let device = try addDevice(1)
    try database.write { transaction in
      for number: UInt8 in 1...9 {
        var session = try session(Int64(number), number, with: device)
        if number <= 2 { session.confirmedAt = 1 }
        try transaction.put(session)
      }
    }
    let kept = try database.read { transaction in try transaction.ratchetSessions(with: device.id) }
    #expect(kept.map(\.startedAt) == [9, 8, 7, 6, 5, 2])
  }

  @Test func anOlderSessionGoesAfterANewerOneWasConfirmed() throws {
    let device = try addDevice(1)
    try database.write { transaction in
      try transaction.put(try session(1, 1, with: device))
      var newer = try session(2, 2, with: device)
      newer.confirmedAt = 1000
      try transaction.put(newer)
      try transaction.put(try session(3, 3, with: device))
    }
    func starts() throws -> [Int64] {
      try database.read { transaction in try transaction.ratchetSessions(with: device.id).map(\.startedAt) }
    }
    try erase(at: 999 + RatchetErasure.lifetime, readAt: nil)
    #expect(try starts() == [3, 2, 1])
    try erase(at: 1000 + RatchetErasure.lifetime, readAt: nil)
    #expect(try starts() == [3, 2])
  }

  @Test func closingLeavesNewerSessionsOpen() throws {
    let device = try addDevice(1)
    try database.write { transaction in
      for number: UInt8 in 1...3 { try transaction.put(try session(9, number, with: device)) }
      let middle = try #require(
        try transaction.ratchetSession(startKey: [UInt8](repeating: 2, count: 32)))
      try transaction.closeRatchetSessions(olderThan: middle)
    }
    let closed = try database.read { transaction in
      try transaction.ratchetSessions(with: device.id).map(\.isClosed)
    }
    #expect(closed == [false, false, true])
  }

  @Test func theAccountWithMostSkippedKeysLosesItsOldest() throws {
    let (bob, eve) = (try addDevice(1), try addDevice(2, of: ExampleAccount.me))
    try database.write { transaction in
      for (device, count) in [(bob, 4), (eve, 9)] {
        let session = try transaction.put(try session(1, device.device[0], with: device))
        for number in 0..<count {
          try transaction.insert(
            RatchetSkippedKey(
              headerKey: try ExampleRatchet.secret(3), number: UInt32(number),
              messageKey: try ExampleRatchet.secret(4), skippedAtSeconds: UInt64(number)), of: session.id)
        }
      }
      #expect(try transaction.trimSkippedKeys(ofAccount: 8, all: 10) == 3)
    }
    func numbers(of device: RatchetDeviceRecord) throws -> [UInt32] {
      try database.read { transaction in
        let session = try #require(try transaction.ratchetSessions(with: device.id).first)
        return try transaction.skippedKeys(of: session.id).map(\.number)
      }
    }
    #expect(try numbers(of: bob) == [0, 1, 2, 3])
    #expect(try numbers(of: eve) == [3, 4, 5, 6, 7, 8])
  }

  @Test func aVerificationOfALaterVersionIsNoTrust() throws {
    try database.write { transaction in
      try transaction.run("INSERT INTO verification (id, state) VALUES (?, 9)", ExampleAccount.bob)
    }
    let state = try database.read { transaction in
      try transaction.verification(of: ExampleAccount.bob)?.state
    }
    #expect(state == .changed)
  }

  @Test func theOldestSessionsOfStrangersGo() throws {
    let friend = try addDevice(1)
    try database.write { transaction in
      var contact = ContactRecord(ExampleAccount.bob, createdAt: 1)
      contact.isApproved = true
      try transaction.put(contact)
      try transaction.put(try session(1, 1, with: friend))
    }
    let strangers = try (2...6).map {
      try addDevice($0, of: "05" + String(repeating: "\($0)\($0)", count: 32))
    }
    let own = try addDevice(9, of: ExampleAccount.me)
    try database.write { transaction in
      try transaction.put(try session(1, 9, with: own))
      for (number, stranger) in strangers.enumerated() {
        try transaction.put(RatchetAccountRecord(stranger.account))
        try transaction.put(try session(1, UInt8(20 + number), with: stranger))
      }
      #expect(try transaction.trimStrangeSessions(own: ExampleAccount.me, limit: 3) == 2)
    }
    let left = try database.read { transaction in
      (
        devices: try strangers.map { try transaction.ratchetDevice($0.device) != nil },
        accounts: try strangers.map { try transaction.ratchetAccount($0.account) != nil },
        others: try [friend, own].map { try transaction.ratchetSessions(with: $0.id).count }
      )
    }
    #expect(left.devices == [false, false, true, true, true])
    #expect(left.accounts == left.devices)
    #expect(left.others == [1, 1])
  }

  @Test func theSessionsUnusedForLongestGo() throws {
    let devices = try (1...4).map { try addDevice($0, of: "05" + String(repeating: "\($0)\($0)", count: 32)) }
    try database.write { transaction in
      for (number, device) in devices.enumerated() {
        for start: UInt8 in 1...2 {
          var session = try session(Int64(start), UInt8(10 * number) + start, with: device)
          session.usedAt = Int64(100 - number)
          try transaction.put(session)
        }
      }
      #expect(try transaction.trimIdleAccounts(limit: 2) == 4)
    }
    let left = try database.read { transaction in
      try devices.map { try transaction.ratchetSessions(with: $0.id).count }
    }
    #expect(left == [2, 2, 0, 0])
  }

  @Test func sessionsWithARemovedDeviceGoAfterAWhile() throws {
    var device = try addDevice(1)
    (device.status, device.removedAt) = (.removed, 1000)
    try database.write { transaction in
      try transaction.put(device)
      try transaction.put(try session(1, 1, with: device))
    }
    func count() throws -> Int {
      try database.read { transaction in try transaction.ratchetSessions(with: device.id).count }
    }
    try erase(at: 999 + RatchetErasure.lifetime, readAt: nil)
    #expect(try count() == 1)
    try erase(at: 1000 + RatchetErasure.lifetime, readAt: nil)
    #expect(try count() == 0)
  }

  @Test func sessionsGoWithTheLastPrekeysOnlyIfItIsOff() throws {
    let device = try addDevice(1)
    try database.write { transaction in
      try transaction.put(try session(1, 1, with: device))
      try transaction.erase(RatchetErasure(at: 1, readAt: nil))
    }
    func count() throws -> Int {
      try database.read { transaction in try transaction.ratchetSessions(with: device.id).count }
    }
    #expect(try count() == 1)
    try database.write { transaction in
      try transaction.insert(try ExampleRatchet.prekeys(1), at: 0)
      try transaction.erase(RatchetErasure(at: 1, readAt: nil, isOff: true))
    }
    #expect(try count() == 1)
    try database.write { transaction in
      try transaction.replaceRatchetPrekeys(at: 1)
      try transaction.erase(
        RatchetErasure(at: 1 + RatchetErasure.latest, readAt: nil, isOff: true))
    }
    #expect(try count() == 0)
  }
}
