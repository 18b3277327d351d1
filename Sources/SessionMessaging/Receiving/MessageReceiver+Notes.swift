import SessionCore
import SessionJobs
import SessionStorage

// Messages that leave a note.

extension MessageReceiver {
  /// Adds a note of an action by an accepted contact.
  func note(
    _ note: MessageView.Note, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation,
      let thread = try transaction.thread(at: conversation.address)
    else { return .dropped(.noTarget) }
    try insert(note, received, arrival, in: thread, transaction)
    return .kept
  }

  /// Adds a note. `timer` is nil if the message has the timer.
  @discardableResult
  func insert(
    _ note: MessageView.Note, _ received: ReceivedMessage, _ arrival: Arrival, in thread: ThreadRecord,
    uuid: String? = nil, timer: ExpiryTimer? = nil, _ transaction: borrowing WriteTransaction
  ) throws -> InteractionRecord {
    let sentAt = shownTime(of: received)
    var row = InteractionRecord(
      in: thread.id, by: received.sender.address, note.kind, sentAt: sentAt,
      receivedAt: now.stored, state: isOwn(received.sender) ? .sent : .received)
    row.take(arrival.name)
    row.uuid = uuid
    row.info = note.info
    // Notes of a group are not news.
    row.wasRead = isOwn(received.sender) || owner.kind == .group || sentAt <= thread.lastReadAt
    row.expiry = timer ?? expiry(of: received, in: thread)
    switch received.message.content.kind.traits.disappearing {
    case .never where note != .timerChanged && timer == nil: row.expiry = .off
    case .afterRead where timer == nil: row.expiry = ExpiryTimer(.afterRead, seconds: row.expiry.seconds)
    default: break
    }
    if row.expiry.mode == .afterSend && row.expiry.seconds > 0 { row.expiryStartedAt = sentAt }
    let kept = try transaction.insert(row)
    if kept.expiryStartedAt != nil { try transaction.requestSweep(for: kept, at: now, context) }
    try transaction.tell(.messageReceived, kept, at: now)
    return kept
  }

  /// The configs hold the timer of a conversation; the message only says that it was set.
  func receiveTimer(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation, conversation != .person(own),
      let thread = try transaction.thread(at: conversation.address)
    else { return .dropped(.noTarget) }
    let last = try transaction.lastTimerChange(in: thread.id)
    if let last, last.author == received.sender.address, last.expiry == expiry(of: received, in: thread) {
      return .duplicate
    }
    try takeProfile(received, in: transaction)
    try insert(.timerChanged, received, arrival, in: thread, transaction)
    return .kept
  }

  /// An unsolicited acceptance gets no reply.
  func receiveResponse(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let sender = received.sender
    guard let conversation = arrival.conversation,
      let thread = try transaction.thread(at: conversation.address),
      var contact = try transaction.contact(conversation.address)
    else { return .dropped(.noTarget) }
    try takeProfile(received, in: transaction)
    // The batch has merged the configs and updated the row already; add the note once.
    if !contact.didApproveMe {
      contact.didApproveMe = true
      try transaction.put(contact)
    }
    guard try !transaction.hasNote(.requestAccepted, by: sender, in: thread.id) else { return .kept }
    // A person who wrote to us before had nothing to accept.
    guard try !transaction.hasMessage(by: sender, in: thread.id) else { return .kept }
    let note = try insert(.requestAccepted, received, arrival, in: thread, transaction)
    try transaction.tell(.requestAccepted, note, at: now)
    return .kept
  }

  /// Calls are not supported: a ringing call is noted once, as missed.
  func receive(
    _ call: CallMessage, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation,
      let thread = try transaction.thread(at: conversation.address)
    else { return .dropped(.noTarget) }
    guard try !transaction.hasCall(call.id, in: thread.id) else { return .duplicate }
    try insert(.missedCall, received, arrival, in: thread, uuid: call.id, transaction)
    return .kept
  }
}

private enum NoteStatements {
  static let lastTimerChange: SQL =
    "SELECT id FROM interaction WHERE threadID = ? AND kind = ? ORDER BY sentAt DESC, id DESC LIMIT 1"
  static let note: SQL = "SELECT 1 FROM interaction WHERE threadID = ? AND author = ? AND kind = ?"
  static let message: SQL = "SELECT 1 FROM interaction WHERE threadID = ? AND author = ? AND kind < 1000"
  static let call: SQL = "SELECT 1 FROM interaction WHERE threadID = ? AND uuid = ?"
}

extension Reading where Self: ~Copyable {
  func lastTimerChange(in thread: ThreadRecord.ID) throws -> InteractionRecord? {
    let id: InteractionRecord.ID? = try value(
      NoteStatements.lastTimerChange, thread, MessageView.Note.timerChanged.number)
    return try id.flatMap { id in try interaction(id) }
  }

  fileprivate func hasNote(
    _ note: MessageView.Note, by author: SessionID, in thread: ThreadRecord.ID
  ) throws -> Bool {
    try exists(NoteStatements.note, thread, author.address, note.number)
  }

  fileprivate func hasMessage(by author: SessionID, in thread: ThreadRecord.ID) throws -> Bool {
    try exists(NoteStatements.message, thread, author.address)
  }

  fileprivate func hasCall(_ id: String, in thread: ThreadRecord.ID) throws -> Bool {
    try exists(NoteStatements.call, thread, id)
  }
}
