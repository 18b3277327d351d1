import SessionCLI
import SessionCore
import Testing

@Suite struct InspectMessageTests {
  private let it: InspectedMessage
  private let message: Message

  init() throws {
    it = try InspectedMessage()
    message = try Message(
      .visible(VisibleMessage(body: "Hello Bob\u{1B}[2J", profile: MessageProfile(name: "Alice"))),
      sentAt: it.sentAt)
  }

  private var alice: Account { it.alice }
  private var bob: Account { it.bob }

  @Test func itsReaderSeesEveryLayer() async throws {
    let stored = try alice.encode(message, for: .contact(bob.id))
    let lines = try await it.lines(stored, "--key", "bob")
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
    #expect(try await it.lines(Array(text.utf8), "--key", "bob") == it.lines(stored, "--key", "bob"))
  }

  @Test func othersSeeTheOutside() async throws {
    let stored = try alice.encode(message, for: .contact(bob.id))
    expect(try await it.lines(stored), toHave: "inside  --key opens it", "pro_sig (11)  " + pro(stored))
    let lines = try await it.lines(stored, "--key", "alice")
    expect(lines, toHave: "opened: bad  decryption failed: wrong key or changed data")
    #expect(!lines.joined().contains("Hello"))
  }

  /// The signature or its decoy: the 64 bytes before the id of the request.
  private func pro(_ stored: [UInt8]) -> String { Array(stored.dropLast(2).suffix(64)).hex }

  @Test func aCommunitysMessageNeedsNoKey() async throws {
    let posted = try alice.encode(message, for: .community)
    expect(
      try await it.lines(posted), toHave: "message of a community's room", "kind  visible", "rules: good",
      "000029     119    padding")
  }

  @Test func theRuleThatIsBrokenIsNamed() async throws {
    // A data message whose text is a space.
    let content: [UInt8] = [0x0A, 0x03, 0x0A, 0x01, 0x20, 0x80]
    expect(
      try await it.lines(content),
      toHave: "rules: bad  a message has a text, an attachment or an invitation (visible.empty)")
  }

  @Test func unknownAndDamagedFieldsAreShown() async throws {
    // A field 99 of text, a time of the wrong type, and a field that is cut off.
    let content: [UInt8] = [0x9A, 0x06, 0x02, 0x68, 0x69, 0x7A, 0x01, 0x78, 0x0A, 0x05, 0x01, 0x80]
    expect(
      try await it.lines(content), toHave: "unknown field (99)  \"hi\"",
      "sig_timestamp (15): bad  of another type than the field has; readers take it as absent",
      "000008       3      no field: bad  it is cut off: 0a0501")
  }

  @Test func keysInsideAMessageAreNotShown() async throws {
    let seed = [UInt8](repeating: 0xAB, count: 32)
    let promotion = try GroupPromotion(with: GroupAdminKey(seed: SecretBytes(copying: seed)), name: "Friends")
    let bytes = try Message(
      .groupUpdate(GroupUpdateMessage(.promotion(promotion))), sentAt: MessageTime(milliseconds: 1)
    ).bytes()
    let lines = try await it.lines(bytes + [0x80])
    expect(lines, toHave: "group_identity_seed (1)  32 secret bytes", "name (2)  \"Friends\"")
    #expect(!lines.joined().contains("abab"))
  }

  @Test func programsGetOneLine() async throws {
    let world = MemoryIO(inputBytes: [0x0A, 0x03, 0x0A, 0x01, 0x68, 0x80])
    #expect(await world.run("inspect", "message", "--json") == .success)
    #expect(
      world.output == """
        {"v":1,"inspection":{"name":"message of a community's room","offset":0,"length":6,"parts":[\
        {"name":"Content","offset":0,"length":5,"parts":[\
        {"name":"data_message","offset":0,"length":5,"number":1,"value":"DataMessage","parts":[\
        {"name":"body","offset":2,"length":3,"number":1,"value":"\\"h\\""}]},\
        {"name":"kind","value":"visible"},{"name":"rules","verdict":"good"}]},\
        {"name":"padding","offset":5,"length":1}]}}

        """)
    _ = try expectForms(inLines: world.output, writtenBy: ["inspect", "message"])
  }

  @Test(arguments: [
    ["--group-id", Example.aliceID, "--group-key", "keys"], ["--group-id", "03"], ["--group-key", "keys"],
    ["--key", "-"], ["-", "--group-id", "03", "--group-key", "-"],
    ["--group-id", "03ea4a6c63e29c520abef5507b132ec5f9954776aebebe7b92421eea691446d22c"],
    ["--server", "abcd"], ["--from", "03"], ["--to", Example.aliceID], ["--posted", "noon"],
    ["--posted", "0"], ["--pro-backend", String(repeating: "z", count: 64)],
  ])
  func wrongCallsAreUsageErrors(options: [String]) async {
    let world = MemoryIO(files: Example.phrases)
    #expect(await world.run(["inspect", "message"] + options) == .usage)
    #expect(world.output == "")
  }

  @Test func bareSealedMessagesAreOpened() async throws {
    let sealed = try alice.seal(Array("hi\n".utf8), for: bob.id)
    expect(
      try await it.lines(sealed, "--key", "bob"), toHave: "sealed bytes", "text or bytes  \"hi\\n\"",
      "signature: good", "sender  \(alice.id)")
    let content = try alice.seal(message.bytes() + [0x80], for: bob.id)
    expect(try await it.lines(content, "--key", "bob"), toHave: "sealed bytes", "kind  visible", "padding")
  }

  /// A seal begins with a random key, which may look like the first field of something else.
  @Test func messagesThatOpenAreReportedAsSealed() async throws {
    var sealed: [UInt8] = []
    repeat { sealed = try alice.seal(Array("hi".utf8), for: bob.id) } while sealed[0] != 0x08
    expect(try await it.lines(sealed, "--key", "bob"), toHave: "sealed bytes", "signature: good")
  }

  @Test func unrecognisedBytesAreReportedAsSuch() async throws {
    let sealed = try alice.seal(Array("hi".utf8), for: bob.id)
    // The first byte of a random key may be anything: a type that protobuf lacks shows for certain.
    expect(
      try await it.lines([0x07] + sealed.dropFirst() + [1]), toHave: "bytes of no form that shows",
      "what is encrypted shows its form with its keys alone: --key, or --group-id and --group-key")
  }

  @Test(arguments: 0..<4 as Range<UInt8>)
  func nothingMakesItFail(seed: UInt8) async throws {
    let recipient = try it.blinded(bob)
    let group = it.admin.group
    let inbox = try [
      "--server", it.server.hex, "--from", it.blinded(alice).description, "--to", recipient.description,
    ]
    let stored: [([UInt8], [String])] = [
      (try alice.encode(message, for: .contact(bob.id)), []),
      (try alice.encode(message, for: .community), inbox),
      (try alice.encode(message, for: .inbox(recipient, server: it.server)), inbox),
      (
        try alice.encode(message, for: .group(group, key: SecretBytes(copying: it.groupKey))),
        ["--group-id", group.description, "--group-key", "keys"]
      ),
      (try it.admin.seal(KickNotice(generation: 1), for: [bob.id]), ["--group-id", group.description]),
    ]
    var state = seed
    for (whole, options) in stored {
      var bytes = whole
      for round in 0..<30 {
        state = state &* 29 &+ 71
        bytes[Int(state) % bytes.count] ^= state | 1
        _ = try await it.lines(Array(bytes.dropLast(round)), ["--key", "bob"] + options)
      }
    }
  }
}
