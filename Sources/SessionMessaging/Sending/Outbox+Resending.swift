import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Outbox {
  /// Sends a message again that failed, or whose copy for our other devices failed.
  func resend(_ id: MessageView.ID, identityShownAt: Int64?) async throws {
    try await act { [self] in
      try author.editNow { configs, _ in
        try configs.ownProfile()
      } writing: { profile, transaction, now in
        guard var row = try transaction.interaction(id.record),
          let thread = try transaction.thread(row.threadID),
          let destination = thread.destination(own: own)
        else { throw MessengerError(.noMessage, "no such message") }
        guard row.kind == .outgoing, row.state == .failed || row.state == .failedToSync else {
          throw MessengerError(.notAllowed, "only failed messages can be sent again")
        }
        guard try transaction.contact(thread.address)?.isBlocked != true else {
          throw MessengerError(.blocked, "this person is blocked: unblock them to write to them")
        }
        let level = try transaction.requiredLevel(of: row.id)
        try ratchet.check(destination, shownAt: identityShownAt, requiring: level, in: transaction)
        if case .blinded(let id) = destination.place { try transaction.requireRoute(to: id, for: account) }
        let wasSent = row.state == .failedToSync
        row.failure = nil
        row.state = wasSent ? .syncing : .sending
        // The row may have the hash of a copy that was never stored.
        row.serverHash = nil
        if !wasSent { row.level = 0 }
        try transaction.update(row)
        if wasSent {
          let content = try transaction.visibleContent(
            of: row, profile: destination.showsProfile ? profile : nil)
          try enqueueCopy(.visible(content), of: row, in: destination.swarm, transaction)
        } else {
          try dispatch(
            row, to: destination, as: profile, isResent: true, identityShownAt: identityShownAt,
            requiredLevel: level, in: transaction)
        }
        try transaction.tell(.messageQueued, row, at: now)
      }
    }
  }

  private func enqueueCopy(
    _ content: MessageContent, of row: InteractionRecord, in conversation: SessionID,
    _ transaction: borrowing WriteTransaction
  ) throws {
    let message = try Message(content, sentAt: row.time, disappearing: row.expiry.timer)
    let level = SecurityLevel(rawValue: row.level) ?? .v1
    guard let copy = try sealCopy(of: message, in: conversation, at: level, transaction) else { return }
    let hash = copy.hash(in: own)
    try transaction.remember(hash, in: own, until: row.sentAt + copy.lifetime.milliseconds)
    var kept = row
    kept.serverHash = hash
    try transaction.update(kept)
    try transaction.requestCopy(of: row, SealedItem(copy), to: own, at: jobTime)
  }

  /// Marks messages as failed that were interrupted and that no job works on any more.
  func settleInterrupted() async throws {
    try await write { [environment] transaction, now in
      try transaction.settleUnattended(because: "the program ended before it was sent", at: now)
      environment.log(.info, .messages, "resumed")
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The least protection that the sender of a message required, whose sending failed; nil for any.
  fileprivate func requiredLevel(of message: InteractionRecord.ID) throws -> SecurityLevel? {
    guard let job = try endedJob(of: message, in: (Delivery.kind, AttachmentSending.kind)) else { return nil }
    guard job.kind == Delivery.kind else {
      return try JobPayload.decode(AttachmentSending.self, from: job.payload).requiredLevel
    }
    return try JobPayload.decode(Delivery.self, from: job.payload).requiredLevel
  }
}

extension WriteTransaction {
  /// Marks messages without a job as failed, with a reason.
  func settleUnattended(because reason: String, at now: MessageTime) throws {
    for var message in try unsettledInteractions() {
      let role: Delivery.Role = message.state == .sending ? .message : .copy
      guard try job(Delivery.kind, for: Delivery.key(role, message.id.rawValue)) == nil,
        try job(AttachmentSending.kind, for: AttachmentSending.key(message.id)) == nil
      else { continue }
      message.state = message.state == .sending ? .failed : .failedToSync
      message.failure = reason
      try update(message)
      try tell(.messageFailed, message, at: now)
    }
    try settleTransfers()
  }
}
