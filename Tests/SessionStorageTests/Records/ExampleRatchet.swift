import SessionCore
import Testing

@testable import SessionStorage

/// The part of the example account that belongs to the ratchet protocol.
enum ExampleRatchet {
  static let device = [UInt8](repeating: 0xd, count: 32)
  static let startKey = [UInt8](repeating: 0xe, count: 32)

  static func secret(_ byte: UInt8, count: Int = 32) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: byte, count: count))
  }

  static func ownRow() throws -> RatchetSelfRecord {
    var own = RatchetSelfRecord(deviceSeed: try secret(1), createdAt: 2, host: [3], mark: [4])
    (own.slot, own.sequence, own.generation, own.isClosed) = (5, 6, 7, true)
    (own.publishedAt, own.bundleDigest) = (8, [9])
    return own
  }

  static func prekeys(_ generation: UInt32) throws -> RatchetPrekeys {
    try RatchetPrekeys(
      generation: generation, secret: try secret(5), kemSeed: try secret(6, count: 64),
      oneTime: [0: try secret(7), 3: try secret(8)])
  }

  private static var account: RatchetAccountRecord {
    var account = RatchetAccountRecord(ExampleAccount.bob)
    (account.fetchedAt, account.absentAt, account.isSticky) = (1, 2, true)
    (account.lastSeenAt, account.foreignAt, account.contradictedAt) = (3, 4, 5)
    account.policy = .require
    return account
  }

  private static var peer: RatchetDeviceRecord {
    var peer = RatchetDeviceRecord(device, of: ExampleAccount.bob, .provisional, at: 10)
    (peer.settledAt, peer.removedAt, peer.sequence, peer.signedAt) = (11, 12, 13, 14)
    (peer.capabilities, peer.slot, peer.roster, peer.bundle) = (3, 2, device, [1, 2])
    (peer.fetchedAt, peer.resetAt, peer.resetCount, peer.answeredAt) = (15, 16, 1, 17)
    peer.overruled = [46]
    return peer
  }

  static func session(with device: RatchetDeviceRecord.ID) throws -> RatchetSessionRecord {
    var session = RatchetSessionRecord(
      with: device, startedAt: 20, startKey: startKey, state: try secret(9, count: 453), tagKeys: [10],
      usedAt: 21)
    (session.confirmedAt, session.isClosed, session.bundleFetchedAt) = (22, true, 23)
    (session.heardAt, session.unansweredAt, session.contentAt, session.receivedSinceSend) = (24, 25, 26, 27)
    session.sentAt = 28
    return session
  }

  private static func skipped() throws -> RatchetSkippedKey {
    RatchetSkippedKey(
      headerKey: try secret(1), number: 4_000_000_000, messageKey: try secret(2), skippedAtSeconds: 30)
  }

  private static var verification: VerificationRecord {
    var verification = VerificationRecord(ExampleAccount.bob, .changed)
    (verification.fingerprint, verification.devices) = ([1], [2])
    (verification.verifiedAt, verification.verifiedBy, verification.method) = (3, [4], .code)
    (verification.changedAt, verification.cause, verification.seenAt) = (5, .new, 6)
    return verification
  }

  private static let told = ToldVerificationRecord(
    ExampleAccount.bob, [1], isVerified: true, at: 45, by: [4])

  static func fill(_ transaction: borrowing WriteTransaction) throws {
    try transaction.put(try ownRow())
    try transaction.insert(try prekeys(7), at: 40)
    try transaction.noteStart(startKey, generation: 7, oneTimePlace: 3, at: 41)
    try transaction.put(account)
    let kept = try transaction.put(peer)
    let session = try transaction.put(try session(with: kept.id))
    try transaction.insert(try skipped(), of: session.id)
    try transaction.noteOpened([8], at: 42)
    try transaction.put(
      RatchetSentRecord("sent", to: ExampleAccount.bob, InteractionRecord.ID(rawValue: 1), at: 43))
    try transaction.noteBroken("broken", of: kept.id, at: 44)
    try transaction.put(verification)
    try transaction.put(told)
  }

  static func check(_ transaction: borrowing ReadTransaction, since version: Int) throws {
    let own = try transaction.ratchetSelf()
    let expectedOwn = try ownRow()
    #expect(own == expectedOwn)
    let (found, expectedKeys) = (try #require(try transaction.ratchetPrekeys(7)), try prekeys(7))
    #expect(found.secret == expectedKeys.secret && found.kemSeed == expectedKeys.kemSeed)
    #expect(found.oneTime == expectedKeys.oneTime)
    #expect(try transaction.usedOneTimeKeys(of: 7) == 1)
    #expect(try transaction.hasSeenStart(startKey))
    let accountRow = try transaction.ratchetAccount(ExampleAccount.bob)
    #expect(accountRow == account)
    let kept = try #require(try transaction.ratchetDevice(device))
    var expected = peer
    expected.id = kept.id
    if version < 21 { expected.overruled = [] }
    #expect(kept == expected)
    let sessions = try transaction.ratchetSessions(with: kept.id)
    var expectedSession = try session(with: kept.id)
    expectedSession.id = try #require(sessions.first).id
    #expect(sessions == [expectedSession])
    let keys = try transaction.skippedKeys(of: expectedSession.id)
    #expect(keys.map(\.number) == [4_000_000_000] && keys.map(\.skippedAtSeconds) == [30])
    let (headerKey, messageKey) = (try secret(1), try secret(2))
    #expect(keys.map(\.headerKey) == [headerKey] && keys.map(\.messageKey) == [messageKey])
    #expect(try transaction.wasOpened([8]))
    #expect(try transaction.ratchetSent("sent", to: ExampleAccount.bob)?.sentAt == 43)
    #expect(try transaction.ratchetSent("sent", to: ExampleAccount.me) == nil)
    #expect(try transaction.brokenMessages(of: kept.id, limit: 9) == ["broken"])
    #expect(try transaction.brokenDevices().map(\.since) == [44])
    let verified = try transaction.verification(of: ExampleAccount.bob)
    #expect(verified == verification)
    // Before, there were only the comparisons of this device.
    let said = try #require(try transaction.toldVerification(of: ExampleAccount.bob))
    #expect(said.fingerprint == [1] && said.isVerified && said.isTold)
    #expect(said.at == (version < 21 ? 3 : 45) && said.device == (version < 21 ? nil : [4]))
  }
}
