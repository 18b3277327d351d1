import Testing

@testable import SessionCore

/// Messages of faulty or hostile clients are rejected.
@Suite struct BadMessageTests {
  private func expectRule(
    _ rule: MessageRule, _ content: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      try Message(parsing: content)
    } throws: {
      $0.breaks(rule)
    }
  }

  private func expectNoContent(_ content: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(sourceLocation: sourceLocation) {
      try Message(parsing: content)
    } throws: {
      SessionError.Code.content ~= $0
    }
  }

  private func visible(_ content: [UInt8]) throws -> VisibleMessage {
    guard case .visible(let message) = try Message(parsing: content).content else {
      throw MessageIsOfAnotherKind()
    }
    return message
  }

  private struct MessageIsOfAnotherKind: Error {}

  @Test func anEmptyContentIsNoMessage() {
    expectRule(.contentEmpty, [])
    expectRule(.contentEmpty, Wire.varint(15, 5))
    expectRule(.contentEmpty, Wire.bytes(7, [1, 2, 3]))
  }

  @Test func ofTwoBodiesTheFirstInTheOrderCounts() throws {
    let receipt = Wire.receipt(Wire.varint(1, 1), Wire.varint(2, 5))
    let typing = Wire.typing(Wire.varint(1, 5), Wire.varint(2, 0))
    let extraction = Wire.extraction(Wire.varint(1, 2), Wire.varint(2, 5))
    let timer = Wire.data(Wire.text(1, "hello"), Wire.varint(4, 2))
    let unsend = Wire.unsend(Wire.varint(1, 5), Wire.text(2, Example.firstID))
    let response = Wire.response(Wire.varint(1, 1))
    let text = Wire.data(Wire.text(1, "hello"))
    let call = Wire.call(Wire.varint(1, 5), Wire.text(5, "u"))
    let group = Wire.group(5)
    let config = Wire.bytes(11, Wire.varint(1, 1) + Wire.varint(2, 0) + Wire.bytes(3, []))
    let order: [([UInt8], MessageKind)] = [
      (receipt, .readReceipt), (typing, .typing), (group, .groupMemberLeft), (extraction, .dataExtraction),
      (timer, .timerUpdate), (unsend, .unsend), (response, .messageRequestResponse), (text, .visible),
      (call, .callEnd), (config, .legacyConfig),
    ]
    for (index, (first, kind)) in order.enumerated() {
      for (second, _) in order[(index + 1)...]
      where !(first.starts(with: [0x0A]) && second.starts(with: [0x0A])) {
        #expect(try Message(parsing: second + first).content.kind == kind)
        #expect(try Message(parsing: first + second).content.kind == kind)
      }
    }
  }

  @Test func aReactionIsNoText() throws {
    let reaction = Wire.bytes(
      11, Wire.varint(1, 5) + Wire.text(2, Example.firstID) + Wire.text(3, "😀") + Wire.varint(4, 0))
    #expect(try Message(parsing: Wire.data(Wire.text(1, "hello"), reaction)).content.kind == .reaction)
  }

  @Test func aTimeThatIsNotThatOfTheEnvelopeIsRefused() throws {
    let me = try Example.first()
    let content = Wire.data(Wire.text(1, "hello")) + Wire.varint(15, 1_700_000_000_001)
    #expect {
      try me.decode(
        StoredMessage.forContact(content, from: Example.second(), to: me, timestamp: 1_700_000_000_000),
        from: .ownSwarm)
    } throws: {
      SessionError.Code.messageTime ~= $0
    }
  }

  @Test func aMessageFromAnOldClientWithoutATimeInsideIsTaken() throws {
    let me = try Example.first()
    let content = Wire.data(Wire.text(1, "hello"))
    let received = try me.decode(
      StoredMessage.forContact(content, from: Example.second(), to: me), from: .ownSwarm)
    #expect(received.message.sentAt == nil)
    #expect(received.sentAt == (try MessageExample.time()))
  }

  @Test(arguments: [0, 1 << 63, UInt64.max])
  func anImpossibleTimeIsRefused(time: UInt64) throws {
    let me = try Example.first()
    let rule: MessageRule = time == 0 ? .timeZero : .timeRange
    expectRule(rule, Wire.data(Wire.text(1, "hello")) + Wire.varint(15, time))
    expectRule(rule, Wire.receipt(Wire.varint(1, 1), Wire.varint(2, time)))
    expectRule(rule, Wire.typing(Wire.varint(1, time), Wire.varint(2, 0)))
    expectRule(rule, Wire.unsend(Wire.varint(1, time), Wire.text(2, Example.firstID)))
    expectRule(rule, Wire.extraction(Wire.varint(1, 2), Wire.varint(2, time)))
    let stored = try StoredMessage.forContact(
      Wire.data(Wire.text(1, "hello")), from: Example.second(), to: me, timestamp: time)
    #expect { try me.decode(stored, from: .ownSwarm) } throws: { SessionError.Code.messageTime ~= $0 }
  }

  @Test func aMissingRequiredFieldCostsTheMessage() {
    let text = Wire.text(1, "hello")
    expectNoContent(Wire.data(text, Wire.bytes(8, Wire.varint(1, 5))))
    expectNoContent(Wire.data(text, Wire.bytes(2, Wire.text(101, "http://example.org/file/1"))))
    expectNoContent(Wire.data(text, Wire.bytes(102, Wire.text(1, "https://example.org"))))
    expectNoContent(Wire.typing(Wire.varint(1, 5)))
    expectNoContent(Wire.unsend(Wire.varint(1, 5)))
    expectNoContent(Wire.call(Wire.varint(1, 5)))
    expectNoContent(Wire.group(2, Wire.varint(1, 1)))
  }

  @Test func anUnknownNumberOfARequiredEnumCostsTheMessage() {
    expectNoContent(Wire.call(Wire.varint(1, 9), Wire.text(5, "u")))
    expectNoContent(Wire.receipt(Wire.varint(1, 7), Wire.varint(2, 5)))
  }

  @Test(arguments: [0, 31, 33])
  func aPictureWithoutAWholeKeyIsNone(size: Int) throws {
    let profile = Wire.bytes(101, Wire.text(1, "Alice") + Wire.text(2, "http://example.org/file/1"))
    let key = Wire.bytes(6, [UInt8](repeating: 1, count: size))
    let message = try visible(Wire.data(Wire.text(1, "hello"), key, profile))
    #expect(message.profile?.name == "Alice")
    #expect(message.profile?.picture == nil)
  }

  @Test func tooLongANameIsCutBetweenCharacters() throws {
    let name = String(repeating: "x", count: 98) + "漢字"
    let message = try visible(Wire.data(Wire.text(1, "hello"), Wire.bytes(101, Wire.text(1, name))))
    #expect(message.profile?.name == String(repeating: "x", count: 98))
  }

  @Test func namesComeWithoutWhiteSpaceAroundThem() throws {
    func name(_ text: String) throws -> String? {
      try visible(Wire.data(Wire.text(1, "hello"), Wire.bytes(101, Wire.text(1, text)))).profile?.name
    }
    #expect(try name(" \n Al Ice\u{3000}") == "Al Ice")
    #expect(try name(" \t\u{2003}") == nil)
    #expect(try name(String(repeating: "x", count: 99) + " y") == String(repeating: "x", count: 99))
    let signature = Wire.bytes(4, [UInt8](repeating: 0, count: 64))
    let renamed = Wire.group(
      2, Wire.varint(1, 1), Wire.text(2, " " + String(repeating: "漢", count: 50)), signature)
    guard case .groupUpdate(let update) = try Message(parsing: renamed).content else {
      throw MessageIsOfAnotherKind()
    }
    #expect(update.claim == .infoChange(.name(String(repeating: "漢", count: 33))))
  }

  @Test func aProofOfALaterVersionIsNone() throws {
    let proof = Wire.varint(1, 1) + Wire.bytes(2, [1, 2, 3]) + Wire.varint(4, UInt64.max)
    let content =
      Wire.data(Wire.text(1, "hello")) + Wire.varint(15, 1_700_000_000_000)
      + Wire.bytes(16, Wire.bytes(1, proof) + Wire.varint(3, 1))
    let message = try Message(parsing: content)
    #expect(message.pro?.proof == nil)
    #expect(message.pro?.messageFeatures == .longText)
    let sealed = try Example.second().seal(StoredMessage.padded(content), for: Example.first().id)
    let envelope =
      StoredMessage.envelope(sealed, timestamp: 1_700_000_000_000)
      + Wire.bytes(11, [UInt8](repeating: 1, count: 64))
    let stored = Wire.varint(1, 1) + Wire.bytes(2, Wire.bytes(3, envelope))
    #expect(try Example.first().decode(stored, from: .ownSwarm).proStatus == .noProof)
  }

  @Test func ofSeveralGroupUpdatesTheFirstInTheOrderCounts() throws {
    let updates = Wire.bytes(8, []) + Wire.bytes(6, Wire.varint(1, 1)) + Wire.bytes(5, [])
    #expect(try Message(parsing: Wire.data(Wire.bytes(120, updates))).content.kind == .groupMemberLeft)
  }

  @Test func groupUpdatesAreRefusedWhereTheyDoNotBelong() throws {
    let me = try Example.second()
    let friend = try Example.first()
    let group = try MessageExample.adminKey().group
    let key = try SecretBytes.random(count: 32)
    for update in try MessageExample.updatesToOneself() {
      let content = try MessageExample.message(.groupUpdate(update)).bytes()
      let stored = try StoredMessage.forGroup(content, from: friend, group: group, key: key)
      #expect {
        try me.decode(stored, from: .group(group, keys: [key]))
      } throws: {
        $0.breaks(.place)
      }
    }
    for update in try MessageExample.updatesToGroup() {
      let content = try MessageExample.message(.groupUpdate(update)).bytes()
      let stored = try StoredMessage.forContact(content, from: friend, to: me)
      #expect { try me.decode(stored, from: .ownSwarm) } throws: { $0.breaks(.place) }
    }
  }

  @Test func invalidAccountsAreDroppedFromMemberChanges() throws {
    let signature = Wire.bytes(4, [UInt8](repeating: 0, count: 64))
    let others = ["15", "25", "03"].map { Wire.text(2, $0 + Example.firstID.dropFirst(2)) }
    let garbage = others.flatMap(\.self) + Wire.text(2, "garbage")
    expectRule(.groupMembers, Wire.group(3, Wire.varint(1, 1), garbage, signature))
    let mixed = Wire.group(3, Wire.varint(1, 1), garbage, Wire.text(2, Example.firstID), signature)
    #expect(try Message(parsing: mixed).content.kind == .groupMemberChange)
  }

  @Test(arguments: [0, 63, 65])
  func aSignatureHas64Bytes(size: Int) throws {
    let signature = [UInt8](repeating: 0, count: size)
    expectRule(.groupSignatureSize, Wire.group(2, Wire.varint(1, 2), Wire.bytes(4, signature)))
    expectRule(.groupSignatureSize, Wire.group(7, Wire.text(2, "hash"), Wire.bytes(3, signature)))
  }

  @Test(arguments: [
    "", "a", "1", "#", "1\u{301}", "hello", "😀😀", " ", "😀" + String(repeating: "\u{1F3FD}", count: 1000),
  ])
  func aReactionIsOneEmoji(text: String) {
    let reaction = Wire.bytes(
      11, Wire.varint(1, 5) + Wire.text(2, Example.firstID) + Wire.text(3, text) + Wire.varint(4, 0))
    expectRule(.reactionEmoji, Wire.data(reaction))
  }

  @Test func communitiesTakeNoReactions() throws {
    let content = try MessageExample.message(.reaction(MessageExample.reaction())).bytes()
    #expect {
      try Example.first().decode(
        StoredMessage.padded(content),
        from: .community(sender: Example.second().id, postedAt: MessageExample.time()))
    } throws: {
      $0.breaks(.place)
    }
  }

  @Test func noMessageIsTakenWhereItsKindIsNotSent() throws {
    let me = try Example.second()
    let friend = try Example.first()
    let group = try MessageExample.adminKey().group
    let key = try SecretBytes.random(count: 32)
    for content in try MessageExample.contents() {
      let bytes = try MessageExample.message(content).bytes()
      let inGroup = try StoredMessage.forGroup(bytes, from: friend, group: group, key: key)
      let inRoom = StoredMessage.padded(bytes)
      let room = MessageOrigin.community(sender: friend.id, postedAt: try MessageExample.time())
      let destinations = content.kind.traits.destinations
      #expect(
        ((try? me.decode(inGroup, from: .group(group, keys: [key]))) != nil) == destinations.contains(.group),
        "\(content.kind)")
      #expect(
        ((try? me.decode(inRoom, from: room)) != nil) == destinations.contains(.community), "\(content.kind)")
    }
  }

  @Test func oneEmojiIsComparedAsOne() throws {
    func key(_ emoji: String) throws -> String {
      try MessageReaction(
        .react, emoji: emoji, targetSentAt: MessageExample.time(), targetAuthor: Example.first().id
      ).emojiKey
    }
    #expect(try key("\u{2764}\u{FE0F}") == key("\u{2764}"))
    #expect(try key("1\u{FE0F}\u{20E3}") == key("1\u{20E3}"))
    #expect(try key("\u{2764}") != key("😀"))
  }

  @Test func ofAVeryLongReceiptTheBeginningCounts() throws {
    let times = (1...1500).flatMap { Wire.varint(2, $0) } + Wire.varint(2, 0)
    guard
      case .readReceipt(let receipt) = try Message(parsing: Wire.receipt(Wire.varint(1, 1), times)).content
    else { throw MessageIsOfAnotherKind() }
    #expect(receipt.messages.map(\.milliseconds) == Array(1...1000))
  }

  @Test func theLongestTimerDoesNotOverflow() throws {
    let content = Wire.data(Wire.text(1, "hello")) + Wire.varint(12, 2) + Wire.varint(13, UInt64(UInt32.max))
    let message = try Message(parsing: content)
    #expect(message.disappearing?.milliseconds == 4_294_967_295_000)
    #expect(
      MessageKind.visible.traits.timeToLive(with: message.disappearing, in: .contact) == 14 * 86_400_000)
  }

  @Test func aTimerOfNothingIsNone() throws {
    let content = Wire.data(Wire.text(1, "hello")) + Wire.varint(12, 2) + Wire.varint(13, 0)
    #expect(try Message(parsing: content).disappearing == nil)
  }

  @Test func zerosAreLeftOutOfTexts() throws {
    #expect(try visible(Wire.data(Wire.text(1, "he\u{0}llo\u{0}"))).body == "hello")
    #expect(try VisibleMessage(body: "he\u{0}llo").body == "he\u{0}llo")
    #expect { try VisibleMessage(body: "\u{0} \u{0}") } throws: { $0.breaks(.visibleEmpty) }
    let written = try MessageExample.message(MessageExample.text("he\u{0}llo")).bytes()
    #expect(try visible(written).body == "hello")
  }

  @Test func aTextOfSpacesIsNone() {
    let quote = Wire.bytes(8, Wire.varint(1, 5) + Wire.text(2, Example.firstID))
    expectRule(.visibleEmpty, Wire.data(Wire.text(1, " \n\t\u{3000}"), quote))
  }

  @Test(arguments: ["javascript:alert(1)", "file:///etc/passwd", "https://example.org/room", ""])
  func anInvitationToElsewhereIsMereText(url: String) throws {
    let invitation = Wire.bytes(102, Wire.text(1, url) + Wire.text(3, "Come"))
    let message = try visible(Wire.data(invitation))
    #expect(message.invitation?.url == url)
    #expect(message.invitation?.link == nil)
  }

  @Test func unfetchableAttachmentsAreDropped() throws {
    let id = Wire.fixed64(1, 0)
    let good = Wire.bytes(2, id + Wire.text(101, "http://example.org/file/1"))
    let without = Wire.bytes(2, id)
    let elsewhere = Wire.bytes(2, id + Wire.text(101, "file:///etc/passwd"))
    #expect(try visible(Wire.data(without, good, elsewhere)).attachments.count == 1)
    expectRule(.visibleEmpty, Wire.data(without, elsewhere))
    expectRule(.visibleAttachments, Wire.data(Array(repeating: good, count: 33).flatMap(\.self)))
  }

  @Test func aKeyOfAnUnknownSizeOpensNothing() throws {
    let attachment =
      Wire.fixed64(1, 0) + Wire.bytes(3, [UInt8](repeating: 1, count: 40))
      + Wire.text(101, "http://example.org/file/1")
    let message = try visible(Wire.data(Wire.bytes(2, attachment)))
    guard case .unreadable = message.attachments[0].protection else {
      Issue.record("it opens")
      return
    }
    let again = try Message(parsing: MessageExample.message(.visible(message)).bytes())
    #expect(again.content == .visible(message))
  }

  @Test func anUnusableQuoteOrPreviewCostsNoMore() throws {
    let quote = Wire.bytes(8, Wire.varint(1, 5) + Wire.text(2, "nobody"))
    let http = Wire.bytes(10, Wire.text(1, "http://example.org"))
    let absent = Wire.bytes(10, Wire.text(1, "https://example.org"))
    #expect(try visible(Wire.data(Wire.text(1, "http://example.org"), quote, http)).preview == nil)
    #expect(try visible(Wire.data(Wire.text(1, "hello"), quote, absent)).preview == nil)
    #expect(try visible(Wire.data(Wire.text(1, "hello"), quote)).quote == nil)
  }

  @Test func aTextIsKeptUpToItsLimitAndShownAsItsSenderMayWrite() throws {
    let me = try Example.first()
    let content = Wire.data(Wire.text(1, String(repeating: "漢", count: 10_500)))
    #expect(try visible(content).body.unicodeScalars.count == 10_000)
    let received = try me.decode(
      StoredMessage.forContact(content, from: Example.second(), to: me), from: .ownSwarm)
    guard case .visible(let message) = received.message.content else { throw MessageIsOfAnotherKind() }
    #expect(message.body.unicodeScalars.count == 10_000)
    let shown = VisibleMessage.shown(message.body, whole: received.showsWholeText)
    #expect(shown.unicodeScalars.count == 2000)
  }

  @Test func aMalformedProofMattersOnlyWhereItIsSigned() throws {
    let me = try Example.first()
    let content = Wire.data(Wire.text(1, "hello")) + Wire.bytes(16, Wire.bytes(1, Wire.bytes(2, [1])))
    expectRule(.proProof, content)
    let received = try me.decode(
      StoredMessage.forContact(content, from: Example.second(), to: me), from: .ownSwarm)
    #expect(received.proStatus == .none)
    #expect(received.message.pro == nil)
  }

  @Test func typingThatTellsAnotherTimeIsRefused() throws {
    let me = try Example.first()
    let content = Wire.typing(Wire.varint(1, 5), Wire.varint(2, 0))
    #expect {
      try me.decode(StoredMessage.forContact(content, from: Example.second(), to: me), from: .ownSwarm)
    } throws: {
      $0.breaks(.typingTime)
    }
  }

  @Test func messagesThatAreInvalidFromOneselfAreRefused() throws {
    let me = try Example.first()
    for content in try MessageExample.contents() {
      let stored = try StoredMessage.forContact(
        MessageExample.message(content).bytes(), from: me, to: me, timestamp: 1_700_000_000_000)
      #expect(
        ((try? me.decode(stored, from: .ownSwarm)) != nil) == content.kind.traits.isValidFromSelf,
        "\(content.kind)")
    }
  }

  @Test func onlyTheAuthorCanUnsendAMessage() throws {
    let me = try Example.second()
    let mine = UnsendRequest(targetSentAt: try MessageExample.time(5), targetAuthor: me.id)
    let theirs = UnsendRequest(targetSentAt: try MessageExample.time(5), targetAuthor: try Example.first().id)
    for (request, isGood) in [(mine, true), (theirs, false)] {
      let bytes = try MessageExample.message(.unsend(request)).bytes()
      let stored = try StoredMessage.forContact(bytes, from: me, to: me)
      #expect(((try? me.decode(stored, from: .ownSwarm)) != nil) == isGood)
    }
  }

  @Test func communitiesKnowNoGroups() throws {
    let posted = try Example.first().encode(
      MessageExample.message(MessageExample.text()), for: .community)
    for kind in SessionID.Kind.allCases {
      let sender = try SessionID(kind, key: Example.first().id.key)
      let origin = MessageOrigin.community(sender: sender, postedAt: try MessageExample.time())
      let isTaken = (try? Example.second().decode(posted, from: origin)) != nil
      #expect(isTaken == (kind != .group && kind != .version), "\(kind)")
    }
  }

  @Test func configsOfOldClientsComeFromOneself() throws {
    let me = try Example.first()
    let config = MessageContent.legacyConfig(LegacyConfigMessage(.contacts, sequence: 1, data: [1]))
    let bytes = try MessageExample.message(config).bytes()
    let own = try me.decode(StoredMessage.forContact(bytes, from: me, to: me), from: .ownSwarm)
    #expect(own.message.content == config)
    #expect {
      try me.decode(StoredMessage.forContact(bytes, from: Example.second(), to: me), from: .ownSwarm)
    } throws: {
      $0.breaks(.syncSender)
    }
    #expect { try me.encode(own.message, for: .ownDevices) } throws: { $0.breaks(.destination) }
  }

  @Test func aMessageWithoutItsKeyIsToBeKept() throws {
    let group = try MessageExample.adminKey().group
    let stored = try Example.first().encode(
      MessageExample.message(MessageExample.text()), for: .group(group, key: .random(count: 32)))
    #expect {
      try Example.second().decode(stored, from: .group(group, keys: [.random(count: 32)]))
    } throws: {
      SessionError.Code.noKey ~= $0
    }
  }
}
