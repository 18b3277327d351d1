import SessionCore
import SessionStorage

/// Work that follows from a change of the configs. The caller requests it in the same transaction.
enum ConfigFollowUp {
  /// A person, who had this profile, may have another picture.
  case picture(of: SessionID, after: ProfileRecord?)
  case groupPicture(of: SessionID)
  /// A conversation was read up to a time.
  case reading(ThreadRecord.ID, upTo: Int64)
  /// An admin cleared a group.
  case clearing(of: SessionID)
  /// Members are marked for removal from a group that we administer.
  case removal(from: SessionID)
  /// Files may not be in use any more.
  case fileSweep
}

/// Brings the rows of the database in line with the configs.
struct ConfigProjection {
  let context: AccountContext
  let now: MessageTime
  /// When the newest message of each merged config was stored; configs edited here have no entry.
  var mergedAt: [ConfigName: Int64] = [:]
  /// When the contacts were known to be current before the merge; nil if all changes are as old as the newest message.
  var contactsKnownAt: Int64?
  /// The requests that the caller has to make.
  var followUps: [ConfigFollowUp] = []

  private var own: SessionID { context.own }

  mutating func apply(_ changes: [ConfigChange], in transaction: borrowing WriteTransaction) throws {
    for change in changes {
      switch change {
      case .profile(let profile): try apply(profile, in: transaction)
      case .contact(let id, let contact?): try apply(contact, id, in: transaction)
      case .contact(let id, nil): try removeDeleted(id, in: transaction)
      case .hiding(let id):
        if id != own { try transaction.put(TombstoneRecord(id.address, at: mergeTime)) }
      case .readMark(let place, let mark?): try apply(mark, at: place, in: transaction)
      case .group(let id, let group?): try apply(group, id, in: transaction)
      case .group(let id, nil):
        try removeGroup(id, in: transaction)
        followUps.append(.fileSweep)
      case .groupInfo(let id, let info): try apply(info, of: id, in: transaction)
      case .community(_, let community?): try apply(community, in: transaction)
      case .community(let place, nil): try removeRoom(place, in: transaction)
      // Forgetting a conversation does not change what was read.
      case .readMark(_, nil), .blindedContact, .legacyGroup, .groupMember, .groupKeys: break
      }
    }
    try applyMembers(changes, in: transaction)
  }
}

extension ConfigProjection {
  /// The changes of members, by group: one event for each group.
  private mutating func applyMembers(_ changes: [ConfigChange], in transaction: borrowing WriteTransaction)
    throws
  {
    var members: [SessionID: [(SessionID, GroupMember?)]] = [:]
    for case .groupMember(let id, in: let group, let member) in changes {
      members[group, default: []].append((id, member))
    }
    for (group, changed) in members { try apply(changed, in: group, transaction) }
  }
}

// MARK: - Our own profile

extension ConfigProjection {
  private mutating func apply(_ profile: Profile, in transaction: borrowing WriteTransaction) throws {
    let refuses = profile.takesBlindedRequests == false
    if try transaction.value(of: .refusesCommunityRequests) ?? false != refuses {
      try transaction.set(.refusesCommunityRequests, to: refuses)
    }
    // Without a name the profile is not set up yet.
    guard !profile.name.isEmpty else { return }
    var record = try transaction.profile(own.address) ?? ProfileRecord(own.address, name: "", updatedAt: 0)
    let before = record
    record.name = profile.name
    record.pictureURL = profile.picture?.url
    record.pictureKey = profile.picture?.key
    record.updatedAt = profile.updatedAtSeconds * 1000
    if record != before {
      try transaction.followPicture(of: own, from: before, to: &record, own: own)
      try transaction.put(record)
      followUps.append(.picture(of: own, after: before))
      try transaction.tell(.profileChanged, MessengerEvent.Content(person: own), at: now)
    }
    let isHidden = profile.notePriority == .hidden
    let known = try transaction.thread(at: own.address)
    // Note to Self appears with the first note, or when another device pinned it or gave it a timer. Configs come
    // before messages: a setting that is not saved now is lost when the first note comes.
    guard known != nil || profile.notePriority.height > 0 || profile.noteDisappearsAfterSeconds > 0 else {
      return
    }
    var thread = try known ?? transaction.openThread(own, at: now)
    thread.isVisible = !isHidden
    thread.priority = profile.notePriority.height
    thread.expiry = ExpiryTimer(noteSeconds: profile.noteDisappearsAfterSeconds)
    try transaction.keep(thread, at: now)
  }
}

// MARK: - Contacts

extension ConfigProjection {
  private mutating func apply(
    _ contact: Contact, _ id: SessionID, in transaction: borrowing WriteTransaction
  ) throws {
    guard id != own, id.kind == .standard else { return }
    guard !contact.isRemnant else {
      // A stranger who has written since is not one of the deleted contacts.
      if try transaction.contact(id.address)?.isApproved == true { try removeDeleted(id, in: transaction) }
      return
    }
    if contact.isDeclined, try transaction.contact(id.address)?.isApproved != true {
      guard let time = try transaction.tombstone(of: id.address)?.at else { return }
      return try removeContact(id, deletedAt: time, in: transaction)
    }
    let createdAt = contact.createdAtSeconds > 0 ? contact.createdAtSeconds * 1000 : now.stored
    let before = try transaction.contact(id.address)
    var record = ContactRecord(before, id, createdAt: createdAt)
    // Approvals are never withdrawn.
    record.isApproved = record.isApproved || contact.isApproved
    record.didApproveMe = record.didApproveMe || contact.hasApprovedMe
    record.isBlocked = contact.isBlocked
    record.hasBeenBlocked = record.hasBeenBlocked || contact.isBlocked
    let profile = try transaction.profile(id.address)
    let changesPerson = try apply(profileOf: contact, id, in: transaction)
    if record != before { try transaction.put(record) }
    if record != before || changesPerson {
      followUps.append(.picture(of: id, after: profile))
      try transaction.tell(.contactChanged, MessengerEvent.Content(person: id), at: now)
    }
    let isVisible = contact.priority != .hidden
    let known = try transaction.thread(at: id.address)
    guard known != nil || (isVisible && contact.isApproved) else { return }
    var thread =
      try known ?? transaction.openThread(id, at: now, createdAt: createdAt)
    thread.isVisible = isVisible
    thread.priority = contact.priority.height
    thread.mutedUntil = contact.mutedUntilSeconds > 0 ? contact.mutedUntilSeconds * 1000 : nil
    thread.notifies = ThreadRecord.Notifies(contact.notifying)
    thread.expiry = ExpiryTimer(contact.disappearing)
    try transaction.keep(thread, at: now)
  }

  /// Applies the latest name and picture of a person; the nickname is ours. Returns true if anything changed.
  private func apply(
    profileOf contact: Contact, _ id: SessionID, in transaction: borrowing WriteTransaction
  ) throws -> Bool {
    let before = try transaction.profile(id.address)
    var record = before ?? ProfileRecord(id.address, name: "", updatedAt: 0)
    record.nickname = contact.nickname.isEmpty ? nil : contact.nickname
    let updatedAt = contact.profileUpdatedAtSeconds * 1000
    if !contact.name.isEmpty, before == nil || record.name.isEmpty || updatedAt > record.updatedAt {
      record.name = contact.name
      record.pictureURL = contact.picture?.url
      record.pictureKey = contact.picture?.key
      record.updatedAt = updatedAt
    }
    guard record != before else { return false }
    try transaction.followPicture(of: id, from: before, to: &record, own: own)
    try transaction.put(record)
    return true
  }

  /// A person who is no longer in a config was deleted with the conversation.
  private mutating func removeDeleted(_ id: SessionID, in transaction: borrowing WriteTransaction) throws {
    guard
      try id != own && (transaction.contact(id.address) != nil || transaction.thread(at: id.address) != nil)
    else { return }
    let time = min(mergeTime, contactsKnownAt ?? mergeTime)
    try transaction.put(TombstoneRecord(id.address, at: time))
    try removeContact(id, deletedAt: time, in: transaction)
  }

  private mutating func removeContact(
    _ id: SessionID, deletedAt time: Int64, in transaction: borrowing WriteTransaction
  ) throws {
    let (contact, thread) = (try transaction.contact(id.address), try transaction.thread(at: id.address))
    if contact != nil {
      try transaction.deleteContact(id.address)
      try transaction.tell(.contactChanged, MessengerEvent.Content(person: id), at: now)
    }
    if let thread {
      followUps.append(.fileSweep)
      guard try !transaction.restart(thread, with: id, after: time, context, at: now) else { return }
      try transaction.delete(thread, at: context.jobTime)
      try transaction.tell(.conversationDeleted, MessengerEvent.Content(conversation: .person(id)), at: now)
    }
  }
}

// MARK: - Conversations

extension ConfigProjection {
  /// When a device changed the contacts: now, or when it stored them.
  private var mergeTime: Int64 {
    min(mergedAt[ConfigName(.contacts, of: own)] ?? now.stored, now.stored)
  }

  private mutating func apply(
    _ mark: ReadMark, at place: ReadMark.Place, in transaction: borrowing WriteTransaction
  ) throws {
    guard let id = place.conversation, var thread = try transaction.thread(at: id.address) else { return }
    thread.isMarkedUnread = mark.isMarkedUnread
    let read = try transaction.readEnd(of: thread, upTo: mark.lastReadMilliseconds, at: now).told
    if read > thread.lastReadAt {
      thread.lastReadAt = read
      followUps.append(.reading(thread.id, upTo: read))
    }
    try transaction.keep(thread, at: now)
  }
}

extension ContactRecord {
  /// Takes the known record of a person, with the earlier of the two creation times.
  init(_ known: ContactRecord?, _ id: SessionID, createdAt: Int64) {
    self.init(id.address, createdAt: min(known?.createdAt ?? createdAt, createdAt))
    guard let known else { return }
    isTrusted = known.isTrusted
    isApproved = known.isApproved
    isBlocked = known.isBlocked
    didApproveMe = known.didApproveMe
    hasBeenBlocked = known.hasBeenBlocked
    lastKnownVersion = known.lastKnownVersion
  }
}

extension Contact {
  /// True for the remnant of a contact that one device deleted while another edited it: without approvals and
  /// creation time.
  var isRemnant: Bool { createdAtSeconds == 0 && !isApproved && !hasApprovedMe && !isBlocked }
}

extension Priority {
  /// The value stored in the database: above zero if pinned.
  var height: Int {
    guard case .pinned(let height) = self else { return 0 }
    return Int(height)
  }
}

extension ThreadRecord.Notifies {
  init(_ notifying: Notifying) {
    self =
      switch notifying {
      case .byDefault, .ofEverything: .all
      case .ofMentions: .mentions
      case .ofNothing: .nothing
      }
  }
}

extension ExpiryTimer {
  init(_ timer: DisappearingTimer?) {
    guard let timer else {
      self = .off
      return
    }
    self.init(timer.mode == .afterSend ? .afterSend : .afterRead, seconds: Int64(timer.seconds))
  }

  /// The timer of Note to Self.
  init(noteSeconds seconds: Int32) {
    self = seconds > 0 ? ExpiryTimer(.afterSend, seconds: Int64(seconds)) : .off
  }

  /// The timer as messages carry it; nil if off.
  var timer: DisappearingTimer? {
    guard seconds > 0, mode != .off else { return nil }
    return try? DisappearingTimer(
      mode == .afterSend ? .afterSend : .afterRead, seconds: UInt32(clamping: seconds))
  }
}

extension WriteTransaction {
  /// Saves a conversation and reports it, if anything changed.
  func keep(_ thread: ThreadRecord, at now: MessageTime) throws {
    guard try self.thread(thread.id) != thread else { return }
    try update(thread)
    try tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
  }
}
