import SessionCore
import SessionJobs
import SessionStorage

// Writes the rows of a group when the account is invited to it or joins it.

extension WriteTransaction {
  /// Writes the rows of an invitation that the configs contain now. `hash` is that of its message in our own swarm; nil
  /// for one that an earlier version kept.
  func insert(
    _ taken: GroupInvitations.Taken, of invitation: GroupInvitation, hash: String?,
    profile: MessageProfile?, at now: MessageTime, _ context: AccountContext
  ) throws {
    guard let thread = try thread(at: taken.group.address), var record = try group(thread.id) else { return }
    record.invitation = GroupRecord.Invitation(
      by: invitation.sender.address, at: now.stored, hash: hash ?? record.invitation.hash)
    record.accessLostAt = nil
    try put(record)
    if let hash { try deleteInvitation(hash, context) }
    switch taken.outcome {
    case .wasMember: return
    case .joins:
      try putProvisional(invitation.sender, in: thread, isAdmin: true)
      try noteJoined(
        taken.group, in: thread, asAdmin: taken.isPromotion, profile: profile, at: now, context)
    case .isAsked:
      try putProvisional(invitation.sender, in: thread, isAdmin: true)
      try deleteInvitationNotes(in: thread.id)
      let note = MessageView.Note.invited(
        by: invitation.sender, group: taken.name, asAdmin: taken.isPromotion)
      var row = InteractionRecord(
        in: thread.id, by: invitation.sender.address, note.kind,
        sentAt: min(invitation.sentAt.stored, now.stored), receivedAt: now.stored, state: .received)
      row.info = note.info
      let kept = try insert(row)
      try tell(
        .requestReceived, MessengerEvent.Content(in: thread, person: invitation.sender), thread: thread.id,
        message: kept.id, at: now)
    }
  }

  /// Records that the account joined a group, and tells its members unless it is an admin.
  func noteJoined(
    _ group: SessionID, in thread: ThreadRecord, asAdmin: Bool, profile: MessageProfile?,
    at now: MessageTime, _ context: AccountContext
  ) throws {
    try putProvisional(context.own, in: thread, isAdmin: asAdmin)
    try deleteInvitationNotes(in: thread.id)
    guard !asAdmin else { return }
    let response = try Message(
      .groupUpdate(GroupUpdateMessage(.inviteResponse, profile: profile)), sentAt: now)
    // It waits for the first key, and messages that we write now wait for it.
    try requestNotice(response, sentAt: now.stored, to: group, in: thread.id, at: context.jobTime)
  }

  /// Deletes an invitation from our own swarm once the configs there contain it: a device that was away must not bring
  /// the group back after we left.
  func deleteInvitation(_ hash: String, _ context: AccountContext) throws {
    try invalidate([hash], of: context.own.address)
    try enqueue(
      SwarmDeletion(hashes: [hash], owner: context.own),
      .after(.event(ConfigAuthor.syncEvent(of: context.own))),
      at: context.jobTime)
  }

  /// Adds a member who is known before the configs of the group have arrived.
  private func putProvisional(_ member: SessionID, in thread: ThreadRecord, isAdmin: Bool) throws {
    guard try self.member(member.address, of: thread.id) == nil else { return }
    let status: GroupMember.Status = isAdmin ? .promotionAccepted : .inviteAccepted
    try put(
      GroupMemberRecord(
        of: thread.id, member.address, isAdmin: isAdmin, status: Int(status.rawValue),
        addedAt: GroupMemberRecord.provisional))
  }

  /// Deletes the notes of invitations. After we have joined, the notes of the group tell who was added.
  func deleteInvitationNotes(in thread: ThreadRecord.ID) throws {
    let kind = InteractionRecord.Kind(rawValue: MessageView.Note.invitationNumber)
    for note in try notes(kind, in: thread) { try delete(note) }
  }
}

extension Reading where Self: ~Copyable {
  /// The notes of a kind in a conversation.
  func notes(_ kind: InteractionRecord.Kind, in thread: ThreadRecord.ID) throws -> [InteractionRecord] {
    let ids: [InteractionRecord.ID] = try values(JoiningStatements.notes, thread, kind)
    return try ids.compactMap { id in try interaction(id) }
  }
}

private enum JoiningStatements {
  static let notes: SQL = "SELECT id FROM interaction WHERE threadID = ? AND kind = ?"
}

extension Configs {
  /// Accepts the invitation to a group.
  mutating func acceptInvitation(to group: SessionID, at now: MessageTime) throws {
    try groups.update(group) { $0.membership.isInvited = false }
    try conversations.update(.group(group), at: now) { _ in }
  }
}
