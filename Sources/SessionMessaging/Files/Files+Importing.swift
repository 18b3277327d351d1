import Glibc
import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// A file to attach to a message.
enum ImportedFile: Sendable {
  /// Copied into the account's folder.
  case copied(AttachmentRecord.ID)
  /// It belongs to another message, which may be deleted at any time; it is shared when the new message is stored.
  case passedOn(AttachmentView.ID, OutgoingFile)
}

extension Files {
  /// The format in which files are sealed for servers.
  var sealing: AttachmentSealing { environment.fileFormat == .legacy ? .legacy : .stream(by: account) }

  /// The size limit of a file to send.
  var maxFileSize: Int {
    let sealing = sealing
    func fits(_ size: Int) -> Bool {
      sealing.sealedSize(of: UInt64(size)).map { $0 <= FileClient.maxCarried } ?? false
    }
    var (fitting, large) = (0, FileClient.maxBytes + 1)
    while large - fitting > 1 {
      let middle = (fitting + large) / 2
      if fits(middle) { fitting = middle } else { large = middle }
    }
    return fitting
  }

  /// Copies files into the account's folder; files that nothing refers to are deleted after a day. Files of drafts need no
  /// server yet.
  func importFiles(
    _ files: [OutgoingFile], toRoom: Bool = false, forDraft: Bool = false
  ) async throws -> [ImportedFile] {
    guard !files.isEmpty else { return [] }
    guard files.count <= VisibleMessage.maxAttachments else {
      throw MessengerError(
        .fileUnavailable,
        "a message has up to \(VisibleMessage.maxAttachments) files, this one has \(files.count)")
    }
    if toRoom || forDraft { _ = try requireVault() } else { _ = try require() }
    let limit = toRoom ? Self.maxRoomFile : maxFileSize
    for file in files { _ = try AttachmentCaption.sendable(file.caption) }
    var all: [ImportedFile] = []
    for file in files { all.append(try await importFile(file, upTo: limit)) }
    return all
  }

  private func importFile(_ file: OutgoingFile, upTo limit: Int) async throws -> ImportedFile {
    switch file.content {
    case .bytes(let bytes):
      return .copied(
        try await importFile(file, MemoryPieces(ImageMetadata.removed(from: bytes)), upTo: limit))
    case .path(let path):
      try Self.requireRegular(path)
      guard let image = try await image(at: path, upTo: limit) else {
        return .copied(try await importFile(file, FilePieces(path), upTo: limit))
      }
      return .copied(
        try await importFile(file, MemoryPieces(ImageMetadata.removed(from: image)), upTo: limit))
    case .attachment(let id):
      try await database.read { transaction in _ = try transaction.attachmentToPassOn(id) }
      return .passedOn(id, file)
    }
  }

  /// Reads an image of a known format, unless it is too large to send.
  private func image(at path: String, upTo limit: Int) async throws -> [UInt8]? {
    var bytes: [UInt8] = []
    for try await piece in FilePieces(path) {
      let isFirst = bytes.isEmpty
      bytes += piece
      guard bytes.count <= limit, !isFirst || ImageMetadata.Format(bytes) != nil else { return nil }
    }
    return bytes.isEmpty ? nil : bytes
  }

  private func importFile<Content: AsyncSequence & Sendable>(
    _ file: OutgoingFile, _ content: Content, upTo limit: Int
  ) async throws -> AttachmentRecord.ID where Content.Element == [UInt8] {
    let vault = try requireVault()
    let now = try time().stored
    let inspection = Inspection(upTo: limit, isRecording: file.isVoiceMessage)
    let name = file.name.flatMap { AttachmentName.usable($0) }
    var record = AttachmentRecord(
      file.isVoiceMessage ? .voice : .file, .uploading,
      contentType: ContentType.usable(file.contentType ?? name.map { MediaType.of(fileNamed: $0) } ?? ""),
      byteCount: 0, createdAt: now)
    record.name = name
    record.caption = try AttachmentCaption.sendable(file.caption)
    let draft = record
    return try await vault.add(InspectedPieces(content, inspection), to: .attachments, at: now) {
      transaction, fileID in
      var record = draft
      record.take(inspection)
      record.fileID = fileID
      return try transaction.insert(record).id
    }
  }

  /// Pipes and devices may never end.
  static func requireRegular(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw MessengerError(.fileUnavailable, "the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MessengerError(.fileUnavailable, "this is not a regular file")
    }
  }
}

extension Reading where Self: ~Copyable {
  fileprivate func attachmentToPassOn(_ id: AttachmentView.ID) throws -> AttachmentRecord {
    guard let known = try attachment(id.record), known.fileID != nil else {
      throw MessengerError(.fileUnavailable, "download the file before forwarding it")
    }
    return known
  }
}

extension WriteTransaction {
  /// Returns the attachment to add to a message.
  func obtain(_ file: ImportedFile) throws -> AttachmentRecord.ID {
    switch file {
    case .copied(let id): id
    case .passedOn(let id, let file): try passOn(id, as: file)
    }
  }

  /// Shares a file with another message; its content is stored once.
  private func passOn(_ id: AttachmentView.ID, as file: OutgoingFile) throws -> AttachmentRecord.ID {
    let known = try attachmentToPassOn(id)
    var copy = AttachmentRecord(
      file.isVoiceMessage ? .voice : known.kind, known.state, contentType: known.contentType,
      byteCount: known.byteCount, createdAt: known.createdAt)
    copy.name = file.name.flatMap { AttachmentName.usable($0) } ?? known.name
    copy.caption = try AttachmentCaption.sendable(file.caption)
    (copy.serverID, copy.url, copy.key, copy.digest) = (known.serverID, known.url, known.key, known.digest)
    copy.duration = known.duration
    (copy.width, copy.height, copy.fileID) = (known.width, known.height, known.fileID)
    return try insert(copy).id
  }
}
