import SessionCore
import Testing

@Suite struct RatchetSessionTests {
  private static let now: UInt64 = 1_800_000_000

  /// A device of an account with its prekeys.
  private struct Phone {
    let account: Account
    let device: RatchetDevice
    let prekeys: RatchetPrekeys

    init(_ account: Account, generation: UInt32 = 1) throws {
      self.account = account
      device = try RatchetDevice(
        of: account, seed: try .random(count: 32), createdAtSeconds: RatchetSessionTests.now - 100)
      prekeys = try .generate(generation, oneTimeCount: 2)
    }

    func bundle() throws -> [UInt8] {
      try RatchetBundle(
        prekeys, sequence: 5, signedAtSeconds: RatchetSessionTests.now,
        capabilities: [.receives, .closedRoster], roster: [device.id]
      ).bytes(of: device, of: account)
    }
  }

  private let alice: Phone
  private let bob: Phone

  init() throws {
    alice = try Phone(try Example.first())
    bob = try Phone(try Example.second())
  }

  private static let options = RatchetEnvelope.Options(nowSeconds: now)

  private func body(_ text: String) -> RatchetBody { RatchetBody(content: Array(text.utf8)) }

  /// A session of Alice with Bob, and Bob's half after her first message.
  private func converse() throws -> (alice: RatchetSession, bob: RatchetSession) {
    let ours = try begin()
    let message = try RatchetEnvelope(parsing: try RatchetEnvelope.seal(body("first"), with: [ours]))
    let start = try #require(try message.starts(for: bob.device).first)
    let started = try message.open(start, by: bob.device, bob.prekeys, Self.options)
    #expect(String(decoding: started.body.content, as: UTF8.self) == "first")
    #expect(started.sender.account == alice.account.id && started.sender.device == alice.device.id)
    return (ours, started.session)
  }

  private func begin() throws -> RatchetSession {
    let bundle = try RatchetBundle(opening: try bob.bundle(), of: bob.account.id, atSeconds: Self.now)
    return try RatchetSession(
      from: alice.device, with: bundle, startedAtSeconds: UInt32(Self.now))
  }

  private func open(_ message: [UInt8], with session: RatchetSession) throws -> String {
    let opened = try RatchetEnvelope(parsing: message).open(with: [session], Self.options)
    return String(decoding: opened.body.content, as: UTF8.self)
  }

  @Test func aBundleIsReadAsItWasWritten() throws {
    let bundle = try RatchetBundle(opening: try bob.bundle(), of: bob.account.id, atSeconds: Self.now)
    #expect(bundle.device == bob.device.id && bundle.accountKey == bob.account.ed25519PublicKey)
    #expect(bundle.sequence == 5 && bundle.generation == 1 && bundle.roster == [bob.device.id])
    #expect(bundle.capabilities == [.receives, .closedRoster] && !bundle.isWithdrawal)
    let withdrawal = try RatchetBundle(withdrawalAt: Self.now, sequence: 6).bytes(
      of: bob.device, of: bob.account)
    let read = try RatchetBundle(opening: withdrawal, of: bob.account.id, atSeconds: Self.now)
    #expect(read.isWithdrawal && read.sequence == 6)
  }

  @Test func aBundleOfAnotherAccountOrTimeIsRefused() throws {
    let bytes = try bob.bundle()
    #expect { try RatchetBundle(opening: bytes, of: alice.account.id, atSeconds: Self.now) } throws: {
      SessionError.Code.ratchetBundle ~= $0
    }
    #expect {
      try RatchetBundle(opening: bytes, of: bob.account.id, atSeconds: Self.now + 32 * 86_400)
    } throws: {
      SessionError.Code.ratchetBundleTime ~= $0
    }
  }

  @Test func bothSidesTalkOverStoredSessions() throws {
    let (ours, theirs) = try converse()
    #expect(ours.isPending && ours.isInitiator && !theirs.isInitiator && theirs.canSend)
    #expect(ours.startKey == theirs.startKey && theirs.peer == alice.account.id)
    let reply = try RatchetEnvelope.seal(body("reply"), with: [theirs])
    let restored = try RatchetSession(state: try ours.state(), skipped: [])
    #expect(try open(reply, with: restored) == "reply")
    #expect(!restored.isPending && restored.device == bob.device.id)
  }

  @Test func aSkippedMessageOpensWithItsStoredKey() throws {
    let (ours, theirs) = try converse()
    let messages = try ["one", "two", "three"].map { try RatchetEnvelope.seal(body($0), with: [ours]) }
    func later(_ message: [UInt8], _ session: RatchetSession) throws -> String {
      let envelope = try RatchetEnvelope(parsing: message)
      let start = try #require(try envelope.starts(for: bob.device).first)
      return String(
        decoding: try envelope.open(start, with: session, Self.options).content, as: UTF8.self)
    }
    #expect(try later(messages[2], theirs) == "three")
    let added = try theirs.addedKeys()
    #expect(added.map(\.number) == [1, 2] && added.allSatisfy { $0.skippedAtSeconds == Self.now })
    let restored = try RatchetSession(state: try theirs.state(), skipped: added)
    #expect(try later(messages[0], restored) == "one")
    #expect(try restored.removedKeys().map(\.number) == [1])
    #expect(try later(messages[1], restored) == "two")
  }

  /// The copy of an older state draws other randomness, so that no key and nonce are used for two texts.
  @Test func anOlderStateNeverSealsTwoTextsUnderOneKey() throws {
    let (ours, theirs) = try converse()
    let old = try ours.state()
    let message = try RatchetEnvelope.seal(body("the first text"), with: [ours])
    let again = try RatchetEnvelope.seal(
      body("the first text"), with: [try RatchetSession(state: old, skipped: [])])
    // Beyond the head: the commitment, the slots and the payload.
    let repeated = zip(message, again).dropFirst(36).count { $0 == $1 }
    #expect(repeated < message.count / 100)
    let opened = try RatchetEnvelope(parsing: message)
    _ = try opened.open(
      try #require(try opened.starts(for: bob.device).first), with: theirs, Self.options)
    let rolledBack = try RatchetEnvelope(parsing: again)
    #expect {
      try rolledBack.open(
        try #require(try rolledBack.starts(for: bob.device).first), with: theirs, Self.options)
    } throws: {
      SessionError.Code.ratchetBroken ~= $0
    }
  }

  @Test func aBrokenMessageNamesItsSession() throws {
    let (ours, theirs) = try converse()
    let reply = try RatchetEnvelope.seal(body("reply"), with: [theirs])
    _ = try open(reply, with: ours)
    let old = try ours.state()
    let message = try RatchetEnvelope.seal(body("two"), with: [ours])
    let again = try RatchetEnvelope.seal(
      body("two, again"), with: [try RatchetSession(state: old, skipped: [])])
    _ = try open(message, with: theirs)
    let envelope = try RatchetEnvelope(parsing: again)
    let stranger = try begin()
    do throws(RatchetEnvelope.Failure) {
      _ = try envelope.open(with: [stranger, theirs], Self.options)
      Issue.record("a message was opened twice")
    } catch {
      #expect(error.error.code == .ratchetBroken && error.broken == 1)
    }
  }

  @Test func startsWithoutTheirPrekeysAreLost() throws {
    let message = try RatchetEnvelope(
      parsing: try RatchetEnvelope.seal(body("first"), with: [try begin()]))
    let start = try #require(try message.starts(for: bob.device).first)
    #expect(start.generation == 1 && start.startedAtSeconds == UInt32(Self.now))
    let place = try #require(start.oneTimePlace)
    var kept = bob.prekeys.oneTime
    kept[place] = nil
    let erased = try RatchetPrekeys(
      generation: 1, secret: bob.prekeys.secret, kemSeed: bob.prekeys.kemSeed, oneTime: kept)
    for prekeys in [nil, erased] {
      #expect { try message.open(start, by: bob.device, prekeys, Self.options) } throws: {
        SessionError.Code.ratchetLostStart ~= $0
      }
    }
    #expect(try message.starts(for: alice.device).isEmpty)
  }

  @Test func aDamagedStateIsNoSession() throws {
    let state = try begin().state().reveal()
    #expect { try RatchetSession(state: try SecretBytes(copying: state.dropLast()), skipped: []) } throws: {
      SessionError.Code.ratchetState ~= $0
    }
  }

  @Test func tagKeysFindTheMessagesOfTheirSession() throws {
    let (ours, theirs) = try converse()
    let reply = try RatchetEnvelope(parsing: try RatchetEnvelope.seal(body("reply"), with: [theirs]))
    #expect(try ours.tagKeys().contains { reply.hasTag(of: $0) })
    let others = try begin().tagKeys()
    #expect(!others.contains { reply.hasTag(of: $0) })
  }

  @Test func aBodyIsReadAsItWasWritten() throws {
    let time = try MessageTime(milliseconds: 1_800_000_000_000)
    let hashes = (0..<21).map { number in [UInt8](repeating: number, count: 32) }
    let asking = RatchetBody(controlAt: time, resend: hashes)
    #expect(try RatchetBody(reading: try asking.bytes()).resend == Array(hashes.prefix(20)))
    let empty = try RatchetBody(reading: try RatchetBody(controlAt: time, resend: []).bytes())
    #expect(empty.resend == [] && !empty.isPing && empty.sentAt == time)
    #expect(try RatchetBody(reading: try RatchetBody(controlAt: time, isPing: true).bytes()).isPing)
    #expect(try RatchetBody(reading: try body("text").bytes()) == body("text"))
  }

  @Test func bytesOfAnotherKindAreNoMessage() {
    #expect { try RatchetEnvelope(parsing: [UInt8](repeating: 0, count: 2000)) } throws: {
      SessionError.Code.ratchetFormat ~= $0
    }
  }
}
