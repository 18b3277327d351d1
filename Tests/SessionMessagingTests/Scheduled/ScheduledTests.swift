import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Messages that are sent later.
@Suite struct ScheduledTests {
  private static let hour: Int64 = 3_600_000

  private func code(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> MessengerError.Code? {
    let error = await #expect(throws: MessengerError.self, sourceLocation: sourceLocation) {
      try await body()
    }
    return error?.code
  }

  @Test func aMessageIsSentWhenItIsDueAndTakesItsPlaceThen() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let answered = try await alice.last(in: bob.id)
      let due = world.clock.now + 2 * Self.hour
      let kept = try await alice.schedule(
        OutgoingText("later", answering: answered.id), to: .person(bob.id), at: SendTime(due))
      #expect(!kept.isRepeated)
      let waiting = try #require(try await alice.scheduledMessage(kept.id))
      #expect(waiting.state == .waiting && waiting.time.at == due && waiting.body == "later")
      #expect(waiting.answered?.author == bob.id && waiting.answered?.sentAt == answered.sentAt)
      try await alice.send("sooner", to: bob.id)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(1) == ["sooner"])
      world.clock.advance(by: due - world.clock.now - 1)
      try await alice.waitUntilIdle()
      #expect(try await alice.scheduledMessage(kept.id)?.state == .waiting)
      world.clock.advance(by: 1)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(2) == ["sooner", "later"])
      let sent = try #require(try await alice.scheduledMessage(kept.id))
      let number = try #require(sent.message)
      let message = try #require(try await alice.message(number))
      #expect(sent.state == .sent && message.state == .sent && message.sentAt >= due)
      #expect(message.quoted?.body == answered.body)
      let told = try await alice.events(limit: 1000).filter { $0.kind == .scheduledChanged }
      #expect(told.map(\.scheduled) == [kept.id, kept.id] && told.map(\.message) == [nil, message.id])
    }
  }

  @Test func filesAreCopiedWhenTheMessageIsScheduled() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let file = OutgoingFile(.bytes(Array("content".utf8)), name: "a.txt", caption: "see")
      let kept = try await alice.schedule(
        OutgoingText(""), attachments: [file], to: .person(bob.id), at: SendTime(world.clock.now + 60_000))
      #expect(try await alice.scheduledMessage(kept.id)?.attachments.map(\.name) == ["a.txt"])
      // Neither the garbage collection nor deleting files takes it away.
      _ = try await alice.deleteFiles(sentBefore: .max, largerThan: -1, in: nil)
      world.clock.advance(by: 61_000)
      try await world.settle(rounds: 5)
      let got = try #require(try await bob.last(in: alice.id).attachments.first)
      #expect(got.name == "a.txt" && got.caption == "see")
      try await bob.download(got.id)
      try await world.settle()
      var bytes: [UInt8] = []
      for try await piece in try await bob.content(of: got.id) { bytes += piece }
      #expect(bytes == Array("content".utf8))
      #expect(try await alice.scheduledMessage(kept.id)?.attachments.isEmpty == true)
    }
  }

  @Test(
    arguments: [
      SendTime.leastDelay - 1, -5, SendTime.mostDelay + 1, .max / 2, .min / 2,
    ] as [Int64])
  func timesHaveLimits(delay: Int64) async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let now = world.clock.now
      #expect(
        await code {
          try await alice.schedule(
            OutgoingText("x"), to: .person(bob.id), at: SendTime(now.saturatingAdd(delay)))
        } == .notAllowed)
      #expect(try await alice.scheduledMessages().isEmpty)
    }
  }

  @Test func zonesAndLatenessAreChecked() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let at = world.clock.now + SendTime.leastDelay
      for time in [
        SendTime(at, zone: ""), SendTime(at, zone: "two words"),
        SendTime(at, zone: String(repeating: "x", count: 65)), SendTime(at, late: -1),
        SendTime(at, late: SendTime.mostDelay + 1),
      ] {
        #expect(
          await code { try await alice.schedule(OutgoingText("x"), to: .person(bob.id), at: time) }
            == .notAllowed)
      }
      try await alice.schedule(OutgoingText("x"), to: .person(bob.id), at: SendTime(at, late: 0))
    }
  }

  @Test func twoHundredMessagesWait() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let time = SendTime(world.clock.now + Self.hour)
      for number in 0..<Outbox.maxScheduled {
        try await alice.schedule(OutgoingText("\(number)"), to: .person(bob.id), at: time)
      }
      #expect(
        await code { try await alice.schedule(OutgoingText("x"), to: .person(bob.id), at: time) }
          == .notAllowed)
      let first = try #require(try await alice.scheduledMessages().first)
      try await alice.cancelScheduled(first.id)
      try await alice.schedule(OutgoingText("x"), to: .person(bob.id), at: time)
    }
  }

  /// A device in a folder of files that is off while a message is due.
  private func missing(
    by time: Int64, late: Int64 = 60_000, aheadBy error: Int64 = 0,
    _ body: (World, Messenger, Messenger, ScheduledMessage.ID) async throws -> Void
  ) async throws {
    try await withFolder { (folder) async throws in
      let world = World()
      let bob = try await world.device(of: .generate())
      let first = try await world.start(
        try await Messenger.create(.generate(), name: "Alice", in: folder, world.environment))
      try await first.send("Hello", to: bob.id)
      try await world.settle()
      let due = world.clock.now + Self.hour
      let kept = try await first.schedule(
        OutgoingText("due"), to: .person(bob.id), at: SendTime(due, late: late))
      await world.stop(first)
      world.clock.advance(by: due - world.clock.now + time)
      var environment = world.environment
      if error != 0 {
        world.swarms.forgetTime()
        world.swarms.setReachable(false)
        environment.clock = WrongClock(clock: world.clock, error: error)
      }
      let second = try await world.start(try await Messenger.open(folder, environment))
      try await world.settle(rounds: 4)
      try await body(world, second, bob, kept.id)
      await world.stop()
    }
  }

  @Test func aMessageIsSentALittleLate() async throws {
    try await missing(by: 50_000) { (_, alice, bob, id) async throws in
      #expect(try await bob.bodies(in: alice.id) == ["Hello", "due"])
      #expect(try await alice.scheduledMessage(id)?.state == .sent)
    }
  }

  /// The program needs time to get to it.
  @Test func aMessageThatMayNotBeLateHasAMinute() async throws {
    try await missing(by: 50_000, late: 0) { (_, alice, bob, id) async throws in
      #expect(try await bob.bodies(in: alice.id) == ["Hello", "due"])
      #expect(try await alice.scheduledMessage(id)?.state == .sent)
    }
    try await missing(by: 60_001, late: 0) { (world, alice, bob, id) async throws in
      #expect(try await alice.scheduledMessage(id)?.state == .missed)
      try await alice.sendScheduledNow(id)
      #expect(try await alice.scheduledMessage(id)?.time.late == SendTime.usualLateness)
      try await world.settle(rounds: 4)
      #expect(try await bob.bodies(in: alice.id) == ["Hello", "due"])
    }
  }

  /// The machine's clock is a day ahead, and it has no network to learn so.
  @Test func aWrongClockMissesNothing() async throws {
    try await missing(by: -60_000, late: Self.hour, aheadBy: 86_400_000) {
      (world, alice, bob, id) async throws in
      #expect(try await alice.scheduledMessage(id)?.state == .waiting)
      world.clock.advance(by: 60_000)
      try await world.settle(rounds: 2)
      #expect(try await alice.scheduledMessage(id)?.state == .waiting)
      world.swarms.setReachable(true)
      world.clock.advance(by: 60_000)
      try await world.settle(rounds: 4)
      #expect(try await bob.bodies(in: alice.id) == ["Hello", "due"])
    }
  }

  @Test func aMessageThatWasMovedIsNotSentByWhatBeganBefore() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let kept = try await alice.schedule(
        OutgoingText("moved"), to: .person(bob.id), at: SendTime(world.clock.now + 60_000))
      let before = try #require(
        try await alice.context.database.read { transaction in try transaction.waiting(kept.id.record) })
      try await alice.moveScheduled(kept.id, to: SendTime(world.clock.now + Self.hour))
      #expect(await code { try await alice.outbox.sendNow(before) } == .noMessage)
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("moved"))
      #expect(try await alice.scheduledMessage(kept.id)?.state == .waiting)
      let after = try #require(
        try await alice.context.database.read { transaction in try transaction.waiting(kept.id.record) })
      try await alice.outbox.sendNow(after)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).suffix(1) == ["moved"])
    }
  }

  /// What was met in a room and has become a part of another conversation while the message was being sent.
  @Test func aMessageWhoseConversationWasMergedIsSentInTheOtherOne() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let carol = try await world.device(of: .generate())
      let kept = try await alice.schedule(
        OutgoingText("merged"), to: .person(bob.id), at: SendTime(world.clock.now + Self.hour))
      let before = try #require(
        try await alice.context.database.read { transaction in try transaction.waiting(kept.id.record) })
      try await alice.context.write { transaction, _ in
        _ = try transaction.run(
          "UPDATE scheduled SET address = ?, at = ?", carol.id.address, before.createdAt)
      }
      var then = before
      then.at = before.createdAt
      let stale = then
      #expect(await code { try await alice.outbox.sendNow(stale) } == .noMessage)
      try await alice.context.write { [outbox = alice.outbox] transaction, _ in
        try outbox.settle(stale, .failed, because: "no", in: transaction)
      }
      try await world.settle(rounds: 4)
      #expect(try await !bob.bodies(in: alice.id).contains("merged"))
      #expect(try await carol.bodies(in: alice.id) == ["merged"])
      #expect(try await alice.scheduledMessage(kept.id)?.state == .sent)
    }
  }

  @Test func aMessageWithoutTheDefaultTimerIsNotScheduled() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      var text = OutgoingText("x")
      text.skipsDefaultTimer = true
      let time = SendTime(world.clock.now + 60_000)
      let refused = text
      let refusal = await self.code { try await alice.schedule(refused, to: .person(bob.id), at: time) }
      #expect(refusal == .notAllowed)
      #expect(try await alice.scheduledMessages().isEmpty)
    }
  }

  @Test func aMessageThatIsTooLateIsMissedAndCanBeSentNow() async throws {
    try await missing(by: 60_001) { (world, alice, bob, id) async throws in
      #expect(try await bob.bodies(in: alice.id) == ["Hello"])
      let missed = try #require(try await alice.scheduledMessage(id))
      #expect(missed.state == .missed && missed.failure == "nothing ran when it was due")
      let told = try await alice.events(limit: 1000).filter { $0.kind == .scheduledChanged }
      #expect(told.last?.reason == missed.failure)
      try await alice.sendScheduledNow(id)
      try await world.settle(rounds: 4)
      #expect(try await bob.bodies(in: alice.id) == ["Hello", "due"])
      #expect(await code { try await alice.sendScheduledNow(id) } == .notAllowed)
      #expect(await code { try await alice.cancelScheduled(id) } == .notAllowed)
    }
  }

  @Test func cancelledMessagesAreGoneWithTheirKeys() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("k"))
      let time = SendTime(world.clock.now + 60_000)
      let kept = try await alice.schedule(OutgoingText("no"), to: .person(bob.id), at: time, key: key)
      try await alice.cancelScheduled(kept.id)
      #expect(await code { try await alice.cancelScheduled(kept.id) } == .noMessage)
      #expect(await code { try await alice.moveScheduled(kept.id, to: time) } == .noMessage)
      world.clock.advance(by: 61_000)
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("no"))
      #expect(try await !alice.jobs().jobs.contains { $0.kind == SendLater.kind })
      try await alice.send(OutgoingText("no"), to: bob.id, key: key)
    }
  }

  @Test func movedMessagesAreSentAtTheirNewTime() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let start = world.clock.now
      let kept = try await alice.schedule(
        OutgoingText("moved"), to: .person(bob.id), at: SendTime(start + 60_000))
      try await alice.moveScheduled(kept.id, to: SendTime(start + 2 * Self.hour))
      world.clock.advance(by: Self.hour)
      try await world.settle()
      #expect(try await !bob.bodies(in: alice.id).contains("moved"))
      #expect(
        await code { try await alice.moveScheduled(kept.id, to: SendTime(world.clock.now)) } == .notAllowed)
      try await alice.moveScheduled(kept.id, to: SendTime(world.clock.now + SendTime.leastDelay))
      world.clock.advance(by: SendTime.leastDelay)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "moved" }.count == 1)
      world.clock.advance(by: 3 * Self.hour)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "moved" }.count == 1)
    }
  }

  @Test func aKeyIsTakenWhenItIsScheduled() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let key = try #require(SendKey("k"))
      let (person, now) = (Conversation.ID.person(bob.id), world.clock.now)
      let kept = try await alice.schedule(
        OutgoingText("once"), to: person, at: SendTime(now + 60_000), key: key)
      // A script that repeats its call asks for another time.
      let again = try await alice.schedule(
        OutgoingText("once"), to: person, at: SendTime(now + 90_000), key: key)
      #expect(again == KeyedSchedule(id: kept.id, isRepeated: true))
      #expect(await code { try await alice.send(OutgoingText("once"), to: bob.id, key: key) } == .keyConflict)
      #expect(
        await code {
          try await alice.schedule(OutgoingText("two"), to: person, at: SendTime(now + 90_000), key: key)
        } == .keyConflict)
      world.clock.advance(by: 61_000)
      try await world.settle()
      let sent = try #require(try await alice.scheduledMessage(kept.id)?.message)
      #expect(
        try await alice.send(OutgoingText("once"), to: bob.id, key: key)
          == KeyedMessage(id: sent, isRepeated: true))
      #expect(
        try await alice.schedule(OutgoingText("once"), to: person, at: SendTime(now + 900_000), key: key)
          == KeyedSchedule(id: kept.id, isRepeated: true))
      #expect(try await bob.bodies(in: alice.id).filter { $0 == "once" }.count == 1)
    }
  }

  @Test func whatForbidsAMessageWhenItIsDueMakesItADraft() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let file = OutgoingFile(.bytes([1]), name: "a.bin")
      let kept = try await alice.schedule(
        OutgoingText("hello"), attachments: [file], to: .person(bob.id),
        at: SendTime(world.clock.now + 60_000))
      try await alice.block(bob.id)
      world.clock.advance(by: 61_000)
      try await world.settle()
      let failed = try #require(try await alice.scheduledMessage(kept.id))
      #expect(failed.state == .failed && failed.failure?.contains("blocked") == true)
      #expect(try await alice.conversation(.person(bob.id))?.draft == "hello")
      try await alice.unblock(bob.id)
      try await alice.sendScheduledNow(kept.id)
      try await world.settle(rounds: 5)
      #expect(try await bob.last(in: alice.id).body == "hello")
      #expect(try await bob.last(in: alice.id).attachments.count == 1)
    }
  }

  @Test func aMessageWithoutTheProtectionThatItNeedsFails() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      var text = OutgoingText("secret")
      text.requiredLevel = .sr1
      let kept = try await alice.schedule(
        text, to: .person(bob.id), at: SendTime(world.clock.now + 60_000))
      world.clock.advance(by: 61_000)
      try await world.settle()
      #expect(try await alice.scheduledMessage(kept.id)?.state == .failed)
      #expect(try await !bob.bodies(in: alice.id).contains("secret"))
    }
  }

  @Test func aDraftOfAnotherTextStays() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.schedule(
        OutgoingText("hello"), to: .person(bob.id), at: SendTime(world.clock.now + 60_000))
      try await alice.setDraft("mine", in: .person(bob.id))
      world.clock.advance(by: 61_000)
      try await world.settle()
      #expect(try await bob.bodies(in: alice.id).contains("hello"))
      #expect(try await alice.conversation(.person(bob.id))?.draft == "mine")
    }
  }

  @Test func anAnswerToADeletedMessageIsSentWithoutIt() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let answered = try await alice.last(in: bob.id)
      try await alice.schedule(
        OutgoingText("yes", answering: answered.id), to: .person(bob.id),
        at: SendTime(world.clock.now + 60_000))
      try await alice.delete(answered.id)
      world.clock.advance(by: 61_000)
      try await world.settle()
      let got = try await bob.last(in: alice.id)
      #expect(got.body == "yes" && got.quoted == nil)
    }
  }

  @Test func aTextThatNoClientAcceptsIsRefusedAtOnce() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let time = SendTime(world.clock.now + 60_000)
      let long = String(repeating: "x", count: VisibleMessage.maxStandardCharacters + 1)
      for text in ["", long] {
        await #expect(throws: (any Error).self) {
          try await alice.schedule(OutgoingText(text), to: .person(bob.id), at: time)
        }
      }
      #expect(try await alice.scheduledMessages().isEmpty)
    }
  }

  /// The machine's clock goes back by a day after the message was scheduled: it is sent by the network's time, once.
  @Test(arguments: [86_400_000, -86_400_000] as [Int64])
  func theTimeOfTheNetworkDecides(error: Int64) async throws {
    let world = World()
    let account = try Account.generate()
    let alice = try await world.device(of: account, aheadBy: error)
    let bob = try await world.device(of: .generate())
    try await alice.send("Hello", to: bob.id)
    try await world.settle()
    try await alice.schedule(
      OutgoingText("punctual"), to: .person(bob.id), at: SendTime(world.clock.now + Self.hour))
    world.clock.advance(by: Self.hour - 5000)
    try await world.settle(rounds: 1)
    #expect(try await bob.bodies(in: alice.id) == ["Hello"])
    world.clock.advance(by: 5000)
    try await world.settle(rounds: 3)
    #expect(try await bob.bodies(in: alice.id) == ["Hello", "punctual"])
    await world.stop()
  }
}
