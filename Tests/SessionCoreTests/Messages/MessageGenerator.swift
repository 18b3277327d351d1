import SeededNumbers
import SessionCore

/// Makes messages of every kind from one seed.
struct MessageGenerator {
  private var random: SeededGenerator

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  mutating func message() throws -> Message {
    let sentAt = try time()
    return try Message(
      content(sentAt: sentAt), sentAt: sentAt,
      disappearing: maybe {
        try DisappearingTimer($0.one(of: DisappearingTimer.Mode.allCases), seconds: $0.number(1...))
      },
      pro: maybe { try $0.pro() })
  }

  private mutating func content(sentAt: MessageTime) throws -> MessageContent {
    switch number(0...11) as UInt32 {
    case 0...2: .visible(try visible())
    case 3: .reaction(try reaction())
    case 4:
      .timerUpdate(
        ExpirationTimerUpdate(
          profile: try maybe { try $0.profile() }, syncTarget: try maybe { try $0.account() }))
    case 5: .readReceipt(try ReadReceipt(of: try list(1...40) { try $0.time() }))
    case 6: .typing(TypingIndicator(one(of: TypingIndicator.Action.allCases), sentAt: sentAt))
    case 7: .unsend(UnsendRequest(targetSentAt: try time(), targetAuthor: try account()))
    case 8: .dataExtraction(DataExtraction(of: try time()))
    case 9: .messageRequestResponse(MessageRequestResponse(profile: try maybe { try $0.profile() }))
    case 10: .call(try CallMessage(call(), of: text(1...40)))
    default: bool() ? .groupUpdate(try groupUpdate(sentAt: sentAt)) : .legacyConfig(config())
    }
  }

  private mutating func visible() throws -> VisibleMessage {
    let url = "https://example.org/\(text(1...10).filter { !$0.isWhitespace })"
    let preview = try maybe { generator in
      try LinkPreview(
        url: url, title: generator.maybe { $0.text(0...30) }, image: generator.maybe { try $0.attachment() })
    }
    return try VisibleMessage(
      body: "x" + text(0...200) + (preview == nil ? "" : url),
      attachments: list(0...4) { try $0.attachment() },
      quote: maybe { Quote(sentAt: try $0.time(), author: try $0.account()) }, preview: preview,
      invitation: maybe { generator in
        CommunityInvitation(
          to: try CommunityLink(parsing: "https://example.org/room?public_key=\(generator.bytes(32).hex)"),
          name: generator.text(0...20))
      },
      profile: maybe { try $0.profile() }, syncTarget: maybe { try $0.account() },
      blocksCommunityMessageRequests: maybe { $0.bool() })
  }

  private mutating func attachment() throws -> MessageAttachment {
    let format = maybe { $0.one(of: AttachmentFormat.allCases) }
    let pointer = try format.map { format in
      AttachmentPointer(
        format: format, key: try SecretBytes(copying: bytes(format == .legacy ? 64 : 32)),
        digest: format == .legacy ? bytes(32) : [], size: UInt64(number(0...) as UInt32))
    }
    return try MessageAttachment(
      url: FileURL(
        one(of: FileURL.Scheme.allCases), host: "files.example.org",
        port: number(1...65535 as ClosedRange<UInt16>),
        fileID: one(of: ["123", "abc_DEF-9", "18446744073709551615"]), isStream: format == .stream,
        serverKey: maybe { $0.bytes(32) }),
      pointer: pointer, contentType: maybe { $0.text(0...20) }, fileName: maybe { $0.text(0...20) },
      caption: maybe { $0.text(0...20) }, size: maybe { $0.number(0...) }, width: maybe { $0.number(0...) },
      height: maybe { $0.number(0...) },
      isVoiceMessage: bool())
  }

  private mutating func reaction() throws -> MessageReaction {
    try MessageReaction(
      one(of: MessageReaction.Action.allCases), emoji: one(of: ["😀", "👍🏽", "❤️", "👩‍👩‍👧‍👦", "🇨🇭", "1️⃣"]),
      targetSentAt: time(), targetAuthor: account(), profile: maybe { try $0.profile() },
      syncTarget: maybe { try $0.account() })
  }

  private mutating func profile() throws -> MessageProfile {
    try MessageProfile(
      name: maybe { $0.name() },
      picture: maybe { generator in
        try MessageProfile.Picture(
          url: FileURL(.http, host: "filev2.getsession.org", fileID: "9"),
          key: SecretBytes(copying: generator.bytes(32)))
      },
      updatedAtSeconds: UInt64(number(0...) as UInt32))
  }

  private mutating func call() -> CallMessage.Step {
    switch number(0...5) as UInt32 {
    case 0: .preOffer
    case 1: .offer(text(1...200))
    case 2: .answer(text(1...200))
    case 3: .provisionalAnswer
    case 4:
      .candidates(
        list(0...8) {
          CallMessage.Candidate($0.text(0...80), lineIndex: $0.number(0...), mediaID: $0.text(0...5))
        })
    default: .end
    }
  }

  private mutating func groupUpdate(sentAt: MessageTime) throws -> GroupUpdateMessage {
    let key = try GroupAdminKey(seed: SecretBytes(copying: bytes(32)))
    let update: GroupUpdate =
      switch number(0...9) as UInt32 {
      case 0:
        .invite(
          try GroupInvite(to: key.group, name: name(), authData: SecretBytes(copying: bytes(100))))
      case 1: .promotion(try GroupPromotion(with: key, name: name()))
      case 2: .infoChange(.name(maybe { $0.name() }))
      case 3: .infoChange(.picture)
      case 4: .infoChange(.disappearing(seconds: number(0...)))
      case 5:
        .memberChange(
          try GroupMemberChange(
            one(of: GroupMemberChange.Kind.allCases), members: list(1...5) { try $0.account() },
            isHistoryShared: bool()))
      case 6: .memberLeft
      case 7: .memberLeftNotification
      case 8: .inviteResponse
      default:
        .contentDeletion(
          try GroupContentDeletion(
            ofMembers: list(1...3) { try $0.account() },
            messageHashes: list(0...3) { "hash" + $0.bytes(24).base64 }))
      }
    return try GroupUpdateMessage(
      signing: update, with: key, sentAt: sentAt, invitee: account(), profile: maybe { try $0.profile() })
  }

  private mutating func config() -> LegacyConfigMessage {
    LegacyConfigMessage(
      one(of: LegacyConfigMessage.Kind.allCases), sequence: Int64(bitPattern: random.next()),
      data: bytes(Int(number(0...50) as UInt32)))
  }

  private mutating func pro() throws -> MessagePro {
    MessagePro(
      try ProProof(
        bool() ? .a : .b, tag: bytes(32), rotatingKey: bytes(32),
        expiry: random.next() >> 1,
        signature: bytes(64)),
      profileFeatures: .init(rawValue: random.next()), messageFeatures: .init(rawValue: random.next()))
  }
}

extension MessageGenerator {
  private mutating func time() throws -> MessageTime {
    try MessageTime(milliseconds: UInt64.random(in: 1...(1 << 53), using: &random))
  }

  private mutating func account() throws -> SessionID { try SessionID(.standard, key: bytes(32)) }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Characters of one to four bytes each.
  private mutating func text(_ count: ClosedRange<Int>) -> String {
    let characters = list(count) { $0.one(of: ["a", "Z", "7", " ", "\n", "é", "ß", "漢", "字", "😀"]) }
    return characters.joined()
  }

  private mutating func name() -> String { "x" + text(0...20) + "x" }

  private mutating func number<N: FixedWidthInteger>(_ range: ClosedRange<N>) -> N {
    N.random(in: range, using: &random)
  }

  private mutating func number<N: FixedWidthInteger>(_ range: PartialRangeFrom<N>) -> N {
    N.random(in: range.lowerBound...N.max, using: &random)
  }

  private mutating func bool() -> Bool { Bool.random(using: &random) }

  private mutating func one<E>(of choices: [E]) -> E {
    choices[Int.random(in: choices.indices, using: &random)]
  }

  private mutating func maybe<R>(_ make: (inout Self) throws -> R) rethrows -> R? {
    bool() ? try make(&self) : nil
  }

  private mutating func list<R>(_ count: ClosedRange<Int>, _ make: (inout Self) throws -> R) rethrows -> [R] {
    var elements: [R] = []
    for _ in 0..<Int.random(in: count, using: &random) { elements.append(try make(&self)) }
    return elements
  }
}
