internal import CSessionCore
import SessionBase

/// A file attached to a message: its URL, and the data to open and show it.
public struct MessageAttachment: Equatable, Sendable {
  public let url: FileURL
  public let contentType: String?
  public let fileName: String?
  public let caption: String?
  /// The unencrypted size of the file, as stated by the sender.
  public let size: UInt32?
  /// In pixels.
  public let width: UInt32?
  public let height: UInt32?
  public let isVoiceMessage: Bool

  /// The media type, as stated by the sender or else derived from the file name.
  public var mediaType: String {
    if let contentType, !contentType.isEmpty { return contentType }
    return fileName.map(MediaType.of(fileNamed:)) ?? MediaType.unknown
  }

  private let key: SecretBytes?
  private let digest: [UInt8]

  /// A file at `url`; without a pointer it is not encrypted, as in communities, and `size` is given separately.
  public init(
    url: FileURL, pointer: AttachmentPointer?, contentType: String? = nil, fileName: String? = nil,
    caption: String? = nil, size: UInt32? = nil, width: UInt32? = nil, height: UInt32? = nil,
    isVoiceMessage: Bool = false
  ) throws(SessionError) {
    try MessageRule.fileURL.require(url.isStream == (pointer?.format == .stream))
    self.url = url
    self.contentType = contentType
    self.fileName = fileName
    self.caption = caption
    self.size = pointer.map { UInt32(clamping: $0.size) } ?? size
    self.width = width
    self.height = height
    self.isVoiceMessage = isVoiceMessage
    self.key = pointer?.key
    self.digest = pointer?.digest ?? []
  }

  /// The encryption of the file.
  public enum Protection: Sendable {
    case none
    case sealed(AttachmentPointer)
    /// The key does not fit any format: the file cannot be opened.
    case unreadable
  }

  public var protection: Protection {
    switch (key, key?.count, digest.count) {
    case (nil, _, _): url.isStream ? .unreadable : .none
    case (let key?, 32, _) where url.isStream: .sealed(pointer(.stream, key))
    case (let key?, 64, 32) where !url.isStream: .sealed(pointer(.legacy, key))
    default: .unreadable
    }
  }

  private func pointer(_ format: AttachmentFormat, _ key: SecretBytes) -> AttachmentPointer {
    AttachmentPointer(
      format: format, key: key, digest: format == .legacy ? digest : [], size: UInt64(size ?? 0))
  }

  init(_ attachment: sc_message_attachment) throws(SessionError) {
    url = FileURL(attachment.url)
    contentType = attachment.content_type.text
    fileName = attachment.file_name.text
    caption = attachment.caption.text
    size = attachment.has_size ? attachment.size : nil
    width = attachment.has_width ? attachment.width : nil
    height = attachment.has_height ? attachment.height : nil
    isVoiceMessage = attachment.is_voice_message
    key = try attachment.key.secret()
    digest = Array(attachment.digest.content)
  }

  func core(in arena: CoreArena) -> sc_message_attachment {
    var attachment = sc_message_attachment()
    attachment.url = url.core(in: arena)
    attachment.content_type = arena.text(contentType)
    attachment.file_name = arena.text(fileName)
    attachment.caption = arena.text(caption)
    attachment.key = arena.bytes(key)
    attachment.digest = arena.bytes(digest)
    put(size, &attachment.has_size, &attachment.size)
    put(width, &attachment.has_width, &attachment.width)
    put(height, &attachment.has_height, &attachment.height)
    attachment.is_voice_message = isVoiceMessage
    return attachment
  }
}
