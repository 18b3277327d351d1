import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Downloads a file and stores it encrypted under a new key in the account's folder. The file appears only after all
/// of it was verified.
struct AttachmentDownload: JobKind {
  static let kind = "attachmentDownload"
  static let queue = AttachmentUpload.queue
  static let retry = RetryPolicy(maxFailures: 3)
  static let conditions: JobConditions = [.network, .accountActive]
  static let whileRunning = JobMergeRule.isSatisfied

  let attachment: Int64

  var uniqueKey: String? { "\(attachment)" }
  var id: AttachmentRecord.ID { AttachmentRecord.ID(rawValue: attachment) }
}

/// The reason why a file can never be downloaded.
private struct Unusable: Error {
  let reason: String
}

extension Files {
  func makeAttachmentDownload() -> JobHandler {
    JobHandler(AttachmentDownload.self) { [self] download, end, transaction in
      guard var record = try transaction.attachment(download.id), record.state != .invalid else { return }
      record.state = .failedDownload
      try transaction.update(record)
      try transaction.tellAttachment(record.id, because: end.reason, at: try time())
    } run: { [self] download, context in
      guard let record = try await database.read({ transaction in try transaction.attachment(download.id) })
      else { throw JobFailure(.permanent, "its message was deleted") }
      guard record.fileID == nil else { return .done }
      do {
        try await fetch(record, reporter(of: record.id, .download, context), context)
      } catch let unusable as Unusable {
        try await context.write { [self] transaction in
          try notUsable(record.id, because: unusable.reason, in: transaction)
        }
        throw JobFailure(.permanent, unusable.reason)
      }
      return .done
    }
  }

  private func fetch(
    _ record: AttachmentRecord, _ report: @escaping @Sendable (Double) -> Void, _ context: JobContext
  ) async throws {
    let (vault, client) = try require()
    guard let address = record.address, let pointer = record.pointer else {
      throw Unusable(reason: "it has no address or no key")
    }
    if let reason = record.refusal(by: client.servers) { throw Unusable(reason: reason) }
    report(0)
    let sealed = try await Self.usable { () async throws(NetworkFailure) in try await client.download(address)
    }
    try context.check()
    report(0.8)
    let inspection = Inspection(upTo: FileClient.maxBytes) { size in
      report(0.8 + 0.2 * min(Double(size) / Double(max(sealed.count, 1)), 0.99))
    }
    let content = InspectedPieces(MemoryPieces(sealed).opened(with: pointer), inspection)
    do {
      try await vault.add(content, to: .attachments, at: try time().stored) { [self] transaction, file in
        guard var record = try transaction.attachment(record.id), record.fileID == nil else {
          throw CancellationError()
        }
        record.take(inspection)
        record.fileID = file
        record.state = .downloaded
        try transaction.update(record)
        try transaction.tellAttachment(record.id, at: try time())
      }
    } catch let error as SessionError {
      guard error.code.family == .attachment else { throw error }
      throw Unusable(reason: "it cannot be decrypted: \(error.message)")
    }
    report(1)
  }

  /// Classifies failures: a missing or oversized file stays unusable.
  private static func usable<R>(_ body: () async throws(NetworkFailure) -> R) async throws -> R {
    do throws(NetworkFailure) { return try await body() } catch {
      switch error.kind {
      case .gone, .tooLarge: throw Unusable(reason: error.message)
      default: throw error
      }
    }
  }

  private func notUsable(
    _ id: AttachmentRecord.ID, because reason: String, in transaction: borrowing WriteTransaction
  ) throws {
    guard var record = try transaction.attachment(id) else { return }
    record.state = .invalid
    try transaction.update(record)
    try transaction.tellAttachment(id, because: reason, at: try time())
  }
}

extension AttachmentRecord {
  /// The reason not to download a file; nil if it may be downloaded.
  func refusal(by servers: FileServers) -> String? {
    guard let address else { return "its address is invalid" }
    guard pointer != nil else { return "it is not encrypted, or its key has an unknown format" }
    guard byteCount <= FileClient.maxBytes else { return "it is larger than the limit" }
    do throws(NetworkFailure) { _ = try servers.server(of: address) } catch { return error.message }
    return nil
  }
}

extension WriteTransaction {
  /// Requests the download of a file, at once or not before a time.
  func requestDownload(_ record: AttachmentRecord, notBefore start: Int64? = nil, at now: Int64) throws {
    guard record.fileID == nil, record.state != .invalid else { return }
    var changed = record
    changed.state = .downloading
    try update(changed)
    var request = start.map { JobRequest.at($0) } ?? JobRequest()
    let message = try messages(with: record.id).first
    (request.thread, request.interaction) = (message?.threadID, message?.id)
    try enqueue(AttachmentDownload(attachment: record.id.rawValue), request, at: now)
  }
}
