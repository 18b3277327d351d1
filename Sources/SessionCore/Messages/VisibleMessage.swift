internal import CSessionCore

/// What people write to each other: a text, files, an invitation.
public struct VisibleMessage: Equatable, Sendable {
  /// Code points of a text, at most, and without Pro.
  public static let maxCharacters = Int(SC_PRO_MAX_CHARACTERS)
  public static let maxStandardCharacters = Int(SC_PRO_STANDARD_CHARACTERS)
  public static let maxAttachments = 32

  /// Empty when there is none.
  public private(set) var body: String
  public let attachments: [MessageAttachment]
  public let quote: Quote?
  public let preview: LinkPreview?
  public let invitation: CommunityInvitation?
  public private(set) var profile: MessageProfile?
  /// In a copy for own devices: whose conversation the message belongs to.
  public private(set) var syncTarget: SessionID?
  /// True if the sender takes message requests from members of communities; nil when they did not tell.
  public let blocksCommunityMessageRequests: Bool?

  public init(
    body: String = "", attachments: [MessageAttachment] = [], quote: Quote? = nil,
    preview: LinkPreview? = nil, invitation: CommunityInvitation? = nil, profile: MessageProfile? = nil,
    syncTarget: SessionID? = nil, blocksCommunityMessageRequests: Bool? = nil
  ) throws(SessionError) {
    let hasSubstance =
      !attachments.isEmpty || invitation != nil
      || !body.unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0 == "\0" }
    try MessageRule.visibleEmpty.require(hasSubstance)
    try MessageRule.visibleLength.require(body.unicodeScalars.count <= Self.maxCharacters)
    try MessageRule.visibleAttachments.require(attachments.count <= Self.maxAttachments)
    try MessageRule.visiblePreview.require(preview.map { body.contains($0.url) } ?? true)
    self.body = body
    self.attachments = attachments
    self.quote = quote
    self.preview = preview
    self.invitation = invitation
    self.profile = profile
    self.syncTarget = syncTarget
    self.blocksCommunityMessageRequests = blocksCommunityMessageRequests
  }

  /// The people named in the text.
  public var mentions: [Mention] { Mention.all(in: body) }

  /// The same, for the own devices: it tells the conversation, and no profile.
  func copy(forOwnDevicesIn conversation: SessionID) -> VisibleMessage {
    var copy = self
    copy.profile = nil
    copy.syncTarget = conversation
    return copy
  }

  /// What is shown of a text: all of it, or as much as anybody may write.
  public static func shown(_ body: String, whole isWhole: Bool) -> String {
    isWhole ? body : body.cut(toCharacters: maxStandardCharacters)
  }
}

extension VisibleMessage {
  /// Reads leniently where a message would be lost otherwise: too long a text is cut, and attachments, quotes
  /// and previews of no use are left out.
  init(_ fields: Sc__DataMessage) throws(SessionError) {
    try MessageRule.dataFlags.require(fields.setFlags == 0)
    try MessageRule.visibleAttachments.require(fields.n_attachments <= Self.maxAttachments)
    let frame = try DataMessageFrame(fields)
    let body = try fields.body.requiredText().cut(toCharacters: Self.maxCharacters)
    var attachments: [MessageAttachment] = []
    for attachment in elements(fields.attachments, count: fields.n_attachments) {
      if let attachment = try MessageAttachment(attachment.pointee) { attachments.append(attachment) }
    }
    let preview = elements(fields.preview, count: fields.n_preview).first
    let blocks = fields.blocks_community_message_requests != 0
    try self.init(
      body: body, attachments: attachments,
      quote: fields.quote.map { (quote) throws(SessionError) in try Quote(quote.pointee) } ?? nil,
      preview: preview.map { (preview) throws(SessionError) in
        try LinkPreview(preview.pointee, in: body)
      } ?? nil,
      invitation: fields.open_group_invitation.map { (invitation) throws(SessionError) in
        try CommunityInvitation(invitation.pointee)
      },
      profile: frame.profile, syncTarget: frame.syncTarget,
      blocksCommunityMessageRequests: fields.has_blocks_community_message_requests != 0 ? blocks : nil)
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__DataMessage> {
    let fields = DataMessageFrame(profile: profile, syncTarget: syncTarget).write(to: arena)
    fields.pointee.body = body.isEmpty ? nil : arena.text(body)
    fields.pointee.n_attachments = attachments.count
    fields.pointee.attachments = arena.list(attachments.map { $0.write(to: arena) })
    fields.pointee.quote = quote?.write(to: arena)
    if let preview {
      fields.pointee.n_preview = 1
      fields.pointee.preview = arena.list([preview.write(to: arena)])
    }
    fields.pointee.open_group_invitation = invitation?.write(to: arena)
    if let blocks = blocksCommunityMessageRequests {
      fields.pointee.has_blocks_community_message_requests = 1
      fields.pointee.blocks_community_message_requests = blocks ? 1 : 0
    }
    return fields
  }
}

extension String {
  /// Its first code points.
  fileprivate func cut(toCharacters limit: Int) -> String {
    unicodeScalars.count <= limit ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(limit)))
  }
}
