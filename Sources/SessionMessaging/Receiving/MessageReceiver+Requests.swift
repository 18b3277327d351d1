import SessionCore
import SessionStorage

// Anyone can create any number of ids and write from each of them, so the storage for their messages is limited.

extension MessageReceiver {
  /// True if there is room for a message of this sender: always for accepted contacts.
  func hasRoom(
    for received: ReceivedMessage, _ contact: ContactRecord?, in conversation: Conversation.ID,
    _ thread: ThreadRecord?, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard conversation.isPerson, !isOwn(received.sender), contact?.isApproved != true else { return true }
    guard let thread else {
      try makeRoomForRequest(in: transaction)
      return true
    }
    return try transaction.messageCount(in: thread.id, upTo: Self.maxRequestMessages)
      < Self.maxRequestMessages
  }

  private func makeRoomForRequest(in transaction: borrowing WriteTransaction) throws {
    for thread in try transaction.requestsBeyond(Self.maxRequests - 1) {
      if let contact = try transaction.contact(thread.address), !contact.isBlocked {
        try transaction.deleteContact(contact.id)
      }
      try transaction.delete(thread, at: context.jobTime)
      try transaction.tell(.conversationDeleted, MessengerEvent.Content(in: thread), at: now)
    }
  }
}

private enum RequestStatements {
  static let messages: SQL =
    "SELECT count(*) FROM (SELECT 1 FROM interaction WHERE threadID = ? LIMIT ?)"
  /// The offset skips the newest requests.
  static let requests: SQL = """
    SELECT t.id FROM thread t JOIN contact c ON c.id = t.address WHERE c.isApproved = 0
    ORDER BY t.id DESC LIMIT -1 OFFSET ?
    """
}

extension Reading where Self: ~Copyable {
  fileprivate func messageCount(in thread: ThreadRecord.ID, upTo limit: Int) throws -> Int {
    try value(RequestStatements.messages, thread, limit) ?? 0
  }

  fileprivate func requestsBeyond(_ count: Int) throws -> [ThreadRecord] {
    let ids: [ThreadRecord.ID] = try values(RequestStatements.requests, count)
    return try ids.compactMap { id in try thread(id) }
  }
}
