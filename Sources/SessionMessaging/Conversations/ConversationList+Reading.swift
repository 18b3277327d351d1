import SessionCore
import SessionJobs
import SessionStorage

extension ConversationList {
  /// What is unread in a conversation.
  private struct Unread {
    let conversation: Conversation.ID
    let end: ReadEnd
    let messages: [InteractionRecord]
  }

  /// The most conversations in a transaction.
  private static let conversationsTogether = 200

  /// Marks a conversation as read up to a message, or up to the newest one.
  func markRead(_ conversation: Conversation.ID, upTo id: MessageView.ID?) async throws {
    try await act { [self] in
      let now = try time()
      let unread = try database.read { transaction in
        try self.unread(in: conversation, upTo: id, at: now, transaction)
      }
      if let unread { try markRead([unread]) }
    }
  }

  /// Marks conversations as read up to their newest messages.
  func markRead(_ conversations: [Conversation.ID]) async throws {
    for start in stride(from: 0, to: conversations.count, by: Self.conversationsTogether) {
      let part = conversations[start..<min(start + Self.conversationsTogether, conversations.count)]
      try await act { [self] in
        let now = try time()
        let unread = try database.read { transaction in
          // One may be gone by now.
          try part.filter { try transaction.thread(at: $0.address) != nil }
            .compactMap { try self.unread(in: $0, upTo: nil, at: now, transaction) }
        }
        if !unread.isEmpty { try markRead(unread) }
      }
    }
  }

  /// Nil if there is nothing to mark as read.
  private func unread(
    in conversation: Conversation.ID, upTo id: MessageView.ID?, at now: MessageTime,
    _ transaction: borrowing ReadTransaction
  ) throws -> Unread? {
    let thread = try transaction.conversation(conversation)
    let last = try id.map { id in try transaction.message(id, in: conversation).0 }
    let newest = try last ?? transaction.page(of: thread.id, limit: 1).first
    let until = max(newest?.sentAt ?? thread.lastReadAt, thread.lastReadAt)
    let end = try transaction.readEnd(of: thread, upTo: until, at: now)
    let messages = try transaction.unread(in: thread.id, upTo: until)
    guard end.told > thread.lastReadAt || thread.isMarkedUnread || !messages.isEmpty else { return nil }
    return Unread(conversation: conversation, end: end, messages: messages)
  }

  private func markRead(_ conversations: [Unread]) throws {
    try author.editNow { configs, now in
      for unread in conversations where unread.end.told > 0 {
        guard let place = try sharedPlace(of: unread.conversation, in: configs) else { continue }
        let read = try MessageTime(milliseconds: UInt64(unread.end.told))
        try configs.updateReadMark(place, at: now) { $0.markRead(upTo: read) }
      }
    } writing: { _, transaction, now in
      for unread in conversations {
        guard var thread = try transaction.thread(at: unread.conversation.address) else { continue }
        try transaction.noteRead(&thread, upTo: unread.end, at: now, context)
        try requestReceipts(for: unread.messages, to: unread.conversation, in: thread, transaction)
      }
    }
  }

  func markUnread(_ conversation: Conversation.ID) async throws {
    try await author.edit { [self] configs, now in
      guard let place = try sharedPlace(of: conversation, in: configs) else { return }
      try configs.updateReadMark(place, at: now) { $0.isMarkedUnread = true }
    } writing: { _, transaction, now in
      var thread = try transaction.conversation(conversation)
      thread.isMarkedUnread = true
      try transaction.keep(thread, at: now)
    }
  }

  /// The config record of a conversation's read position; nil if the configs do not know it.
  private func sharedPlace(
    of conversation: Conversation.ID, in configs: borrowing Configs
  ) throws -> ReadMark.Place? {
    switch conversation {
    case .person(own): break
    // Only this device has the conversation until they answer.
    case .person(let id) where id.isBlinded: return nil
    case .person(let id): guard try configs.contacts[id] != nil else { return nil }
    case .group(let id): guard try configs.groups[id] != nil else { return nil }
    case .room(let room): guard try configs.groups[room] != nil else { return nil }
    }
    return ReadMark.Place(conversation)
  }

  /// Sends a person read receipts. Groups get none.
  private func requestReceipts(
    for read: [InteractionRecord], to conversation: Conversation.ID, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws {
    let times = read.filter { $0.kind == .incoming }.map(\.sentAt)
    guard !times.isEmpty, case .person(let person) = conversation, person != own,
      try transaction.value(of: .usesReadReceipts) == true,
      let contact = try transaction.contact(person.address), contact.isApproved, !contact.isBlocked
    else { return }
    for start in stride(from: 0, to: times.count, by: ReadReceipt.maxMessages) {
      let part = Array(times[start..<min(start + ReadReceipt.maxMessages, times.count)])
      var request = JobRequest.at(context.unpredictableTime)
      request.thread = thread.id
      try transaction.enqueue(ReceiptSending(person: person, times: part), request, at: jobTime)
    }
  }
}

/// The read position of a conversation.
struct ReadEnd: Hashable, Sendable {
  /// The allowed clock difference between two people in a conversation, in milliseconds.
  static let tolerance: Int64 = 120_000

  /// Stored messages sent up to this time are read.
  let shown: Int64
  /// Later arrivals sent up to this time count as read: the send time of the newest message that is not in the
  /// future. A sender whose clock is ahead does not hide messages sent after it.
  let told: Int64
}

private enum ReadingStatements {
  static let newest: SQL = "SELECT ifnull(max(sentAt), 0) FROM interaction WHERE threadID = ? AND sentAt <= ?"
  static let unread: SQL =
    "SELECT id FROM interaction WHERE threadID = ? AND wasRead = 0 AND sentAt <= ? ORDER BY sentAt"
  static let hasUnread: SQL = "SELECT 1 FROM interaction WHERE threadID = ? AND wasRead = 0 LIMIT 1"
}

extension Reading where Self: ~Copyable {
  /// The read position implied by a reply; nil if nothing is unread or marked unread.
  func endOfUnread(in conversation: Conversation.ID, at now: MessageTime) throws -> ReadEnd? {
    guard let thread = try thread(at: conversation.address),
      try thread.isMarkedUnread || exists(ReadingStatements.hasUnread, thread.id),
      let newest = try page(of: thread.id, limit: 1).first
    else { return nil }
    return try readEnd(of: thread, upTo: newest.sentAt, at: now)
  }

  /// The read position that covers all messages sent up to a time.
  func readEnd(of thread: ThreadRecord, upTo time: Int64, at now: MessageTime) throws -> ReadEnd {
    let latest = now.stored + ReadEnd.tolerance
    guard time > latest else { return ReadEnd(shown: time, told: time) }
    return ReadEnd(shown: time, told: try value(ReadingStatements.newest, thread.id, latest) ?? 0)
  }

  /// The unread messages sent up to a time.
  fileprivate func unread(in thread: ThreadRecord.ID, upTo time: Int64) throws -> [InteractionRecord] {
    let ids: [InteractionRecord.ID] = try values(ReadingStatements.unread, thread, time)
    return try ids.compactMap { id in try interaction(id) }
  }
}

extension WriteTransaction {
  /// Records the read position on this device.
  func noteRead(
    _ thread: inout ThreadRecord, upTo end: ReadEnd, at now: MessageTime, _ context: AccountContext
  ) throws {
    try markRead(in: thread, upTo: end.shown, at: now, context)
    thread.lastReadAt = max(thread.lastReadAt, end.told)
    thread.isMarkedUnread = false
    try keep(thread, at: now)
  }
}
