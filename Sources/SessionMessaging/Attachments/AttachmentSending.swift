import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Seals a message once all of its files are on a server, and has it delivered.
struct AttachmentSending: JobKind {
  static let kind = "attachmentSending"
  static let queue = Delivery.queue
  static let conditions: JobConditions = [.accountActive]

  let interaction: Int64
  /// Whether the other side asked to talk, and is to be told that it may before anything else.
  let answersRequest: Bool

  var uniqueKey: String? { Self.key(interactionID) }
  var interactionID: InteractionRecord.ID { InteractionRecord.ID(rawValue: interaction) }

  static func key(_ id: InteractionRecord.ID) -> String { "\(id.rawValue)" }
}

extension Engine {
  /// Has a message sent, behind the files that come with it.
  func dispatch(
    _ row: InteractionRecord, to recipient: SessionID, as profile: MessageProfile?,
    answersRequest: Bool = false,
    in transaction: borrowing WriteTransaction
  ) throws {
    let files = try transaction.filesToSend(with: row)
    guard !files.isEmpty else {
      return try sealNow(row, to: recipient, as: profile, answersRequest: answersRequest, in: transaction)
    }
    var request = JobRequest()
    request.thread = row.threadID
    request.interaction = row.id
    var sending = request
    for var file in files {
      // What is on a server already is looked at again by the job, which has the time and the servers.
      if file.sendable == nil {
        file.state = .uploading
        try transaction.update(file)
      }
      let upload = AttachmentUpload(attachment: file.id.rawValue)
      sending.dependencies.append(.job(try transaction.enqueue(upload, request, at: jobTime)))
    }
    try transaction.enqueue(
      AttachmentSending(interaction: row.id.rawValue, answersRequest: answersRequest), sending, at: jobTime)
  }

  private func sealNow(
    _ row: InteractionRecord, to recipient: SessionID, as profile: MessageProfile?, answersRequest: Bool,
    in transaction: borrowing WriteTransaction
  ) throws {
    let content = try transaction.visibleContent(of: row, profile: recipient == own ? nil : profile)
    try enqueue(
      .visible(content), of: row, to: recipient, in: transaction,
      before: answersRequest ? .messageRequestResponse(MessageRequestResponse(profile: profile)) : nil)
  }

  func makeAttachmentSending() -> JobHandler {
    JobHandler(AttachmentSending.self) { [self] sending, end, transaction in
      guard var message = try transaction.interaction(sending.interactionID) else { return }
      message.state = .failed
      message.failure = message.failure ?? end.reason
      try transaction.update(message)
      try transaction.tell(.messageFailed, message, at: try time())
    } run: { [self] sending, _ in
      let profile = try await lane.perform { [self] in
        try configs.read { configs in try ownProfile(configs) }
      }
      return .done { [self] transaction in
        guard let row = try transaction.interaction(sending.interactionID),
          let thread = try transaction.thread(row.threadID), let recipient = SessionID(thread.address)
        else { return }
        guard try transaction.filesToSend(with: row).allSatisfy({ $0.sendable != nil }) else {
          throw JobFailure(.permanent, "a file of it is not on a server")
        }
        try sealNow(row, to: recipient, as: profile, answersRequest: sending.answersRequest, in: transaction)
      }
    }
  }
}

extension Engine {
  /// What the program left half done with files: nothing works on it any more, so it says so.
  func settleTransfers(in transaction: borrowing WriteTransaction) throws {
    for var record in try transaction.unsettledAttachments() {
      let key = "\(record.id.rawValue)"
      switch record.state {
      case .downloading:
        guard try transaction.job(AttachmentDownload.kind, for: key) == nil else { continue }
        record.state = .failedDownload
      case .uploading:
        // What is in no message yet may be about to be.
        guard try transaction.job(AttachmentUpload.kind, for: key) == nil,
          try transaction.referenceCount(of: record.id) > 0
        else { continue }
        record.state = .failedUpload
      default: continue
      }
      try transaction.update(record)
    }
  }
}

extension WriteTransaction {
  /// Takes back that the files of a message are to be moved, where no other message needs them.
  func cancelTransfers(of message: InteractionRecord, at now: Int64) throws {
    if let job = try job(AttachmentSending.kind, for: AttachmentSending.key(message.id)) {
      try cancel(job.id, because: "its message was deleted", at: now)
    }
    for attachment in try attachments(of: message.id) where try referenceCount(of: attachment.id) <= 1 {
      let key = "\(attachment.id.rawValue)"
      for kind in [AttachmentUpload.kind, AttachmentDownload.kind] {
        guard let job = try job(kind, for: key) else { continue }
        try cancel(job.id, because: "its message was deleted", at: now)
      }
    }
  }
}
