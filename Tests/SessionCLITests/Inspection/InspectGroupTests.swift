import SessionCore
import Testing

@Suite struct InspectGroupTests {
  private let it: InspectedMessage

  init() throws { it = try InspectedMessage() }

  private var group: String { it.admin.group.description }

  private func stored(_ message: Message) throws -> [UInt8] {
    try it.alice.encode(message, for: .group(it.admin.group, key: SecretBytes(copying: it.groupKey)))
  }

  @Test func everyLayerIsShown() async throws {
    let stored = try stored(it.text("hello"))
    let lines = try await it.lines(stored, "--group-id", group, "--group-key", "keys")
    expect(
      lines, toHave: "000000     512  message of a group's swarm",
      "000000      24    nonce  \(stored.prefix(24).hex)", "    opened", "\"\" version  1",
      "\"a\" sender's key  \(it.alice.ed25519PublicKey.hex)", "\"d\" message", "Envelope",
      "type (1)  7 CLOSED_GROUP_MESSAGE", "body (1)  \"hello\"", "kind  visible", "padding",
      "sender  \(it.alice.id)")
    #expect(lines.contains { $0.contains("\"s\" signature: good  ") })
    #expect(!lines.contains { $0.contains("received") })
  }

  @Test func compressedMessagesAreShownDecompressed() async throws {
    let stored = try stored(it.text(String(repeating: "again ", count: 200)))
    let lines = try await it.lines(stored, "--group-id", group, "--group-key", "keys")
    expect(lines, toHave: "\"z\" compressed message  zstd of 1300 bytes", "kind  visible", "rules: good")
  }

  @Test func aGroupUpdateIsJudgedForItsReader() async throws {
    let update = try GroupUpdateMessage(signing: .infoChange(.picture), with: it.admin, sentAt: it.sentAt)
    let stored = try stored(Message(.groupUpdate(update), sentAt: it.sentAt))
    let lines = try await it.lines(stored, "--group-id", group, "--group-key", "keys", "--key", "bob")
    expect(
      lines, toHave: "type (1)  2 AVATAR", "kind  groupInfoChange", "received: good",
      "group update: good  by an admin")
  }

  @Test func aSignatureForAnotherGroupIsBadAndItsDictIsShown() async throws {
    let other = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 8, count: 32))).group
    let lines = try await it.lines(
      stored(it.text("hello")), "--group-id", other.description, "--group-key", "keys", "--key", "bob")
    #expect(lines.contains { $0.contains("\"s\" signature: bad  ") })
    #expect(lines.contains { $0.contains("\"d\" message  ") })
    expect(lines, toHave: "signature: bad  the signature does not match")
    #expect(lines.contains { $0.contains("received: bad") })
  }

  @Test func withoutItsKeyTheOutsideIsShown() async throws {
    let lines = try await it.lines(stored(it.text("hello")))
    expect(lines, toHave: "message of a group's swarm", "inside  --group-id and --group-key open it")
  }

  /// A nonce may begin as a message of another kind does.
  @Test(arguments: [0x00, 0x08] as [UInt8])
  func aRandomFirstByteDoesNotChangeTheForm(first: UInt8) async throws {
    var stored: [UInt8] = []
    repeat { stored = try self.stored(it.text("hello")) } while stored[0] != first
    expect(try await it.lines(stored), toHave: "message of a group's swarm")
  }

  @Test func shortOnesAreNoMessages() async throws {
    let lines = try await it.lines([1, 2, 3], "--group-id", group, "--group-key", "keys")
    expect(lines, toHave: "000000       3    no message: bad  too short to be one")
  }

  @Test func aNoticeToRemovedMembersIsOpenedByEachOfThem() async throws {
    let notice = try it.admin.seal(KickNotice(generation: 12), for: [it.alice.id, it.bob.id])
    let lines = try await it.lines(notice, "--key", "bob", "--group-id", group)
    expect(
      lines, toHave: "000000     \(notice.count)  notice to removed members", "\"e\"  list",
      "member  \(it.bob.id)", "generation of keys that ended  12", "sender  \(group)")
    expect(try await it.lines(notice), toHave: "inside  --key and --group-id open it")
    let others = try it.admin.seal(KickNotice(generation: 12), for: [it.alice.id])
    #expect(
      try await it.lines(others, "--key", "bob", "--group-id", group).contains {
        $0.contains("opened: bad")
      })
  }
}
