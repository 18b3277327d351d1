import SessionCore
public import SessionJobs
public import SessionStorage

extension Messenger {
  /// The running, waiting and failed jobs. A messenger opened for reading returns the stored ones.
  public func jobs() async throws -> JobView { try await runner.view() }

  /// Returns the conversations that jobs belong to; some belong to none.
  public nonisolated func conversations(of jobs: [JobStatus]) async throws -> [JobRecord.ID: Conversation.ID]
  {
    try await context.database.read { transaction in
      var conversations: [JobRecord.ID: Conversation.ID] = [:]
      for job in jobs {
        let thread = try job.thread ?? job.interaction.flatMap { try transaction.interaction($0)?.threadID }
        conversations[job.id] = try thread.flatMap { thread in
          try transaction.thread(thread).flatMap { Conversation.ID($0.address) }
        }
      }
      return conversations
    }
  }

  /// Runs a waiting or failed job as soon as possible, such as sending a message or downloading a file. Leaves
  /// running jobs alone. Throws `noJob` if there is none.
  public nonisolated func retryJob(_ id: JobRecord.ID) async throws {
    try await perform(.account(.retryJob(id.rawValue)))
  }

  nonisolated func retry(_ id: JobRecord.ID) async throws {
    let job = try await knownJob(id)
    guard job.state == .failed else {
      try await context.write { transaction, _ in try transaction.retry(id) }
      return
    }
    switch (job.kind, job.interactionID) {
    case (Delivery.kind, let message?), (AttachmentSending.kind, let message?),
      (AttachmentUpload.kind, let message?):
      // A message is sealed again with everything that belongs to it, unless that has been done since.
      if try await isUnsent(message) {
        try await outbox.resend(MessageView.ID(message), identityShownAt: nil)
      }
      try await context.write { transaction, _ in try transaction.deleteJob(id) }
    case (AttachmentDownload.kind, _):
      try await context.write { [context] transaction, _ in
        guard let record = try transaction.job(id) else { return }
        let download = try AttachmentDownload.decode(record.payload, version: record.version)
        try transaction.deleteJob(id)
        guard let attachment = try transaction.attachment(download.id) else { return }
        try transaction.requestDownload(attachment, at: context.jobTime)
      }
    default:
      try await context.write { transaction, _ in try transaction.retry(id) }
    }
  }

  /// Cancels a job; its message then counts as failed. Deletes a job that has already failed. Throws `noJob` if there
  /// is none or it has ended, and `jobNotCancellable` for internal jobs, such as pushing configs.
  public nonisolated func cancelJob(_ id: JobRecord.ID) async throws {
    try await perform(.account(.cancelJob(id.rawValue)))
  }

  nonisolated func cancel(_ id: JobRecord.ID) async throws {
    let job = try await knownJob(id)
    if job.state != .failed, let purpose = Self.ownWork[job.kind] {
      throw MessengerError(.jobNotCancellable, "'\(job.kind)' cannot be cancelled: it \(purpose)")
    }
    try await context.write { [context] transaction, now in
      guard job.state != .failed else { return try transaction.deleteJob(id) }
      let reason = "it was cancelled"
      try transaction.cancel(id, because: reason, at: context.jobTime)
      try transaction.settleUnattended(because: reason, at: now)
    }
  }

  /// Internal jobs that nothing would enqueue again, with their purposes.
  private static let ownWork = [
    ConfigSync.kind: "synchronises contacts and settings with other devices",
    ConfigRestoring.kind: "restores contacts and settings that the network lost",
    SwarmDeletion.kind: "deletes messages from the network that were deleted here",
    DisappearingSweep.kind: "deletes expired messages",
    ExpiryShortening.kind: "shortens the expiry of messages in the network",
    Upkeep.kind: "deletes obsolete rows",
    FileSweeping.kind: "deletes unused files",
    PictureKeeping.kind: "extends the expiry of your profile picture",
    GroupCreation.kind: "stores a new group; to give the group up, leave it",
    GroupRemoval.kind: "completes the removal of members from a group",
    GroupRevocation.kind: "repeats changes of access to a group",
    GroupLeaving.kind: "leaves a group",
    GroupDestroying.kind: "deletes a group for everyone",
    GroupClearing.kind: "deletes messages of a group that an admin cleared",
    SendLater.kind: "sends a scheduled message; to give that up, run: session scheduled cancel",
    RoomJoining.kind: "joins a room; to give that up, leave the room",
    MemberMarks.kind: "records how far invitations have come",
  ]

  private nonisolated func isUnsent(_ id: InteractionRecord.ID) async throws -> Bool {
    try await context.database.read { transaction in
      guard let message = try transaction.interaction(id), message.kind == .outgoing else { return false }
      return message.state == .failed || message.state == .failedToSync
    }
  }

  /// Returns a job that has not ended.
  private nonisolated func knownJob(_ id: JobRecord.ID) async throws -> JobRecord {
    let job = try await context.database.read { transaction in try transaction.jobSummary(id) }
    guard let job, job.state != .done, job.state != .cancelled else {
      throw MessengerError(.noJob, "job \(id.rawValue) does not exist or has ended")
    }
    return job
  }
}
