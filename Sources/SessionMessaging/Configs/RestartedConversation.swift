import SessionCore
import SessionStorage

// The deletion of a conversation may arrive after messages that were sent later. They begin a new conversation.

private enum RestartStatements {
  static let later: SQL =
    "SELECT id FROM interaction WHERE threadID = ? AND kind IN (0, 1) AND sentAt > ? AND receivedAt > ? ORDER BY sentAt"
  static let all: SQL = "SELECT id FROM interaction WHERE threadID = ?"
}

extension WriteTransaction {
  /// Deletes what is older than the deletion of a conversation with a person, whose contact is deleted already. Returns
  /// false, without changing anything, if everything is older.
  func restart(
    _ thread: ThreadRecord, with person: SessionID, after deletion: Int64, _ context: AccountContext,
    at now: MessageTime
  ) throws -> Bool {
    // A message that was here before the deletion was deleted with the rest, whatever its sender's clock said.
    let later: [InteractionRecord.ID] = try values(
      RestartStatements.later, thread.id, deletion - Deletions.tolerance, deletion)
    let messages = try later.compactMap { id in try interaction(id) }
    guard let first = messages.first else { return false }
    let all: [InteractionRecord.ID] = try values(RestartStatements.all, thread.id)
    for id in Set(all).subtracting(later).sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let message = try interaction(id) else { continue }
      try cancelDeliveries(of: message, at: context.jobTime)
      try delete(message)
      try tell(.messageDeleted, message, at: now)
    }
    var contact = ContactRecord(person.address, createdAt: first.sentAt)
    contact.isApproved = messages.contains { $0.kind == .outgoing }
    contact.didApproveMe = messages.contains { $0.kind == .incoming }
    try put(contact)
    var thread = thread
    (thread.isVisible, thread.priority, thread.mutedUntil) = (true, 0, nil)
    (thread.notifies, thread.isMarkedUnread, thread.expiry) = (.all, false, .off)
    try keep(thread, at: now)
    if !contact.isApproved {
      try tell(
        .requestReceived, MessengerEvent.Content(in: thread, person: person), thread: thread.id, at: now)
    }
    return true
  }
}
