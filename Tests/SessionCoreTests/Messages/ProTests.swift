import SessionNodeCore
import Testing

@testable import SessionCore

/// Pro from the backend that issues a proof to the reader who honours it.
@Suite struct ProTests {
  private let backendSeed: SecretBytes
  private let rotatingSeed: SecretBytes
  private let backend: [UInt8]
  private let me: Account
  private let friend: Account

  init() throws {
    backendSeed = try SecretBytes(copying: [UInt8](repeating: 1, count: 32))
    rotatingSeed = try SecretBytes(
      copying: [UInt8](hex: "7ddea924e1dcdcec56364a95f2f3fa808f544f510ce1ae118a507a9303208c38".utf8))
    backend = try GroupAdminKey(seed: backendSeed).group.key
    me = try Example.second()
    friend = try Example.first()
  }

  private func proof(
    _ generation: ProProof.Generation = .b, expiry: UInt64 = 1_752_000_000, backendSeed: SecretBytes? = nil
  ) throws -> ProProof {
    try ProProof(
      issuing: generation, tag: [UInt8](repeating: 2, count: 32),
      rotatingKey: GroupAdminKey(seed: rotatingSeed).group.key, expiry: expiry,
      backendSeed: backendSeed ?? self.backendSeed)
  }

  /// A text that is too long without Pro, sent in the last second of the proof.
  private func long(
    _ proof: ProProof, features: MessagePro.MessageFeatures = .longText, sentAt: UInt64 = 1_752_000_000_999
  ) throws -> Message {
    try Message(
      MessageExample.text(String(repeating: "漢", count: 10_000)), sentAt: MessageTime(milliseconds: sentAt),
      pro: MessagePro(proof, profileFeatures: .badge, messageFeatures: features))
  }

  private func received(
    _ message: Message, proSeed: SecretBytes? = nil, backend: [UInt8]? = nil
  ) throws -> ReceivedMessage {
    try me.decode(
      friend.encode(message, for: .contact(me.id), proSeed: proSeed ?? rotatingSeed), from: .ownSwarm,
      proBackend: backend ?? self.backend)
  }

  private func characters(of received: ReceivedMessage) -> Int {
    guard case .visible(let message) = received.message.content else { return 0 }
    return VisibleMessage.shown(message.body, whole: received.showsWholeText).unicodeScalars.count
  }

  @Test func aProofIsSignedAsTheSpecificationShows() throws {
    #expect(
      try proof().signature.hex
        == "5462fb66abbd901e11749fcb6b0272c954ef9fea669ec5bca1e0a70ce01b0218"
        + "0daf66cefb9477bad80b55453aba8c93cc26b40554efeabd4d8f506e93598101")
    #expect(
      try proof(.a, expiry: 1_752_000_000_000).signature.hex
        == "456607e420ccc9ccd4f8fa8d35bcea8b8a5e56ff538207e9ccb1ed093147a30c"
        + "15701b3320bfbe103a6a9bb052771d9400e151e8ec773d290018c9f40cf61603")
  }

  @Test(arguments: [ProProof.Generation.a, .b])
  func aGoodProofIsValidAtEveryDestination(generation: ProProof.Generation) throws {
    let proof = try proof(generation, expiry: generation == .a ? 1_752_000_000_000 : 1_752_000_000)
    let message = try long(proof)
    let postedAt = try #require(message.sentAt)
    let group = try MessageExample.adminKey().group
    let groupKey = try SecretBytes.random(count: 32)
    let server = try [UInt8](hex: Example.server.utf8)
    let mine = try BlindedIdentity(of: me, on: server, scheme: .blinded15).id
    let theirs = try BlindedIdentity(of: friend, on: server, scheme: .blinded15).id
    let ways: [(MessageDestination, MessageOrigin)] = [
      (.contact(me.id), .ownSwarm), (.group(group, key: groupKey), .group(group, keys: [groupKey])),
      (.community, .community(sender: theirs, postedAt: postedAt)),
      (
        .inbox(mine, server: server),
        .inbox(server: server, sender: theirs, recipient: mine, postedAt: postedAt)
      ),
    ]
    for (destination, origin) in ways {
      let bytes = try friend.encode(message, for: destination, proSeed: rotatingSeed)
      let received = try me.decode(bytes, from: origin, proBackend: backend)
      #expect(received.proStatus == .valid, "\(destination)")
      #expect(received.message == message)
    }
  }

  @Test func aLongTextIsWholeOnlyWhereItsProofIsValidAndAllowsIt() throws {
    #expect(characters(of: try received(long(proof()))) == 10_000)
    let otherBackend = try MessageExample.adminKey(9)
    let cut: [(ReceivedMessage, ProStatus)] = [
      (try received(long(proof(), sentAt: 1_752_000_001_000)), .expired),
      (try received(long(proof()), backend: otherBackend.group.key), .forged),
      (try received(long(proof()), backend: [UInt8](repeating: 0, count: 32)), .forged),
      (try received(long(proof(backendSeed: otherBackend.seed))), .forged),
    ]
    for (received, status) in cut {
      #expect(received.proStatus == status)
      #expect(characters(of: received) == 2000)
      // Only what is shown is cut: the proof may be judged differently later.
      guard case .visible(let message) = received.message.content else { continue }
      #expect(message.body.unicodeScalars.count == VisibleMessage.maxCharacters)
    }
  }

  /// A message whose sender signs with any key, and writes what they may not.
  private func received(_ message: Message, signedBy key: GroupAdminKey) throws -> ReceivedMessage {
    let sealed = try friend.seal(StoredMessage.padded(message.bytes()), for: me.id)
    let envelope =
      try StoredMessage.envelope(sealed, timestamp: 1_752_000_000_999)
      + Wire.bytes(11, NodeKeys(seed: key.seed).sign(sealed))
    return try me.decode(
      Wire.varint(1, 1) + Wire.bytes(2, Wire.bytes(3, envelope)), from: .ownSwarm, proBackend: backend)
  }

  @Test func proofsOfAnotherAccountAreStolen() throws {
    let received = try received(long(proof()), signedBy: MessageExample.adminKey(9))
    #expect(received.proStatus == .stolen)
    #expect(characters(of: received) == 2000)
  }

  @Test func aValidProofAloneAllowsNoLongText() throws {
    let received = try received(
      long(proof(), features: []), signedBy: GroupAdminKey(seed: rotatingSeed))
    #expect(received.proStatus == .valid)
    #expect(characters(of: received) == 2000)
  }

  @Test func aCopyForTheOwnDevicesIsSignedAnew() throws {
    let message = try Message(
      MessageExample.text(String(repeating: "x", count: 3000)),
      sentAt: MessageTime(milliseconds: 1_751_000_000_000),
      pro: MessagePro(proof(), messageFeatures: .longText))
    let copy = try #require(message.copy(forOwnDevicesIn: me.id))
    let received = try friend.decode(
      friend.encode(copy, for: .ownDevices, proSeed: rotatingSeed), from: .ownSwarm, proBackend: backend)
    #expect(received.proStatus == .valid)
    #expect(characters(of: received) == 3000)
  }

  @Test func aBackendsKeyHasItsSize() throws {
    #expect { try received(long(proof()), backend: [1]) } throws: { SessionError.Code.keySize ~= $0 }
    #expect {
      try proof(backendSeed: SecretBytes(copying: [1]))
    } throws: {
      SessionError.Code.seed ~= $0
    }
  }
}
