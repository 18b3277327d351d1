import SessionCore
import SessionStorage

extension ContactsConfig {
  /// Approves a person, with what is known about them.
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
  /// True if they sent a request that we have not accepted.
  var asksToTalk: Bool { didApproveMe && !isApproved }
}

extension InteractionRecord {
  /// When it was sent.
  var time: MessageTime {
    get throws { try MessageTime(milliseconds: UInt64(clamping: sentAt)) }
  }
}

extension ExpiryTimer {
  /// The timer as messages carry it: in Note to Self it starts when the message is sent.
  func timer(in isNoteToSelf: Bool) -> DisappearingTimer? {
    guard let timer, isNoteToSelf else { return self.timer }
    return try? DisappearingTimer(.afterSend, seconds: timer.seconds)
  }
}

extension Reading where Self: ~Copyable {
  /// Returns a message and its conversation. Throws `noMessage` if there is none.
  func message(
    _ id: MessageView.ID, in conversation: Conversation.ID? = nil
  ) throws -> (InteractionRecord, ThreadRecord) {
    guard let message = try interaction(id.record), let thread = try thread(message.threadID),
      conversation == nil || thread.address == conversation?.address
    else { throw MessengerError(.noMessage, "no such message") }
    return (message, thread)
  }

  /// Returns a conversation. Throws `noConversation` if there is none.
  func conversation(_ id: Conversation.ID) throws -> ThreadRecord {
    guard let thread = try thread(at: id.address) else {
      throw MessengerError(.noConversation, "no such conversation")
    }
    return thread
  }

  /// Returns the first free send time from `time` on: author and send time identify a message. The result follows the
  /// newest message if that is ahead only by the error of the time estimate, so that new messages come last.
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

  /// Throws the reason why nothing can be sent to a group, to a room, or to a blinded id.
  func requireThread(of destination: Destination, for account: Account) throws {
    if case .blinded(let id) = destination.place {
      try requireRoute(to: id, for: account)
      return
    }
    if case .room(let room) = destination.place { return try requireWriting(in: room) }
    guard case .group(let id) = destination.place else { return }
    guard let record = try groupRecord(of: id) else { throw MessengerError.notMember }
    guard record.localState != .leaving, record.localState != .destroying else {
      throw MessengerError(
        .notMember, "you are leaving this group: to return, ask an admin to invite you again")
    }
    guard record.accessLostAt == nil else {
      throw MessengerError(
        .accessLost, "the group does not let you in at the moment: an admin can invite you again")
    }
    guard !record.isExpired else {
      throw MessengerError(.groupExpired, "the keys of this group have expired: an admin has to come online")
    }
  }

  /// Returns the content of a row as it is sent.
  func visibleContent(of row: InteractionRecord, profile: MessageProfile?) throws -> VisibleMessage {
    var room: Community.Place?
    if case .room(let place)? = try thread(row.threadID).flatMap({ Conversation.ID($0.address) }) {
      room = place
    }
    var quote: Quote?
    if let record = try self.quote(of: row.id), let author = SessionID(record.author) {
      quote = Quote(sentAt: try MessageTime(milliseconds: UInt64(clamping: record.sentAt)), author: author)
    }
    var preview: LinkPreview?
    if let id = row.linkPreviewID, let record = try linkPreview(id), record.kind == .page {
      let image = try record.attachmentID.flatMap { id in try attachment(id) }
        .flatMap { image in image.belongs(in: room) ? image.sendable : nil }
      preview = try LinkPreview(url: record.url, title: record.title, image: image)
    }
    let isInRoom = try thread(row.threadID)?.kind == .community
    return try VisibleMessage(
      body: row.body ?? "",
      attachments: try attachments(of: row.id).filter { $0.belongs(in: room) }.compactMap(\.sendable),
      quote: quote, preview: preview, profile: profile,
      blocksCommunityMessageRequests: isInRoom ? try value(of: .refusesCommunityRequests) : nil)
  }
}

extension AttachmentRecord {
  /// True if a message of a room, or of no room, can refer to the file where it is.
  fileprivate func belongs(in room: Community.Place?) -> Bool {
    guard let room else { return address?.room == nil }
    return address?.lies(in: room) ?? false
  }
}

extension WriteTransaction {
  /// Returns the conversation of a destination and shows it. Creates one with a person if there is none.
  func openThread(
    of destination: Destination, for account: Account, at now: MessageTime
  ) throws -> ThreadRecord {
    try requireThread(of: destination, for: account)
    switch destination.place {
    case .room: return try conversation(destination.conversation)
    case .blinded(let id):
      try put(try requireRoute(to: id, for: account), to: id)
      // To write to somebody is to accept what they answer.
      var contact = try contact(id.address) ?? ContactRecord(id.address, createdAt: now.stored)
      contact.isApproved = true
      try put(contact)
      return try openThread(id, at: now)
    case .person, .ownDevices, .group: return try openThread(destination.swarm, at: now)
    }
  }

  /// Returns the conversation with a person and shows it. If there is none, creates and reports it.
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
  /// Throws `invalidRecipient` for an id that cannot receive messages.
  func requireRecipient() throws(MessengerError) {
    guard !isBlinded else {
      throw MessengerError(
        .invalidRecipient, "this is an id in a community: it works once this person has answered")
    }
    guard kind == .standard else {
      throw MessengerError(.invalidRecipient, "messages need an account id, but this is a \(kind)")
    }
  }
}
