internal import CSessionCore
import SessionBase

/// A file that comes with a message: where it lies, and what is needed to open and show it.
public struct MessageAttachment: Equatable, Sendable {
  public let url: FileURL
  public let contentType: String?
  public let fileName: String?
  public let caption: String?
  /// The size of the file in the clear, as its sender told.
  public let size: UInt32?
  /// In pixels.
  public let width: UInt32?
  public let height: UInt32?
  public let isVoiceMessage: Bool

  /// What kind of file it is: as its sender told, else as its name ends.
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

  /// How the bytes at the address become the file.
  public enum Protection: Sendable {
    case none
    case sealed(AttachmentPointer)
    /// With a key that fits no format: it cannot be opened.
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
}

extension MessageAttachment {
  /// Nil if it cannot be fetched.
  init?(_ fields: Sc__AttachmentPointer) throws(SessionError) {
    contentType = try fields.content_type.text()
    fileName = try fields.file_name.text()
    caption = try fields.caption.text()
    size = fields.has_size != 0 ? fields.size : nil
    width = fields.has_width != 0 ? fields.width : nil
    height = fields.has_height != 0 ? fields.height : nil
    isVoiceMessage = fields.has_flags != 0 && fields.flags & Self.voiceMessage != 0
    key = try fields.key.secret()
    digest = fields.digest.bytes
    guard let url = try FileURL(fields.url.requiredText()) else { return nil }
    self.url = url
  }

  func write(to arena: ContentArena) -> UnsafeMutablePointer<Sc__AttachmentPointer> {
    let fields = arena.make(sc__attachment_pointer__init)
    fields.pointee.id = url.number
    fields.pointee.url = arena.text(url.description)
    fields.pointee.content_type = arena.text(contentType)
    fields.pointee.file_name = arena.text(fileName)
    fields.pointee.caption = arena.text(caption)
    fields.pointee.has_size = size == nil ? 0 : 1
    fields.pointee.size = size ?? 0
    fields.pointee.has_width = width == nil ? 0 : 1
    fields.pointee.width = width ?? 0
    fields.pointee.has_height = height == nil ? 0 : 1
    fields.pointee.height = height ?? 0
    fields.pointee.has_flags = isVoiceMessage ? 1 : 0
    fields.pointee.flags = isVoiceMessage ? Self.voiceMessage : 0
    if let key {
      fields.pointee.has_key = 1
      fields.pointee.key = arena.data(key)
    }
    if !digest.isEmpty {
      fields.pointee.has_digest = 1
      fields.pointee.digest = arena.data(digest)
    }
    return fields
  }

  private static let voiceMessage = UInt32(SC__ATTACHMENT_POINTER__FLAGS__VOICE_MESSAGE.rawValue)
}
