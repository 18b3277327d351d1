import SessionCore
import SessionJobs
import SessionStorage

/// Sends a scheduled message when it is due, by the network's time.
struct SendLater: JobKind {
  static let kind = "sendLater"
  static let queue = JobQueue("scheduled", concurrency: 4)
  static let retry = RetryPolicy.unlimited
  static let conditions: JobConditions = [.accountActive]
  /// Each run compares the due time with the network's, so a clock that is set back does not delay it.
  static let timesAreDelays = true

  let scheduled: Int64

  var uniqueKey: String? { "\(scheduled)" }
  var id: ScheduledRecord.ID { ScheduledRecord.ID(rawValue: scheduled) }
}

extension Outbox {
  /// A message that is due is sent within a minute in any case, in milliseconds: the program needs time to get to it.
  private static let leastLateness: Int64 = 60_000
  /// When to look again if the network's time is unknown, in milliseconds.
  private static let timeRetry: Int64 = 60_000

  func makeSendLater() -> JobHandler {
    JobHandler(SendLater.self) { [self] later, _ in
      guard let waiting = try await database.read({ transaction in try transaction.waiting(later.id) }) else {
        return .done
      }
      await context.learnTime(isUrgent: jobTime >= waiting.at)
      let now = try time().stored
      guard now >= waiting.at else { return .again(at: jobTime.saturatingAdd(waiting.at - now)) }
      guard now - waiting.at <= max(waiting.late, Self.leastLateness) else {
        // By a local clock that is wrong, everything would be missed.
        guard !context.isTimeUncertain else { return .again(at: jobTime.saturatingAdd(Self.timeRetry)) }
        return .done { [self] transaction in
          try settle(waiting, .missed, because: "nothing ran when it was due", in: transaction)
        }
      }
      do {
        try await sendNow(waiting)
        return .done
      } catch let error as StorageError {
        throw error
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        guard JobVerdict(of: error) == .permanent else { throw error }
        return .done { [self] transaction in
          try settle(waiting, .failed, because: "\(error)", in: transaction)
        }
      }
    }
  }

  /// Records that a message was not sent, unless it was moved meanwhile: to another time, for which there is another job,
  /// or into another conversation, where it is tried again. Its text becomes a draft where there is none.
  func settle(
    _ waiting: ScheduledRecord, _ state: ScheduledRecord.State, because reason: String,
    in transaction: borrowing WriteTransaction
  ) throws {
    guard var record = try transaction.stillWaiting(waiting) else {
      guard let moved = try transaction.waiting(waiting.id), moved.jobID == waiting.jobID else { return }
      _ = try transaction.requestSending(moved.id, after: moved.at - (try time().stored), at: jobTime)
      return
    }
    let now = try time()
    (record.state, record.failure, record.jobID) = (state, reason, nil)
    record.settledAt = now.stored
    try transaction.update(record)
    if state == .failed, let thread = try transaction.thread(at: record.address),
      try transaction.draft(of: thread.id) == nil
    {
      var draft = DraftRecord(in: thread.id, body: record.body, updatedAt: now.stored)
      (draft.quoteAuthor, draft.quoteSentAt) = (record.quoteAuthor, record.quoteSentAt)
      // A text over the limit of drafts stays where it is.
      if record.body.utf8.count <= DraftRecord.maxBody {
        try transaction.put(draft, attachments: try transaction.attachments(of: record.id).map(\.id))
      }
    }
    try transaction.tell(record, at: now)
  }
}

extension JobVerdict {
  /// Errors of the messenger stand: the same message would be refused again.
  fileprivate init(of error: any Error) {
    self = (error as? any JobFailing)?.verdict ?? .permanent
  }
}

extension Reading where Self: ~Copyable {
  /// A scheduled message that was neither sent nor given up.
  func waiting(_ id: ScheduledRecord.ID) throws -> ScheduledRecord? {
    guard let record = try scheduled(id), record.state == .waiting else { return nil }
    return record
  }

  /// The same if it waits for the same time and job as it did then, in the same conversation: that of somebody from a room
  /// becomes a part of another one when their account is learnt.
  func stillWaiting(_ before: ScheduledRecord) throws -> ScheduledRecord? {
    guard let record = try waiting(before.id), record.at == before.at, record.jobID == before.jobID,
      record.address == before.address
    else { return nil }
    return record
  }
}

extension WriteTransaction {
  /// Has a scheduled message sent when it is due. Each start of the program asks for all of them again, because clocks may
  /// have been set meanwhile.
  func requestSending(_ id: ScheduledRecord.ID, after delay: Int64, at now: Int64) throws -> JobRecord.ID {
    try enqueue(SendLater(scheduled: id.rawValue), .at(now.saturatingAdd(max(delay, 0))), at: now)
  }

  /// Has all scheduled messages compared with the time, and sent if they are due.
  func requestScheduled(at now: Int64) throws {
    for var record in try scheduled(.waiting) {
      let job = try requestSending(record.id, after: 0, at: now)
      guard record.jobID != job else { continue }
      record.jobID = job
      try update(record)
    }
  }

  /// Reports a change of a scheduled message.
  func tell(_ record: ScheduledRecord, message: InteractionRecord.ID? = nil, at now: MessageTime) throws {
    var content = MessengerEvent.Content(conversation: Conversation.ID(record.address))
    content.scheduled = record.id.rawValue
    content.reason = record.failure
    try tell(
      .scheduledChanged, content, thread: try thread(at: record.address)?.id, message: message, at: now)
  }
}
