import Glibc
import SessionCore
import SessionNetworking
import SessionStorage

extension Engine {
  /// The encrypted files of the account, and the way to servers.
  func requireFiles() throws -> (files: AccountFiles, client: FileClient) {
    guard let accountFiles, let client = dependencies.files else {
      throw MessengerError(.file, "there is no file server: files can neither be sent nor fetched")
    }
    return (accountFiles, client)
  }

  /// How files are sealed for servers.
  var sealing: AttachmentSealing { dependencies.fileFormat == .legacy ? .legacy : .stream(by: account) }

  /// How large a file may be that is sent.
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

  /// Copies files to be sent beside the database; what belongs to no message in the end is forgotten after a day.
  func bringIn(_ files: [OutgoingFile]) async throws -> [AttachmentRecord.ID] {
    guard !files.isEmpty else { return [] }
    guard files.count <= VisibleMessage.maxAttachments else {
      throw MessengerError(
        .file, "a message has up to \(VisibleMessage.maxAttachments) files, this one \(files.count)")
    }
    var ids: [AttachmentRecord.ID] = []
    for file in files { ids.append(try await bringIn(file)) }
    return ids
  }

  private func bringIn(_ file: OutgoingFile) async throws -> AttachmentRecord.ID {
    switch file.content {
    case .bytes(let bytes): return try await bringIn(file, MemoryPieces(bytes))
    case .path(let path):
      try Self.requireRegular(path)
      return try await bringIn(file, FilePieces(path))
    case .attachment(let id): return try await passOn(id, as: file)
    }
  }

  private func bringIn<Content: AsyncSequence & Sendable>(
    _ file: OutgoingFile, _ content: Content
  ) async throws -> AttachmentRecord.ID where Content.Element == [UInt8] {
    let (vault, _) = try requireFiles()
    let now = try time().stored
    let inspection = Inspection(upTo: maxFileSize)
    let name = file.name.flatMap { FileName.usable($0) }
    var record = AttachmentRecord(
      file.isVoiceMessage ? .voice : .file, .uploading,
      contentType: ContentType.usable(file.contentType ?? name.map { MediaType.of(fileNamed: $0) } ?? ""),
      byteCount: 0, createdAt: now)
    record.name = name
    let draft = record
    return try await vault.add(InspectedPieces(content, inspection), to: .attachments, at: now) {
      transaction, fileID in
      var record = draft
      record.take(inspection)
      record.fileID = fileID
      return try transaction.insert(record).id
    }
  }

  /// The same file under another message: it is kept once.
  private func passOn(_ id: AttachmentView.ID, as file: OutgoingFile) async throws -> AttachmentRecord.ID {
    _ = try requireFiles()
    return try await write { transaction, _ in
      guard let known = try transaction.attachment(id.record), known.fileID != nil else {
        throw MessengerError(.file, "a file can be passed on once it is here")
      }
      var copy = AttachmentRecord(
        file.isVoiceMessage ? .voice : known.kind, known.state, contentType: known.contentType,
        byteCount: known.byteCount, createdAt: known.createdAt)
      copy.name = file.name.flatMap { FileName.usable($0) } ?? known.name
      (copy.serverID, copy.url, copy.key, copy.digest) = (known.serverID, known.url, known.key, known.digest)
      (copy.width, copy.height, copy.fileID) = (known.width, known.height, known.fileID)
      return try transaction.insert(copy).id
    }
  }

  /// Pipes and devices may never end.
  private static func requireRegular(_ path: String) throws {
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw MessengerError(.file, "the file cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MessengerError(.file, "only files can be sent, and this is something else")
    }
  }
}
