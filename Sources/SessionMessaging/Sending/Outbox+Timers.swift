import SessionCore
import SessionJobs
import SessionStorage

extension Outbox {
  /// Notes a new timer in a conversation with a person, and tells them of it. The configs have it already.
  func tellTimer(
    _ timer: DisappearingTimer?, to person: SessionID, isDeliberate: Bool = false, in thread: ThreadRecord,
    as profile: MessageProfile?, _ transaction: borrowing WriteTransaction, at now: MessageTime
  ) throws {
    var row = InteractionRecord(
      in: thread.id, by: own.address, MessageView.Note.timerChanged.kind, sentAt: now.stored,
      receivedAt: now.stored, state: .sent)
    row.wasRead = true
    row.expiry = ExpiryTimer(timer)
    if row.expiry.mode == .afterSend { row.expiryStartedAt = row.sentAt }
    let note = try transaction.insert(row)
    if note.expiryStartedAt != nil { try transaction.requestSweep(for: note, at: now, context) }
    try enqueueNotice(
      .timerUpdate(ExpirationTimerUpdate(profile: profile)), sentAt: now, timer: timer, to: person,
      isDeliberate: isDeliberate, about: note.id, in: thread.id, transaction)
    try transaction.tell(.messageSent, note, at: now)
  }
}
