/// A text that is to be sent.
public struct OutgoingText: Hashable, Sendable {
  /// People are named by `@` and their id.
  public var body: String
  /// The message that it answers.
  public var answering: MessageView.ID?
  /// What a link in it leads to.
  public var preview: Preview?

  public struct Preview: Hashable, Sendable {
    /// It stands in the text.
    public let url: String
    public let title: String?
    public let image: OutgoingFile?

    public init(url: String, title: String?, image: OutgoingFile? = nil) {
      self.url = url
      self.title = title
      self.image = image
    }
  }

  public init(_ body: String, answering: MessageView.ID? = nil, preview: Preview? = nil) {
    self.body = body
    self.answering = answering
    self.preview = preview
  }
}
