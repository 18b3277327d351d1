import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Contents that no client writes, sealed as they should be: each field wrong in its own way.
@Suite(.timeLimit(.minutes(10))) struct HostileFieldsTests {
  private static let data: UInt64 = 0x0A

  /// Contents by what is wrong with them.
  private static func contents(_ reader: SessionID, _ time: UInt64) -> [(name: String, bytes: [UInt8])] {
    func text(_ tag: UInt64, _ value: String) -> [UInt8] { field(tag, Array(value.utf8)) }
    func number(_ tag: UInt64, _ value: UInt64) -> [UInt8] { varint(tag) + varint(value) }
    let long = String(repeating: "x", count: 100_000)
    let (body, signed) = (text(0x0A, "shown"), number(0x78, time))
    func message(_ fields: [UInt8]...) -> [UInt8] { field(data, fields.flatMap(\.self)) + signed }
    func pointer(_ url: String) -> [UInt8] {
      field(0x12, [0x09] + [UInt8](repeating: 0, count: 8) + field(0x1A, [1]) + text(0x32A, url))
    }
    return [
      ("a text that is no text", message(field(0x0A, [0xFF, 0xFE, 0x80]))),
      ("a text with an end in it", message(text(0x0A, "one\0two"))),
      ("a text of nothing to see", message(text(0x0A, "\u{202E}\u{2066}\0\n"))),
      ("a text as long as can be", message(text(0x0A, long))),
      ("a quote of nobody", message(body, field(0x42, number(0x08, 0) + text(0x12, "nobody")))),
      (
        "a quote of a group", message(body, field(0x42, number(0x08, 5) + text(0x12, "03\(long.prefix(64))")))
      ),
      (
        "a quote of the end of time", message(body, field(0x42, number(0x08, .max) + text(0x12, "\(reader)")))
      ),
      ("a link that runs", message(body, field(0x52, text(0x0A, "javascript:alert(1)")))),
      ("a link to a file", message(body, field(0x52, text(0x0A, "file:///etc/passwd") + text(0x12, "x")))),
      (
        "a link with a book for a title",
        message(
          text(0x0A, "https://a.example"), field(0x52, text(0x0A, "https://a.example") + text(0x12, long)))
      ),
      (
        "a hundred links",
        message(body, (0..<100).flatMap { field(0x52, text(0x0A, "https://a.example/\($0)")) })
      ),
      ("an invitation that runs", message(field(0x332, text(0x0A, "javascript:x") + text(0x12, "room")))),
      (
        "an invitation with a book for a name",
        message(field(0x332, text(0x0A, "https://a.example/room?public_key=00") + text(0x12, long)))
      ),
      (
        "a reaction of no emoji",
        message(field(0x5A, number(0x08, time) + text(0x12, "\(reader)") + number(0x20, 0)))
      ),
      (
        "a reaction that is a book",
        message(
          field(0x5A, number(0x08, time) + text(0x12, "\(reader)") + text(0x1A, long) + number(0x20, 0)))
      ),
      (
        "a reaction that does neither",
        message(field(0x5A, number(0x08, time) + text(0x12, "\(reader)") + text(0x1A, "x") + number(0x20, 7)))
      ),
      ("a name that is a book", message(body, field(0x32A, text(0x0A, long)))),
      ("a name with an end in it", message(body, field(0x32A, text(0x0A, "a\0b")))),
      (
        "a picture that is a file",
        message(
          body, field(0x32, [UInt8](repeating: 1, count: 32)), field(0x32A, text(0x12, "file:///etc/passwd")))
      ),
      (
        "a key that is too short",
        message(
          body, field(0x32, [1, 2, 3]), field(0x32A, text(0x0A, "K") + text(0x12, "http://a.example/file/1")))
      ),
      (
        "a thousand attachments",
        message(body, (0..<1000).flatMap { _ in pointer("http://a.example/file/1") })
      ),
      ("an attachment that is a file", message(body, pointer("file:///etc/passwd"))),
      ("a copy of nobody", message(body, text(0x34A, "nobody"))),
      ("a timer of no kind", field(data, body) + signed + number(0x60, 99) + number(0x68, 1)),
      ("a timer of no time", field(data, body) + signed + number(0x60, 2) + number(0x68, 0)),
      ("flags of all kinds", message(body, number(0x20, .max))),
      (
        "a text that also takes back",
        field(data, body) + field(0x4A, number(0x08, time) + text(0x12, "\(reader)")) + signed
      ),
      ("a retraction of nothing", field(0x4A, number(0x08, 0) + text(0x12, "")) + signed),
      (
        "a receipt of everything",
        field(0x2A, number(0x08, 1) + (1...50_000).flatMap { number(0x10, $0) }) + signed
      ),
      ("a receipt of no kind", field(0x2A, number(0x08, 42) + number(0x10, 5)) + signed),
      ("typing at another time", field(0x32, number(0x08, time - 1) + number(0x10, 0)) + signed),
      ("a refusal", field(0x52, number(0x08, 0)) + signed),
      (
        "a call that is a book", field(0x1A, number(0x08, 6) + text(0x12, long) + text(0x2A, "call")) + signed
      ),
      ("an unknown extraction", field(0x42, number(0x08, 9) + number(0x10, 5)) + signed),
      ("a group update of nothing", message(field(0x3C2, []))),
      ("a proof that is none", field(data, body) + signed + field(0x82, [UInt8](repeating: 7, count: 500))),
      ("groups within groups", message((0..<5000).map { _ in 0x0B })),
      ("a length beyond the end", [0x0A, 0xFF, 0xFF, 0xFF, 0xFF, 0x07] + signed),
      ("a number without an end", [UInt8](repeating: 0xFF, count: 64)),
    ]
  }

  /// Checks the limits of all texts that a device shows.
  private func checkShown(_ device: Messenger) async throws {
    for conversation in try await device.conversations() + device.requests() {
      #expect(conversation.name.utf8.count <= 400 && !conversation.name.contains("\0"))
      for message in try await device.messages(in: conversation.id, limit: Messenger.maxPage) {
        #expect(message.body.unicodeScalars.count <= 2000 && !message.body.contains("\0"))
        if let link = message.link {
          #expect(link.url.hasPrefix("https://") || link.url.hasPrefix("http://"))
          #expect((link.title ?? "").unicodeScalars.count <= 300)
        }
        #expect(message.reactions.allSatisfy { $0.emoji.utf8.count <= 200 })
      }
    }
  }

  @Test(arguments: [false, true]) func noFieldBreaksAnything(fromContact: Bool) async throws {
    try await withAliceAndBob { world, alice, bob in
      try await bob.setReadReceipts(true)
      try await bob.setTypingIndicators(true)
      let sender = fromContact ? alice.context.account : try Account.generate()
      let hello = try await bob.messages(in: .person(alice.id)).count
      var time = UInt64(world.clock.now)
      for (_, bytes) in Self.contents(bob.id, time) {
        world.swarms.put(try forged(bytes, by: sender, for: bob.id, at: time), to: bob.id)
      }
      // The same once more, each at a time of its own, so that none is taken for another.
      for index in Self.contents(bob.id, time).indices {
        time += 1
        let content = Self.contents(bob.id, time)[index]
        world.swarms.put(try forged(content.bytes, by: sender, for: bob.id, at: time), to: bob.id)
      }
      try await world.settle()
      #expect(await bob.pollCondition().failures == 0)
      try await checkShown(bob)
      let kept = try await bob.messages(in: .person(alice.id), limit: Messenger.maxPage)
      #expect(!kept.contains { $0.kind == .deleted })
      #expect(kept.count >= hello)
      try await alice.setName("Alice again")
      try await alice.send("honest", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "honest")
      #expect(try await bob.conversation(.person(alice.id))?.name == "Alice again")
    }
  }

  @Test(arguments: [1, 1_000, UInt64(Int64.max), UInt64.max, 1 << 53, 253_402_300_800_000] as [UInt64])
  func noTimeBreaksAnything(_ time: UInt64) async throws {
    try await withAliceAndBob { world, alice, bob in
      let mallory = try Account.generate()
      for sender in [mallory, alice.context.account] {
        for signed in [time, 0] {
          let content =
            field(Self.data, field(0x0A, Array("from \(time)".utf8))) + varint(0x78) + varint(signed)
          world.swarms.put(try forged(content, by: sender, for: bob.id, at: time), to: bob.id)
        }
      }
      try await world.settle()
      #expect(await bob.pollCondition().failures == 0)
      for conversation in try await bob.conversations() + bob.requests() {
        for message in try await bob.messages(in: conversation.id) {
          #expect(message.sentAt > 0 && message.sentAt <= world.clock.now + 86_400_000)
        }
      }
      try await bob.markRead(.person(alice.id))
      try await alice.send("honest", to: bob.id)
      try await world.settle()
      let last = try #require(try await bob.conversation(.person(alice.id))?.last)
      #expect(last.body == "honest" && !last.isRead)
    }
  }

  @Test func replayedMessagesAreShownOnce() async throws {
    try await withAliceAndBob { world, alice, bob in
      try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 600), in: .person(bob.id))
      try await world.settle()
      try await alice.send("gone in ten minutes", to: bob.id)
      try await world.settle()
      let old = try #require(world.swarms.kept(bob.id).last).data
      func replay() {
        // As it was, and in another wrapping.
        world.swarms.put(old, to: bob.id)
        world.swarms.put(old + [0x40, 1], to: bob.id)
        world.swarms.put(old, to: bob.id, for: .seconds(3600))
      }
      replay()
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "gone in ten minutes" }.count == 1)
      world.clock.advance(by: 700_000)
      try await world.settle()
      replay()
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("gone in ten minutes"))
      // To somebody else it says nothing.
      let carol = try await world.device(of: .generate(), name: "Carol")
      world.swarms.put(old, to: carol.id)
      try await world.settle()
      #expect(try await carol.requests().isEmpty)
      #expect(try await carol.conversations().isEmpty)
    }
  }

  @Test func aRetractionThatIsReplayedTakesBackNothingNew() async throws {
    try await withAliceAndBob { world, alice, bob in
      let id = try await alice.send("oops", to: bob.id)
      try await world.settle()
      try await alice.delete(id, .forEveryone)
      try await world.settle()
      let retraction = try #require(world.swarms.kept(bob.id).last).data
      try await alice.send("oops", to: bob.id)
      try await world.settle()
      world.swarms.put(retraction + [0x40, 1], to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "oops")
    }
  }

  @Test func oversizedMessagesDoNotBlockOthers() async throws {
    try await withAliceAndBob { world, alice, bob in
      world.swarms.put([UInt8](repeating: 0, count: 8 << 20), to: bob.id)
      world.swarms.put([UInt8](repeating: 0x0A, count: 8 << 20), to: bob.id)
      let content = field(Self.data, field(0x0A, [UInt8](repeating: 0x78, count: 4 << 20)))
      world.swarms.put(
        try forged(content, by: alice.context.account, for: bob.id, at: UInt64(world.clock.now)), to: bob.id)
      try await alice.send("behind it", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "behind it")
      #expect(try await bob.bodies(in: alice.id).allSatisfy { $0.count <= 2000 })
    }
  }

  @Test func junkFromANodeDoesNotChangeConfigs() async throws {
    try await withAliceAndBob { world, alice, bob in
      let mallory = try Account.generate()
      let other = try await world.device(of: mallory, name: "Mallory")
      try await other.block(bob.id)
      try await world.settle()
      for kind in ConfigKind.ofAccount {
        let namespace = try #require(kind.namespace)
        world.swarms.put([UInt8](repeating: 0x7A, count: 70_000), to: bob.id, in: namespace)
        world.swarms.put([], to: bob.id, in: namespace)
        for stranger in world.swarms.kept(mallory.id, in: namespace) {
          world.swarms.put(stranger.data, to: bob.id, in: namespace)
        }
        // Our own configs in the wrong namespace.
        for misplaced in world.swarms.kept(bob.id, in: .contacts) where namespace != .contacts {
          world.swarms.put(misplaced.data, to: bob.id, in: namespace)
        }
      }
      try await world.settle(rounds: 6)
      #expect(try await bob.name() == "Bob")
      #expect(try await bob.contacts().map(\.id) == [alice.id])
      #expect(await bob.pollCondition().failures == 0)
      try await bob.setNickname("Al", of: alice.id)
      let desk = try await world.device(of: bob.context.account)
      try await world.settle(rounds: 6)
      #expect(try await desk.name() == "Bob")
      #expect(try await desk.conversation(.person(alice.id))?.name == "Al")
      #expect(await desk.pollCondition().failures == 0)
    }
  }

  /// A stolen device of ours could store a config that is small when compressed and large when expanded.
  @Test func aConfigThatSwellsIsNotSwallowed() async throws {
    try await withAliceAndBob { world, alice, bob in
      let zeros = [UInt8](repeating: 0, count: 4_000_000)
      let data = Array("d1:x\(zeros.count):".utf8) + zeros + Array("e".utf8)
      let message = Array("d1:#i1e1:&".utf8) + data + Array("1:<le1:=dee".utf8)
      let dump =
        Array("d1:!i1e1:$\(message.count):".utf8) + message + Array("e".utf8)
      let name = ConfigName(.userGroups, of: bob.id)
      let store = try ConfigStore(
        bob.context.account, dumps: [ConfigDump(name, content: dump)])
      let now = try MessageTime(milliseconds: UInt64(world.clock.now))
      let bombs = store.pendingPushes(at: now).flatMap(\.pushes).flatMap(\.messages)
      #expect(!bombs.isEmpty)
      #expect(bombs.allSatisfy { $0.count < 100_000 })
      for bomb in bombs { world.swarms.put(bomb, to: bob.id, in: .userGroups) }
      try await world.settle()
      #expect(await bob.pollCondition().failures == 0)
      let kept = try await bob.context.database.read { transaction in
        try transaction.configDumps().filter { $0.kind == ConfigKind.userGroups.storedName }
      }
      #expect(kept.allSatisfy { $0.content.count < 5_000_000 })
      try await alice.send("honest", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).body == "honest")
    }
  }
}
