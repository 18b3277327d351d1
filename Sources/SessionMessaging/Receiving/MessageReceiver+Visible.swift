import SessionCore
import SessionStorage

extension MessageReceiver {
  /// Receives a visible message.
  func receive(
    _ message: VisibleMessage, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation else { return .dropped(.noTarget) }
    guard source.hasFiles || !message.body.isEmpty else { return .dropped(.unwanted) }
    let known = try transaction.thread(at: conversation.address)
    // The configs create and delete the conversations of groups and rooms.
    if known == nil, !conversation.isPerson { return .dropped(.noTarget) }
    let sentAt: Int64
    switch try storageTime(of: received, arrival, in: conversation, known, transaction) {
    case .free(let time): sentAt = time
    case .stored(let same): return try meetAgain(same, arrival, in: transaction)
    case .redated: return .duplicate
    }
    let contact = conversation.isPerson ? try transaction.contact(conversation.address) : nil
    guard try hasRoom(for: received, contact, in: conversation, known, transaction) else {
      return .dropped(.unwanted)
    }
    try takeProfile(received, in: transaction)
    try takeRefusal(message, received, in: known, transaction)
    try noteAcceptance(by: received, in: transaction)
    let isRequest = try takeApproval(of: received, contact, in: conversation, transaction)
    let thread: ThreadRecord
    if let account = conversation.account, known?.isVisible != true {
      thread = try transaction.openThread(account, at: now, createdAt: sentAt)
    } else if let known {
      thread = known
    } else {
      return .dropped(.noTarget)
    }
    var row = makeRow(message, received, in: thread, sentAt: sentAt)
    row.take(arrival.name)
    if source == .account {
      (row.level, row.isFromHeldDevice) = (arrival.level.rawValue, arrival.isFromHeldDevice)
      if arrival.sealed == nil, !isOwn(received.sender) {
        try transaction.noteStandardMessage(of: received.sender, sentAt: received.sentAt, at: now, context)
      }
    }
    if row.wasRead, row.expiry.mode == .afterRead, let started = row.expiryStartedAt,
      let end = arrival.expiresAt
    {
      // The device that read it first has set the expiry in the swarm.
      row.expiryStartedAt = max(sentAt, min(started, end - row.expiry.seconds * 1000))
    }
    try takeLink(message, into: &row, transaction)
    try takePendingReceipt(into: &row, transaction)
    let kept = try transaction.insert(row)
    try rememberTime(sentAt, of: received, arrival, in: conversation, transaction)
    if source.hasFiles {
      try takeAttachments(message.attachments, of: kept, transaction)
      try fetchImage(of: kept, transaction)
    }
    if let quote = message.quote {
      try transaction.insert(
        QuoteRecord(
          of: kept.id, author: author(of: quote, in: kept.threadID, transaction), sentAt: quote.sentAt.stored)
      )
    }
    if kept.expiryStartedAt != nil { try transaction.requestSweep(for: kept, at: now, context) }
    if conversation == .person(received.sender),
      typists.note(received.sender, isTyping: false, at: sentAt, now: context.jobTime)
    {
      transaction.note(.updated, .thread(thread.id))
    }
    if news != .none {
      try transaction.tell(
        .messageReceived, MessengerEvent.Content(in: thread, person: received.sender), thread: thread.id,
        message: kept.id, at: now)
    }
    if isRequest && known?.isVisible != true {
      try transaction.tell(
        .requestReceived, MessengerEvent.Content(in: thread, person: received.sender), thread: thread.id,
        at: now)
    }
    return .kept
  }

  /// Handles a message that is stored already: under another hash, or our own, returned before we knew that it was
  /// sent.
  private func meetAgain(
    _ known: InteractionRecord, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    if owner.kind == .group, let hash = arrival.hash, hash != known.serverHash {
      // Any member can make copies.
      try transaction.keep(hash, of: known.id, upTo: Self.maxCopies)
    }
    guard known.kind == .outgoing, [.sending, .failed, .syncing, .failedToSync].contains(known.state) else {
      return .duplicate
    }
    var sent = known
    if let hash = arrival.hash {
      sent.take(
        .kept(hash: hash, until: try MessageTime(milliseconds: UInt64(arrival.end(at: now)))), isPolled: true)
    } else {
      (sent.state, sent.failure) = (.sent, nil)
    }
    try transaction.update(sent)
    try transaction.tell(.messageSent, sent, at: now)
    return .duplicate
  }

  private func makeRow(
    _ message: VisibleMessage, _ received: ReceivedMessage, in thread: ThreadRecord, sentAt: Int64
  ) -> InteractionRecord {
    let isOwn = isOwn(received.sender)
    var row = InteractionRecord(
      in: thread.id, by: received.sender.address, isOwn ? .outgoing : .incoming, body: message.body.shown,
      sentAt: sentAt, receivedAt: now.stored, state: isOwn ? .sent : .received)
    row.proStatus = Int64(received.proStatus.rawValue)
    row.proMessageFeatures = Int64(
      truncatingIfNeeded: received.message.pro?.messageFeatures.rawValue ?? 0)
    row.proProfileFeatures = Int64(
      truncatingIfNeeded: received.message.pro?.profileFeatures.rawValue ?? 0)
    row.hasMention = !isOwn && mentionsUs(message)
    let isOld = sentAt <= thread.lastReadAt && !(news == .mentions && row.hasMention)
    row.wasRead = isOwn || isOld || news == .none
    row.expiry = expiry(of: received, in: thread)
    let startsAtOnce = isOwn || row.expiry.mode == .afterSend
    if row.expiry.seconds > 0 {
      if startsAtOnce {
        row.expiryStartedAt = sentAt
      } else if row.wasRead {
        row.expiryStartedAt = now.stored
      }
    }
    return row
  }

  /// True if a message names us. A reply to our own message counts as a mention.
  func mentionsUs(_ message: VisibleMessage) -> Bool {
    message.mentions.contains { isOwn($0.id) } || message.quote.map { isOwn($0.author) } == true
  }

  /// The timer of a message, as it applies in its conversation.
  func expiry(of received: ReceivedMessage, in thread: ThreadRecord) -> ExpiryTimer {
    let isNote = thread.address == own.address
    guard let timer = received.message.disappearing,
      let mode = timer.mode(in: received.place, isNoteToSelf: isNote)
    else { return .off }
    return ExpiryTimer(mode == .afterSend ? .afterSend : .afterRead, seconds: Int64(timer.seconds))
  }

  func takeLink(
    _ message: VisibleMessage, into row: inout InteractionRecord, _ transaction: borrowing WriteTransaction
  ) throws {
    if let invitation = message.invitation, invitation.link != nil,
      invitation.url.utf8.count <= Self.maxLinkBytes
    {
      row.linkPreviewID = try transaction.obtainLinkPreview(
        of: invitation.url, at: row.sentAt, .communityInvitation, title: title(invitation.name))
    } else if let preview = message.preview, preview.url.utf8.count <= Self.maxLinkBytes {
      row.linkPreviewID = try transaction.obtainLinkPreview(
        of: preview.url, at: row.sentAt, .page, title: preview.title.map { title($0) },
        image: source.hasFiles ? takeImage(of: preview, transaction)?.id : nil)
    }
  }

  /// The part of a title that is kept.
  private func title(_ text: String) -> String {
    guard text.unicodeScalars.count > Self.maxTitle else { return text.shown }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maxTitle))).shown
  }

  /// A read receipt may arrive before our copy of the message.
  private func takePendingReceipt(
    into row: inout InteractionRecord, _ transaction: borrowing WriteTransaction
  ) throws {
    guard row.kind == .outgoing,
      let readAt = try transaction.pendingReadReceipt(in: row.threadID, sentAt: row.sentAt)
    else { return }
    row.readByRecipientAt = readAt
    try transaction.deletePendingReadReceipt(in: row.threadID, sentAt: row.sentAt)
  }
}

extension String {
  /// The text to store and show, without NUL characters, which end a text elsewhere.
  var shown: String { contains("\0") ? String(filter { $0 != "\0" }) : self }
}
