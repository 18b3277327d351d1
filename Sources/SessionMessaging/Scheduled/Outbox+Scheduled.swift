import SessionCore
import SessionJobs
import SessionStorage

extension Outbox {
  /// The number of messages that may wait.
  static let maxScheduled = 200

  /// Stores a message to send it later. Its files are copied now; whether it may be sent is checked when it is due.
  func schedule(
    _ text: OutgoingText, _ attachments: [OutgoingFile], to conversation: Conversation.ID,
    at sendTime: SendTime, key: SendKey?
  ) async throws -> KeyedSchedule {
    guard text.preview == nil else {
      throw MessengerError(.notAllowed, "the preview of a link cannot be scheduled")
    }
    guard !text.skipsDefaultTimer else {
      throw MessengerError(
        .notAllowed, "a message that is sent later cannot begin a conversation without the default timer")
    }
    let destination = try await destination(of: conversation)
    for case .path(let path) in attachments.map(\.content) { try Files.requireRegular(path) }
    let content: KeyedContent? =
      if let key { try await KeyedContent(key, text, attachments, to: conversation) } else { nil }
    if let known = try await known(content) { return known }
    await context.learnTime()
    try sendTime.check(at: try time().stored)
    try await requireRoom()
    let prepared = try await prepare(text, attachments, to: destination)
    return try await act { [self] in
      try context.requireWorking()
      let now = try time()
      let settling = Settling.current
      let quote = try database.read { transaction in
        try planSending(text, to: destination, in: transaction).quote
      }
      let (kept, isSettled) = try database.write { transaction in
        if let content, let known = try transaction.scheduled(as: content) { return (known, false) }
        let isSettled = try settling?.settle(in: transaction, at: jobTime) ?? false
        try requireRoom(in: transaction)
        var record = ScheduledRecord(
          to: destination.conversation.address, body: text.body, at: sendTime.at, zone: sendTime.zone,
          late: sendTime.late, createdAt: now.stored)
        if let quote {
          (record.quoteAuthor, record.quoteSentAt) = (quote.author.address, quote.sentAt.stored)
        }
        record.keepConditions(of: text)
        record = try transaction.insert(
          record, attachments: prepared.files.map { file in try transaction.obtain(file) })
        record.jobID = try transaction.requestSending(
          record.id, after: sendTime.at - now.stored, at: jobTime)
        try transaction.update(record)
        if text.endsDraft, let thread = try transaction.thread(at: record.address) {
          try transaction.deleteDraft(of: thread.id)
        }
        if let content {
          var key = SendKeyRecord(
            content.key.text, digest: content.digest, of: .init(rawValue: 0), at: jobTime)
          key.scheduledID = record.id
          try transaction.insert(key)
        }
        try transaction.tell(record, at: now)
        return (KeyedSchedule(id: ScheduledMessage.ID(record.id), isRepeated: false), isSettled)
      }
      if isSettled { settling?.noteDone() }
      return kept
    }
  }

  /// The message that an earlier call with the same key scheduled.
  private func known(_ content: KeyedContent?) async throws -> KeyedSchedule? {
    guard let content else { return nil }
    return try await database.read { transaction in try transaction.scheduled(as: content) }
  }

  private func requireRoom() async throws {
    try await database.read { [self] transaction in try requireRoom(in: transaction) }
  }

  private func requireRoom(in transaction: borrowing some Reading & ~Copyable) throws {
    guard try transaction.scheduledCount() < Self.maxScheduled else {
      throw MessengerError(.notAllowed, "\(Self.maxScheduled) messages are scheduled already")
    }
  }

  /// Sends a message that was scheduled and is due, and settles it in the same transaction.
  func sendNow(_ waiting: ScheduledRecord) async throws {
    guard let conversation = Conversation.ID(waiting.address) else {
      throw MessengerError(.invalidRecipient, "this is not a conversation id")
    }
    let destination = try await destination(of: conversation)
    let text = try await database.read { transaction in try transaction.text(of: waiting) }
    let count = try await database.read { transaction in try transaction.attachments(of: waiting.id).count }
    try await check(text, fileCount: count, to: destination)
    let prepared = PreparedText(text: text, preview: nil, files: [], image: nil)
    _ = try await post(prepared, to: destination, as: nil, settling: nil, from: waiting)
  }

  /// Deletes a message that was scheduled.
  func cancelScheduled(_ id: ScheduledRecord.ID) async throws {
    try await write { [context] transaction, now in
      let record = try transaction.unsent(id)
      if let job = record.jobID { try transaction.cancel(job, at: context.jobTime) }
      try transaction.releaseSendKey(of: id)
      try transaction.deleteScheduled(id)
      try transaction.tell(record, at: now)
      try transaction.requestFileSweep(at: context.jobTime)
    }
  }

  /// Has a message sent at another time; also one that was missed or failed.
  func moveScheduled(_ id: ScheduledRecord.ID, to sendTime: SendTime) async throws {
    await context.learnTime()
    try await write { [self] transaction, now in
      try sendTime.check(at: now.stored)
      try reschedule(id, to: sendTime, in: transaction, at: now)
    }
  }

  /// Sends a scheduled message at once; also one that was missed or failed.
  func sendScheduledNow(_ id: ScheduledRecord.ID) async throws {
    await context.learnTime()
    try await write { [self] transaction, now in
      let record = try transaction.unsent(id)
      try reschedule(
        id,
        to: SendTime(now.stored, zone: record.zone, late: max(record.late, SendTime.usualLateness)),
        in: transaction, at: now)
    }
  }

  private func reschedule(
    _ id: ScheduledRecord.ID, to sendTime: SendTime, in transaction: borrowing WriteTransaction,
    at now: MessageTime
  ) throws {
    var record = try transaction.unsent(id)
    if record.state != .waiting { try requireRoom(in: transaction) }
    if let job = record.jobID { try transaction.cancel(job, because: "it was moved", at: jobTime) }
    (record.at, record.zone, record.late) = (sendTime.at, sendTime.zone, sendTime.late)
    (record.state, record.failure, record.settledAt) = (.waiting, nil, nil)
    record.jobID = try transaction.requestSending(id, after: sendTime.at - now.stored, at: jobTime)
    try transaction.update(record)
    try transaction.tell(record, at: now)
  }
}

extension ScheduledRecord {
  /// Keeps what the sender demanded of the message.
  fileprivate mutating func keepConditions(of text: OutgoingText) {
    level = text.requiredLevel?.rawValue
    identityShownAt = text.identityShownAt
    switch text.whisper {
    case nil: break
    case .moderators?: whisper = Self.moderators
    case .person(let id)?: whisper = id.address
    }
  }

  fileprivate static let moderators = "moderators"
}

extension Reading where Self: ~Copyable {
  /// A scheduled message that was not sent. Throws `noMessage` if there is none.
  fileprivate func unsent(_ id: ScheduledRecord.ID) throws -> ScheduledRecord {
    guard let record = try scheduled(id) else {
      throw MessengerError(.noMessage, "there is no scheduled message \(id.rawValue)")
    }
    guard record.state != .sent else {
      throw MessengerError(.notAllowed, "the scheduled message \(id.rawValue) was sent")
    }
    return record
  }

  /// The message that was scheduled under a key. Throws `keyConflict` if its content differs, or it was sent at once.
  fileprivate func scheduled(as content: KeyedContent) throws -> KeyedSchedule? {
    guard let known = try sendKey(content.key.text) else { return nil }
    guard known.digest == content.digest, let id = known.scheduledID else {
      throw MessengerError(
        .keyConflict, "the key '\(content.key.text)' was used for another message")
    }
    return KeyedSchedule(id: ScheduledMessage.ID(id), isRepeated: true)
  }

  /// The text of a scheduled message. The message that it replies to may have been deleted meanwhile.
  fileprivate func text(of record: ScheduledRecord) throws -> OutgoingText {
    var text = OutgoingText(record.body)
    if let author = record.quoteAuthor, let sentAt = record.quoteSentAt,
      let thread = try thread(at: record.address),
      let original = try interaction(in: thread.id, by: author, sentAt: sentAt), !original.isDeleted
    {
      text.answering = MessageView.ID(original.id)
    }
    if let level = record.level { text.requiredLevel = SecurityLevel(rawValue: level) ?? .sr1 }
    text.identityShownAt = record.identityShownAt
    switch record.whisper {
    case nil: break
    case ScheduledRecord.moderators?: text.whisper = .moderators
    case let id?:
      guard let person = SessionID(id) else {
        throw MessengerError(.invalidRecipient, "a message can be whispered only to a person")
      }
      text.whisper = .person(person)
    }
    return text
  }
}
