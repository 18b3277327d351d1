import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

extension Outbox {
  /// The most messages that may wait to be sent; further ones are refused.
  static let maxUnsent = 10_000

  /// Stores a message as being sent, and requests its delivery.
  func send(
    _ text: OutgoingText, attachments: [OutgoingFile] = [], to conversation: Conversation.ID
  ) async throws -> MessageView.ID {
    try await send(text, attachments: attachments, to: conversation, key: nil, settling: nil).id
  }

  /// Does the same, at most once for each key, and acknowledges an event in the same transaction.
  func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to conversation: Conversation.ID, key: SendKey?,
    settling event: EventAcknowledgement?
  ) async throws -> KeyedMessage {
    let message = try await send(text, attachments, to: conversation, key, event)
    if message.isRepeated, let event {
      try await write { [context] transaction, _ in try transaction.acknowledge(event, at: context.jobTime) }
    }
    return message
  }

  private func send(
    _ text: OutgoingText, _ attachments: [OutgoingFile], to conversation: Conversation.ID, _ key: SendKey?,
    _ event: EventAcknowledgement?
  ) async throws -> KeyedMessage {
    let destination = try await destination(of: conversation)
    guard let key else {
      return try await send(text, attachments: attachments, to: destination, as: nil, settling: event)
    }
    for case .path(let path) in attachments.map(\.content) { try Files.requireRegular(path) }
    let content = try await KeyedContent(key, text, attachments, to: conversation)
    if let id = try await database.read({ transaction in try transaction.message(sentAs: content) }) {
      return KeyedMessage(id: id, isRepeated: true)
    }
    return try await send(text, attachments: attachments, to: destination, as: content, settling: event)
  }

  private func send(
    _ text: OutgoingText, attachments: [OutgoingFile], to destination: Destination, as content: KeyedContent?,
    settling event: EventAcknowledgement?
  ) async throws -> KeyedMessage {
    let prepared = try await prepare(text, attachments, to: destination)
    return try await post(prepared, to: destination, as: content, settling: event)
  }

  /// Where messages to a conversation go.
  func destination(of conversation: Conversation.ID) async throws -> Destination {
    let current = try await database.read { transaction in try transaction.current(conversation) }
    return try Destination(current, own: own)
  }

  /// A text to send, with its files in the account's folder.
  struct PreparedText: Sendable {
    let text: OutgoingText
    let preview: LinkPreview?
    let files: [ImportedFile]
    let image: ImportedFile?
  }

  /// Checks a message, and copies its files.
  func prepare(
    _ text: OutgoingText, _ attachments: [OutgoingFile], to destination: Destination
  ) async throws -> PreparedText {
    let preview = try await check(text, fileCount: attachments.count, to: destination)
    try await requirePlace()
    var isRoom = false
    if case .room = destination.place { isRoom = true }
    let brought = try await files.importFiles(attachments, toRoom: isRoom)
    // Rooms show links without images.
    let linkImage = isRoom ? nil : text.preview?.image
    let image = try await files.importFiles(linkImage.map { [$0] } ?? []).first
    return PreparedText(text: text, preview: preview, files: brought, image: image)
  }

  /// Throws `overloaded` while very many messages wait to be sent. One that was scheduled has its place already.
  private func requirePlace() async throws {
    try await database.read { transaction in
      guard try transaction.unsettledCount(upTo: Self.maxUnsent) < Self.maxUnsent else {
        throw StorageError(
          .overloaded, "\(Self.maxUnsent) messages wait to be sent already; nothing was stored")
      }
    }
  }

  /// Throws the reason why a message cannot be sent. Returns its preview.
  @discardableResult
  func check(_ text: OutgoingText, fileCount: Int, to destination: Destination) async throws -> LinkPreview? {
    guard destination.takesFiles || (fileCount == 0 && text.preview?.image == nil) else {
      throw MessengerError(.notAllowed, "files cannot be sent to people in communities")
    }
    let preview = try text.preview.map { try LinkPreview(url: $0.url, title: $0.title) }
    // Refuse a text that no client would accept, before anything is written.
    if fileCount == 0 || !text.body.isEmpty {
      _ = try VisibleMessage(body: text.body, preview: preview).requireStandardLength()
    }
    _ = try await database.read { [self] transaction in
      try planSending(text, to: destination, in: transaction)
    }
    if case .group(let group) = destination.place {
      try await queue.run { [self] in
        try author.configs.read { configs in
          guard try configs.groups[group]?.membership.isInvited != true else { return }
          try requireMembership(of: group, in: configs)
        }
      }
    }
    if case .room(let room) = destination.place, fileCount > 0 {
      try await database.read { transaction in try transaction.requirePermission(.upload, in: room) }
    }
    return preview
  }

  /// Stores a message as being sent, and requests its delivery. One that was scheduled ends being so in the same
  /// transaction; throws `noMessage` if it is not waiting any more, or for another time.
  func post(
    _ prepared: PreparedText, to destination: Destination, as content: KeyedContent?,
    settling event: EventAcknowledgement?, from scheduled: ScheduledRecord? = nil
  ) async throws -> KeyedMessage {
    let (text, preview) = (prepared.text, prepared.preview)
    // For the recipient, the message itself ends our typing indicator.
    _ = ownTyping.end(destination.swarm)
    return try await act { [self] in
      let (plan, before) = try database.read { transaction in
        (
          try planSending(text, to: destination, in: transaction),
          try content.flatMap { content in try transaction.message(sentAs: content) }
        )
      }
      if let before { return KeyedMessage(id: before, isRepeated: true) }
      try database.read { transaction in
        try ratchet.check(
          destination, shownAt: text.identityShownAt, requiring: text.requiredLevel, in: transaction)
      }
      let id = try author.editNow { configs, now in
        let joins = try accept(destination, in: &configs, at: now)
        if let timer = plan.firstTimer, case .person(let person) = destination.place {
          try configs.contacts.update(person) { $0.disappearing = timer }
        }
        if let read = plan.read, read.told > 0, let place = ReadMark.Place(destination.conversation) {
          let time = try MessageTime(milliseconds: UInt64(read.told))
          try configs.updateReadMark(place, at: now) { $0.markRead(upTo: time) }
        }
        return (joins: joins, profile: try configs.ownProfile())
      } writing: { edited, transaction, now in
        let profile = edited.profile
        try ratchet.check(
          destination, shownAt: text.identityShownAt, requiring: text.requiredLevel, in: transaction)
        var thread = try transaction.openThread(of: destination, for: account, at: now)
        if let timer = plan.firstTimer, case .person(let person) = destination.place {
          try tellTimer(timer, to: person, in: thread, as: profile, transaction, at: now)
        }
        if let asAdmin = edited.joins {
          try transaction.noteJoined(
            destination.swarm, in: thread, asAdmin: asAdmin, profile: profile, at: now, context)
        }
        if let read = plan.read { try transaction.noteRead(&thread, upTo: read, at: now, context) }
        let author = try transaction.author(in: destination, of: account)
        var row = InteractionRecord(
          in: thread.id, by: author.address, .outgoing, body: text.body,
          sentAt: try transaction.freeTime(in: thread, by: author, from: now), receivedAt: now.stored,
          state: .sending)
        row.wasRead = true
        row.expiry = thread.expiry
        row.isWhisper = text.whisper != nil
        if case .person(let recipient)? = text.whisper { row.whisperTo = recipient.address }
        if let preview {
          row.linkPreviewID = try transaction.obtainLinkPreview(
            of: preview.url, at: row.sentAt, .page, title: preview.title,
            image: prepared.image.map { image in try transaction.obtain(image) })
        }
        let message = try transaction.insert(row)
        if let content {
          try transaction.insert(
            SendKeyRecord(content.key.text, digest: content.digest, of: message.id, at: jobTime))
        }
        try transaction.attach(
          prepared.files.map { file in try transaction.obtain(file) }, to: message.id)
        if let scheduled { try transaction.settle(scheduled, as: message.id, at: now, jobTime) }
        if let quote = plan.quote {
          try transaction.insert(
            QuoteRecord(of: message.id, author: quote.author.address, sentAt: quote.sentAt.stored))
        }
        try dispatch(
          message, to: destination, as: profile, answersRequest: plan.isAnswerToRequest,
          identityShownAt: text.identityShownAt, requiredLevel: text.requiredLevel, in: transaction)
        if text.endsDraft {
          try transaction.deleteDraft(of: thread.id)
        } else if text.endsDraftText {
          try transaction.endDraftText(of: thread.id, at: now)
        }
        try transaction.tell(.messageQueued, message, at: now)
        if let event { try transaction.acknowledge(event, at: jobTime) }
        return MessageView.ID(message.id)
      }
      return KeyedMessage(id: id, isRepeated: false)
    }
  }

  struct SendingPlan: Sendable {
    let quote: Quote?
    /// True if the other side sent a request that was not accepted yet.
    let isAnswerToRequest: Bool
    /// The read position implied by the reply; nil if nothing is unread.
    let read: ReadEnd?
    /// The timer with which the message begins the conversation.
    let firstTimer: DisappearingTimer?
  }

  func planSending(
    _ text: OutgoingText, to destination: Destination, in transaction: borrowing ReadTransaction
  ) throws -> SendingPlan {
    try transaction.requireThread(of: destination, for: account)
    if text.whisper != nil {
      guard case .room(let room) = destination.place else {
        throw MessengerError(.notAllowed, "only messages in the rooms of communities can be whispered")
      }
      try transaction.requirePermission(.moderator, in: room)
    }
    let contact = try transaction.contact(destination.swarm.address)
    guard contact?.isBlocked != true else {
      throw MessengerError(.blocked, "this person is blocked: unblock them to write to them")
    }
    var quote: Quote?
    if let answered = text.answering {
      let original = try transaction.answerable(answered, in: destination.conversation)
      quote = try SessionID(original.author).map { author in
        Quote(sentAt: try original.time, author: author)
      }
    }
    var timer: DisappearingTimer?
    if case .person(let person) = destination.place, !text.skipsDefaultTimer, contact?.asksToTalk != true {
      timer = try transaction.firstTimer(of: person)
    }
    return SendingPlan(
      quote: quote, isAnswerToRequest: contact?.asksToTalk ?? false,
      read: try transaction.endOfUnread(in: destination.conversation, at: try time()), firstTimer: timer)
  }

  /// Accepts the recipient, or the invitation to a group, and shows the conversation. Returns if it joined a group:
  /// then true as an admin. Throws `notMember` for a group that we are not in.
  private func accept(
    _ destination: Destination, in configs: inout Configs, at now: MessageTime
  ) throws -> Bool? {
    switch destination.place {
    case .person(let id): try accept(id, in: &configs, at: now)
    case .ownDevices:
      guard try configs.profile.get().notePriority == .hidden else { return nil }
      try configs.profile.update(at: now) { $0.notePriority = .normal }
    case .group(let id):
      let entry = try configs.groups[id]
      let isInvited = entry?.membership.isInvited == true
      if isInvited { try configs.acceptInvitation(to: id, at: now) }
      try requireMembership(of: id, in: configs)
      return isInvited ? entry?.adminKey != nil : nil
    case .room, .blinded: break
    }
    return nil
  }

  /// Throws `notMember` for a group that we are not in.
  func requireMembership(of group: SessionID, in configs: borrowing Configs) throws {
    guard try configs.unlisted.contains(group) || configs.groups[group]?.credentials(of: account) != nil
    else {
      throw MessengerError.notMember
    }
  }

  private func accept(_ recipient: SessionID, in configs: inout Configs, at now: MessageTime) throws {
    let known = try configs.contacts[recipient]
    guard known?.isApproved != true || known?.priority == .hidden else { return }
    let profile = try database.read { transaction in try transaction.profile(recipient.address) }
    let contact = try database.read { transaction in try transaction.contact(recipient.address) }
    try configs.contacts.approve(recipient, contact, profile, at: now)
  }

  /// Creates the delivery of a message. If it is sealed now, so are the copy for our other devices and the messages
  /// that must precede it.
  func makeDelivery(
    _ content: MessageContent, of row: InteractionRecord, to destination: Destination,
    in transaction: borrowing WriteTransaction, before first: MessageContent? = nil
  ) throws -> Delivery {
    try destination.require(content.kind)
    let message = try Message(
      content, sentAt: row.time, disappearing: destination.timer(of: row.expiry))
    let isTimeUncertain = context.isTimeUncertain ? true : nil
    guard destination.sealing == .atCommit else {
      return Delivery(
        swarm: destination.swarm, items: [], role: .message, interaction: row.id.rawValue,
        isTimeUncertain: isTimeUncertain,
        unsealed: try UnsealedMessage(message, in: destination.conversation, sentAt: row.sentAt))
    }
    let recipient = destination.swarm
    guard let sealed = try seal(message, for: recipient, in: transaction) else {
      return Delivery(
        swarm: recipient, items: [], role: .message, interaction: row.id.rawValue,
        isTimeUncertain: isTimeUncertain,
        unsealed: try UnsealedMessage(
          message, in: destination.conversation, sentAt: row.sentAt,
          before: first.map { first in try Message(first, sentAt: row.time) }))
    }
    return try delivery(
      of: sealed, row, to: recipient, isTimeUncertain: isTimeUncertain,
      before: first.flatMap { first in
        try seal(Message(first, sentAt: row.time), for: recipient, in: transaction)
      }, in: transaction)
  }

  /// The delivery of a message of a conversation with a person, and a message that must precede it.
  func delivery(
    of sealed: SealedMessage, _ row: InteractionRecord, to recipient: SessionID, isTimeUncertain: Bool?,
    before first: SealedMessage?, in transaction: borrowing WriteTransaction
  ) throws -> Delivery {
    var kept = row
    kept.level = sealed.level.rawValue
    if let hash = sealed.ownHash {
      try transaction.remember(hash, in: own, until: row.sentAt + sealed.item.lifetime.milliseconds)
      kept.serverHash = hash
    }
    if kept != row { try transaction.update(kept) }
    try transaction.request(sealed.late, of: row.id, at: jobTime)
    try transaction.request(first?.late ?? [], at: jobTime)
    try noteSent(sealed, to: recipient, about: row.id, in: transaction)
    var delivery = Delivery(
      swarm: recipient, items: [first?.item, sealed.item].compactMap(\.self).map { SealedItem($0) },
      role: .message, interaction: row.id.rawValue, copy: sealed.copy.map { SealedItem($0) },
      isTimeUncertain: isTimeUncertain)
    delivery.notAfter = sealed.notAfter
    return delivery
  }

  /// Seals a message without a row, and requests its delivery: to the other side and, if there is a copy, to our
  /// other devices. One that a person sends is refused if the recipient has changed since they were verified. One that is
  /// about a message can be sent again.
  func enqueueNotice(
    _ content: MessageContent, sentAt: MessageTime, timer: DisappearingTimer? = nil, to recipient: SessionID,
    isDeliberate: Bool = false, about row: InteractionRecord.ID? = nil, in thread: ThreadRecord.ID?,
    _ transaction: borrowing WriteTransaction
  ) throws {
    if isDeliberate, recipient != own, !recipient.isBlinded {
      try ratchet.checkIdentity(of: recipient, shownAt: nil, in: transaction)
    }
    let message = try Message(content, sentAt: sentAt, disappearing: timer)
    guard let sealed = try seal(message, for: recipient, in: transaction) else {
      var waiting = Delivery(
        swarm: recipient, items: [], role: .notice, keepsOrder: true,
        unsealed: try UnsealedMessage(message, in: .person(recipient), sentAt: sentAt.stored))
      waiting.isDeliberate = isDeliberate ? true : nil
      waiting.about = row?.rawValue
      try transaction.request(waiting, in: thread, at: jobTime)
      return
    }
    var delivery = Delivery(
      swarm: recipient, items: [SealedItem(sealed.item)], role: .notice, keepsOrder: true)
    delivery.notAfter = sealed.notAfter
    if let row { try noteSent(sealed, to: recipient, about: row, in: transaction) }
    try transaction.request(delivery, in: thread, at: jobTime)
    try requestCopy(of: sealed, sentAt: sentAt, in: thread, transaction)
  }

  /// Records that something about a message was sent with forward secrecy: it is sent again if a device asks for it.
  func noteSent(
    _ sealed: SealedMessage, to recipient: SessionID, about row: InteractionRecord.ID,
    in transaction: borrowing WriteTransaction
  ) throws {
    guard sealed.level == .sr1 else { return }
    let hash = sealed.item.hash(in: recipient)
    try transaction.put(RatchetSentRecord(hash, to: recipient.address, row, at: jobTime))
  }

  /// Has the copy of a message without a row delivered to our other devices.
  func requestCopy(
    of sealed: SealedMessage, sentAt: MessageTime, in thread: ThreadRecord.ID?,
    _ transaction: borrowing WriteTransaction
  ) throws {
    try transaction.request(sealed.late, at: jobTime)
    if let hash = sealed.ownHash {
      try transaction.remember(hash, in: own, until: sentAt.stored + sealed.item.lifetime.milliseconds)
    }
    guard let copy = sealed.copy else { return }
    try transaction.request(
      Delivery(swarm: own, items: [SealedItem(copy)], role: .notice, keepsOrder: true), in: thread,
      at: jobTime)
  }
}

extension VisibleMessage {
  /// Returns itself; throws `visible.length` for a text longer than allowed without Pro.
  func requireStandardLength() throws -> VisibleMessage {
    guard body.unicodeScalars.count <= Self.maxStandardCharacters else {
      throw MessengerError(
        .notAllowed,
        "a message has up to \(Self.maxStandardCharacters) characters, this one has \(body.unicodeScalars.count)"
      )
    }
    return self
  }
}

extension MessengerError {
  static let notMember = MessengerError(
    .notMember, "you are not in this group: ask one of its admins to invite you")
}

extension Reading where Self: ~Copyable {
  /// Returns a message of a conversation that others can reply to. Throws `notAllowed` for what is none.
  func answerable(
    _ id: MessageView.ID, in conversation: Conversation.ID
  ) throws -> InteractionRecord {
    let (original, _) = try message(id, in: conversation)
    guard !original.isDeleted, !original.kind.isNote, SessionID(original.author) != nil else {
      throw MessengerError(.notAllowed, "only existing messages can be replied to")
    }
    return original
  }
}

extension WriteTransaction {
  /// Records that a scheduled message became a message, and gives it the files.
  fileprivate func settle(
    _ waiting: ScheduledRecord, as message: InteractionRecord.ID, at now: MessageTime, _ jobTime: Int64
  ) throws {
    guard var record = try stillWaiting(waiting) else {
      throw MessengerError(
        .noMessage, "the scheduled message \(waiting.id.rawValue) is not waiting any more")
    }
    try attach(attachments(of: record.id).map(\.id), to: message)
    try detachAll(from: record.id)
    (record.state, record.interactionID, record.jobID) = (.sent, message, nil)
    record.settledAt = now.stored
    try update(record)
    try fulfilSendKey(of: record.id, with: message, at: jobTime)
    try tell(record, message: message, at: now)
  }
}

extension WriteTransaction {
  /// Deletes the text of a draft, and all of it if it has no files.
  fileprivate func endDraftText(of thread: ThreadRecord.ID, at now: MessageTime) throws {
    let files = try draftAttachments(of: thread)
    guard !files.isEmpty, var draft = try draft(of: thread) else { return try deleteDraft(of: thread) }
    (draft.body, draft.updatedAt) = ("", now.stored)
    (draft.quoteAuthor, draft.quoteSentAt) = (nil, nil)
    try put(draft, attachments: files.map(\.id))
  }
}

extension Destination {
  /// Throws `notAllowed` for a kind of message that cannot go there.
  fileprivate func require(_ kind: MessageKind) throws(MessengerError) {
    guard accepts(kind) else {
      throw MessengerError(.notAllowed, "a message of the kind \(kind.rawValue) cannot be sent there")
    }
  }
}
