import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// A contact whose files do not match their pointers.
@Suite struct HostileFileTests {
  enum Attack: CaseIterable {
    case wrongSize, wrongDigest, wrongKey, cutOff, pageInstead, tooLarge, claimsTooMuch
    case strangeHost, knownHostOtherKey, impossibleKey, otherPort, room, unencrypted, keyOfNoFormat
    case streamCutOff, streamOtherKey

    /// True if the file is never requested.
    var isRefusedUnasked: Bool {
      switch self {
      case .claimsTooMuch, .strangeHost, .knownHostOtherKey, .impossibleKey, .otherPort, .room, .unencrypted,
        .keyOfNoFormat:
        true
      default: false
      }
    }
  }

  private static let content = noise(4000)

  private func sealed(_ sealing: AttachmentSealing) async throws -> ([UInt8], AttachmentPointer) {
    var bytes: [UInt8] = []
    for try await part in MemoryPieces(Self.content).sealed(sealing) {
      switch part {
      case .piece(let piece): bytes += piece
      case .pointer(let pointer): return (bytes, pointer)
      }
    }
    throw Unexpected()
  }

  private struct Unexpected: Error {}

  private func attachment(of attack: Attack, in world: World) async throws -> MessageAttachment {
    let isStream = attack == .streamCutOff || attack == .streamOtherKey
    let (bytes, pointer) = try await sealed(isStream ? .stream(by: try .generate()) : .legacy)
    func changed(
      _ key: SecretBytes? = nil, digest: [UInt8]? = nil, size: UInt64? = nil
    ) -> AttachmentPointer {
      AttachmentPointer(
        format: pointer.format, key: key ?? pointer.key, digest: digest ?? pointer.digest,
        size: size ?? pointer.size)
    }
    func file(_ url: FileURL, _ pointer: AttachmentPointer?) throws -> MessageAttachment {
      try MessageAttachment(url: url, pointer: pointer, contentType: "image/png")
    }
    let url = try world.files.put(bytes, isStream: isStream)
    func elsewhere(_ host: String, port: UInt16? = nil, room: String? = nil, key: [UInt8]?) throws -> FileURL
    {
      try FileURL(.http, host: host, port: port, room: room, fileID: url.fileID, serverKey: key)
    }
    switch attack {
    case .wrongSize: return try file(url, changed(size: 100_000))
    case .wrongDigest: return try file(url, changed(digest: noise(32)))
    case .wrongKey: return try file(url, changed(try .random(count: 64)))
    case .cutOff: return try file(try world.files.put(Array(bytes.dropLast(16))), pointer)
    case .pageInstead: return try file(try world.files.put(Array("<html>hello</html>".utf8)), pointer)
    case .tooLarge:
      return try file(try world.files.put([UInt8](repeating: 0, count: FileClient.maxBytes + 2048)), pointer)
    case .claimsTooMuch: return try file(url, changed(size: 4_000_000_000))
    case .strangeHost: return try file(try elsewhere("evil.test", key: nil), pointer)
    case .knownHostOtherKey:
      return try file(try elsewhere("FILES.test", key: try Account.generate().ed25519PublicKey), pointer)
    case .impossibleKey:
      return try file(try elsewhere("evil.test", key: [UInt8](repeating: 0xFF, count: 32)), pointer)
    case .otherPort: return try file(try elsewhere("files.test", port: 8080, key: nil), pointer)
    case .room: return try file(try elsewhere("files.test", room: "lobby", key: nil), pointer)
    case .unencrypted: return try file(url, nil)
    case .keyOfNoFormat: return try file(url, changed(try .random(count: 32)))
    case .streamCutOff:
      return try file(try world.files.put(Array(bytes.dropLast(100)), isStream: true), pointer)
    case .streamOtherKey: return try file(url, changed(try .random(count: 32)))
    }
  }

  /// Has Bob's account send something to Alice, whatever Bob's program would say of it.
  private func send(
    _ attachments: [MessageAttachment], from bob: Messenger, to alice: Messenger, in world: World
  ) throws {
    let message = try Message(
      .visible(VisibleMessage(body: "see", attachments: attachments)),
      sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
    world.swarms.put(try bob.context.account.encode(message, for: .contact(alice.id)), to: alice.id)
  }

  @Test(arguments: Attack.allCases) func filesThatDoNotMatchTheirPointerAreUnusable(_ attack: Attack)
    async throws
  {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setDownloadsByItself(true, of: bob.id)
      try send([try await attachment(of: attack, in: world)], from: bob, to: alice, in: world)
      try await world.settle()
      let message = try await alice.last(in: bob.id)
      #expect(message.body == "see")
      let file = try #require(message.attachments.first)
      #expect(file.state == .unusable && !file.isHere)
      // It is requested at most once.
      try await alice.download(file.id)
      try await world.settle()
      let asked = world.files.requests(.get, "/info")
      let got = world.files.requests(.get) - asked
      #expect(asked == (attack.isRefusedUnasked ? 0 : 1))
      #expect(got == (attack.isRefusedUnasked || attack == .tooLarge ? 0 : 1))
      #expect(try stored(in: world.folder).isEmpty)
      await #expect(throws: MessengerError.self) { try await alice.content(of: file.id) }
    }
  }

  /// Its owner would learn when the message was read.
  @Test func aStrangersServerIsAskedOnlyWhenThePersonAsks() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setDownloadsByItself(true, of: bob.id)
      let (bytes, pointer) = try await sealed(.legacy)
      let url = try FileURL(
        .http, host: "elsewhere.test", fileID: try world.files.put(bytes).fileID,
        serverKey: try Account.generate().ed25519PublicKey)
      let file = try MessageAttachment(url: url, pointer: pointer, contentType: "image/png")
      try send([file], from: bob, to: alice, in: world)
      try await world.settle()
      let shown = try #require(try await alice.last(in: bob.id).attachments.first)
      #expect(shown.state == .remote)
      #expect(world.files.requests(.get) == 0)
      try await alice.download(shown.id)
      try await world.settle()
      #expect(try await alice.bytes(of: shown.id) == Self.content)
    }
  }

  @Test func aServerThatLiesAboutTheLengthIsAskedAgain() async throws {
    try await withAliceAndBob { world, alice, bob in
      let (bytes, pointer) = try await sealed(.legacy)
      let file = try MessageAttachment(
        url: try world.files.put(bytes), pointer: pointer, contentType: "image/png")
      try send([file], from: bob, to: alice, in: world)
      try await world.settle()
      world.files.decide { _ in
        .answered(
          Array(bytes.prefix(100)), headers: [ServerResponse.Header("content-length", "\(bytes.count)")])
      }
      let id = try #require(try await alice.last(in: bob.id).attachments.first).id
      try await alice.download(id)
      try await world.settle(rounds: 5)
      #expect(try await alice.attachment(id)?.state == .failed)
      world.files.decide { _ in .done }
      try await alice.download(id)
      try await world.settle()
      #expect(try await alice.bytes(of: id) == Self.content)
    }
  }

  @Test func anImageThatWouldFillAllMemoryIsShownAsAFile() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setDownloadsByItself(true, of: alice.id)
      for (width, height) in [(1_000_000, 1_000_000), (0, 10), (19_000, 19_000), (20_001, 1)]
        as [(UInt32, UInt32)]
      {
        try await alice.send(
          "", attachments: [OutgoingFile(.bytes(png(width, height)), name: "a.png")], to: bob.id)
        try await world.settle()
        let file = try #require(try await bob.last(in: alice.id).attachments.first)
        try await bob.download(file.id)
        try await world.settle()
        let shown = try #require(try await bob.attachment(file.id))
        #expect(shown.kind == .file && shown.contentType == MediaType.unknown && shown.width == nil)
        #expect(shown.state == .ready)
      }
    }
  }

  @Test func nonImagesAreNotShownAsImages() async throws {
    try await withAliceAndBob { world, alice, bob in
      let (bytes, pointer) = try await sealed(.legacy)
      let file = try MessageAttachment(
        url: try world.files.put(bytes), pointer: pointer, contentType: "image/png", fileName: "../../x.png",
        width: .max, height: .max)
      try await alice.setDownloadsByItself(true, of: bob.id)
      try send([file], from: bob, to: alice, in: world)
      try await world.settle()
      let shown = try #require(try await alice.last(in: bob.id).attachments.first)
      #expect(shown.state == .ready && shown.kind == .file)
      #expect(shown.name == "x.png" && shown.width == nil && shown.height == nil)
    }
  }

  @Test func moreFilesThanAMessageHasAreNoMessage() async throws {
    try await withAliceAndBob { world, alice, bob in
      let before = try await alice.messages(in: .person(bob.id)).count
      let (bytes, pointer) = try await sealed(.legacy)
      let file = try MessageAttachment(url: try world.files.put(bytes), pointer: pointer)
      let whole = try Message(
        .visible(VisibleMessage(body: "x", attachments: [file])),
        sentAt: MessageTime(milliseconds: UInt64(world.clock.now))
      ).bytes()
      // The message's one field of data, with its field of a file as often as wanted.
      let many = try repeatingAttachments(in: whole, count: VisibleMessage.maxAttachments + 1)
      world.swarms.put(
        try forged(many, by: bob.context.account, for: alice.id, at: UInt64(world.clock.now)), to: alice.id)
      let most = try repeatingAttachments(in: whole, count: VisibleMessage.maxAttachments)
      try await world.settle()
      #expect(try await alice.messages(in: .person(bob.id)).count == before)
      world.swarms.put(
        try forged(most, by: bob.context.account, for: alice.id, at: UInt64(world.clock.now) - 9300),
        to: alice.id)
      try await world.settle()
      #expect(try await alice.last(in: bob.id).attachments.count == VisibleMessage.maxAttachments)
    }
  }

  /// As an archive of another program may have it.
  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300]) func aLengthThatIsNoneIsNotShown(
    seconds: Double
  ) {
    var record = AttachmentRecord(.voice, .downloaded, contentType: "audio/mp4", byteCount: 1, createdAt: 1)
    record.duration = seconds
    #expect(AttachmentView(record).milliseconds == nil)
    record.duration = 4.321
    #expect(AttachmentView(record).milliseconds == 4321)
  }
}

/// A content whose data has its file so many times.
private func repeatingAttachments(in content: [UInt8], count: Int) throws -> [UInt8] {
  var out: [UInt8] = []
  for (tag, number, bytes) in fields(of: content) {
    guard tag == 0x0A else {
      out += field(tag, number, bytes)
      continue
    }
    var data: [UInt8] = []
    for (tag, number, bytes) in fields(of: bytes) {
      for _ in 0..<(tag == 0x12 ? count : 1) { data += field(tag, number, bytes) }
    }
    out += field(0x0A, 0, data)
  }
  return out
}

private func fields(of bytes: [UInt8]) -> [(UInt8, UInt64, [UInt8])] {
  var found: [(UInt8, UInt64, [UInt8])] = []
  var rest = bytes[...]
  func number() -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while let byte = rest.popFirst() {
      value |= UInt64(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return value
  }
  while let tag = rest.popFirst() {
    if tag & 7 == 2 {
      let count = Int(number())
      found.append((tag, 0, Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    } else {
      found.append((tag, number(), []))
    }
  }
  return found
}

private func field(_ tag: UInt8, _ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
  func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7F) | 0x80] + varint(value >> 7)
  }
  return tag & 7 == 2 ? [tag] + varint(UInt64(bytes.count)) + bytes : [tag] + varint(number)
}
