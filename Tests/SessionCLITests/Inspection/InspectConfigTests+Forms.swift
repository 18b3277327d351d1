import SessionCLI
import SessionCore
import SessionMessaging
import Testing

/// Configs in forms of their own.
extension InspectConfigTests {
  private static let group = "03d04ab232742bb4ab3a1368bd4615e4e6d0224ab71a016baf8520a332c9778737"

  /// The messages and the dump of the keys of a group, of which Alice is an admin and Bob a member.
  private func groupKeys() throws -> (messages: [[UInt8]], dump: [UInt8], key: SecretBytes) {
    let store = try ConfigStore(alice())
    let group = try SessionID(parsing: Self.group)
    let seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    let members = [store.account.id, try SessionID(parsing: Example.bobID)]
    let now = try MessageTime(milliseconds: MemoryIO.now)
    let key = try store.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      return try configs.withGroup(group) { (group) throws(SessionError) in
        for id in members { try group.updateMember(id) { _ in } }
        try group.rekey()
        return try group.messageKeys()[0]
      }
    }
    let name = ConfigName(.groupKeys, of: group)
    let messages = store.pendingPushes(at: now).flatMap(\.pushes).filter { $0.name == name }.flatMap(
      \.messages)
    _ = try store.merge(
      messages.map { ConfigMessage(hash: "stored", stored: $0, storedAt: now) }, into: name, at: now)
    let dump = try #require(try store.dumps(at: now).first { $0.name == name })
    return (messages, dump.content, key)
  }

  @Test func theKeysOfAGroupAreShownByWhatTheyAreFor() async throws {
    let (messages, _, key) = try groupKeys()
    let files = ["keys": messages[0].base64]
    let plain = await inspect(["keys"], files: files)
    #expect(plain.contains("message with group keys\n"))
    #expect(plain.contains("  signature  --group-id checks it\n"))
    #expect(plain.contains("\"G\" generation  0\n"))
    #expect(plain.contains("\"k\" keys for members  list\n"))
    #expect(await inspect(["--group-id", Self.group, "keys"], files: files).contains("  signature: good\n"))
    var changed = messages[0]
    changed[10] ^= 1
    #expect(
      await inspect(["--group-id", Self.group, "keys"], files: ["keys": changed.base64])
        .contains("  signature: bad\n"))
    let words = ["--kind", "group-keys", "--group-id", Self.group, "--key"]
    #expect(
      await inspect(words + ["bob", "keys"], files: files).contains("  key for the account  not shown\n"))
    #expect(
      await inspect(words + ["bob", "--secrets", "keys"], files: files)
        .contains("  key for the account  \(key.reveal().hex)\n"))
    let carol = try Account.generate().recoveryPhrase().text()
    #expect(
      await inspect(words + ["carol", "keys"], files: files.merging(["carol": carol.reveal()]) { $1 })
        .contains("  keys for the account  none\n"))
  }

  @Test func aDumpOfTheKeysOfAGroupHidesThem() async throws {
    let (_, dump, key) = try groupKeys()
    let files = ["dump": dump.base64]
    let shown = await inspect(["dump"], files: files)
    #expect(shown.contains("dump of group keys\n"))
    #expect(shown.contains("\"L\" keys  list\n"))
    #expect(shown.contains("\"k\" key  not shown\n"))
    #expect(shown.contains("\"t\" stored  "))
    #expect(!shown.contains(key.reveal().hex))
    #expect(await inspect(["--secrets", "dump"], files: files).contains(key.reveal().hex))
    // Of nothing but keys there is nothing to be merged.
    #expect(!(await inspect(["dump", "dump"], files: files).contains("merged")))
  }

  @Test func theSettingsOfADeviceAreShown() async throws {
    let store = try ConfigStore(alice())
    try store.edit { (configs) throws(SessionError) in
      try configs.local.set(.oceanDark)
      try configs.local.set("quiet", to: true)
    }
    let now = try MessageTime(milliseconds: MemoryIO.now)
    let dump = try #require(try store.dumps(at: now).first { $0.name.kind == .local })
    let shown = await inspect(["--kind", "local", "dump"], files: ["dump": dump.content.base64])
    #expect(shown.contains("\"t\" theme  3  ocean dark\n"))
    #expect(shown.contains("\"quiet\" setting  1  yes\n"))
  }

  @Test func ciphertextMayStartLikeADict() async throws {
    let store = try ConfigStore(alice())
    let group = try SessionID(parsing: Self.group)
    let seed = try SecretBytes(copying: [UInt8](repeating: 0x11, count: 32))
    let now = try MessageTime(milliseconds: MemoryIO.now)
    let name = ConfigName(.groupInfo, of: group)
    let key = try store.edit { (configs) throws(SessionError) in
      try configs.openGroup(group, adminSeed: seed)
      return try configs.withGroup(group) { (group) throws(SessionError) in
        try group.rekey()
        return try group.messageKeys()[0]
      }
    }
    var stored: [UInt8] = []
    var number = 0
    while stored.first != UInt8(ascii: "d") {
      number += 1
      try store.edit { (configs) throws(SessionError) in
        try configs.withGroup(group) { (group) throws(SessionError) in
          try group.updateInfo { $0.name = "Friends \(number)" }
        }
      }
      let push = try #require(store.pendingPushes(at: now).flatMap(\.pushes).first { $0.name == name })
      try store.confirm(push, hashes: ["h"])
      stored = push.messages[0]
    }
    let files = ["stored": stored.base64, "key": key.reveal().hex, "plain": "d1:#i1e1:&de1:<le1:=dee"]
    let shown = await inspect(["--group-key", "key", "stored"], files: files)
    #expect(shown.contains("\"n\" name  \"Friends \(number)\"\n"))
    // Unencrypted messages are shown even if a key is given.
    #expect(await inspect(["--group-key", "key", "plain"], files: files).contains("config message\n"))
    #expect(
      await messages(["--key", "alice", "stored"], files: files).first
        == "session: stored: it does not open as any kind of config")
  }
}
