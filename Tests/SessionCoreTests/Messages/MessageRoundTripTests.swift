import SeededNumbers
import SessionCore
import Testing

@Suite struct MessageRoundTripTests {
  @Test func everyContentIsReadAsItWasWritten() throws {
    let contents =
      try MessageExample.contents() + MessageExample.updatesToGroup().map { .groupUpdate($0) }
      + LegacyConfigMessage.Kind.allCases.map {
        .legacyConfig(LegacyConfigMessage($0, sequence: -1, data: [1, 2]))
      }
    for content in contents {
      let message = try Message(
        content, sentAt: MessageExample.time(), disappearing: DisappearingTimer(.afterRead, seconds: 60),
        pro: MessageExample.pro(seed: SecretBytes.random(count: 32)))
      #expect(try Message(parsing: message.bytes()) == message)
    }
  }

  @Test func aMessageIsWrittenFieldByField() throws {
    let attachment = try MessageAttachment(
      url: FileURL(.http, host: "example.org", fileID: "42"), pointer: nil, fileName: "cat.png")
    let message = try Message(
      .visible(VisibleMessage(body: "hello", attachments: [attachment], syncTarget: Example.second().id)),
      sentAt: MessageExample.time(), disappearing: DisappearingTimer(.afterSend, seconds: 60))
    let pointer =
      Wire.fixed64(1, 42) + Wire.text(7, "cat.png") + Wire.text(101, "http://example.org/file/42")
    let data = Wire.data(
      Wire.text(1, "hello"), Wire.bytes(2, pointer), Wire.varint(7, 1_700_000_000_000),
      Wire.text(105, Example.secondID))
    let rest = Wire.varint(12, 2) + Wire.varint(13, 60) + Wire.varint(15, 1_700_000_000_000)
    #expect(try message.bytes() == data + rest)
  }

  @Test func theExamplesCoverEveryKind() throws {
    let contents =
      try MessageExample.contents() + MessageExample.updatesToGroup().map { .groupUpdate($0) }
    #expect(Set(contents.map(\.kind)).union([.legacyConfig]) == Set(MessageKind.allCases))
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func generatedMessagesAreReadAsTheyWereWritten(seed: UInt64) throws {
    var generator = MessageGenerator(seed: seed)
    for index in 0..<500 {
      let message = try generator.message()
      let bytes = try message.bytes()
      let parsed = try Message(parsing: bytes)
      #expect(parsed == message, "seed \(seed), message \(index)")
      #expect(try parsed.bytes() == bytes, "seed \(seed), message \(index)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func damagedMessagesAreRefusedOrReadOnceAndForAll(seed: UInt64) throws {
    var generator = MessageGenerator(seed: seed)
    var random = SeededGenerator(seed: ~seed)
    for _ in 0..<500 {
      var bytes = try generator.message().bytes()
      for _ in 0..<2 {
        bytes[Int.random(in: bytes.indices, using: &random)] ^=
          UInt8(1) << UInt8.random(in: 0...7, using: &random)
      }
      guard let read = try? Message(parsing: bytes) else { continue }
      let again = try Message(parsing: read.bytes())
      #expect(again == read)
    }
  }

  @Test func aMessageReachesAContact() throws {
    for content in try MessageExample.contents() where content.kind != .callProvisionalAnswer {
      let message = try MessageExample.message(content)
      let stored = try Example.first().encode(message, for: .contact(Example.second().id))
      let received = try Example.second().decode(stored, from: .ownSwarm)
      #expect(received.message == message)
      #expect(received.sender == (try Example.first().id))
      #expect(received.senderEd25519PublicKey == (try Example.first().ed25519PublicKey))
      #expect(received.sentAt == message.sentAt)
      #expect(received.place == .contact)
      #expect(received.proStatus == .none)
      #expect(received.envelope.timestamp == message.sentAt?.milliseconds)
    }
  }

  @Test func aMessageReachesAGroup() throws {
    let group = try MessageExample.adminKey().group
    let key = try SecretBytes.random(count: 32)
    let contents: [MessageContent] =
      [.visible(try MessageExample.visible()), .reaction(try MessageExample.reaction())]
      + (try MessageExample.updatesToGroup().map { .groupUpdate($0) })
    for content in contents {
      let message = try MessageExample.message(content)
      let stored = try Example.first().encode(message, for: .group(group, key: key))
      let received = try Example.second().decode(
        stored, from: .group(group, keys: [SecretBytes.random(count: 32), key]))
      #expect(received.message == message)
      #expect(received.sender == (try Example.first().id))
      #expect(received.place == .group(group))
    }
  }

  @Test func aMessageReachesACommunity() throws {
    let message = try MessageExample.message(.visible(MessageExample.visible()))
    let sender = try SessionID(.blinded15, key: [UInt8](repeating: 1, count: 32))
    let postedAt = try MessageExample.time(1_700_000_009_999)
    let posted = try Example.first().encode(message, for: .community)
    let received = try Example.second().decode(posted, from: .community(sender: sender, postedAt: postedAt))
    #expect(received.message == message)
    #expect(received.sender == sender)
    #expect(received.senderEd25519PublicKey == nil)
    #expect(received.sentAt == postedAt)
  }

  @Test(arguments: BlindedIdentity.Scheme.allCases)
  func aMessageReachesAnInbox(scheme: BlindedIdentity.Scheme) throws {
    let server = try [UInt8](hex: Example.server.utf8)
    let mine = try BlindedIdentity(of: Example.first(), on: server, scheme: scheme).id
    let theirs = try BlindedIdentity(of: Example.second(), on: server, scheme: scheme).id
    let message = try MessageExample.message(MessageExample.text())
    let posted = try Example.first().encode(message, for: .inbox(theirs, server: server))
    let origin = MessageOrigin.inbox(
      server: server, sender: mine, recipient: theirs, postedAt: try MessageExample.time(1_700_000_009_999))
    let received = try Example.second().decode(posted, from: origin)
    #expect(received.sentAt == message.sentAt)
    #expect(received.message == message)
    #expect(received.sender == (try Example.first().id))
    #expect(try Example.first().decode(posted, from: origin).sender == Example.first().id)
  }

  @Test func aCopyReachesTheOwnDevices() throws {
    let me = try Example.first()
    let friend = try Example.second().id
    let sent = try MessageExample.message(.visible(MessageExample.visible()))
    let copy = try #require(sent.copy(forOwnDevicesIn: friend))
    let received = try me.decode(me.encode(copy, for: .ownDevices), from: .ownSwarm)
    #expect(received.sender == me.id)
    #expect(received.message.content.syncTarget == friend)
    guard case .visible(let message) = received.message.content else { return #expect(Bool(false)) }
    #expect(message.profile == nil)
    #expect(message.body == (try MessageExample.visible().body))
  }

  @Test func onlyKindsThatAreSyncedHaveACopy() throws {
    for content in try MessageExample.contents() {
      let copy = try MessageExample.message(content).copy(forOwnDevicesIn: Example.second().id)
      #expect((copy != nil) == content.kind.traits.isSynced)
    }
  }

  @Test func aProMessageSaysWhatBecameOfItsProof() throws {
    let seed = try SecretBytes.random(count: 32)
    let long = String(repeating: "漢", count: 2001)
    let message = try Message(
      MessageExample.text(long), sentAt: MessageExample.time(), pro: MessageExample.pro(seed: seed))
    let stored = try Example.first().encode(message, for: .contact(Example.second().id), proSeed: seed)
    let received = try Example.second().decode(stored, from: .ownSwarm)
    #expect(received.proStatus == .forged)
    #expect(received.message.pro == message.pro)
    guard case .visible(let visible) = received.message.content else { return #expect(Bool(false)) }
    #expect(visible.body == long && !received.showsWholeText)
  }
}
