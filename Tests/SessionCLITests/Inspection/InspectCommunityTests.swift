import SessionCore
import Testing

@Suite struct InspectCommunityTests {
  private let it: InspectedMessage

  init() throws { it = try InspectedMessage() }

  /// Pro data that the backend of 32 times 0x01 issued to the key of 32 times 0x02.
  private func pro() throws -> MessagePro {
    let rotating = try GroupAdminKey(seed: rotatingSeed()).group.key
    return MessagePro(
      try ProProof(
        issuing: .b, tag: [UInt8](repeating: 3, count: 32), rotatingKey: rotating, expiry: 1_800_000_000,
        backendSeed: SecretBytes(copying: [UInt8](repeating: 1, count: 32))),
      profileFeatures: .badge)
  }

  private func rotatingSeed() throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: 2, count: 32))
  }

  private let backend = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c"

  @Test(arguments: [BlindedIdentity.Scheme.blinded15, .blinded25])
  func anInboxIsOpenedByBothEnds(scheme: BlindedIdentity.Scheme) async throws {
    let sender = try BlindedIdentity(of: it.alice, on: it.server, scheme: scheme).id
    let recipient = try BlindedIdentity(of: it.bob, on: it.server, scheme: scheme).id
    let posted = try it.alice.encode(it.text("hello"), for: .inbox(recipient, server: it.server))
    for reader in ["bob", "alice"] {
      let lines = try await it.lines(
        posted, "--key", reader, "--server", it.server.hex, "--from", sender.description, "--to",
        recipient.description)
      expect(
        lines, toHave: "000000     233  message of a community's inbox", "000000       1    version  0",
        "nonce  \(posted.suffix(24).hex)", "    opened", "body (1)  \"hello\"",
        "sender's key  \(it.alice.ed25519PublicKey.hex)", "blinded sender: good  \(sender)",
        "    sender  \(it.alice.id)", "received: good", "Pro  none")
    }
  }

  @Test func anInboxStaysClosedToOthersAndWithoutItsIDs() async throws {
    let sender = try it.blinded(it.alice)
    let recipient = try it.blinded(it.bob)
    let posted = try it.alice.encode(it.text("hello"), for: .inbox(recipient, server: it.server))
    expect(
      try await it.lines(posted, "--key", "bob"),
      toHave: "message of a community's inbox", "inside  --key, --server, --from and --to open it")
    let swapped = try await it.lines(
      posted, "--key", "bob", "--server", it.server.hex, "--from", recipient.description, "--to",
      sender.description)
    #expect(swapped.contains { $0.contains("opened: bad") })
    #expect(!swapped.joined().contains("hello"))
  }

  @Test func aRoomIsJudgedForWhoPosted() async throws {
    let posted = try it.alice.encode(it.text("hello"), for: .community)
    let sender = try it.blinded(it.alice).description
    expect(
      try await it.lines(posted, "--key", "bob", "--from", sender),
      toHave: "message of a community's room", "received: good", "Pro  none")
    let late = try await it.lines(posted, "--key", "bob", "--from", sender, "--posted", "1700021601.5")
    #expect(late.contains { $0.contains("received: bad") })
    expect(
      try await it.lines(posted, "--key", "bob", "--from", sender, "--posted", "1700021600"),
      toHave: "received: good")
  }

  @Test func proIsJudgedEverywhere() async throws {
    let message = try it.text("hello", pro: pro())
    let sender = try it.blinded(it.alice)
    let recipient = try it.blinded(it.bob)
    let inbox = [
      "--server", it.server.hex, "--from", sender.description, "--to", recipient.description,
    ]
    let groupKey = try SecretBytes(copying: it.groupKey)
    let places: [(MessageDestination, [String])] = [
      (.contact(it.bob.id), []),
      (
        .group(it.admin.group, key: groupKey),
        ["--group-id", it.admin.group.description, "--group-key", "keys"]
      ),
      (.community, ["--from", sender.description]), (.inbox(recipient, server: it.server), inbox),
    ]
    for (destination, options) in places {
      let bytes = try it.alice.encode(message, for: destination, proSeed: rotatingSeed())
      expect(
        try await it.lines(bytes, ["--key", "bob"] + options),
        toHave: "Pro  --pro-backend judges the proof", "  signature: good")
      expect(
        try await it.lines(bytes, ["--key", "bob", "--pro-backend", backend] + options),
        toHave: "Pro: good  valid")
      expect(
        try await it.lines(bytes, ["--key", "bob", "--pro-backend", it.server.hex] + options),
        toHave: "Pro: bad  forged")
    }
  }

  @Test func anEnvelopeInARoomIsShownAsOne() async throws {
    let content = try it.text("hello").bytes() + [0x80, 0]
    let posted = [0x08, 6, 0x28, 1, 0x42, UInt8(content.count)] + content
    let lines = try await it.lines(posted, "--key", "bob", "--from", it.blinded(it.alice).description)
    expect(
      lines, toHave: "message of a community's room, in an envelope", "type (1)  6 SESSION_MESSAGE",
      "body (1)  \"hello\"", "0000\(String(content.count - 2, radix: 16))       2      padding",
      "received: good")
  }
}
