import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Delivers a message once all of its files are on a server. It holds the message's place in the
/// conversation from the start, so that later messages do not overtake the files.
struct AttachmentSending: JobKind {
  static let kind = "attachmentSending"
  static let queue = Delivery.queue
  static let conditions = Delivery.conditions

  let interaction: Int64
  /// True if the message replies to a request, whose acceptance must be sent first.
  let answersRequest: Bool
  /// Absent in jobs of older versions.
  var swarm: SessionID?
  /// True if the message was dated by this machine's clock, before the network's time was known.
  var isTimeUncertain: Bool?
  /// True if the message failed before, and may have arrived anyway.
  var isResent: Bool?
  /// When its sender was shown the latest change of the recipient.
  var identityShownAt: Int64?
  /// The least protection that its sender requires; nil for any.
  var requiredLevel: SecurityLevel?

  var uniqueKey: String? { Self.key(interactionID) }
  /// The room of the message, if it is in one: its files are uploaded there by this job.
  var room: Conversation.ID?

  var partition: String? { room?.address ?? swarm?.address }
  var interactionID: InteractionRecord.ID { InteractionRecord.ID(rawValue: interaction) }

  static func key(_ id: InteractionRecord.ID) -> String { "\(id.rawValue)" }

  /// The name of the job effect that stores the sealed message, so that each attempt stores the same bytes.
  static let sealing = "sealing"
}

extension Outbox {
  /// Requests the sending of a message, after its files.
  func dispatch(
    _ row: InteractionRecord, to destination: Destination, as profile: MessageProfile?,
    answersRequest: Bool = false, isResent: Bool = false, identityShownAt: Int64? = nil,
    requiredLevel: SecurityLevel? = nil,
    in transaction: borrowing WriteTransaction
  ) throws {
    var room: Conversation.ID?
    if case .room = destination.place { room = destination.conversation }
    let files = try room == nil ? transaction.filesToSend(with: row) : transaction.attachments(of: row.id)
    guard !files.isEmpty else {
      var delivery = try makeDelivery(
        of: row, to: destination, as: profile, answersRequest: answersRequest, in: transaction)
      delivery.isResent = isResent ? true : nil
      delivery.identityShownAt = identityShownAt
      delivery.requiredLevel = requiredLevel
      try transaction.request(delivery, in: row.threadID, at: jobTime)
      return
    }
    var request = JobRequest()
    request.thread = row.threadID
    request.interaction = row.id
    var sending = request
    for var file in files {
      // The job checks files that are already on a server, because it has the time and the servers.
      if file.sendable == nil || room != nil {
        file.state = .uploading
        try transaction.update(file)
      }
      guard room == nil else { continue }
      let upload = AttachmentUpload(attachment: file.id.rawValue)
      sending.dependencies.append(.job(try transaction.enqueue(upload, request, at: jobTime)))
    }
    let job = AttachmentSending(
      interaction: row.id.rawValue, answersRequest: answersRequest, swarm: destination.swarm,
      isTimeUncertain: context.isTimeUncertain ? true : nil, isResent: isResent ? true : nil,
      identityShownAt: identityShownAt, requiredLevel: requiredLevel, room: room)
    sending.dependencies += try transaction.predecessor(of: destination.partition)
    try transaction.enqueue(job, sending, at: jobTime)
  }

  /// Creates the delivery of a message with everything that belongs to it.
  func makeDelivery(
    of row: InteractionRecord, to destination: Destination, as profile: MessageProfile?, answersRequest: Bool,
    in transaction: borrowing WriteTransaction
  ) throws -> Delivery {
    let content = try transaction.visibleContent(
      of: row, profile: destination.showsProfile ? profile : nil)
    return try makeDelivery(
      .visible(content), of: row, to: destination, in: transaction,
      before: answersRequest ? .messageRequestResponse(MessageRequestResponse(profile: profile)) : nil)
  }

  func makeAttachmentSending() -> JobHandler {
    JobHandler(AttachmentSending.self) { [self] sending, end, transaction in
      guard let message = try transaction.interaction(sending.interactionID) else { return }
      if sending.room != nil { try transaction.failUploads(of: message) }
      try fail(message, message.failure ?? end.reason, in: transaction)
    } run: { [self] sending, context in
      let profile = try await queue.run { [self] in
        try author.configs.read { configs in try configs.ownProfile() }
      }
      if sending.isTimeUncertain == true { await self.context.learnTime(isUrgent: true) }
      if case .room(let room)? = sending.room {
        return try await post(sending, to: room, as: profile, context)
      }
      let delivery = try await context.write { [self] transaction in
        try sealOnce(sending, for: context.id, as: profile, in: transaction)
      }
      return try await deliver(delivery, context)
    }
  }

  private func sealOnce(
    _ sending: AttachmentSending, for job: JobRecord.ID, as profile: MessageProfile?,
    in transaction: borrowing WriteTransaction
  ) throws -> Delivery {
    guard let row = try transaction.interaction(sending.interactionID),
      let thread = try transaction.thread(row.threadID), let destination = thread.destination(own: own)
    else { throw JobFailure(.permanent, "its message was deleted") }
    if let sealed = try transaction.effect(AttachmentSending.sealing, of: job)?.result {
      return try JobPayload.decode(Delivery.self, from: sealed)
    }
    guard try transaction.filesToSend(with: row).allSatisfy({ $0.sendable != nil }) else {
      throw JobFailure(.permanent, "one of its files was not uploaded")
    }
    let dated = sending.isTimeUncertain == true ? try redated(row, in: transaction) : row
    var delivery = try makeDelivery(
      late: dated, to: destination, as: profile, answersRequest: sending.answersRequest,
      shownAt: sending.identityShownAt, requiring: sending.requiredLevel, in: transaction)
    delivery.isResent = sending.isResent
    try transaction.putEffect(
      AttachmentSending.sealing, of: job, isDone: true, result: try JobPayload.encode(delivery))
    return delivery
  }
}

extension WriteTransaction {
  /// Records that the files of a message were not uploaded.
  fileprivate func failUploads(of message: InteractionRecord) throws {
    for var file in try attachments(of: message.id) where file.state == .uploading {
      file.state = .failedUpload
      try update(file)
    }
  }

  /// Cancels the transfers of a message's files, unless another message needs them.
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
