import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// The parts of messages: replies, reactions, receipts, timers and deletion.
@Suite(.timeLimit(.minutes(5))) struct PartsTests {
  @Test func anAnswerShowsWhatItAnswers() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let question = try await bob.last(in: alice.id)
      try await bob.send(OutgoingText("about that", answering: question.id), to: alice.id)
      try await world.settle()
      let answer = try await alice.last(in: bob.id)
      #expect(answer.quoted?.body == question.body)
      #expect(answer.quoted?.author == question.author && answer.quoted?.sentAt == question.sentAt)
      if let original = answer.quoted?.message { try await alice.delete(original) }
      #expect(try await alice.message(answer.id)?.quoted?.message == nil)
    }
  }

  @Test func reactionsComeAndGoOnAllDevices() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      let message = try await bob.last(in: alice.id)
      try await bob.react("👍", to: message.id)
      try await bob.react("👍", to: message.id)
      try await world.settle()
      let expected = [MessageView.Reaction(emoji: "👍", author: bob.id)]
      for device in [alice, desk] {
        let conversation = device.id == alice.id ? bob.id : alice.id
        let shown = try await device.messages(in: .person(conversation)).first { $0.sentAt == message.sentAt }
        #expect(shown?.reactions == expected)
      }
      try await bob.unreact("👍", to: message.id)
      try await world.settle()
      let shown = try await alice.messages(in: .person(bob.id)).first { $0.sentAt == message.sentAt }
      #expect(shown?.reactions == [])
      await #expect(throws: SessionError.self) { try await bob.react("no emoji", to: message.id) }
    }
  }

  /// A sender that crashed may have sealed a reaction twice, with one send time.
  @Test func aCopyOfARemovedReactionDoesNotBringItBack() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let account = alice.context.account
      let start = UInt64(world.clock.now)
      let message = try await bob.last(in: alice.id)
      let sent = try MessageTime(milliseconds: UInt64(message.sentAt))
      func put(_ action: MessageReaction.Action, at offset: UInt64) async throws {
        let reaction = try MessageReaction(
          action, emoji: "👍", targetSentAt: sent, targetAuthor: message.author)
        let time = try MessageTime(milliseconds: start + offset)
        world.swarms.put(
          try account.encode(Message(.reaction(reaction), sentAt: time), for: .contact(bob.id)), to: bob.id)
        await bob.poll()
      }
      func reactions() async throws -> Int? { try await bob.message(message.id)?.reactions.count }
      try await put(.react, at: 0)
      #expect(try await reactions() == 1)
      try await put(.remove, at: 1)
      #expect(try await reactions() == 0)
      try await put(.react, at: 0)
      #expect(try await reactions() == 0)
      try await put(.react, at: 2)
      #expect(try await reactions() == 1)
    }
  }

  @Test func aCopyOfAReactionRemovedHereDoesNotBringItBack() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await world.settle()
      let message = try await bob.last(in: alice.id)
      try await bob.react("👍", to: message.id)
      try await world.settle()
      let sentAt = try await bob.context.database.read { transaction in
        try transaction.reactions(to: InteractionRecord.ID(rawValue: message.id.rawValue)).map(\.sentAt)
      }
      try await bob.unreact("👍", to: message.id)
      try await world.settle()
      let reaction = try MessageReaction(
        .react, emoji: "👍", targetSentAt: MessageTime(milliseconds: UInt64(message.sentAt)),
        targetAuthor: message.author, syncTarget: alice.id)
      let time = try MessageTime(milliseconds: UInt64(try #require(sentAt.first)))
      world.swarms.put(
        try bob.context.account.encode(Message(.reaction(reaction), sentAt: time), for: .ownDevices),
        to: bob.id)
      try await world.settle()
      #expect(try await bob.message(message.id)?.reactions.isEmpty == true)
      #expect(try await desk.last(in: alice.id).reactions.isEmpty)
    }
  }

  /// A swarm may keep messages in another order than that of their senders.
  @Test func partsThatComeBeforeTheirMessagesAreKept() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let account = alice.context.account
      let start = UInt64(world.clock.now)
      func put(_ content: MessageContent, at offset: Int) throws {
        let time = try MessageTime(milliseconds: start + UInt64(offset))
        world.swarms.put(
          try account.encode(Message(content, sentAt: time), for: .contact(bob.id)), to: bob.id)
      }
      func put(text number: Int) throws {
        try put(.visible(VisibleMessage(body: "text \(number)")), at: number)
      }
      let (first, second) = (OwnerInbox.pieceSize, OwnerInbox.pieceSize + 1)
      for number in 0..<OwnerInbox.pieceSize - 2 { try put(text: number) }
      // The last two of a piece.
      let reaction = try MessageReaction(
        .react, emoji: "👍", targetSentAt: MessageTime(milliseconds: start + UInt64(first)),
        targetAuthor: alice.id)
      try put(.reaction(reaction), at: second + 1)
      let deletion = UnsendRequest(
        targetSentAt: try MessageTime(milliseconds: start + UInt64(second)), targetAuthor: alice.id)
      try put(.unsend(deletion), at: second + 2)
      for number in first..<first + 10 { try put(text: number) }
      let before = try #require(try await bob.conversation(.person(alice.id))).unreadMessages
      await bob.poll()
      let shown = try await bob.messages(in: .person(alice.id), limit: 20)
      let target = shown.first { $0.body == "text \(first)" }
      #expect(target?.reactions == [MessageView.Reaction(emoji: "👍", author: alice.id)])
      #expect(!shown.contains { $0.body == "text \(second)" })
      let count = OwnerInbox.pieceSize - 2 + 9
      #expect(try await bob.conversation(.person(alice.id))?.unreadMessages == before + count)
      // Nothing comes twice.
      await bob.poll()
      #expect(try await bob.messages(in: .person(alice.id), limit: 20) == shown)
    }
  }

  @Test func aStormOfReactionsIsBounded() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let target = try await bob.last(in: alice.id)
      for number in 0..<40 as Range<UInt32> {
        guard let scalar = Unicode.Scalar(0x1F600 + number) else { continue }
        let reaction = try MessageReaction(
          .react, emoji: String(scalar), targetSentAt: MessageTime(milliseconds: UInt64(target.sentAt)),
          targetAuthor: target.author)
        let time = try MessageTime(milliseconds: UInt64(world.clock.now) + UInt64(number))
        let data = try alice.context.account.encode(
          Message(.reaction(reaction), sentAt: time), for: .contact(bob.id))
        world.swarms.put(data, to: bob.id)
      }
      try await world.settle()
      #expect(try await bob.message(target.id)?.reactions.count == MessageReceiver.maxReactions)
    }
  }

  @Test func receiptsAreSentAndShownWhereBothWantThem() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setReadReceipts(true)
      try await bob.setReadReceipts(true)
      let id = try await alice.send("seen?", to: bob.id)
      try await world.settle()
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      #expect(try await alice.message(id)?.readByRecipientAt != nil)
    }
  }

  @Test func aReplyMarksEarlierMessagesAsRead() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for device in [alice, bob] { try await device.setReadReceipts(true) }
      let desk = try await world.device(of: bob.context.account)
      let id = try await alice.send("well?", to: bob.id)
      try await world.settle()
      try await desk.markUnread(.person(alice.id))
      try await world.settle()
      #expect(try await desk.conversation(.person(alice.id))?.unreadMessages ?? 0 > 0)
      try await bob.send("well", to: alice.id)
      try await world.settle()
      for device in [bob, desk] {
        let conversation = try #require(try await device.conversation(.person(alice.id)))
        #expect(conversation.unreadMessages == 0 && !conversation.isMarkedUnread)
      }
      // Only the device that marks it as read sends a receipt.
      #expect(try await alice.message(id)?.readByRecipientAt == nil)
    }
  }

  @Test func typingIsNotSentWithoutTheSetting() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setReadReceipts(true)
      let id = try await alice.send("seen?", to: bob.id)
      try await world.settle()
      let before = world.swarms.kept(alice.id).count
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      #expect(world.swarms.kept(alice.id).count == before)
      #expect(try await alice.message(id)?.readByRecipientAt == nil)
    }
  }

  @Test func aReceiptThatIsFasterThanTheCopyWaitsForIt() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: alice.context.account)
      try await desk.setReadReceipts(true)
      try await bob.setReadReceipts(true)
      try await world.settle()
      world.swarms.decide { swarm, items in
        swarm == alice.id && items.first?.namespace == .messages
          ? .refused(NetworkFailure(.transient, "no path")) : .done
      }
      let id = try await alice.send("fast", to: bob.id)
      let sentAt = try #require(try await alice.message(id)).sentAt
      try await world.settle(rounds: 1)
      let receipt = try Message(
        .readReceipt(ReadReceipt(of: [MessageTime(milliseconds: UInt64(sentAt))])),
        sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
      world.swarms.put(try bob.context.account.encode(receipt, for: .contact(alice.id)), to: alice.id)
      try await world.settle(rounds: 1)
      world.swarms.decide { _, _ in .done }
      try await world.settle(rounds: 5)
      let copy = try await desk.messages(in: .person(bob.id)).first { $0.sentAt == sentAt }
      #expect(copy?.readByRecipientAt != nil)
    }
  }

  @Test func typingIsShownForAWhile() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setTyping(true, in: .person(bob.id))
      #expect(try await bob.conversation(.person(alice.id))?.isTyping == false)
      try await alice.setTypingIndicators(true)
      try await bob.setTypingIndicators(true)
      try await alice.setTyping(true, in: .person(bob.id))
      await bob.poll()
      #expect(try await bob.conversation(.person(alice.id))?.isTyping == true)
      world.clock.advance(by: 16_000)
      #expect(try await bob.conversation(.person(alice.id))?.isTyping == false)
    }
  }

  @Test func observersSeeTypingStartAndStop() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for device in [alice, bob] { try await device.setTypingIndicators(true) }
      var seen = bob.typing(in: .person(alice.id)).makeAsyncIterator()
      #expect(await seen.next() == false)
      try await alice.setTyping(true, in: .person(bob.id))
      await bob.poll()
      #expect(await seen.next() == true)
      try await alice.setTyping(false, in: .person(bob.id))
      await bob.poll()
      #expect(await seen.next() == false)
      try await alice.setTyping(true, in: .person(bob.id))
      await bob.poll()
      #expect(await seen.next() == true)
      // The typing indicator expires without further news.
      world.clock.advance(by: 16_000)
      #expect(await seen.next() == false)
    }
  }

  @Test(.timeLimit(.minutes(1))) func typingIsToldSeldomAndEndsByItself() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setTypingIndicators(true)
      let before = world.swarms.kept(bob.id).count
      /// The typing indicators that Bob has received, once there are `count`.
      func told(_ count: Int) async -> [TypingIndicator.Action] {
        while world.swarms.kept(bob.id).count < before + count, !Task.isCancelled { await Task.yield() }
        return world.swarms.kept(bob.id).dropFirst(before).compactMap { message in
          let received = try? bob.context.account.decode(message.data, from: .ownSwarm)
          guard case .typing(let typing)? = received?.message.content else { return nil }
          return typing.action
        }
      }
      // Twelve seconds of keys.
      for _ in 0..<6 {
        try await alice.setTyping(true, in: .person(bob.id))
        world.clock.advance(by: 2000)
      }
      try await alice.setTyping(true, in: .person(bob.id))
      #expect(await told(2) == [.started, .started])
      world.clock.advance(by: 3000)
      #expect(await told(3) == [.started, .started, .stopped])
      // It is said once.
      try await alice.setTyping(false, in: .person(bob.id))
      try await alice.setTyping(true, in: .person(bob.id))
      try await alice.setTyping(false, in: .person(bob.id))
      #expect(await told(5) == [.started, .started, .stopped, .started, .stopped])
      // A message says it as well.
      try await alice.setTyping(true, in: .person(bob.id))
      try await alice.send("written", to: bob.id)
      try await alice.waitUntilIdle()
      world.clock.advance(by: 3000)
      try await alice.setTyping(true, in: .person(bob.id))
      #expect(await told(8).suffix(3) == [.stopped, .started, .started])
    }
  }

  @Test func aMessageThatIsTakenBackIsGoneEverywhere() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: alice.context.account)
      let id = try await alice.send("oops", to: bob.id)
      try await world.settle()
      let copies = world.swarms.kept(alice.id).count
      try await alice.delete(id, .forEveryone)
      try await world.settle()
      for (device, other) in [(alice, bob.id), (desk, bob.id), (bob, alice.id)] {
        #expect(try await !device.bodies(in: other).contains("oops"))
        #expect(try await device.last(in: other).kind == .deleted)
      }
      // The copy went from the swarm; the request to take it back came.
      #expect(world.swarms.kept(alice.id).count == copies)
      let his = try await bob.messages(in: .person(alice.id)).first { !$0.isOutgoing && $0.kind == .message }
      let foreign = try #require(his)
      await #expect(throws: MessengerError.self) { try await bob.delete(foreign.id, .forEveryone) }
    }
  }

  @Test func onlyTheAuthorCanRetractAMessage() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let mine = try await alice.last(in: bob.id)
      let request = try Message(
        .unsend(
          UnsendRequest(
            targetSentAt: MessageTime(milliseconds: UInt64(mine.sentAt)), targetAuthor: mine.author)),
        sentAt: MessageTime(milliseconds: UInt64(world.clock.now)))
      let mallory = try Account.generate()
      world.swarms.put(try mallory.encode(request, for: .contact(alice.id)), to: alice.id)
      try await world.settle()
      #expect(try await alice.message(mine.id)?.kind == .message)
    }
  }

  @Test func aMessageDeletedHereStaysElsewhere() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let message = try await bob.last(in: alice.id)
      try await bob.delete(message.id)
      try await world.settle()
      #expect(try await bob.message(message.id)?.kind == .deletedHere)
      #expect(
        try await alice.messages(in: .person(bob.id)).contains {
          $0.kind == .message && $0.sentAt == message.sentAt
        })
    }
  }

  @Test func messagesDisappearAWhileAfterTheyWereSent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setTimer(DisappearingTimer(.afterSend, seconds: 3600), in: .person(bob.id))
      try await world.settle()
      #expect(try await bob.last(in: alice.id).kind == .note(.timerChanged))
      let id = try await alice.send("for an hour", to: bob.id)
      try await world.settle()
      #expect(try await bob.last(in: alice.id).disappearsAt != nil)
      #expect(
        world.swarms.kept(bob.id).last?.expiresAt.milliseconds ?? 0 < UInt64(world.clock.now + 3_700_000))
      world.clock.advance(by: 3_600_000)
      try await world.settle()
      #expect(try await alice.message(id) == nil)
      #expect(try await !bob.bodies(in: alice.id).contains("for an hour"))
      #expect(try await bob.bodies(in: alice.id).contains("Hello Bob"))
    }
  }

  @Test func messagesDisappearAWhileAfterTheyWereRead() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let desk = try await world.device(of: bob.context.account)
      try await alice.setTimer(DisappearingTimer(.afterRead, seconds: 300), in: .person(bob.id))
      try await alice.send("burn this", to: bob.id)
      try await world.settle()
      world.clock.advance(by: 400_000)
      try await world.settle()
      // Ours runs from when it was sent, theirs has not begun.
      #expect(try await !alice.bodies(in: bob.id).contains("burn this"))
      #expect(try await bob.bodies(in: alice.id).contains("burn this"))
      try await bob.markRead(.person(alice.id))
      try await world.settle()
      #expect(try await bob.last(in: alice.id).disappearsAt != nil)
      #expect(try await desk.last(in: alice.id).disappearsAt == bob.last(in: alice.id).disappearsAt)
      world.clock.advance(by: 300_000)
      try await world.settle()
      for device in [bob, desk] {
        #expect(try await !device.bodies(in: alice.id).contains("burn this"))
      }
    }
  }

  @Test func aCallIsNotedAsMissedOnce() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for number in 0..<2 as Range<UInt64> {
        let call = try Message(
          .call(CallMessage(.preOffer, of: "call")),
          sentAt: MessageTime(milliseconds: UInt64(world.clock.now) + number))
        world.swarms.put(try alice.context.account.encode(call, for: .contact(bob.id)), to: bob.id)
      }
      try await world.settle()
      #expect(
        try await bob.messages(in: .person(alice.id)).filter { $0.kind == .note(.missedCall) }.count == 1)
    }
  }

  @Test func draftsGoWithTheMessage() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      try await alice.setDraft("half a tho", in: .person(bob.id))
      #expect(try await alice.conversation(.person(bob.id))?.draft == "half a tho")
      var text = OutgoingText("half a thought")
      text.endsDraft = true
      try await alice.send(text, to: bob.id)
      #expect(try await alice.conversation(.person(bob.id))?.draft == nil)
    }
  }

  @Test func theFilesOfADraftStayWhenItsTextIsSent() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let answered = try await alice.last(in: bob.id)
      var text = OutgoingText("text")
      text.endsDraftText = true
      try await alice.setDraft("half", in: .person(bob.id))
      try await alice.send(text, to: bob.id)
      #expect(try await alice.draft(of: .person(bob.id)) == nil)
      let file = OutgoingFile(.bytes([1]), name: "a.bin")
      try await alice.setDraft(
        DraftContent("half", answering: answered.id, files: [file]), in: .person(bob.id))
      try await alice.send(text, to: bob.id)
      let left = try #require(try await alice.draft(of: .person(bob.id)))
      // The text went as the reply that the draft was.
      #expect(left.body.isEmpty && left.answering == nil)
      #expect(left.attachments.map(\.name) == ["a.bin"])
    }
  }

  @Test(.timeLimit(.minutes(1))) func typingThatIsReportedSeldomIsRepeatedByItself() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      try await alice.setTypingIndicators(true)
      let before = world.swarms.kept(bob.id).count
      func told(_ count: Int) async -> [TypingIndicator.Action] {
        while world.swarms.kept(bob.id).count < before + count, !Task.isCancelled { await Task.yield() }
        return world.swarms.kept(bob.id).dropFirst(before).compactMap { message in
          let received = try? bob.context.account.decode(message.data, from: .ownSwarm)
          guard case .typing(let typing)? = received?.message.content else { return nil }
          return typing.action
        }
      }
      try await alice.setTyping(true, in: .person(bob.id), isReportedSeldom: true)
      #expect(await told(1) == [.started])
      // Bob would forget it after fifteen seconds.
      world.clock.advance(by: 10_000)
      #expect(await told(2) == [.started, .started])
      world.clock.advance(by: 5000)
      #expect(await told(3) == [.started, .started, .stopped])
    }
  }
}
