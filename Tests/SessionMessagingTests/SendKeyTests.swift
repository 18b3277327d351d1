import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

@Suite struct SendKeyTests {
  @Test(arguments: [
    ("a", true), ("alarm:2026-11-23/disk.0_1", true), (String(repeating: "k", count: 128), true),
    ("", false), (String(repeating: "k", count: 129), false), ("two words", false), ("ä", false),
    ("tab\t", false),
  ])
  func keysHaveAFixedAlphabet(text: String, isValid: Bool) {
    #expect((SendKey(text) != nil) == isValid)
  }

  @Test func aRepeatedKeySendsNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("alarm:1"))
      let first = try await alice.send(OutgoingText("disk full"), to: bob.id, key: key)
      #expect(!first.isRepeated)
      try await world.settle()
      let again = try await alice.send(OutgoingText("disk full"), to: bob.id, key: key)
      #expect(again == KeyedMessage(id: first.id, isRepeated: true))
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "disk full" }.count == 1)
    }
  }

  @Test func callsAtTheSameTimeSendOneMessage() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("at-once"))
      let sent = try await withThrowingTaskGroup(of: KeyedMessage.self) { group in
        for _ in 0..<20 {
          group.addTask { try await alice.send(OutgoingText("once"), to: bob.id, key: key) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(sent.map(\.id)).count == 1)
      #expect(sent.filter { !$0.isRepeated }.count == 1)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "once" }.count == 1)
    }
  }

  @Test func aKeyBelongsToItsContent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("k"))
      let file = OutgoingFile(.bytes([1, 2, 3]), name: "a.bin", caption: "three")
      let quoted = try await alice.last(in: bob.id).id
      let text = OutgoingText("text", answering: quoted)
      let sent = try await alice.send(text, attachments: [file], to: bob.id, key: key)
      #expect(try await alice.send(text, attachments: [file], to: bob.id, key: key).id == sent.id)
      var (named, captioned, changed) = (file, file, file)
      named.name = "b.bin"
      captioned.caption = "four"
      changed.content = .bytes([1, 2, 4])
      let others: [(OutgoingText, [OutgoingFile], SessionID)] = [
        (OutgoingText("other", answering: quoted), [file], bob.id), (OutgoingText("text"), [file], bob.id),
        (text, [], bob.id), (text, [file, file], bob.id), (text, [named], bob.id),
        (text, [captioned], bob.id),
        (text, [changed], bob.id), (text, [file], alice.id),
      ]
      for (text, files, recipient) in others {
        await #expect {
          try await alice.send(text, attachments: files, to: recipient, key: key)
        } throws: {
          MessengerError.Code.keyConflict ~= $0
        }
      }
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "text" }.count == 1)
    }
  }

  @Test func aDeletedMessageKeepsItsKey() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("gone"))
      let sent = try await alice.send(OutgoingText("note"), to: alice.id, key: key)
      try await world.settle()
      try await alice.delete(sent.id, .forEveryone)
      try await world.settle()
      let again = try await alice.send(OutgoingText("note"), to: alice.id, key: key)
      #expect(again == KeyedMessage(id: sent.id, isRepeated: true))
      #expect(try await alice.bodies(in: alice.id).isEmpty)
    }
  }

  @Test func keysAreForgottenAfterThirtyDays() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("old"))
      try await alice.send(OutgoingText("old"), to: bob.id, key: key)
      let now = world.clock.now
      try await alice.context.write { transaction, _ in
        #expect(try transaction.trimSendKeys(at: now + SendKeyRecord.lifetime) == 0)
        for number in 0..<5 {
          try transaction.insert(
            SendKeyRecord("\(number)", digest: [], of: .init(rawValue: 1), at: now + Int64(number)))
        }
        #expect(try transaction.trimSendKeys(at: now, keeping: 2) == 4)
        #expect(try transaction.sendKey("old") == nil && transaction.sendKey("4") != nil)
        #expect(try transaction.trimSendKeys(at: now + SendKeyRecord.lifetime + 5) == 2)
      }
    }
  }

  @Test(arguments: [nil, SendKey("bot:1")]) func aMessageSettlesItsEventOrIsNotSent(key: SendKey?)
    async throws
  {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let event = try await alice.lastEvent()
      let settled = EventAcknowledgement(event, by: "bot")
      let none = EventAcknowledgement(.init(rawValue: event.rawValue + 1000), by: "bot")
      let error = await #expect(throws: MessengerError.self) {
        try await alice.send(
          OutgoingText("answer"), attachments: [], to: .person(bob.id), key: key, settling: none)
      }
      #expect(error?.code == .unknownCursor)
      #expect(try await alice.reader("bot") == nil)
      #expect(try await !alice.bodies(in: bob.id).contains("answer"))
      let sent = try await alice.send(
        OutgoingText("answer"), attachments: [], to: .person(bob.id), key: key, settling: settled)
      #expect(!sent.isRepeated)
      #expect(try await alice.cursor(of: "bot") == event)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("answer"))
    }
  }

  @Test func aRepeatedMessageSettlesItsEventToo() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let key = try #require(SendKey("bot:1"))
      let first = try await alice.send(OutgoingText("answer"), to: bob.id, key: key)
      let event = try await alice.lastEvent()
      let again = try await alice.send(
        OutgoingText("answer"), attachments: [], to: .person(bob.id), key: key,
        settling: EventAcknowledgement(event, by: "bot"))
      #expect(again == KeyedMessage(id: first.id, isRepeated: true))
      #expect(try await alice.cursor(of: "bot") == event)
    }
  }

  @Test func keysSurviveARestart() async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let bob = try await world.device(of: .generate())
      let first = try await world.start(
        try await Messenger.create(.generate(), name: "Alice", in: folder, world.environment))
      world.swarms.decide { _, _ in .refused(NetworkFailure(.unreachable, "offline")) }
      let key = try #require(SendKey("restart"))
      let sent = try await first.send(OutgoingText("kept"), to: bob.id, key: key)
      await world.stop(first)
      world.swarms.decide { _, _ in .done }
      let second = try await world.start(try await Messenger.open(folder, world.environment))
      #expect(
        try await second.send(OutgoingText("kept"), to: bob.id, key: key)
          == KeyedMessage(id: sent.id, isRepeated: true))
      try await world.settle()
      #expect(try await bob.bodies(in: second.id) == ["kept"])
      await world.stop()
    }
  }
}
