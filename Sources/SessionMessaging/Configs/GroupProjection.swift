import SessionCore
import SessionJobs
import SessionStorage

// Rows derived from the configs of groups.

extension ConfigProjection {
  /// Applies the account's status in a group. One that invited it is a request, and one that removed it stays as an empty
  /// conversation.
  mutating func apply(_ group: Group, _ id: SessionID, in transaction: borrowing WriteTransaction) throws {
    guard try !transaction.isRemnant(group, id) else { return }
    if !group.isJoined { try forgetSwarm(of: id, in: transaction) }
    switch group.standing {
    case .present, .other: break
    case .kicked: try wipe(id, because: "kicked", in: transaction)
    case .destroyed: try wipe(id, because: "destroyed", in: transaction)
    }
    let known = try transaction.thread(at: id.address)
    let joinedAt = group.membership.joinedAtSeconds * 1000
    var thread =
      try known
      ?? transaction.obtainThread(at: id.address, .group, createdAt: joinedAt > 0 ? joinedAt : now.stored)
    var record =
      try transaction.group(thread.id) ?? GroupRecord(thread.id, name: group.name, formedAt: thread.createdAt)
    let before = record
    if record.name.isEmpty || !group.isJoined { record.name = group.name }
    record.isInvited = group.membership.isInvited
    record.joinedAt = joinedAt
    record.isKicked = group.standing == .kicked
    record.isDestroyed = group.standing == .destroyed
    if before.isInvited, !record.isInvited { try transaction.deleteInvitationNotes(in: thread.id) }
    if try record != before || transaction.group(thread.id) == nil {
      try transaction.put(record)
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
    thread.isVisible = group.membership.priority != .hidden
    thread.priority = group.membership.priority.height
    let mutedUntil = group.membership.mutedUntilSeconds
    thread.mutedUntil = mutedUntil > 0 ? mutedUntil * 1000 : nil
    thread.notifies = ThreadRecord.Notifies(group.membership.notifying)
    try transaction.keep(thread, at: now)
  }

  /// Deletes everything in a group that has ended for us. Its empty conversation stays.
  private mutating func wipe(
    _ id: SessionID, because reason: String, in transaction: borrowing WriteTransaction
  ) throws {
    guard let thread = try transaction.thread(at: id.address), let before = try transaction.group(thread.id),
      !before.isKicked, !before.isDestroyed, before.localState == .none
    else { return }
    try transaction.delete(thread, at: context.jobTime)
    followUps.append(.fileSweep)
    let shell = try transaction.obtainThread(at: id.address, .group, createdAt: thread.createdAt)
    var record = GroupRecord(shell.id, name: before.name, formedAt: before.formedAt)
    record.joinedAt = before.joinedAt
    try transaction.put(record)
    try transaction.tell(
      .groupEnded, MessengerEvent.Content(in: shell, reason: reason), thread: shell.id, at: now)
  }

  /// Applies the group info that all members share.
  mutating func apply(_ info: GroupInfo, of id: SessionID, in transaction: borrowing WriteTransaction) throws
  {
    // The group ends for us once our own configs say so.
    guard !info.isDestroyed, var thread = try transaction.thread(at: id.address),
      var record = try transaction.group(thread.id)
    else { return }
    let before = record
    if !info.name.isEmpty { record.name = info.name }
    record.description = info.description.isEmpty ? nil : info.description
    (record.pictureURL, record.pictureKey) = (info.picture?.url, info.picture?.key)
    let hasOtherPicture = record.pictureURL != before.pictureURL || record.pictureKey != before.pictureKey
    if info.picture == nil, hasOtherPicture { record.pictureFileID = nil }
    record.clear(as: info, at: now)
    if record.deletesBefore > before.deletesBefore || record.deletesFilesBefore > before.deletesFilesBefore {
      followUps.append(.clearing(of: id))
    }
    if record != before {
      try transaction.put(record)
      try transaction.tell(.conversationChanged, MessengerEvent.Content(in: thread), at: now)
    }
    if hasOtherPicture { followUps.append(.groupPicture(of: id)) }
    thread.expiry = ExpiryTimer(groupSeconds: info.disappearsAfterSeconds)
    try transaction.keep(thread, at: now)
  }

  /// Applies changes of a group's members: added, removed, promoted, or with a new status. They were added before the
  /// swarm stored the newest list of members, and so was a member of old who is invited.
  mutating func apply(
    _ members: [(id: SessionID, member: GroupMember?)], in group: SessionID,
    _ transaction: borrowing WriteTransaction
  ) throws {
    guard let thread = try transaction.thread(at: group.address), try transaction.group(thread.id) != nil
    else { return }
    let before = try transaction.members(of: thread.id)
    let isFirst = before.allSatisfy { $0.addedAt == GroupMemberRecord.provisional }
    let storedAt = mergedAt[ConfigName(.groupMembers, of: group)]
    let listed = Set(members.map(\.id.address))
    for guess in before where isFirst && !listed.contains(guess.member) {
      try transaction.deleteMember(guess.member, of: thread.id)
    }
    for (id, member) in members {
      guard let member else {
        try transaction.deleteMember(id.address, of: thread.id)
        continue
      }
      let known = try transaction.member(id.address, of: thread.id)
      let hasReturned = known.map { $0.hasAccepted && member.isOnlyInvited } ?? true
      let addedAt =
        isFirst ? storedAt ?? 0 : hasReturned ? storedAt ?? now.stored : known?.addedAt ?? now.stored
      try transaction.put(
        GroupMemberRecord(
          of: thread.id, id.address, isAdmin: member.isAdmin, status: Int(member.status.rawValue),
          isGivenHistory: member.isGivenHistory, addedAt: addedAt))
      guard !member.name.isEmpty, id != context.own, try transaction.profile(id.address) == nil else {
        continue
      }
      // Until they write, and say themselves what they are called.
      try transaction.put(ProfileRecord(id.address, name: member.name, updatedAt: 0))
    }
    try transaction.tell(
      .groupMembersChanged, MessengerEvent.Content(in: thread, people: members.map(\.id)), at: now)
    let isMarked = members.contains { $0.id != context.own && $0.member?.isBeingRemoved == true }
    guard isMarked, try transaction.isAdmin(context.own, ofGroup: thread.id) else { return }
    followUps.append(.removal(from: group))
  }

  /// Removes a group that is in no config any more: it was left, here or on another device. Files may not be in use any
  /// more then.
  func removeGroup(_ id: SessionID, in transaction: borrowing WriteTransaction) throws {
    try forgetSwarm(of: id, in: transaction)
    guard let thread = try transaction.thread(at: id.address) else { return }
    let time = mergedAt[ConfigName(.userGroups, of: context.own)] ?? now.stored
    try transaction.put(TombstoneRecord(id.address, at: min(time, now.stored)))
    try transaction.delete(thread, at: context.jobTime)
    try transaction.tell(.conversationDeleted, MessengerEvent.Content(conversation: .group(id)), at: now)
  }

  /// Forgets the swarm's state. An account that rejoins reads the swarm from the beginning.
  func forgetSwarm(of id: SessionID, in transaction: borrowing WriteTransaction) throws {
    try transaction.deleteConfigDumps(of: id.address)
    let batches = Set(try transaction.swarmSteps(of: id.address).map(\.batch))
    try transaction.deleteSwarmSteps(of: id.address)
    let obsolete = try transaction.obsoleteHashes(of: id.address)
    if !obsolete.isEmpty { try transaction.removeObsoleteHashes(obsolete, of: id.address) }
    for namespace in InboxPlan(of: id).namespaces {
      try transaction.forgetHashes(of: id.address, namespace: Int(namespace.rawValue))
    }
    // Release the jobs that wait for the swarm: no reply will come.
    try transaction.fulfil(event: ConfigAuthor.keyEvent(of: id))
    try transaction.fulfil(event: ConfigAuthor.syncEvent(of: id))
    for batch in batches.sorted() { try transaction.fulfil(event: ConfigAuthor.stepEvent(of: batch)) }
  }
}

extension Reading where Self: ~Copyable {
  /// True if a group was left or deleted here, and is in the configs only because another device changed its entry at the
  /// same time.
  func isRemnant(_ group: Group, _ id: SessionID) throws -> Bool {
    guard try thread(at: id.address) == nil, let tombstone = try tombstone(of: id.address) else {
      return false
    }
    switch group.standing {
    case .kicked, .destroyed: return true
    // Of an entry that was erased meanwhile only the changed fields come back.
    case .present, .other: return group.membership.joinedAtSeconds < tombstone.at / 1000
    }
  }
}

extension GroupRecord {
  /// Takes over up to when the group was cleared. Nothing is cleared before it is sent: a time in the future clears what
  /// is there when it is first seen, and no more with each later change.
  fileprivate mutating func clear(as info: GroupInfo, at now: MessageTime) {
    let (all, files) = (info.deletesBeforeSeconds, info.deletesAttachmentsBeforeSeconds)
    let seconds = Int64(clamping: now.seconds)
    if all != statedDeletesBefore { deletesBefore = max(deletesBefore, min(all, seconds)) }
    if files != statedDeletesFilesBefore { deletesFilesBefore = max(deletesFilesBefore, min(files, seconds)) }
    (statedDeletesBefore, statedDeletesFilesBefore) = (all, files)
  }
}

extension GroupMemberRecord {
  /// True for a member who was invited, and has accepted.
  fileprivate var hasAccepted: Bool { status >= Int(GroupMember.Status.inviteAccepted.rawValue) }
}

extension ExpiryTimer {
  /// The timer of a group, where it starts when a message is sent. Admins may have written any number; messages carry no
  /// more than 32 bits of it.
  fileprivate init(groupSeconds seconds: Int64) {
    self = seconds > 0 ? ExpiryTimer(.afterSend, seconds: min(seconds, Int64(UInt32.max))) : .off
  }
}
