import SessionCore
import SessionJobs
import SessionStorage

// The notes of our own actions in a group, and the messages that tell its members.

extension WriteTransaction {
  /// Adds a note of our own action in a group. Its time is unique among our messages there.
  @discardableResult
  func insertOwnNote(
    _ note: MessageView.Note, in thread: ThreadRecord, at now: MessageTime, _ context: AccountContext
  ) throws -> InteractionRecord {
    var row = InteractionRecord(
      in: thread.id, by: context.own.address, note.kind,
      sentAt: try freeTime(in: thread, by: context.own, from: now), receivedAt: now.stored, state: .sent)
    row.info = note.info
    row.wasRead = true
    if note.disappears {
      row.expiry = thread.expiry
      if thread.expiry.seconds > 0 { row.expiryStartedAt = row.sentAt }
    }
    let kept = try insert(row)
    if kept.expiryStartedAt != nil { try requestSweep(for: kept, at: now, context) }
    try tell(.messageSent, kept, at: now)
    return kept
  }

  /// Tells the members of a group about a change that we made as an admin, once the change is stored. The message has the
  /// time of our own note, so that it adds no second one when it comes back.
  func announce(
    _ update: GroupUpdate, noted note: InteractionRecord, in thread: ThreadRecord, with key: GroupAdminKey,
    profile: MessageProfile?, _ context: AccountContext, isStored: Bool = false
  ) throws {
    let sentAt = try note.time
    let isOfTimer = note.kind == MessageView.Note.timerChanged.kind
    let message = try Message(
      .groupUpdate(GroupUpdateMessage(signing: update, with: key, sentAt: sentAt, profile: profile)),
      sentAt: sentAt, disappearing: isOfTimer ? nil : thread.expiry.timer)
    let unsealed = try UnsealedMessage(message, in: .group(key.group), sentAt: note.sentAt)
    var request = JobRequest()
    request.thread = thread.id
    if !isStored { request.dependencies = [.event(ConfigAuthor.syncEvent(of: key.group))] }
    try enqueue(
      Delivery(swarm: key.group, items: [], role: .notice, unsealed: unsealed, isAnnouncement: true),
      request,
      at: context.jobTime)
  }

  /// Adds the note of a change of members by us, and tells the members.
  func announce(
    _ change: GroupMemberChange.Kind, of people: [SessionID], seesHistory: Bool = false,
    in thread: ThreadRecord, with key: GroupAdminKey, profile: MessageProfile?, at now: MessageTime,
    _ context: AccountContext
  ) throws {
    let people = people.sorted()
    let note = try insertOwnNote(
      .members(MessageView.Note.Change(change), people, seesHistory: seesHistory), in: thread, at: now,
      context)
    let update = try GroupMemberChange(change, members: people, isHistoryShared: seesHistory)
    try announce(.memberChange(update), noted: note, in: thread, with: key, profile: profile, context)
  }
}

extension MessageView.Note {
  /// True if the note disappears with the timer of its group.
  fileprivate var disappears: Bool {
    switch self {
    case .renamed, .pictureChanged, .members, .timerChanged: true
    default: false
    }
  }
}

extension MessageView.Note.Change {
  init(_ kind: GroupMemberChange.Kind) {
    self =
      switch kind {
      case .added: .added
      case .removed: .removed
      case .promoted: .promoted
      }
  }
}
