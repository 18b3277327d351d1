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
  let attachment: Int64
  /// The most bytes of its content; nil where the user asked for it, who gets all that is allowed. A request of the user
  /// that comes while an automatic download runs has it run again without the limit.
  var limit: Int64?

  var uniqueKey: String? { "\(attachment)" }
  var id: AttachmentRecord.ID { AttachmentRecord.ID(rawValue: attachment) }

  /// What the user asks for has no limit any more.
  func merged(with later: AttachmentDownload) -> AttachmentDownload {
    var merged = later
    merged.limit = limit.flatMap { limit in later.limit.map { max(limit, $0) } }
    return merged
  }
}

/// The reason why a file was not taken that may be had on request.
private struct Unwanted: Error {
  let reason: String

  static let tooLarge = Unwanted(reason: "it is larger than its sender said")
  static let budget = Unwanted(reason: "automatic downloads have used the budget of the day")
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
        try await fetch(record, upTo: download.limit, reporter(of: record.id, .download, context), context)
      } catch let unwanted as Unwanted {
        try await context.write { [self] transaction in
          guard var record = try transaction.attachment(download.id) else { return }
          record.state = .pendingDownload
          try transaction.update(record)
          try transaction.tellAttachment(record.id, because: unwanted.reason, at: try time())
        }
        return .done
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
    _ record: AttachmentRecord, upTo limit: Int64?, _ report: @escaping @Sendable (Double) -> Void,
    _ context: JobContext
  ) async throws {
    if let address = record.address, address.room != nil {
      return try await fetch(record, fromRoomAt: address, upTo: limit, report, context)
    }
    let (vault, client) = try require()
    guard let address = record.address, let pointer = record.pointer else {
      throw Unusable(reason: "it has no address or no key")
    }
    if let reason = record.refusal(by: client.servers) { throw Unusable(reason: reason) }
    if let limit { try await refuse(address, above: limit, client) }
    try context.check()
    report(0)
    let sealed = try await receive(record, upTo: limit) { () async throws(NetworkFailure) in
      try await client.download(address)
    }
    try context.check()
    report(0.8)
    let inspection = Inspection(upTo: FileClient.maxBytes, isRecording: record.kind == .voice) { size in
      report(0.8 + 0.2 * min(Double(size) / Double(max(sealed.count, 1)), 0.99))
    }
    guard limit.map({ Int64(clamping: pointer.size) <= $0 && FileClient.fits(sealed.count, $0) }) ?? true
    else {
      throw Unwanted.tooLarge
    }
    let content = InspectedPieces(MemoryPieces(sealed).opened(with: pointer), inspection)
    do {
      try await keep(content, inspection, as: record.id, in: vault)
    } catch let error as SessionError {
      guard error.code.family == .attachment else { throw error }
      throw Unusable(reason: "it cannot be decrypted: \(error.message)")
    }
    report(1)
  }

  /// Throws if the server says that it keeps more bytes than a content of so many can have. The reply to a request comes
  /// whole, so that a download cannot be given up halfway.
  private func refuse(_ address: FileURL, above limit: Int64, _ client: FileClient) async throws {
    let now = try time()
    let size: Int?
    do throws(NetworkFailure) { size = try await client.info(of: address, at: now).size } catch {
      // The download itself shows what is wrong.
      return
    }
    guard let size else { return }
    guard size <= FileClient.maxReceived else { throw Unusable(reason: "it is larger than the limit") }
    guard FileClient.fits(size, limit) else { throw Unwanted.tooLarge }
  }

  /// Receives the bytes of a file. Those of an automatic download count against the budget of the day: first what its
  /// sender says, so that downloads beside it see it, and then what came.
  private func receive(
    _ record: AttachmentRecord, upTo limit: Int64?, _ body: () async throws(NetworkFailure) -> [UInt8]
  ) async throws -> [UInt8] {
    guard limit != nil else { return try await Self.usable(body) }
    let hasRoom = try await self.context.write { transaction, now in
      try transaction.claimDownload(of: record, at: now)
    }
    guard hasRoom else { throw Unwanted.budget }
    let bytes: [UInt8]
    do { bytes = try await Self.usable(body) } catch {
      try? await settle(record.id, received: 0)
      throw error
    }
    try await settle(record.id, received: bytes.count)
    return bytes
  }

  private func settle(_ id: AttachmentRecord.ID, received bytes: Int) async throws {
    try await context.write { transaction, now in
      try transaction.settleDownload(id, received: bytes, at: now)
    }
  }

  /// Downloads a file of a room from the server of the room. It is not encrypted.
  private func fetch(
    _ record: AttachmentRecord, fromRoomAt address: FileURL, upTo limit: Int64?,
    _ report: @escaping @Sendable (Double) -> Void, _ context: JobContext
  ) async throws {
    let vault = try requireVault()
    guard
      let room = try await database.read({ transaction in try transaction.room(ofAttachment: record.id) }),
      address.lies(in: room), let number = Int64(address.fileID)
    else { throw Unusable(reason: "it is not in the room of its message") }
    guard let connection = try await self.context.connection(to: room.server) else {
      throw JobFailure(.permanent, "you are not in this room any more")
    }
    report(0)
    let bytes = try await receive(record, upTo: limit) { () async throws(NetworkFailure) in
      try await connection.performing(.file(number, in: room, upTo: FileClient.maxBytes))
    }
    guard record.byteCount == 0 || record.byteCount == Int64(bytes.count) else {
      throw Unusable(reason: "it does not have the size that its sender stated")
    }
    guard limit.map({ Int64(bytes.count) <= $0 }) ?? true else { throw Unwanted.tooLarge }
    try context.check()
    report(0.8)
    let inspection = Inspection(upTo: FileClient.maxBytes, isRecording: record.kind == .voice)
    try await keep(InspectedPieces(MemoryPieces(bytes), inspection), inspection, as: record.id, in: vault)
    report(1)
  }

  /// Stores the content of a file, which appears when it is complete.
  private func keep<Content: AsyncSequence & Sendable>(
    _ content: Content, _ inspection: Inspection, as id: AttachmentRecord.ID, in vault: AccountFiles
  ) async throws where Content.Element == [UInt8] {
    try await vault.add(content, to: .attachments, at: try time().stored) { [self] transaction, file in
      guard var record = try transaction.attachment(id), record.fileID == nil else {
        throw CancellationError()
      }
      record.take(inspection)
      record.fileID = file
      record.state = .downloaded
      try transaction.update(record)
      try transaction.tellAttachment(record.id, at: try time())
    }
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

extension FileClient {
  /// True if sealed bytes can be those of a content of so many: sealing pads it.
  fileprivate static func fits(_ sealed: Int, _ limit: Int64) -> Bool {
    Int64(sealed) <= limit + limit / 8 + 65_536
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

extension Reading where Self: ~Copyable {
  /// The room of the message that a file belongs to; nil for a file in no room.
  fileprivate func room(ofAttachment id: AttachmentRecord.ID) throws -> Community.Place? {
    guard let message = try messages(with: id).first, let thread = try thread(message.threadID),
      case .room(let room)? = Conversation.ID(thread.address)
    else { return nil }
    return room
  }
}

extension WriteTransaction {
  /// Requests the download of a file, at once or not before a time.
  func requestDownload(
    _ record: AttachmentRecord, upTo limit: Int64? = nil, notBefore start: Int64? = nil, at now: Int64
  ) throws {
    guard record.fileID == nil, record.state != .invalid else { return }
    var changed = record
    changed.state = .downloading
    try update(changed)
    var request = start.map { JobRequest.at($0) } ?? JobRequest()
    let message = try messages(with: record.id).first
    (request.thread, request.interaction) = (message?.threadID, message?.id)
    try enqueue(AttachmentDownload(attachment: record.id.rawValue, limit: limit), request, at: now)
  }
}
