/// A text to send.
public struct OutgoingText: Hashable, Sendable, Codable {
  /// The text; a mention is `@` and the person's id.
  public var body: String
  /// The message that it replies to.
  public var answering: MessageView.ID?
  /// The preview of a link in the text.
  public var preview: Preview?
  /// Who is to see it in a room that we moderate; nil for everyone.
  public var whisper: MessageView.Whisper?
  /// When the sender was shown the latest change of the recipient, in milliseconds since 1970: it does not stop the message.
  public var identityShownAt: Int64?
  /// True if it is the draft of the conversation, which is then deleted.
  public var endsDraft = false
  /// True if it is the text of the draft, which is then deleted unless it has files: they stay in it.
  public var endsDraftText = false
  /// True if it begins a conversation without the default timer.
  public var skipsDefaultTimer = false
  /// The protection that the message needs; nil for the best that both sides can.
  public var requiredLevel: SecurityLevel?

  public struct Preview: Hashable, Sendable, Codable {
    /// It must occur in the text.
    public let url: String
    public let title: String?
    public let image: OutgoingFile?
    /// True if the program made it from the page: it may differ when the same text is sent again with the same key.
    public let isMade: Bool

    public init(url: String, title: String?, image: OutgoingFile? = nil, isMade: Bool = false) {
      self.url = url
      self.title = title
      self.image = image
      self.isMade = isMade
    }
  }

  public init(
    _ body: String, answering: MessageView.ID? = nil, preview: Preview? = nil,
    whisper: MessageView.Whisper? = nil
  ) {
    self.body = body
    self.answering = answering
    self.preview = preview
    self.whisper = whisper
  }
}
