internal import CSessionCore

/// A message written by a person: text, files, an invitation.
public struct VisibleMessage: Equatable, Sendable {
  /// The longest text in code points, with and without Pro.
  public static let maxCharacters = Int(SC_PRO_MAX_CHARACTERS)
  public static let maxStandardCharacters = Int(SC_PRO_STANDARD_CHARACTERS)
  public static let maxAttachments = Int(SC_MESSAGE_MAX_ATTACHMENTS)

  /// Empty if there is none.
  public private(set) var body: String
  public let attachments: [MessageAttachment]
  public let quote: Quote?
  public let preview: LinkPreview?
  public let invitation: CommunityInvitation?
  public private(set) var profile: MessageProfile?
  /// In a copy for own devices: the recipient of the original message.
  public private(set) var syncTarget: SessionID?
  /// True if the sender blocks message requests from members of communities; nil if not stated.
  public let blocksCommunityMessageRequests: Bool?

  public init(
    body: String = "", attachments: [MessageAttachment] = [], quote: Quote? = nil,
    preview: LinkPreview? = nil, invitation: CommunityInvitation? = nil, profile: MessageProfile? = nil,
    syncTarget: SessionID? = nil, blocksCommunityMessageRequests: Bool? = nil
  ) throws(SessionError) {
    self.body = body
    self.attachments = attachments
    self.quote = quote
    self.preview = preview
    self.invitation = invitation
    self.profile = profile
    self.syncTarget = syncTarget
    self.blocksCommunityMessageRequests = blocksCommunityMessageRequests
    try MessageContent.visible(self).check()
  }

  /// The people mentioned in the text.
  public var mentions: [Mention] { Mention.all(in: body) }

  /// Returns the copy for own devices, with the conversation and without the profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> VisibleMessage {
    var copy = self
    copy.profile = nil
    copy.syncTarget = conversation
    return copy
  }

  /// Returns the text to show: all of it, or the part allowed without Pro.
  public static func shown(_ body: String, whole isWhole: Bool) -> String {
    Array(body.utf8).withUnsafeBufferPointer { sc_message_shown_text(sc_bytes($0), isWhole).text } ?? ""
  }
}

extension VisibleMessage {
  init(
    _ message: sc_visible_body, profile: MessageProfile?, syncTarget: SessionID?
  ) throws(SessionError) {
    var attachments: [MessageAttachment] = []
    for attachment in UnsafeBufferPointer(start: message.attachments, count: message.attachment_count) {
      attachments.append(try MessageAttachment(attachment))
    }
    body = message.text.text ?? ""
    self.attachments = attachments
    quote = message.has_quote ? try Quote(message.quote) : nil
    preview = message.has_preview ? try LinkPreview(message.preview) : nil
    invitation = CommunityInvitation(message)
    self.profile = profile
    self.syncTarget = syncTarget
    blocksCommunityMessageRequests = message.says_requests_blocked ? message.requests_blocked : nil
  }

  func core(in arena: CoreArena) -> sc_visible_body {
    var message = sc_visible_body()
    message.text = arena.text(body)
    message.attachment_count = attachments.count
    message.attachments = arena.list(attachments.map { $0.core(in: arena) })
    message.has_quote = quote != nil
    message.quote = quote?.core ?? sc_message_target()
    message.has_preview = preview != nil
    message.preview = preview?.core(in: arena) ?? sc_link_preview()
    message.has_invitation = invitation != nil
    message.invitation_name = arena.text(invitation?.name)
    message.invitation_url = arena.text(invitation?.url)
    message.says_requests_blocked = blocksCommunityMessageRequests != nil
    message.requests_blocked = blocksCommunityMessageRequests ?? false
    return message
  }
}
