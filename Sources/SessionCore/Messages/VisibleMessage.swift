internal import CSessionCore

/// A message written by a person: text, files, an invitation.
public struct VisibleMessage: Equatable, Sendable, SyncedContent {
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
  public internal(set) var profile: MessageProfile?
  /// In a copy for own devices: the recipient of the original message.
  public internal(set) var syncTarget: SessionID?
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

  public var mentions: [Mention] { Mention.all(in: body) }

  /// Returns the text to show: all of it, or the part allowed without Pro.
  public static func shown(_ body: String, whole isWhole: Bool) -> String {
    Array(body.utf8).withUnsafeBufferPointer { sc_message_shown_text(sc_bytes($0), isWhole).text } ?? ""
  }

  init(
    _ message: sc_visible_body, profile: MessageProfile?, syncTarget: SessionID?
  ) throws(SessionError) {
    body = message.text.text ?? ""
    attachments = try UnsafeBufferPointer(start: message.attachments, count: message.attachment_count)
      .map { (attachment) throws(SessionError) in try MessageAttachment(attachment) }
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
    put(quote?.core, &message.has_quote, &message.quote)
    put(preview?.core(in: arena), &message.has_preview, &message.preview)
    message.has_invitation = invitation != nil
    message.invitation_name = arena.text(invitation?.name)
    message.invitation_url = arena.text(invitation?.url)
    put(blocksCommunityMessageRequests, &message.says_requests_blocked, &message.requests_blocked)
    return message
  }
}
