/// The rules for every message, each with a permanent id.
///
/// Building a value that breaks one fails, and so does reading such a message; the error names the rule.
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
}

extension MessageRule {
  /// One sentence without a full stop.
  public var sentence: String {
    switch self {
    case .contentEmpty: "a message has some content"
    case .textEncoding: "texts are valid UTF-8"
    case .timeMissing: "a message that is sent says when"
    case .timeZero: "times are later than the beginning of 1970"
    case .timeRange: "times fit 63 bits"
    case .timerZero: "a disappearing timer runs for a second at least"

    case .dataFlags: "the flags of a data message are none, or that of a timer update"
    case .visibleEmpty: "a message has a text, an attachment or an invitation"
    case .visibleLength: "a text has up to \(VisibleMessage.maxCharacters) characters"
    case .visibleAttachments: "a message has up to \(VisibleMessage.maxAttachments) attachments"
    case .visiblePreview: "the address of a preview stands in the text"
    case .fileURL: "the address of a file is that of a file server or community, with the id of a file"
    case .previewURL: "the address of a preview begins with https://"
    case .invitationURL: "an invitation holds the address of a community with its key"
    case .profileName: "the name in a profile has up to \(Name.maxBytes) bytes"
    case .profilePictureKey: "the key of a profile picture has \(MessageProfile.Picture.keyBytes) bytes"
    case .syncTarget: "a copy for own devices names the id of its conversation"
    case .syncSender: "what is for own devices alone comes from one of them"
    case .syncKind: "group updates have no copies for own devices"
    case .syncDestination: "copies for own devices go to them alone"
    case .reactionAuthor: "a reaction names the id of an author"
    case .reactionEmoji: "a reaction is one emoji"

    case .receiptType: "receipts are for messages that were read"
    case .receiptEmpty: "a receipt names a message"
    case .receiptLength: "a receipt names up to \(ReadReceipt.maxMessages) messages"
    case .typingTime: "the time of a typing indicator is that of its message"
    case .unsendAuthor: "an unsend request names the id of an author"
    case .unsendSender: "people unsend their own messages"
    case .extractionType: "the one thing still told of extracted data is that media was saved"
    case .responseRefusal: "a response to a message request approves it"
    case .callID: "a call has an id"
    case .callDescription: "an offer or answer describes a session"
    case .callCandidates: "every candidate of a call has its line and its media id"

    case .groupUpdateEmpty: "a group update says what changed"
    case .groupUpdatePlace: "invitations and promotions come to oneself, all other updates to the group"
    case .groupSignatureMissing: "this group update is signed by an admin"
    case .groupSignatureSize: "the signature of a group update has 64 bytes"
    case .groupSignature: "the signature of a group update is that of the group, for this message"
    case .groupID: "the group is named by a group id"
    case .groupName: "a group has a name of up to \(Name.maxBytes) bytes"
    case .groupAuthData: "the authorisation of a member has \(GroupInvite.authDataBytes) bytes"
    case .groupAccess: "the authorisation in an invitation was granted to its reader, by the group"
    case .groupSeed: "the secret of a group has \(GroupAdminKey.seedBytes) bytes"
    case .groupInvitee: "an invitation is signed for one account id"
    case .groupMembers: "a change of members names account ids"
    case .groupRefusal: "a response to an invitation accepts it"
    case .deletionEmpty: "a deletion names messages or members"
    case .deletionMembers: "a signed deletion names account ids alone"
    case .deletionAmbiguous: "in a deletion no hash reads like an account id"
    case .deletionOthers: "who is no admin deletes own messages alone"

    case .proProof: "a Pro proof has all its fields, in their sizes"
    case .proLength: "a text of over \(VisibleMessage.maxStandardCharacters) characters needs Pro"
    case .proKey: "Pro data is sent with the key that its proof names"

    case .destination: "this kind of message is not for this destination"
    case .place: "this kind of message has no place where it was found"
    case .ownMessage: "this kind of message makes no sense from oneself"
    }
  }
}

extension SessionError {
  init(_ rule: MessageRule) {
    self.init(.messageRule, "\(rule.sentence) (\(rule.rawValue))", messageRule: rule)
  }
}

extension MessageRule {
  /// Throws unless the rule was kept.
  func require(_ isKept: Bool) throws(SessionError) {
    guard isKept else { throw SessionError(self) }
  }
}
