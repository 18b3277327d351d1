import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Uploads a file to the server.
///
/// The stream format is deterministic. The older format encrypts differently each time, so that after a lost reply the
/// server stores an orphan until it expires.
struct AttachmentUpload: JobKind {
  static let kind = "attachmentUpload"
  /// A file is held in memory while it is uploaded.
  static let queue = JobQueue("files", concurrency: 4)
  static let conditions: JobConditions = [.network, .accountActive]
  static let whileRunning = JobMergeRule.isSatisfied

  let attachment: Int64

  var uniqueKey: String? { "\(attachment)" }
  var id: AttachmentRecord.ID { AttachmentRecord.ID(rawValue: attachment) }
}

extension Files {
  func makeAttachmentUpload() -> JobHandler {
    JobHandler(AttachmentUpload.self) { [self] upload, end, transaction in
      try notUploaded(upload.id, end, in: transaction)
    } run: { [self] upload, context in
      let id = upload.id
      let (vault, client) = try require()
      let now = try time()
      guard let record = try await database.read({ transaction in try transaction.attachment(id) }) else {
        throw JobFailure(.permanent, "its message was deleted")
      }
      guard !record.isKept(by: client.servers, at: now.stored) else {
        return .done { [self] transaction in try uploaded(id, at: nil, nil, in: transaction) }
      }
      guard let fileID = record.fileID,
        let file = try await database.read({ transaction in try transaction.file(fileID) })
      else { throw JobFailure(.permanent, "the file is no longer on this device") }
      let report = reporter(of: id, .upload, context)
      let (sealed, pointer) = try await seal(
        try vault.content(of: file), of: record.byteCount, { report($0 * 0.2) })
      try context.check()
      let kept = try await client.upload(sealed, isStream: pointer.format == .stream, at: now)
      report(1)
      return .done { [self] transaction in try uploaded(id, at: kept, pointer, in: transaction) }
    }
  }

  /// Seals a file for a server.
  private func seal(
    _ content: FileContent, of size: Int64, _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> ([UInt8], AttachmentPointer) {
    let inspection = Inspection(upTo: FileClient.maxBytes) { progress(Double($0) / Double(max(size, 1))) }
    var sealed: [UInt8] = []
    sealed.reserveCapacity(Int(size) + 64 * 1024)
    for try await part in InspectedPieces(content, inspection).sealed(sealing) {
      switch part {
      case .piece(let piece): sealed += piece
      case .pointer(let pointer): return (sealed, pointer)
      }
    }
    preconditionFailure("a sealed file ends with its pointer")
  }

  /// Reports the progress of a file.
  func reporter(
    of id: AttachmentRecord.ID, _ direction: FileTransfer.Direction, _ context: JobContext
  ) -> @Sendable (Double) -> Void {
    { [self] progress in
      context.report(progress)
      transfers.tell(
        FileTransfer(attachment: AttachmentView.ID(id), direction: direction, progress: progress), at: jobTime
      )
    }
  }

  private func uploaded(
    _ id: AttachmentRecord.ID, at kept: KeptFile?, _ pointer: AttachmentPointer?,
    in transaction: borrowing WriteTransaction
  ) throws {
    guard var record = try transaction.attachment(id) else { return }
    record.state = .uploaded
    if let kept, let pointer {
      (record.serverID, record.url) = (kept.id, kept.url.description)
      record.key = pointer.key.reveal()
      record.digest = pointer.digest.isEmpty ? nil : pointer.digest
    }
    try transaction.update(record)
    try transaction.tellAttachment(record.id, at: try time())
  }

  private func notUploaded(
    _ id: AttachmentRecord.ID, _ end: JobEnd, in transaction: borrowing WriteTransaction
  ) throws {
    guard var record = try transaction.attachment(id) else { return }
    record.state = .failedUpload
    try transaction.update(record)
    // The waiting job reports the failure of the message; only this one knows the reason.
    for var message in try transaction.messages(with: id) where message.state == .sending {
      message.failure = "a file could not be uploaded: \(end.reason)"
      try transaction.update(message)
    }
    try transaction.tellAttachment(id, because: end.reason, at: try time())
  }
}

extension WriteTransaction {
  /// Records an event for a change of a file.
  func tellAttachment(
    _ id: AttachmentRecord.ID, because reason: String? = nil, at now: MessageTime
  ) throws {
    for message in try messages(with: id) {
      guard let thread = try thread(message.threadID) else { continue }
      var content = MessengerEvent.Content(in: thread, person: SessionID(message.author))
      content.attachment = id.rawValue
      content.reason = reason
      try tell(.attachmentChanged, content, thread: thread.id, message: message.id, at: now)
    }
  }

  /// Marks interrupted transfers as failed when no job works on them any more.
  func settleTransfers() throws {
    for var record in try unsettledAttachments() {
      let key = "\(record.id.rawValue)"
      switch record.state {
      case .downloading:
        guard try job(AttachmentDownload.kind, for: key) == nil else { continue }
        record.state = .failedDownload
      case .uploading:
        // A file without a message gets one later: drafts and scheduled messages have such.
        guard try job(AttachmentUpload.kind, for: key) == nil, try !messages(with: record.id).isEmpty
        else { continue }
        record.state = .failedUpload
      default: continue
      }
      try update(record)
    }
  }
}
