import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

// Between rows and what messages say.

extension AttachmentRecord {
  /// How long a file that was brought to a server or fetched from one can be sent again as it lies there, in milliseconds.
  static let reuseTime = FileClient.lifetime.milliseconds

  /// The largest size of an image that a sender is believed to have.
  private static let maxClaimedSide: UInt32 = 65_535

  /// What came with a message.
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

  /// Where it lies; nil where nothing can be asked.
  var address: FileURL? { url.flatMap { FileURL($0) } }

  /// What opens it; nil where nothing can.
  var pointer: AttachmentPointer? {
    guard let address, let key, let secret = try? SecretBytes(copying: key) else { return nil }
    return AttachmentPointer(
      format: address.isStream ? .stream : .legacy, key: secret, digest: digest ?? [],
      size: UInt64(clamping: byteCount))
  }

  /// As a message has it; nil before it is on a server.
  var sendable: MessageAttachment? {
    guard let address, let pointer, state == .uploaded || state == .downloaded else { return nil }
    return try? MessageAttachment(
      url: address, pointer: pointer, contentType: contentType, fileName: name, caption: caption,
      width: width.map { UInt32(clamping: $0) }, height: height.map { UInt32(clamping: $0) },
      isVoiceMessage: kind == .voice)
  }

  /// True if others find it where it lies.
  func isKept(by servers: FileServers, at now: Int64) -> Bool {
    sendable != nil && now < createdAt + Self.reuseTime && now >= createdAt && lies(on: servers)
  }

  /// True if it lies on a server that is known: a stranger's would learn when it is fetched.
  func lies(on servers: FileServers) -> Bool {
    guard let address, let server = try? servers.server(of: address) else { return false }
    return servers.known.contains(server)
  }

  /// True if it comes without being asked for, where files do: what is shown right away, and nothing else.
  var isShownAtOnce: Bool { kind == .voice || contentType.hasPrefix("image/") }

  /// Takes what its content says, whatever was said of it.
  mutating func take(_ inspection: Inspection) {
    byteCount = Int64(inspection.size)
    (width, height) = (nil, nil)
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
  /// The files that have to be on a server before a message can be sent.
  func filesToSend(with row: InteractionRecord) throws -> [AttachmentRecord] {
    var files = try attachments(of: row.id)
    if let id = row.linkPreviewID, let image = try linkPreview(id)?.attachmentID,
      let record = try attachment(image)
    {
      // An image that never came is left out.
      if record.fileID != nil || record.sendable != nil { files.append(record) }
    }
    return files
  }
}
