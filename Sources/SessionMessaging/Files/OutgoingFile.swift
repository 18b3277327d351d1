/// A file to send with a message.
///
/// The file is copied, encrypted, into the account's folder when the message is stored; later changes of the original
/// have no effect.
public struct OutgoingFile: Hashable, Sendable, Codable {
  /// The source of the content.
  public enum Content: Hashable, Sendable, Codable {
    /// A file on this machine.
    case path(String)
    case bytes([UInt8])
    /// An attachment of a stored message, to forward.
    case attachment(AttachmentView.ID)
  }

  public var content: Content
  /// The name that recipients see; only the part after the last `/` is used.
  public var name: String?
  /// Such as `image/png`; nil to detect it from the content, or else from the name.
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

  /// A file on this machine, under its own name.
  public init(path: String) { self.init(.path(path), name: path) }

  /// A recording.
  public static func voiceMessage(_ content: Content, contentType: String = "audio/aac") -> OutgoingFile {
    OutgoingFile(content, contentType: contentType, isVoiceMessage: true)
  }
}

extension OutgoingFile {
  /// The largest image of a preview, in bytes and pixels: it is sent as it is, or not at all.
  private static let maxPreviewBytes = 261_120
  private static let maxPreviewPixels = 20_000_000

  /// An image for the preview of a link, without its metadata; nil unless it is a JPEG, PNG, WebP or GIF image by its
  /// bytes, and small enough.
  public static func previewImage(_ bytes: [UInt8]) -> OutgoingFile? {
    guard let header = ImageHeader(bytes), header.isReasonable,
      header.width * header.height <= maxPreviewPixels
    else { return nil }
    let image = ImageMetadata.removed(from: bytes)
    guard image.count <= maxPreviewBytes else { return nil }
    return OutgoingFile(.bytes(image), contentType: header.contentType)
  }
}
