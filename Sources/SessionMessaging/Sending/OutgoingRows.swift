import SessionCore
import SessionStorage

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

  /// Throws `notMember` where only being in a group makes the conversation, and there is none.
  func requireThread(of destination: Destination) throws {
    guard case .group(let id) = destination.place else { return }
    guard try thread(at: id.address)?.kind == .group else { throw MessengerError.notMember }
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
  /// The conversation of a destination, shown. One with a person is made where there is none.
  func openThread(of destination: Destination, at now: MessageTime) throws -> ThreadRecord {
    try requireThread(of: destination)
    return try openThread(destination.swarm, at: now)
  }

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
