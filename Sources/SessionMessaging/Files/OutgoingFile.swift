/// A file that is to be sent with a message.
///
/// It is copied, encrypted, into the account's folder when the message is stored: later changes of the original do not
/// matter.
public struct OutgoingFile: Hashable, Sendable {
  /// Where its content is.
  public enum Content: Hashable, Sendable {
    /// In a file of this machine.
    case path(String)
    case bytes([UInt8])
    /// In a message that is here, to be passed on.
    case attachment(AttachmentView.ID)
  }

  public var content: Content
  /// What others see it called; only what follows the last `/` counts.
  public var name: String?
  /// As `image/png`; nil for what its content or else its name tells.
  public var contentType: String?
  public var isVoiceMessage: Bool
  /// The caption: up to ``maxCaptionLength`` characters. Forwarding a file drops its caption.
  public var caption: String?

  public static let maxCaptionLength = 300

  public init(
    _ content: Content, name: String? = nil, contentType: String? = nil, isVoiceMessage: Bool = false,
    caption: String? = nil
  ) {
    self.content = content
    self.name = name
    self.contentType = contentType
    self.isVoiceMessage = isVoiceMessage
    self.caption = caption
  }

  /// A file of this machine, under its own name.
  public init(path: String) { self.init(.path(path), name: path) }

  /// A recording.
  public static func voiceMessage(_ content: Content, contentType: String = "audio/aac") -> OutgoingFile {
    OutgoingFile(content, contentType: contentType, isVoiceMessage: true)
  }
}
