import SessionCore
import SessionStorage

// Messages about a group, in its own swarm. They only inform the user: the configs decide.

extension MessageReceiver {
  /// How long before a member was added they may have written as a member, in milliseconds: clocks differ.
  static let clockTolerance: Int64 = 120_000

  /// The verdict on a sender who must be, or for whom we must be, an admin.
  func isAllowed(
    _ verdict: AdmissionVerdict, _ sender: SessionID, in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    try verdict == .acceptAsAdmin ? isAdmin(in: transaction) : isAdmin(sender, in: transaction)
  }

  /// True if somebody is an admin of the group.
  func isAdmin(_ person: SessionID, in transaction: borrowing WriteTransaction) throws -> Bool {
    guard let group = try group(in: transaction),
      let member = try transaction.member(person.address, of: group.threadID)
    else { return false }
    return member.isAdmin && member.addedAt != GroupMemberRecord.provisional
  }

  /// True if an admin deleted everything in the group that was sent until later than a message.
  func isCleared(_ received: ReceivedMessage, in transaction: borrowing WriteTransaction) throws -> Bool {
    guard owner.kind == .group, let record = try group(in: transaction) else { return false }
    let content = received.message.content
    switch content.kind {
    case .groupMemberLeft, .groupInviteResponse, .groupContentDeletion: return false
    default: break
    }
    let seconds = received.sentAt.stored / 1000
    if seconds <= record.deletesBefore { return true }
    guard case .visible(let message) = content, !message.attachments.isEmpty else { return false }
    return seconds <= record.deletesFilesBefore
  }

  /// A member who writes has accepted their invitation. Admins write that into the configs.
  func noteAcceptance(by received: ReceivedMessage, in transaction: borrowing WriteTransaction) throws {
    let sender = received.sender
    guard owner.kind == .group, sender != own, try isAdmin(in: transaction),
      let group = try group(in: transaction),
      let member = try transaction.member(sender.address, of: group.threadID),
      member.status < Int(GroupMember.Status.inviteAccepted.rawValue), isFrom(member, received)
    else { return }
    try transaction.noteMember(member, sender, told: .inviteAccepted, in: owner, context)
  }

  /// True if a member wrote a message after they were added. What they wrote before a removal does not count.
  private func isFrom(_ member: GroupMemberRecord, _ received: ReceivedMessage) -> Bool {
    received.sentAt.stored > member.addedAt - Self.clockTolerance
  }

  func receiveUpdate(
    _ received: ReceivedMessage, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let update = try? received.verifiedGroupUpdate(for: context.account), update.group == owner else {
      return .dropped(.unreadable)
    }
    guard let thread = try transaction.thread(at: owner.address) else { return .dropped(.noTarget) }
    switch update.update {
    case .infoChange(let change): return try receive(change, received, arrival, in: thread, transaction)
    case .memberChange(let change): return try receive(change, received, arrival, in: thread, transaction)
    case .memberLeft: return try receiveLeaving(of: received.sender, received, in: thread, transaction)
    case .memberLeftNotification:
      try takeProfile(received, in: transaction)
      return try note(.members(.left, [received.sender]), received, arrival, in: thread, transaction)
    case .inviteResponse:
      try takeProfile(received, in: transaction)
      try noteAcceptance(by: received, in: transaction)
      return .kept
    case .contentDeletion(let deletion):
      return try receive(deletion, update.authority, received, in: thread, transaction)
    case .invite, .promotion: return .dropped(.unwanted)
    }
  }

  private func receive(
    _ change: GroupInfoChange, _ received: ReceivedMessage, _ arrival: Arrival, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    try takeProfile(received, in: transaction)
    switch change {
    case .name(let name): return try note(.renamed(name?.shown), received, arrival, in: thread, transaction)
    case .picture: return try note(.pictureChanged, received, arrival, in: thread, transaction)
    case .disappearing(let seconds):
      let timer = seconds > 0 ? ExpiryTimer(.afterSend, seconds: Int64(seconds)) : .off
      let last = try transaction.lastTimerChange(in: thread.id)
      if let last, last.author == received.sender.address, last.expiry == timer { return .duplicate }
      return try note(.timerChanged, received, arrival, in: thread, timer: timer, transaction)
    }
  }

  private func receive(
    _ change: GroupMemberChange, _ received: ReceivedMessage, _ arrival: Arrival, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let people = change.members.filter { $0.kind == .standard }
    guard !people.isEmpty else { return .dropped(.unreadable) }
    try takeProfile(received, in: transaction)
    let ordered = people.filter { $0 == own } + people.filter { $0 != own }
    return try note(
      .members(MessageView.Note.Change(change.kind), ordered, seesHistory: change.isHistoryShared), received,
      arrival, in: thread, transaction)
  }

  /// Adds a note of the group. Signatures of admins cover the type of the change and its time, not the details: a copy by
  /// somebody else is dropped.
  private func note(
    _ note: MessageView.Note, _ received: ReceivedMessage, _ arrival: Arrival, in thread: ThreadRecord,
    timer: ExpiryTimer? = nil, _ transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let sentAt = shownTime(of: received)
    let others = try transaction.notes(note.kind, in: thread.id, sentAt: sentAt).filter { other in
      note.hasType(of: MessageView.Note(other.kind, info: other.info))
    }
    guard others.allSatisfy({ $0.author == received.sender.address }) else { return .dropped(.unwanted) }
    guard others.isEmpty else { return .duplicate }
    try insert(note, received, arrival, in: thread, timer: timer ?? thread.expiry, transaction)
    return .kept
  }

  /// Admins remove a member who leaves, unless the member was added again since. Any member can seal the message of
  /// another one again, so that it counts once, and only as long as swarms keep it.
  private func receiveLeaving(
    of sender: SessionID, _ received: ReceivedMessage, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let sentAt = received.sentAt.stored
    guard sentAt > now.stored - OwnerInbox.longestMemory else { return .dropped(.outdated) }
    let name = "left:\(sender.address):\(sentAt)"
    guard try transaction.remember(name, in: owner, until: sentAt + OwnerInbox.longestMemory, lasts: true)
    else { return .duplicate }
    guard let member = try transaction.member(sender.address, of: thread.id),
      member.status < Int(GroupMember.Status.removedUnknown.rawValue)
    else { return .dropped(.noTarget) }
    guard isFrom(member, received) else { return .dropped(.outdated) }
    try transaction.noteMember(member, sender, told: .removal, in: owner, context)
    return .kept
  }

  /// Deletes messages for everyone: those that are named, or all by some authors. Members delete only their own.
  private func receive(
    _ deletion: GroupContentDeletion, _ authority: VerifiedGroupUpdate.Authority, _ received: ReceivedMessage,
    in thread: ThreadRecord, _ transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let time = received.sentAt.stored
    let isByAdmin = authority == .admin
    let sender = received.sender
    var targets = try deletion.messageHashes.compactMap { hash in
      try transaction.interaction(in: thread.id, withCopy: hash)
    }.filter { isByAdmin || $0.author == sender.address }
    for author in isByAdmin ? deletion.members : deletion.members.filter({ $0 == sender }) {
      targets += try transaction.messages(by: author, in: thread.id, before: time)
    }
    var seen: Set<InteractionRecord.ID> = []
    for target in targets where target.sentAt < time && !target.kind.isNote && !target.isDeleted {
      guard seen.insert(target.id).inserted else { continue }
      try transaction.delete(target, .forEveryone, at: now, context)
    }
    guard isByAdmin else { return .kept }
    // Nodes that lag behind may still give them out.
    for hash in deletion.messageHashes.prefix(GroupContentDeletion.maxHashes) {
      try transaction.remember(hash, in: owner, until: now.stored + OwnerInbox.longestMemory, lasts: true)
    }
    return .kept
  }
}

extension GroupContentDeletion {
  /// The number of messages named in one request.
  static let maxHashes = 200
}

private enum GroupMessageStatements {
  static let notes: SQL = "SELECT id FROM interaction WHERE threadID = ? AND kind = ? AND sentAt = ?"
  static let byAuthor: SQL = "SELECT id FROM interaction WHERE threadID = ? AND author = ? AND sentAt < ?"
}

extension Reading where Self: ~Copyable {
  fileprivate func notes(
    _ kind: InteractionRecord.Kind, in thread: ThreadRecord.ID, sentAt time: Int64
  ) throws -> [InteractionRecord] {
    let ids: [InteractionRecord.ID] = try values(GroupMessageStatements.notes, thread, kind, time)
    return try ids.compactMap { id in try interaction(id) }
  }

  /// Returns the messages of an author in a conversation before a time.
  func messages(
    by author: SessionID, in thread: ThreadRecord.ID, before time: Int64
  ) throws -> [InteractionRecord] {
    let ids: [InteractionRecord.ID] = try values(
      GroupMessageStatements.byAuthor, thread, author.address, time)
    return try ids.compactMap { id in try interaction(id) }.filter { !$0.kind.isNote && !$0.isDeleted }
  }
}
