import SessionCore

/// Messages with every field set, and what they are made of.
enum MessageExample {
  static func time(_ milliseconds: UInt64 = 1_700_000_000_000) throws -> MessageTime {
    try MessageTime(milliseconds: milliseconds)
  }

  static func adminKey(_ byte: UInt8 = 7) throws -> GroupAdminKey {
    try GroupAdminKey(seed: SecretBytes(copying: [UInt8](repeating: byte, count: 32)))
  }

  static func profile() throws -> MessageProfile {
    try MessageProfile(
      name: "Älice",
      picture: .init(
        url: FileURL(.http, host: "filev2.getsession.org", fileID: "77", isStream: true),
        key: SecretBytes(copying: [UInt8](repeating: 5, count: 32))),
      updatedAtSeconds: 1_700_000_000)
  }

  static func attachment() throws -> MessageAttachment {
    try MessageAttachment(
      url: FileURL(.http, host: "filev2.getsession.org", fileID: "42"),
      pointer: AttachmentPointer(
        format: .legacy, key: SecretBytes(copying: [UInt8](repeating: 1, count: 64)),
        digest: [UInt8](repeating: 2, count: 32), size: 1234),
      contentType: "image/png", fileName: "cat.png", caption: "a cat", width: 640, height: 480,
      isVoiceMessage: true)
  }

  static func visible(syncTarget: SessionID? = nil) throws -> VisibleMessage {
    try VisibleMessage(
      body: "Hello @\(Example.firstID), see https://example.org/page", attachments: [attachment()],
      quote: Quote(sentAt: time(5), author: Example.second().id),
      preview: LinkPreview(url: "https://example.org/page", title: "A page", image: attachment()),
      invitation: CommunityInvitation(
        to: CommunityLink(parsing: "https://example.org/room?public_key=\(Example.server)"), name: "The room"),
      profile: profile(), syncTarget: syncTarget, blocksCommunityMessageRequests: true)
  }

  static func text(_ body: String = "hello") throws -> MessageContent {
    .visible(try VisibleMessage(body: body))
  }

  static func message(_ content: MessageContent) throws -> Message {
    try Message(content, sentAt: time())
  }

  static func reaction() throws -> MessageReaction {
    try MessageReaction(.react, emoji: "😀", targetSentAt: time(9), targetAuthor: Example.first().id)
  }

  /// One content of each kind that goes from person to person.
  static func contents() throws -> [MessageContent] {
    [
      .visible(try visible()), .reaction(try reaction()),
      .timerUpdate(ExpirationTimerUpdate(profile: try profile())),
      .readReceipt(try ReadReceipt(of: [time(1), time(2)])),
      .typing(TypingIndicator(.started, sentAt: try time())),
      .typing(TypingIndicator(.stopped, sentAt: try time())),
      .unsend(UnsendRequest(targetSentAt: try time(3), targetAuthor: try Example.first().id)),
      .dataExtraction(DataExtraction(of: try time(4))),
      .messageRequestResponse(MessageRequestResponse(profile: try profile())),
    ] + (try calls()).map { .call($0) } + (try updatesToOneself()).map { .groupUpdate($0) }
  }

  static func calls() throws -> [CallMessage] {
    let steps: [CallMessage.Step] = [
      .preOffer, .offer("an offer"), .answer("an answer"), .provisionalAnswer,
      .candidates([.init("c1", lineIndex: 0, mediaID: "audio"), .init("c2", lineIndex: 1, mediaID: "video")]),
      .end,
    ]
    return try steps.map { try CallMessage($0, of: "a-call") }
  }

  /// The updates that admins send to one account, the second one.
  static func updatesToOneself() throws -> [GroupUpdateMessage] {
    let key = try adminKey()
    let invite = try GroupInvite(
      to: key.group, name: "Friends", authData: key.grantAccess(to: Example.second().id))
    return [
      try GroupUpdateMessage(
        signing: .invite(invite), with: key, sentAt: time(), invitee: Example.second().id, profile: profile()),
      try GroupUpdateMessage(.promotion(GroupPromotion(with: key, name: "Friends"))),
    ]
  }

  static func updatesToGroup() throws -> [GroupUpdateMessage] {
    let members = [try Example.first().id, try Example.second().id]
    let unsigned: [GroupUpdate] = [
      .memberLeft, .memberLeftNotification, .inviteResponse,
      .contentDeletion(try GroupContentDeletion(ofMembers: [members[0]], messageHashes: ["hash+/one"])),
    ]
    let signed: [GroupUpdate] = [
      .infoChange(.name("New name")), .infoChange(.name(nil)), .infoChange(.picture),
      .infoChange(.disappearing(seconds: 0)), .infoChange(.disappearing(seconds: 86400)),
      .memberChange(try GroupMemberChange(.added, members: members, isHistoryShared: true)),
      .memberChange(try GroupMemberChange(.removed, members: members)),
      .memberChange(try GroupMemberChange(.promoted, members: members)),
      .contentDeletion(try GroupContentDeletion(ofMembers: members, messageHashes: ["hash+/one", "two"])),
      .contentDeletion(try GroupContentDeletion(messageHashes: ["hash+/one"])),
    ]
    return try unsigned.map { try GroupUpdateMessage($0) }
      + signed.map { try GroupUpdateMessage(signing: $0, with: adminKey(), sentAt: time()) }
  }

  static func pro(seed: SecretBytes) throws -> MessagePro {
    let rotating = try GroupAdminKey(seed: seed).group.key
    return MessagePro(
      try ProProof(
        .b, tag: [UInt8](repeating: 2, count: 32), rotatingKey: rotating, expiry: 1_800_000_000,
        signature: [UInt8](repeating: 3, count: 64)),
      profileFeatures: [.badge], messageFeatures: [.longText])
  }
}
