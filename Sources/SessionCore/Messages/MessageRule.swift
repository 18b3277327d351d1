internal import CSessionCore

/// The rules for messages, each with a permanent id. The core checks them.
///
/// Creating a value that breaks a rule fails, and so does parsing such a message; the error names the rule.
public enum MessageRule: String, Sendable, CaseIterable {
  case contentEmpty = "content.empty"
  case textEncoding = "text.encoding"
  case timeMissing = "time.missing"
  case timeZero = "time.zero"
  case timeRange = "time.range"
  case timerZero = "timer.zero"

  case dataFlags = "data.flags"
  case visibleEmpty = "visible.empty"
  case visibleLength = "visible.length"
  case visibleAttachments = "visible.attachments"
  case visiblePreview = "visible.preview"
  case fileURL = "file.url"
  case previewURL = "preview.url"
  case invitationURL = "invitation.url"
  case profileName = "profile.name"
  case profilePictureKey = "profile.pictureKey"
  case syncTarget = "sync.target"
  case syncSender = "sync.sender"
  case syncKind = "sync.kind"
  case syncDestination = "sync.destination"
  case reactionAuthor = "reaction.author"
  case reactionEmoji = "reaction.emoji"

  case receiptType = "receipt.type"
  case receiptEmpty = "receipt.empty"
  case receiptLength = "receipt.length"
  case typingTime = "typing.time"
  case unsendAuthor = "unsend.author"
  case unsendSender = "unsend.sender"
  case extractionType = "extraction.type"
  case responseRefusal = "response.refusal"
  case callID = "call.id"
  case callDescription = "call.description"
  case callCandidates = "call.candidates"

  case groupUpdateEmpty = "group.empty"
  case groupUpdatePlace = "group.place"
  case groupSignatureMissing = "group.signatureMissing"
  case groupSignatureSize = "group.signatureSize"
  case groupSignature = "group.signature"
  case groupID = "group.id"
  case groupName = "group.name"
  case groupAuthData = "group.authData"
  case groupAccess = "group.access"
  case groupSeed = "group.seed"
  case groupInvitee = "group.invitee"
  case groupMembers = "group.members"
  case groupRefusal = "group.refusal"
  case deletionEmpty = "deletion.empty"
  case deletionMembers = "deletion.members"
  case deletionAmbiguous = "deletion.ambiguous"
  case deletionOthers = "deletion.others"

  case proProof = "pro.proof"
  case proLength = "pro.length"
  case proKey = "pro.key"

  case destination = "send.destination"
  case place = "receive.place"
  case ownMessage = "receive.own"

  /// One sentence without a full stop.
  public var sentence: String { Self.sentences[rawValue] ?? "" }

  /// The core's sentences, by the ids of their rules.
  private static let sentences: [String: String] = {
    var sentences: [String: String] = [:]
    var number = SC_RULE_NONE.rawValue + 1
    while case let id = String(cString: sc_message_rule_id(sc_message_rule(number))), !id.isEmpty {
      sentences[id] = String(cString: sc_message_rule_text(sc_message_rule(number)))
      number += 1
    }
    return sentences
  }()
}

extension SessionError {
  init(_ rule: MessageRule) {
    self.init(.messageRule, "\(rule.sentence) (\(rule.rawValue))", messageRule: rule)
  }
}

extension MessageRule {
  /// Throws unless the rule holds.
  func require(_ isKept: Bool) throws(SessionError) {
    guard isKept else { throw SessionError(self) }
  }

  /// Throws if the core found a broken rule.
  static func check(_ broken: sc_message_rule) throws(SessionError) {
    guard broken != SC_RULE_NONE else { return }
    guard let rule = MessageRule(rawValue: String(cString: sc_message_rule_id(broken))) else {
      preconditionFailure("the core named a rule that does not exist")
    }
    throw SessionError(rule)
  }

  /// Calls the core, and throws the rule behind a rejection.
  static func call(
    _ body: (UnsafeMutablePointer<sc_message_rule>) throws(SessionError) -> sc_status
  ) throws(SessionError) {
    var broken = SC_RULE_NONE
    try Core.call { () throws(SessionError) in
      let status = try body(&broken)
      try check(broken)
      return status
    }
  }
}
