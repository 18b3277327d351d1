import SessionCLI
import SessionCore
import Testing

@Suite struct InspectMessageTests {
  private let alice: Account
  private let bob: Account
  private let message: Message

  init() throws {
    alice = try Account(RecoveryPhrase(parsing: Array(Example.alicePhrase.utf8)))
    bob = try Account(RecoveryPhrase(parsing: Array(Example.bobPhrase.utf8)))
    message = try Message(
      .visible(VisibleMessage(body: "Hello Bob\u{1B}[2J", profile: MessageProfile(name: "Alice"))),
      sentAt: MessageTime(milliseconds: 1_700_000_000_123))
  }

  /// The lines of the tree, without white space at their ends.
  private func inspect(_ bytes: [UInt8], _ options: String...) async throws -> [String] {
    let world = MemoryIO(files: Example.phrases, inputBytes: bytes)
    #expect(await world.run(["inspect", "message"] + options) == .success)
    return world.output.split(separator: "\n").map { line in
      line.split(separator: " ", omittingEmptySubsequences: false).joined(separator: " ")
    }
  }

  private func expect(
    _ lines: [String], toHave parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for part in parts {
      #expect(lines.contains { $0.hasSuffix(part) }, "\(part)", sourceLocation: sourceLocation)
    }
  }

  @Test func itsReaderSeesEveryLayer() async throws {
    let stored = try alice.encode(message, for: .contact(bob.id))
    let lines = try await inspect(stored, "--key", "bob")
    expect(
      lines, toHave: "000000       2    type (1)  1 REQUEST",
      "  timestamp (5)  1700000000123  2023-11-14T22:13:20.123Z",
      "  opened", "000002      15                    body (1)  \"Hello Bob\\u{1b}[2J\"",
      "display_name (1)  \"Alice\"", "kind  visible", "rules: good", "signature: good",
      "sender  \(alice.id)", "000029     119                padding", "received: good")
  }

  @Test func base64AndBytesAreReadAlike() async throws {
    let stored = try alice.encode(message, for: .contact(bob.id))
    let text = stored.base64.enumerated().map { $0 % 76 == 75 ? "\($1)\n" : "\($1)" }.joined()
    #expect(try await inspect(Array(text.utf8), "--key", "bob") == inspect(stored, "--key", "bob"))
  }

  @Test func othersSeeTheOutside() async throws {
    let stored = try alice.encode(message, for: .contact(bob.id))
    expect(try await inspect(stored), toHave: "inside  --key opens it", "pro_sig (11)  " + pro(stored))
    let lines = try await inspect(stored, "--key", "alice")
    expect(lines, toHave: "opened: bad  it does not decrypt with this key")
    #expect(!lines.joined().contains("Hello"))
  }

  /// The signature or its decoy: the 64 bytes before the id of the request.
  private func pro(_ stored: [UInt8]) -> String { Array(stored.dropLast(2).suffix(64)).hex }

  @Test func aGroupsMessageIsOpenedWithItsKey() async throws {
    let admin = try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: 7, count: 32)))
    let key = [UInt8](repeating: 9, count: 32)
    let sentAt = try MessageTime(milliseconds: 1_700_000_000_123)
    let update = try GroupUpdateMessage(signing: .infoChange(.picture), with: admin, sentAt: sentAt)
    let stored = try alice.encode(
      Message(.groupUpdate(update), sentAt: sentAt), for: .group(admin.group, key: SecretBytes(copying: key)))
    let files = Example.phrases.merging(["keys": "\(String(repeating: "00", count: 32))\n\(key.hex)\n"]) {
      $1
    }
    let world = MemoryIO(files: files, inputBytes: stored)
    let words = ["inspect", "message", "--group-id", admin.group.description, "--group-key", "keys"]
    #expect(await world.run(words + ["--key", "bob"]) == .success)
    let lines = world.output.split(separator: "\n").map(String.init)
    expect(
      lines, toHave: "000000      24    nonce  \(stored.prefix(24).hex)", "sender  \(alice.id)",
      "signature: good", "type (1)  2 AVATAR", "kind  groupInfoChange", "group update: good  by an admin")
  }

  @Test func aCommunitysMessageNeedsNoKey() async throws {
    let posted = try alice.encode(message, for: .community)
    expect(
      try await inspect(posted), toHave: "message of a community", "kind  visible", "rules: good",
      "000029     119    padding")
  }

  @Test func theRuleThatIsBrokenIsNamed() async throws {
    // A data message whose text is a space.
    let content: [UInt8] = [0x0A, 0x03, 0x0A, 0x01, 0x20, 0x80]
    expect(
      try await inspect(content),
      toHave: "rules: bad  a message has a text, an attachment or an invitation (visible.empty)")
  }

  @Test func whatIsUnknownOrDamagedIsShown() async throws {
    // A field 99 of text, a time of the wrong type, and a field that is cut off.
    let content: [UInt8] = [0x9A, 0x06, 0x02, 0x68, 0x69, 0x7A, 0x01, 0x78, 0x0A, 0x05, 0x01, 0x80]
    expect(
      try await inspect(content), toHave: "unknown field (99)  \"hi\"",
      "sig_timestamp (15): bad  of another type than the field has; readers take it as absent",
      "000008       3      no field: bad  it is cut off: 0a0501")
  }

  @Test func keysInsideAMessageAreNotShown() async throws {
    let seed = [UInt8](repeating: 0xAB, count: 32)
    let promotion = try GroupPromotion(with: GroupAdminKey(seed: SecretBytes(copying: seed)), name: "Friends")
    let bytes = try Message(
      .groupUpdate(GroupUpdateMessage(.promotion(promotion))), sentAt: MessageTime(milliseconds: 1)
    ).bytes()
    let lines = try await inspect(bytes + [0x80])
    expect(lines, toHave: "group_identity_seed (1)  32 secret bytes", "name (2)  \"Friends\"")
    #expect(!lines.joined().contains("abab"))
  }

  @Test func programsGetOneLine() async throws {
    let world = MemoryIO(inputBytes: [0x0A, 0x03, 0x0A, 0x01, 0x68, 0x80])
    #expect(await world.run("inspect", "message", "--json") == .success)
    #expect(
      world.output == """
        {"inspection":{"length":6,"name":"message of a community","offset":0,"parts":[\
        {"length":5,"name":"Content","offset":0,"parts":[\
        {"length":5,"name":"data_message","number":1,"offset":0,"parts":[\
        {"length":3,"name":"body","number":1,"offset":2,"value":"\\"h\\""}],"value":"DataMessage"},\
        {"name":"kind","value":"visible"},{"name":"rules","verdict":"good"}]},\
        {"length":1,"name":"padding","offset":5}]},"v":1}

        """)
  }

  @Test(arguments: [
    ["--group-id", Example.aliceID, "--group-key", "keys"], ["--group-id", "03"], ["--group-key", "keys"],
    ["--key", "-"], ["-", "--group-id", "03", "--group-key", "-"],
  ])
  func wrongCallsAreUsageErrors(options: [String]) async {
    let world = MemoryIO(files: Example.phrases)
    #expect(await world.run(["inspect", "message"] + options) == .usage)
    #expect(world.output == "")
  }

  @Test(arguments: 0..<4 as Range<UInt8>)
  func nothingMakesItFail(seed: UInt8) async throws {
    var stored = try alice.encode(message, for: .contact(bob.id))
    var state = seed
    for round in 0..<60 {
      state = state &* 29 &+ 71
      stored[Int(state) % stored.count] ^= state | 1
      let world = MemoryIO(files: Example.phrases, inputBytes: Array(stored.dropLast(round)))
      #expect(await world.run("inspect", "message", "--key", "bob") == .success)
    }
  }
}
