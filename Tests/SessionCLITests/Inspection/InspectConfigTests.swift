import SessionCLI
import SessionCore
import SessionMessaging
import Testing

@Suite struct InspectConfigTests {
  func inspect(
    _ words: [String], files: [String: String] = [:], input: String = ""
  ) async -> String {
    let world = MemoryIO(files: ExampleConfig.files.merging(files) { $1 }, input: input)
    expectTruth(of: await world.run(["inspect", "config"] + words), about: world)
    return world.output
  }

  func messages(_ words: [String], files: [String: String] = [:], input: String = "") async
    -> [String]
  {
    let world = MemoryIO(files: ExampleConfig.files.merging(files) { $1 }, input: input)
    #expect(await world.run(["inspect", "config"] + words) != .success)
    #expect(world.output == "")
    return world.messages
  }

  /// The messages that a store pushes after an edit.
  private func stored(
    _ account: Account, _ edit: (inout Configs) throws(SessionError) -> Void
  ) throws -> [ConfigKind: [[UInt8]]] {
    let store = try ConfigStore(account)
    try store.edit(edit)
    let pushes = try store.pendingPushes(at: MessageTime(milliseconds: MemoryIO.now)).flatMap(\.pushes)
    return Dictionary(uniqueKeysWithValues: pushes.map { ($0.name.kind, $0.messages) })
  }

  func alice() throws -> Account {
    try Account(RecoveryPhrase(parsing: Array(Example.alicePhrase.utf8)))
  }

  @Test func aMessageIsShownWithItsNames() async {
    #expect(
      await inspect(["--kind", "profile", "first"]) == """
        offset  length  what
        000000     180  config message
                          hash  9d12fda7a98ec51c11e3b13abc361f82af271b8c6728228dba8cc9d4b7fe42e1
        000004       3    "#" revision  1
        00000a      97    "&" data  dict
        00000e       3      "+" priority of notes  9
        000014       8      "n" name  "Kallie"
        00001f      37      "p" picture  "http://example.org/omg-pic-123.bmp"
        000047      35      "q" picture key  not shown
        00006e      44    "<" earlier changes  list
        00006f      42      earlier revision
        000070       3        revision  0
        000073      35        hash  ea173b57beca8af18c3519a7bbf69c3e7a05d1c049fa9558341d8ebb48b0c965
        000096       2        changes  none
        00009d      22    "=" changes  dict
        0000a1       2      "+" priority of notes  set
        0000a6       2      "n" name  set
        0000ab       2      "p" picture  set
        0000b0       2      "q" picture key  set

        """)
  }

  @Test func programsGetJSON() async throws {
    let world = MemoryIO(input: "d1:#i0e1:&de1:<le1:=dee")
    #expect(await world.run("inspect", "config", "--json") == .success)
    #expect(
      world.output == #"{"v":1,"inspection":{"name":"config message","offset":0,"length":23,"parts":["#
        + #"{"name":"hash","value":"ea173b57beca8af18c3519a7bbf69c3e7a05d1c049fa9558341d8ebb48b0c965"},"#
        + ##"{"name":"\"#\" revision","offset":4,"length":3,"value":"0"},"##
        + #"{"name":"\"&\" data","offset":10,"length":2,"value":"dict"},"#
        + #"{"name":"\"<\" earlier changes","offset":15,"length":2,"value":"list"},"#
        + #"{"name":"\"=\" changes","offset":20,"length":2,"value":"none"}]}}"# + "\n")
    _ = try expectForms(inLines: world.output, writtenBy: ["inspect", "config"])
  }

  @Test func twoRevisionsAreMergedAsClientsDo() async {
    let shown = await inspect(["--kind", "profile", "first", "redone", "renamed"])
    let lines = shown.split(separator: "\n").map { String($0.dropFirst(16)) }
    let merged = Array(lines.drop { $0 != "  merged  a new revision 3, to be pushed" })
    #expect(
      merged.prefix(6) == [
        "  merged  a new revision 3, to be pushed", "    first  revision 1, superseded by redone",
        "    redone  revision 2, merged", "    renamed  revision 2, merged", "    config message",
        "      hash  4c7bc1cc830a0a39df677619fc1c0028268d87013a4a237d184fe3d74cf65c4b",
      ])
    #expect(merged.contains("        \"n\" name  \"Nibbler\""))
    #expect(merged.contains("        \"e\" notes disappear after seconds  86400"))
  }

  @Test func aRevisionThatSupersedesTheOthersStands() async {
    let lines = await inspect(["renamed", "first", "dump"]).split(separator: "\n")
    #expect(
      lines.suffix(4).map { String($0.dropFirst(18)) } == [
        "merged  renamed stands as it is", "  renamed  revision 2, which stands",
        "  first  revision 1, superseded by renamed", "  dump  revision 1, superseded by renamed",
      ])
    #expect(await inspect(["first", "dump"]).hasSuffix("dump  revision 1, the same as first\n"))
  }

  @Test func outdatedRevisionsAreLeftOut() async {
    let late = "d1:#i7e1:&d1:n1:xe1:<le1:=d1:n0:ee"
    #expect(
      await inspect(["renamed", "late"], files: ["late": late])
        .contains("renamed  revision 2, left out: too far behind\n"))
  }

  @Test func aDumpIsShownWithItsMessage() async {
    let shown = await inspect(["--kind", "profile", "dump"])
    #expect(shown.contains("000000     226  dump of a config\n"))
    #expect(shown.contains("000004       3    \"!\" state  0  clean\n"))
    #expect(shown.contains("000022       8          \"n\" name  \"Kallie\"\n"))
    #expect(shown.contains("0000c5      13    \"(\" current hashes  list\n"))
    #expect(shown.contains("0000c6      11      string  \"fakehash1\"\n"))
  }

  @Test(arguments: [
    ["first"], ["dump"], ["--kind", "profile", "first"], ["--kind", "profile", "first", "redone"],
  ])
  func secretsAreShownOnlyWhenAskedFor(words: [String]) async {
    #expect(!(await inspect(words).contains("secret789")))
    #expect(await inspect(words + ["--secrets"]).contains("secret78901234567890123456789012"))
  }

  @Test func storedPartsAreNotShown() async {
    let parts = "1:*d1:Hd1:#i2e1:Ti5e1:pld1:#i0e1:M1:h1:d9:secret789eeee1:+dee"
    let head = "d1:!i1e1:$23:d1:#i0e1:&de1:<le1:=dee1:(le1:)le"
    let shown = await inspect(["-"], input: head + parts)
    #expect(shown.contains("\"d\" a piece of a message  not shown\n"))
    #expect(shown.contains("\"!\" state  1  dirty: edited since it was pushed\n"))
    #expect(!shown.contains("secret789"))
  }

  @Test func aChangedSetShowsItsValues() async {
    let text = "d1:#i1e1:&d1:fli0ei1eee1:<le1:=d1:flli0eeli7eee1:n1:-ee"
    let lines = await inspect(["--kind", "profile", "-"], input: text).split(separator: "\n")
    #expect(
      lines.suffix(7).map { String($0.dropFirst(16)) } == [
        "  \"=\" changes  dict", "    \"f\" features  set of values", "      added", "        integer  0",
        "      removed", "        integer  7", "    \"n\" name  removed",
      ])
  }

  @Test func secretsBeyondTheOutputLimitAreHidden() async {
    // More values than are shown end before the secret.
    let keys = (0..<10_000).map { "6:\(100_000 + $0)i1e" }.joined()
    let shown = await inspect(["-"], input: "d1:#i1e1:&d\(keys)1:q9:secret789e1:<le1:=dee")
    #expect(shown.contains("no value: bad  more than is shown\n"))
    #expect(!shown.contains("secret789"))
  }

  @Test func aLargeDumpIsRead() async {
    let text = String(repeating: "x", count: 3 << 20)
    let message = "d1:#i1e1:&d1:n\(text.utf8.count):\(text)e1:<le1:=dee"
    #expect(await inspect(["-"], input: "d1:!i0e1:$\(message.utf8.count):\(message)e").contains("  clean\n"))
  }

  @Test func aStoredMessageShowsItsKindByItself() async throws {
    let bob = try SessionID(parsing: Example.bobID)
    let message = try #require(
      try stored(alice()) { (configs) throws(SessionError) in
        try configs.contacts.update(bob) {
          $0.name = "de"
          $0.isApproved = true
        }
      }[.contacts]?.first)
    let files = ["stored": message.base64]
    let shown = await inspect(["--key", "alice", "stored"], files: files)
    #expect(shown.contains("\n                  kind  contacts\n"))
    #expect(shown.contains("  \(Example.bobID) contact  dict\n"))
    #expect(shown.contains("\"n\" name  \"de\"\n"))
    #expect(shown.contains("\"a\" approved  1  yes\n"))
    #expect(await inspect(["--key", "alice", "--kind", "contacts", "stored"], files: files) == shown)
    #expect(
      await messages(["--key", "alice", "--kind", "profile", "stored"], files: files).first
        == "session: stored: it does not open as profile")
    #expect(
      await messages(["--key", "bob", "stored"], files: files).first
        == "session: stored: it does not open as any kind of config")
    #expect(
      await messages(["stored"], files: files).first == "session: stored: neither a config message nor a dump"
    )
  }

  @Test func partsArePutTogether() async throws {
    var state: UInt64 = 1
    func random(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
    }
    let friends = try (0..<800).map { _ in
      let id = try SessionID(parsing: "05" + random(32).hex)
      let key = random(32)
      return (id, try ProfilePicture(url: "http://example.org/" + key.hex, key: key))
    }
    let parts = try #require(
      try stored(alice()) { (configs) throws(SessionError) in
        for (id, picture) in friends { try configs.contacts.update(id) { $0.picture = picture } }
      }[.contacts])
    #expect(parts.count == 2)
    let files = ["one": parts[0].base64, "two": parts[1].base64]
    let whole = await inspect(["--key", "alice", "two", "one"], files: files)
    #expect(whole.contains("merged  one stands as it is\n"))
    // Each is in the data, and in what changed.
    #expect(whole.split(separator: "\n").count { $0.hasSuffix(" contact  dict") } == 2 * friends.count)
    #expect(!(await inspect(["--key", "alice", "one"], files: files).contains("config message")))
    #expect(
      await inspect(["--key", "alice", "one", "one"], files: files)
        .contains("merged: bad  no config message can be merged\n"))
  }

  @Test func aGroupsSignatureIsChecked() async throws {
    let group = "03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"
    let empty = "ea173b57beca8af18c3519a7bbf69c3e7a05d1c049fa9558341d8ebb48b0c965"
    let signed =
      try Array("d1:#i1e1:&d1:n5:Groupe1:<lli0e32:".utf8) + [UInt8](hex: empty.utf8)
      + Array("deee1:=d1:n0:e1:~64:".utf8)
      + [UInt8](
        hex: ("a5d08c615c1d5e68722edce95f6b9f6fc331e11a4cc5e3daeca539dc5410f2a8"
          + "b628fc74bad73cb20e16bacc222b6dfc44a9920ecceeba086397c3578c130a02").utf8) + Array("e".utf8)
    var forged = signed
    forged[16] ^= 1
    let files = ["signed": signed.base64, "forged": forged.base64]
    #expect(await inspect(["signed"], files: files).contains("  signature  --group-id checks it\n"))
    let options = ["--group-id", group, "--kind", "group-info"]
    #expect(await inspect(options + ["signed"], files: files).contains("  signature: good\n"))
    #expect(await inspect(options + ["forged"], files: files).contains("  signature: bad\n"))
    #expect(await inspect(options + ["first"], files: files).contains("  signature: bad  none\n"))
    let merged = await inspect(options + ["forged", "signed"], files: files)
    #expect(merged.contains("forged  revision 1, left out: its signature is not good\n"))
    #expect(merged.contains("merged  signed stands as it is\n"))
  }

  @Test func aGroupsStoredMessageOpensWithItsKeys() async throws {
    let group = try SessionID(parsing: "03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737")
    let seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    var keys = ""
    let messages = try stored(alice()) { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      keys = try configs.withGroup(group) { (group) throws(SessionError) in
        try group.updateInfo { $0.name = "Friends" }
        try group.rekey()
        return try group.messageKeys().map { $0.reveal().hex }.joined(separator: "\n")
      }
    }
    let message = try #require(messages[.groupInfo]?.first)
    let shown = await inspect(
      ["--group-key", "keys", "--group-id", group.description, "stored"],
      files: ["keys": keys, "stored": message.base64])
    #expect(shown.contains("  kind  group-info\n"))
    #expect(shown.contains("  signature: good\n"))
    #expect(shown.contains("\"n\" name  \"Friends\"\n"))
  }

  @Test(arguments: [
    (
      ["--kind", "contact"],
      "--kind is one of profile, contacts, conversations, groups, group-info, group-members, group-keys, local; did you mean contacts?"
    ),
    (["--kind", "group-info", "--key", "alice"], "--key opens no group-info: --group-key does"),
    (["--kind", "groups", "--group-key", "keys"], "--group-key opens no groups: --key does"),
    (
      ["--kind", "group-keys", "--group-key", "keys"],
      "--group-key opens no group-keys: --key does, with --group-id"
    ),
    (["--kind", "local", "--key", "alice"], "local settings are never stored: no key opens them"),
    (
      ["--key", "alice", "--group-key", "keys"],
      "--key is for an account, --group-id and --group-key for a group"
    ),
    (["-", "first", "-"], "both inputs are standard input"),
  ])
  func misuseIsNamed(words: [String], message: String) async {
    #expect(await messages(words).first == "session: inspect config: " + message)
  }

  @Test(arguments: [
    ("d1:#i1e1:&dee", "a part of the config message is missing or out of place"),
    ("d1:!i7e1:$0:e", "not the saved state of a config"),
    ("zzz", "neither a config message nor a dump"),
    ("", "neither a config message nor a dump"),
  ])
  func badInputIsNamed(text: String, message: String) async {
    #expect(await messages(["-"], input: text).first == "session: standard input: " + message)
  }
}
