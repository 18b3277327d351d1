import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Outbox {
  /// Writes a message down as one that is being sent, and requests its delivery.
  func send(
    _ text: OutgoingText, attachments: [OutgoingFile] = [], to recipient: SessionID
  ) async throws -> MessageView.ID {
    try await send(text, attachments: attachments, to: recipient, as: nil).id
  }

  /// Does the same once for each key.
  func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to recipient: SessionID, key: SendKey
  ) async throws -> KeyedMessage {
    try recipient.requireRecipient()
    for case .path(let path) in attachments.map(\.content) { try Files.requireRegular(path) }
    let content = try await KeyedContent(key, text, attachments, to: recipient)
    if let id = try await database.read({ transaction in try transaction.message(sentAs: content) }) {
      return KeyedMessage(id: id, isRepeated: true)
    }
    return try await send(text, attachments: attachments, to: recipient, as: content)
  }

  private func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to recipient: SessionID, as content: KeyedContent?
  ) async throws -> KeyedMessage {
    try recipient.requireRecipient()
    let preview = try text.preview.map { try LinkPreview(url: $0.url, title: $0.title) }
    // What no client would take is refused before anything is written.
    if attachments.isEmpty || !text.body.isEmpty {
      _ = try VisibleMessage(body: text.body, preview: preview).requireStandardLength()
    }
    _ = try await database.read { [self] transaction in
      try planSending(text, to: recipient, in: transaction)
    }
    let brought = try await files.bringIn(attachments)
    let image = try await files.bringIn(text.preview?.image.map { [$0] } ?? []).first
    // The recipient sees that we stopped typing when the message comes.
    _ = ownTyping.end(recipient)
    return try await act { [self] in
      let (plan, before) = try database.read { transaction in
        (
          try planSending(text, to: recipient, in: transaction),
          try content.flatMap { content in try transaction.message(sentAs: content) }
        )
      }
      if let before { return KeyedMessage(id: before, isRepeated: true) }
      let id = try author.editNow { configs, now in
        try accept(recipient, in: &configs, at: now)
        if let read = plan.read, read.told > 0 {
          try configs.conversations.markRead(
            .contact(recipient), upTo: MessageTime(milliseconds: UInt64(read.told)), at: now)
        }
        return try configs.ownProfile()
      } writing: { profile, transaction, now in
        var thread = try transaction.openThread(recipient, at: now)
        if let read = plan.read { try transaction.noteRead(&thread, upTo: read, at: now, context) }
        var row = InteractionRecord(
          in: thread.id, by: own.address, .outgoing, body: text.body,
          sentAt: try transaction.freeTime(in: thread, by: own, from: now), receivedAt: now.stored,
          state: .sending)
        row.wasRead = true
        row.expiry = thread.expiry
        if let preview {
          row.linkPreviewID = try transaction.obtainLinkPreview(
            of: preview.url, at: row.sentAt, .page, title: preview.title,
            image: image.map { image in try transaction.obtain(image) })
        }
        let message = try transaction.insert(row)
        if let content {
          try transaction.insert(
            SendKeyRecord(content.key.text, digest: content.digest, of: message.id, at: jobTime))
        }
        try transaction.attach(brought.map { file in try transaction.obtain(file) }, to: message.id)
        if let quote = plan.quote {
          try transaction.insert(
            QuoteRecord(of: message.id, author: quote.author.address, sentAt: quote.sentAt.stored))
        }
        try dispatch(
          message, to: recipient, as: profile, answersRequest: plan.isAnswerToRequest, in: transaction)
        try transaction.deleteDraft(of: thread.id)
        try transaction.tell(.messageQueued, message, at: now)
        return MessageView.ID(message.id)
      }
      return KeyedMessage(id: id, isRepeated: false)
    }
  }

  private struct SendingPlan: Sendable {
    let quote: Quote?
    /// True if the other side asked to talk and has no answer yet.
    let isAnswerToRequest: Bool
    /// The read position implied by the reply; nil if nothing is unread.
    let read: ReadEnd?
  }

  private func planSending(
    _ text: OutgoingText, to recipient: SessionID, in transaction: borrowing ReadTransaction
  ) throws -> SendingPlan {
    let contact = try transaction.contact(recipient.address)
    guard contact?.isBlocked != true else {
      throw MessengerError(.blocked, "this person is blocked: unblock them to write to them")
    }
    var quote: Quote?
    if let answered = text.answering {
      let (original, _) = try transaction.message(answered, in: .person(recipient))
      guard !original.isDeleted, !original.kind.isNote, let author = SessionID(original.author) else {
        throw MessengerError(.notAllowed, "only existing messages can be replied to")
      }
      quote = Quote(sentAt: try original.time, author: author)
    }
    return SendingPlan(
      quote: quote, isAnswerToRequest: contact?.asksToTalk ?? false,
      read: try transaction.endOfUnread(in: recipient, at: try time()))
  }

  /// Sending accepts the recipient and shows the conversation.
  private func accept(_ recipient: SessionID, in configs: inout Configs, at now: MessageTime) throws {
    if recipient == own {
      if try configs.profile.get().notePriority == .hidden {
        try configs.profile.update(at: now) { $0.notePriority = .normal }
      }
      return
    }
    let known = try configs.contacts[recipient]
    guard known?.isApproved != true || known?.priority == .hidden else { return }
    let profile = try database.read { transaction in try transaction.profile(recipient.address) }
    let contact = try database.read { transaction in try transaction.contact(recipient.address) }
    try configs.contacts.approve(recipient, contact, profile, at: now)
  }

  /// Seals a message, with the copy for our other devices and what is to come before it.
  func makeDelivery(
    _ content: MessageContent, of row: InteractionRecord, to recipient: SessionID,
    in transaction: borrowing WriteTransaction, before first: MessageContent? = nil
  ) throws -> Delivery {
    let message = try Message(
      content, sentAt: row.time, disappearing: row.expiry.timer(in: recipient == own))
    let sealed = try seal(message, for: recipient)
    var parcels = [SealedParcel(sealed.parcel)]
    if let first {
      parcels.insert(SealedParcel(try seal(Message(first, sentAt: row.time), for: recipient).parcel), at: 0)
    }
    if let hash = sealed.ownHash {
      try transaction.remember(hash, in: own, until: row.sentAt + sealed.parcel.lifetime.milliseconds)
      var kept = row
      kept.serverHash = hash
      try transaction.update(kept)
    }
    return Delivery(
      swarm: recipient, parcels: parcels, role: .message, interaction: row.id.rawValue,
      copy: sealed.copy.map { SealedParcel($0) }, isTimeUncertain: context.isTimeUncertain ? true : nil)
  }

  /// Seals something that leaves no row behind, and has it delivered: to the other side and, where there is a copy, to
  /// our other devices.
  func enqueueNotice(
    _ content: MessageContent, sentAt: MessageTime, timer: DisappearingTimer? = nil, to recipient: SessionID,
    in thread: ThreadRecord.ID?, _ transaction: borrowing WriteTransaction
  ) throws {
    let sealed = try seal(Message(content, sentAt: sentAt, disappearing: timer), for: recipient)
    try transaction.request(
      Delivery(swarm: recipient, parcels: [SealedParcel(sealed.parcel)], role: .notice, keepsOrder: true),
      in: thread, at: jobTime)
    if let hash = sealed.ownHash {
      try transaction.remember(hash, in: own, until: sentAt.stored + sealed.parcel.lifetime.milliseconds)
    }
    guard let copy = sealed.copy else { return }
    try transaction.request(
      Delivery(swarm: own, parcels: [SealedParcel(copy)], role: .notice, keepsOrder: true), in: thread,
      at: jobTime)
  }
}

// MARK: - Sending again

extension Outbox {
  /// Sends a message once more that could not be sent, or not to our other devices.
  func resend(_ id: MessageView.ID) async throws {
    try await act { [self] in
      try author.editNow { configs, _ in
        try configs.ownProfile()
      } writing: { profile, transaction, now in
        guard var row = try transaction.interaction(id.record),
          let thread = try transaction.thread(row.threadID),
          let recipient = SessionID(thread.address)
        else { throw MessengerError(.noMessage, "no such message") }
        guard row.kind == .outgoing, row.state == .failed || row.state == .failedToSync else {
          throw MessengerError(.notAllowed, "only failed messages can be sent again")
        }
        guard try transaction.contact(thread.address)?.isBlocked != true else {
          throw MessengerError(.blocked, "this person is blocked: unblock them to write to them")
        }
        let wasSent = row.state == .failedToSync
        row.failure = nil
        row.state = wasSent ? .syncing : .sending
        // The row may have had the hash of a copy that never was stored.
        row.serverHash = nil
        try transaction.update(row)
        if wasSent {
          let content = try transaction.visibleContent(of: row, profile: recipient == own ? nil : profile)
          try enqueueCopy(.visible(content), of: row, in: recipient, transaction)
        } else {
          try dispatch(row, to: recipient, as: profile, in: transaction)
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
    guard let copy = try seal(message, for: conversation).copy else { return }
    let hash = copy.hash(in: own)
    try transaction.remember(hash, in: own, until: row.sentAt + copy.lifetime.milliseconds)
    var kept = row
    kept.serverHash = hash
    try transaction.update(kept)
    try transaction.requestCopy(of: row, SealedParcel(copy), to: own, at: jobTime)
  }

  /// What the program left half done when it ended: nothing works on it any more, so it says so.
  func settleInterrupted() async throws {
    try await write { [environment] transaction, now in
      try transaction.settleUnattended(because: "the program ended before it was sent", at: now)
      environment.log("resumed unfinished work")
    }
  }
}

extension WriteTransaction {
  /// What no job works on any more has failed, and says why.
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

// MARK: - Rows

extension ContactsConfig {
  /// Wants to hear from somebody, with what is known of them.
  mutating func approve(
    _ id: SessionID, _ contact: ContactRecord?, _ profile: ProfileRecord?, at now: MessageTime
  ) throws {
    try update(id) { entry in
      entry.isApproved = true
      if contact?.didApproveMe == true { entry.hasApprovedMe = true }
      if entry.createdAtSeconds == 0 { entry.createdAtSeconds = Int64(now.seconds) }
      if entry.priority == .hidden { entry.priority = .normal }
      guard entry.name.isEmpty, let profile, !profile.name.isEmpty else { return }
      entry.name = profile.name
      entry.profileUpdatedAtSeconds = profile.updatedAt / 1000
      if let url = profile.pictureURL, let key = profile.pictureKey {
        entry.picture = try? ProfilePicture(url: url, key: key)
      }
    }
  }
}

extension ContactRecord {
  /// True if they wrote to us, and we have not said yet that we want to hear from them.
  var asksToTalk: Bool { didApproveMe && !isApproved }
}

extension VisibleMessage {
  /// The same; throws `visible.length` for a text longer than allowed without Pro.
  fileprivate func requireStandardLength() throws -> VisibleMessage {
    guard body.unicodeScalars.count <= Self.maxStandardCharacters else {
      throw MessengerError(
        .notAllowed,
        "a message has up to \(Self.maxStandardCharacters) characters, this one has \(body.unicodeScalars.count)"
      )
    }
    return self
  }
}

extension InteractionRecord {
  /// When it was sent.
  var time: MessageTime {
    get throws { try MessageTime(milliseconds: UInt64(clamping: sentAt)) }
  }
}

extension ExpiryTimer {
  /// The same as messages have it: notes to oneself count from being sent.
  func timer(in isNoteToSelf: Bool) -> DisappearingTimer? {
    guard let timer, isNoteToSelf else { return self.timer }
    return try? DisappearingTimer(.afterSend, seconds: timer.seconds)
  }
}

extension Reading where Self: ~Copyable {
  /// A message of a conversation, and that: `noMessage` where there is none.
  func message(
    _ id: MessageView.ID, in conversation: Conversation.ID? = nil
  ) throws -> (InteractionRecord, ThreadRecord) {
    guard let message = try interaction(id.record), let thread = try thread(message.threadID),
      conversation == nil || thread.address == conversation?.address
    else { throw MessengerError(.noMessage, "no such message") }
    return (message, thread)
  }

  /// A conversation: `noConversation` where there is none.
  func conversation(_ id: Conversation.ID) throws -> ThreadRecord {
    guard let thread = try thread(at: id.address) else {
      throw MessengerError(.noConversation, "no such conversation")
    }
    return thread
  }

  /// The first moment from one on at which somebody has sent nothing in a conversation: messages are known by it. What is
  /// written last stands last, though the time of the network is only estimated.
  func freeTime(
    in thread: ThreadRecord, by author: SessionID, from time: MessageTime,
    except id: InteractionRecord.ID? = nil
  ) throws -> Int64 {
    let newest = try page(of: thread.id, limit: 2).first { $0.id != id }?.sentAt ?? 0
    var moment = time.stored
    if newest >= moment, newest - moment <= AccountContext.clockError { moment = newest + 1 }
    while try interaction(in: thread.id, by: author.address, sentAt: moment) != nil { moment += 1 }
    return moment
  }

  /// What a row says, as it is sent.
  func visibleContent(of row: InteractionRecord, profile: MessageProfile?) throws -> VisibleMessage {
    var quote: Quote?
    if let record = try self.quote(of: row.id), let author = SessionID(record.author) {
      quote = Quote(sentAt: try MessageTime(milliseconds: UInt64(clamping: record.sentAt)), author: author)
    }
    var preview: LinkPreview?
    if let id = row.linkPreviewID, let record = try linkPreview(id), record.kind == .page {
      let image = try record.attachmentID.flatMap { id in try attachment(id)?.sendable }
      preview = try LinkPreview(url: record.url, title: record.title, image: image)
    }
    return try VisibleMessage(
      body: row.body ?? "", attachments: try attachments(of: row.id).compactMap(\.sendable), quote: quote,
      preview: preview, profile: profile)
  }
}

extension WriteTransaction {
  /// The conversation with somebody, made and told of where there is none, and shown.
  func openThread(_ id: SessionID, at now: MessageTime, createdAt: Int64? = nil) throws -> ThreadRecord {
    guard var thread = try thread(at: id.address) else {
      let thread = try obtainThread(at: id.address, .contact, createdAt: createdAt ?? now.stored)
      try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
      return thread
    }
    thread.isVisible = true
    try keep(thread, at: now)
    return thread
  }
}

extension SessionID {
  /// Throws `invalidRecipient` for ids that no messages can be sent to.
  func requireRecipient() throws(MessengerError) {
    guard kind == .standard else {
      throw MessengerError(.invalidRecipient, "messages need an account id, and this is a \(kind)")
    }
  }
}
