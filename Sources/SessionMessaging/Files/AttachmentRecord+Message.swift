import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

// Conversion between rows and message attachments.

extension AttachmentRecord {
  /// How long a file on a server can be sent again without another upload, in milliseconds.
  static let reuseTime = FileClient.lifetime.milliseconds

  /// The largest image side accepted from a sender, in pixels.
  private static let maxClaimedSide: UInt32 = 65_535

  /// The attachment of a received message.
  init(_ attachment: MessageAttachment, at now: Int64) {
    self.init(
      attachment.isVoiceMessage ? .voice : .file, .pendingDownload,
      contentType: ContentType.usable(attachment.mediaType), byteCount: Int64(attachment.size ?? 0),
      createdAt: now)
    serverID = attachment.url.fileID
    url = attachment.url.description
    name = attachment.fileName.flatMap { AttachmentName.usable($0) }
    caption = attachment.caption.flatMap { AttachmentCaption.shown($0) }
    if let width = attachment.width, let height = attachment.height, width > 0, height > 0,
      width <= Self.maxClaimedSide, height <= Self.maxClaimedSide
    {
      self.width = Int64(width)
      self.height = Int64(height)
    }
    if case .sealed(let pointer) = attachment.protection {
      key = pointer.key.reveal()
      digest = pointer.digest.isEmpty ? nil : pointer.digest
    }
  }

  /// The address of the file; nil if it is invalid.
  var address: FileURL? { url.flatMap { FileURL($0) } }

  /// The pointer that opens the file; nil if it is incomplete.
  var pointer: AttachmentPointer? {
    guard let address, let key, let secret = try? SecretBytes(copying: key) else { return nil }
    return AttachmentPointer(
      format: address.isStream ? .stream : .legacy, key: secret, digest: digest ?? [],
      size: UInt64(clamping: byteCount))
  }

  /// The attachment as a message carries it; nil before it is on a server.
  var sendable: MessageAttachment? {
    if let address, address.room != nil { return inRoom(at: address) }
    guard let address, let pointer, state == .uploaded || state == .downloaded else { return nil }
    return try? MessageAttachment(
      url: address, pointer: pointer, contentType: contentType, fileName: name, caption: caption,
      width: width.map { UInt32(clamping: $0) }, height: height.map { UInt32(clamping: $0) },
      isVoiceMessage: kind == .voice)
  }

  /// The attachment of a message in a room, which is not encrypted.
  private func inRoom(at address: FileURL) -> MessageAttachment? {
    guard key == nil, state != .invalid, state != .failedUpload else { return nil }
    return try? MessageAttachment(
      url: address, pointer: nil, contentType: contentType, fileName: name, caption: caption,
      size: UInt32(clamping: byteCount), width: width.map { UInt32(clamping: $0) },
      height: height.map { UInt32(clamping: $0) }, isVoiceMessage: kind == .voice)
  }

  /// True if others can still download it from its server.
  func isKept(by servers: FileServers, at now: Int64) -> Bool {
    sendable != nil && now < createdAt + Self.reuseTime && now >= createdAt && lies(on: servers)
  }

  /// True if it is on a known server: a stranger's server would learn when the file is downloaded.
  func lies(on servers: FileServers) -> Bool {
    guard let address, let server = try? servers.server(of: address) else { return false }
    return servers.known.contains(server)
  }

  /// Takes the size and type found in the content, whatever the sender claimed.
  mutating func take(_ inspection: Inspection) {
    byteCount = Int64(inspection.size)
    (width, height) = (nil, nil)
    duration = kind == .voice ? inspection.recording?.milliseconds.map { Double($0) / 1000 } : nil
    if let image = inspection.image, image.isReasonable {
      contentType = image.contentType
      (width, height) = (Int64(image.width), Int64(image.height))
    } else if inspection.image != nil || ImageHeader.types.contains(contentType) {
      // Must not be decoded as an image.
      contentType = ContentType.unknown
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The files that must be on a server before a message can be sent.
  func filesToSend(with row: InteractionRecord) throws -> [AttachmentRecord] {
    var files = try attachments(of: row.id)
    if let id = row.linkPreviewID, let image = try linkPreview(id)?.attachmentID,
      let record = try attachment(image)
    {
      // An image that was never downloaded is left out.
      if record.fileID != nil || record.sendable != nil { files.append(record) }
    }
    return files
  }
}
