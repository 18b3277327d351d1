import SessionCore
import Testing

/// For each rule, something that breaks it.
@Suite struct MessageRuleTests {
  @Test(arguments: MessageRule.allCases)
  func breakingARuleIsToldByItsID(rule: MessageRule) throws {
    let error = try #require(throws: SessionError.self) { try Self.breakRule(rule) }
    #expect(error.messageRule == rule, "\(error)")
    #expect(error.code == .messageRule)
    #expect(error.code.family == .message)
    #expect(error.message == "\(rule.sentence) (\(rule.rawValue))")
  }

  @Test func sentencesHaveNoFullStop() {
    for rule in MessageRule.allCases { #expect(!rule.sentence.hasSuffix(".") && !rule.sentence.isEmpty) }
  }

  private static func breakRule(_ rule: MessageRule) throws {
    switch rule {
    case .contentEmpty, .textEncoding, .dataFlags, .syncTarget, .reactionAuthor, .receiptType, .unsendAuthor,
      .syncKind, .extractionType, .responseRefusal, .callCandidates, .groupUpdateEmpty, .groupSignatureSize,
      .groupID,
      .groupRefusal, .deletionMembers:
      _ = try Message(parsing: content(breaking: rule))
    case .groupUpdatePlace, .groupSignatureMissing, .groupSignature, .groupName, .groupAuthData, .groupAccess,
      .groupSeed,
      .groupInvitee, .groupMembers, .deletionEmpty, .deletionAmbiguous, .deletionOthers:
      try breakGroupRule(rule)
    case .timeMissing, .proLength, .proKey, .destination, .syncDestination:
      try sendBreaking(rule)
    case .syncSender, .unsendSender, .place, .ownMessage:
      try receiveBreaking(rule)
    default:
      try buildBreaking(rule)
    }
  }

  private static func buildBreaking(_ rule: MessageRule) throws {
    switch rule {
    case .timeZero: _ = try MessageTime(milliseconds: 0)
    case .timeRange: _ = try MessageTime(milliseconds: 1 << 63)
    case .timerZero: _ = try DisappearingTimer(.afterSend, seconds: 0)
    case .visibleEmpty:
      _ = try VisibleMessage(
        body: " \n\u{2003}", quote: Quote(sentAt: MessageExample.time(), author: Example.first().id))
    case .visibleLength: _ = try VisibleMessage(body: String(repeating: "x", count: 10_001))
    case .visibleAttachments:
      _ = try VisibleMessage(attachments: Array(repeating: MessageExample.attachment(), count: 33))
    case .visiblePreview:
      _ = try VisibleMessage(body: "no link", preview: LinkPreview(url: "https://a.example"))
    case .fileURL: _ = try FileURL(.http, host: "example.org", fileID: "../secret")
    case .previewURL: _ = try LinkPreview(url: "http://a.example")
    case .invitationURL: _ = try CommunityLink(parsing: "javascript:alert(1)")
    case .profileName: _ = try MessageProfile(name: String(repeating: "x", count: 101))
    case .profilePictureKey:
      _ = try MessageProfile.Picture(
        url: FileURL(.http, host: "example.org", fileID: "1"), key: SecretBytes.random(count: 31))
    case .reactionEmoji:
      _ = try MessageReaction(
        .react, emoji: "😀😀", targetSentAt: MessageExample.time(), targetAuthor: Example.first().id)
    case .receiptEmpty: _ = try ReadReceipt(of: [])
    case .receiptLength: _ = try ReadReceipt(of: Array(repeating: MessageExample.time(), count: 1001))
    case .typingTime:
      _ = try Message(
        .typing(TypingIndicator(.started, sentAt: MessageExample.time(1))), sentAt: MessageExample.time(2))
    case .callID: _ = try CallMessage(.end, of: "")
    case .callDescription: _ = try CallMessage(.offer(""), of: "a-call")
    case .proProof: _ = try ProProof(.b, tag: [], rotatingKey: [], expiry: 1, signature: [])
    default: Issue.record("nothing breaks \(rule)")
    }
  }

  private static func content(breaking rule: MessageRule) -> [UInt8] {
    let id = Example.firstID
    let signature = [UInt8](repeating: 0, count: 64)
    return switch rule {
    case .textEncoding: Wire.data(Wire.bytes(1, [0x68, 0xFF, 0x69]))
    case .dataFlags: Wire.data(Wire.text(1, "hello"), Wire.varint(4, 1))
    case .syncTarget: Wire.data(Wire.text(1, "hello"), Wire.text(105, "05ab"))
    case .reactionAuthor:
      Wire.data(
        Wire.bytes(11, Wire.varint(1, 5) + Wire.text(2, "me") + Wire.text(3, "😀") + Wire.varint(4, 0)))
    case .receiptType: Wire.receipt(Wire.varint(1, 0), Wire.varint(2, 5))
    case .unsendAuthor: Wire.unsend(Wire.varint(1, 5), Wire.text(2, ""))
    case .extractionType: Wire.extraction(Wire.varint(1, 1), Wire.varint(2, 5))
    case .responseRefusal: Wire.response(Wire.varint(1, 0))
    case .callCandidates:
      Wire.call(
        Wire.varint(1, 4), Wire.text(2, "c"), Wire.text(2, "d"), Wire.varint(3, 0), Wire.text(4, "a"),
        Wire.text(5, "u"))
    case .syncKind: Wire.data(Wire.text(105, id), Wire.bytes(120, Wire.bytes(5, [])))
    case .groupUpdateEmpty: Wire.data(Wire.bytes(120, []))
    case .groupSignatureSize: Wire.group(2, Wire.varint(1, 2), Wire.bytes(4, signature.dropLast()))
    case .groupID:
      Wire.group(
        1, Wire.text(1, "03ab"), Wire.text(2, "name"), Wire.bytes(3, [UInt8](repeating: 1, count: 100)),
        Wire.bytes(4, signature))
    case .groupRefusal: Wire.group(6, Wire.varint(1, 0))
    case .deletionMembers: Wire.group(7, Wire.text(1, id), Wire.text(1, "garbage"), Wire.bytes(3, signature))
    default: []
    }
  }

  private static func breakGroupRule(_ rule: MessageRule) throws {
    let key = try MessageExample.adminKey()
    let member = try Example.first().id
    let sentAt = try MessageExample.time()
    func verify(_ update: GroupUpdateMessage, in place: MessagePlace) throws {
      _ = try update.verify(for: Example.second(), from: member, in: place, sentAt: sentAt)
    }
    switch rule {
    case .groupUpdatePlace: try verify(GroupUpdateMessage(.memberLeft), in: .contact)
    case .groupSignatureMissing: _ = try GroupUpdateMessage(.infoChange(.picture))
    case .groupSignature:
      let update = try GroupUpdateMessage(
        signing: .infoChange(.picture), with: MessageExample.adminKey(8), sentAt: sentAt)
      try verify(update, in: .group(key.group))
    case .groupName: _ = try GroupPromotion(with: key, name: "")
    case .groupAuthData:
      _ = try GroupInvite(to: key.group, name: "n", authData: SecretBytes.random(count: 99))
    case .groupAccess:
      let invite = try GroupInvite(to: key.group, name: "n", authData: key.grantAccess(to: member))
      try verify(
        GroupUpdateMessage(
          signing: .invite(invite), with: key, sentAt: sentAt, invitee: Example.second().id), in: .contact)
    case .groupSeed: _ = try GroupAdminKey(seed: SecretBytes.random(count: 31))
    case .groupInvitee:
      let invite = try GroupInvite(to: key.group, name: "n", authData: SecretBytes.random(count: 100))
      _ = try GroupUpdateMessage(signing: .invite(invite), with: key, sentAt: sentAt)
    case .groupMembers: _ = try GroupMemberChange(.added, members: [])
    case .deletionEmpty: _ = try GroupContentDeletion()
    case .deletionAmbiguous:
      _ = try GroupContentDeletion(ofMembers: [member], messageHashes: [member.description])
    default:
      let others = try GroupContentDeletion(ofMembers: [Example.second().id])
      try verify(GroupUpdateMessage(.contentDeletion(others)), in: .group(key.group))
    }
  }

  private static func sendBreaking(_ rule: MessageRule) throws {
    let message =
      switch rule {
      case .timeMissing: try Message(parsing: Wire.data(Wire.text(1, "hello")))
      case .proLength: try MessageExample.message(MessageExample.text(String(repeating: "x", count: 2001)))
      case .syncDestination:
        try MessageExample.message(.visible(MessageExample.visible(syncTarget: Example.second().id)))
      case .destination:
        try MessageExample.message(.typing(TypingIndicator(.started, sentAt: MessageExample.time())))
      default:
        try Message(
          MessageExample.text(), sentAt: MessageExample.time(),
          pro: MessageExample.pro(seed: .random(count: 32)))
      }
    let destination: MessageDestination =
      rule == .destination ? .community : .contact(try Example.second().id)
    _ = try Example.first().encode(message, for: destination)
  }

  private static func receiveBreaking(_ rule: MessageRule) throws {
    let me = try Example.first()
    let friend = try Example.second()
    switch rule {
    case .syncSender:
      let content = Wire.data(Wire.text(1, "hello"), Wire.text(105, me.id.description))
      _ = try me.decode(StoredMessage.forContact(content, from: friend, to: me), from: .ownSwarm)
    case .unsendSender:
      let content = Wire.unsend(Wire.varint(1, 5), Wire.text(2, me.id.description))
      _ = try me.decode(StoredMessage.forContact(content, from: friend, to: me), from: .ownSwarm)
    case .place:
      let content = StoredMessage.padded(Wire.typing(Wire.varint(1, 5), Wire.varint(2, 0)))
      _ = try me.decode(content, from: .community(sender: friend.id, postedAt: MessageExample.time()))
    default:
      let content = Wire.receipt(Wire.varint(1, 1), Wire.varint(2, 5))
      _ = try me.decode(StoredMessage.forContact(content, from: me, to: me), from: .ownSwarm)
    }
  }
}

extension Error {
  /// True if the error reports that a message breaks this rule.
  func breaks(_ rule: MessageRule) -> Bool { (self as? SessionError)?.messageRule == rule }
}
