import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// For whom a message is deleted.
public enum Deletion: Hashable, Sendable, Codable {
  /// On this device.
  case here
  /// On this device and in our own swarm; our own messages also on all our devices, which are not told of other
  /// deletions. Recipients keep the message.
  case onOwnDevices
  /// For everyone. Only for our own messages, and for all messages of groups that we administer, and of rooms that we
  /// moderate.
  case forEveryone
}

extension Outbox {
  /// Deletes a message. For others, only our own can be deleted, and those of groups that we administer and rooms that
  /// we moderate.
  func delete(_ id: MessageView.ID, _ deletion: Deletion) async throws {
    if deletion != .here, let room = try await room(ofMessage: id) {
      guard deletion == .forEveryone else {
        throw MessengerError(
          .notAllowed, "messages in rooms can be deleted only on this device, or for everyone")
      }
      return try await deleteForEveryone(id, in: room)
    }
    await context.learnTime()
    let membership = try await queue.run { [self] in try currentMembership(inGroupOf: id) }
    try await write { [self] transaction, now in
      let (message, thread) = try transaction.message(id)
      if thread.kind == .group, deletion != .here {
        try requestDeletion(of: message, deletion, in: thread, as: membership, at: now, transaction)
      } else {
        try requestUnsending(of: message, deletion, in: thread, at: now, transaction)
      }
      try transaction.delete(message, deletion, at: now, context)
    }
  }

  /// Requests that the other side and our other devices delete a message, if they may have it.
  private func requestUnsending(
    of message: InteractionRecord, _ deletion: Deletion, in thread: ThreadRecord, at now: MessageTime,
    _ transaction: borrowing WriteTransaction
  ) throws {
    // A message that was never sent needs no unsend request; a failed one may have arrived anyway.
    guard let reader = try reader(of: deletion, message, thread), try !transaction.isUntouched(message) else {
      return
    }
    let request = UnsendRequest(targetSentAt: try message.time, targetAuthor: own)
    try enqueueNotice(
      .unsend(request), sentAt: now, to: reader, about: reader == own ? nil : message.id, in: thread.id,
      transaction)
  }

  /// The recipient of the unsend request, if any; our other devices get a copy.
  private func reader(
    of deletion: Deletion, _ message: InteractionRecord, _ thread: ThreadRecord
  ) throws -> SessionID? {
    switch deletion {
    case .here: return nil
    case .onOwnDevices:
      return message.kind == .outgoing ? own : nil
    case .forEveryone:
      guard message.kind == .outgoing, let conversation = SessionID(thread.address) else {
        throw MessengerError(.notAllowed, "only your own, existing messages can be deleted for everyone")
      }
      guard !conversation.isBlinded else {
        throw MessengerError(
          .notAllowed, "this person has not answered yet: delete it on your own devices only")
      }
      return conversation
    }
  }
}

// MARK: - Groups

extension Outbox {
  /// Our entry of the group that a message is in; nil for other conversations, and if we are not in the group.
  private func currentMembership(inGroupOf id: MessageView.ID) throws -> Group? {
    let (_, thread) = try database.read { transaction in try transaction.message(id) }
    guard case .group(let group)? = Conversation.ID(thread.address) else { return nil }
    let entry = try author.configs.read { configs in try configs.groups[group] }
    return entry?.credentials(of: account) == nil ? nil : entry
  }

  /// Requests that the members of a group delete a message. An admin signs the request.
  private func requestDeletion(
    of message: InteractionRecord, _ deletion: Deletion, in thread: ThreadRecord, as membership: Group?,
    at now: MessageTime, _ transaction: borrowing WriteTransaction
  ) throws {
    guard deletion == .forEveryone else {
      throw MessengerError(
        .notAllowed, "messages in groups can be deleted only on this device, or for everyone")
    }
    guard !message.kind.isNote, !message.isDeleted else {
      throw MessengerError(.notAllowed, "only existing messages can be deleted for everyone")
    }
    guard let membership else { throw MessengerError.notMember }
    try transaction.requireThread(of: Destination(.group(membership.id), own: own), for: account)
    guard message.author == own.address || membership.adminKey != nil else {
      throw MessengerError(
        .notAdmin,
        "only admins of the group can delete the messages of others for everyone: delete it on this device only, "
          + "or ask an admin")
    }
    let hashes = try transaction.storedHashes(of: message)
    guard !hashes.isEmpty else { return }
    // A request covers only messages that were sent before it.
    let sentAt = try MessageTime(milliseconds: UInt64(clamping: max(now.stored, message.sentAt + 1)))
    let update = GroupUpdate.contentDeletion(try GroupContentDeletion(messageHashes: hashes))
    let content =
      if let key = membership.adminKey {
        try GroupUpdateMessage(signing: update, with: key, sentAt: sentAt)
      } else {
        try GroupUpdateMessage(update)
      }
    try transaction.requestNotice(
      Message(.groupUpdate(content), sentAt: sentAt), sentAt: sentAt.stored, to: membership.id, in: thread.id,
      at: jobTime)
  }
}

extension Reading where Self: ~Copyable {
  /// The hashes under which a swarm may store a message, even if no node has confirmed it.
  func storedHashes(of message: InteractionRecord) throws -> [String] {
    let others = try hashes(of: message.id).filter { $0 != message.serverHash }
    return [message.serverHash].compactMap(\.self) + others
  }
}

extension WriteTransaction {
  /// Deletes the content of a message and leaves a placeholder; deletes a note entirely.
  func delete(
    _ message: InteractionRecord, _ deletion: Deletion, at now: MessageTime, _ context: AccountContext
  ) throws {
    try cancelDeliveries(of: message, at: context.jobTime)
    let hashes = try storedHashes(of: message) + reactions(to: message.id).compactMap(\.serverHash)
    let thread = try thread(message.threadID)
    let isOwnNote = thread?.address == context.own.address
    if deletion != .here {
      if thread?.kind == .group {
        let group = thread.flatMap { SessionID($0.address) }
        if let group, try isAdmin(context.own, ofGroup: message.threadID) {
          try requestDeletion(of: hashes, from: group, context)
        }
      } else {
        try requestDeletion(of: hashes, from: context.own, context)
      }
    }
    if message.kind.isNote || (isOwnNote && deletion != .here) {
      try delete(message)
    } else {
      var rest = message
      rest.kind = message.kind.deleted(deletion)
      (rest.body, rest.info, rest.linkPreviewID) = (nil, nil, nil)
      (rest.wasRead, rest.hasMention) = (true, false)
      // The placeholder has no timer.
      (rest.expiry, rest.expiryStartedAt) = (.off, nil)
      try deleteReactions(to: message.id)
      if let number = message.serverID { try deletePendingReactions(to: number, in: message.threadID) }
      try removeQuote(of: message.id)
      try detachAll(from: message.id)
      try update(rest)
    }
    if message.linkPreviewID != nil { try deleteUnusedLinkPreviews() }
    try requestFileSweep(at: context.jobTime)
    try tell(.messageDeleted, message, at: now)
  }
}

extension InteractionRecord.Kind {
  /// The placeholder for a deleted message: a deletion for everyone replaces a local one.
  fileprivate func deleted(_ deletion: Deletion) -> Self {
    switch (self, deletion) {
    case (.incoming, .here), (.incoming, .onOwnDevices): .incomingDeletedLocally
    case (.outgoing, .here), (.outgoing, .onOwnDevices): .outgoingDeletedLocally
    case (.incoming, .forEveryone), (.incomingDeletedLocally, .forEveryone): .incomingDeleted
    case (.outgoing, .forEveryone), (.outgoingDeletedLocally, .forEveryone): .outgoingDeleted
    default: self
    }
  }
}

private enum DeletionStatements {
  static let quote: SQL = "DELETE FROM quote WHERE interactionID = ?"
  static let workedOn: SQL = """
    SELECT DISTINCT interactionID FROM job WHERE threadID = ? AND interactionID IS NOT NULL AND state IN (0, 1)
    """
}

extension WriteTransaction {
  func removeQuote(of id: InteractionRecord.ID) throws {
    try run(DeletionStatements.quote, id)
  }

  /// True if sending a message has not started.
  fileprivate func isUntouched(_ message: InteractionRecord) throws -> Bool {
    guard message.state == .sending else { return false }
    let found =
      try job(AttachmentSending.kind, for: AttachmentSending.key(message.id))
      ?? job(Delivery.kind, for: Delivery.key(.message, message.id.rawValue))
    guard let found else { return false }
    return found.state == .waiting && found.attempts == 0
  }

  /// Deletes a conversation with everything in it, and cancels its pending messages and downloads.
  func delete(_ thread: ThreadRecord, at now: Int64) throws {
    for message in try messagesWorkedOn(in: thread.id) { try cancelDeliveries(of: message, at: now) }
    try deleteThread(thread.id)
  }

  /// The messages of a conversation that a job sends, or whose files it transfers.
  func messagesWorkedOn(in thread: ThreadRecord.ID) throws -> [InteractionRecord] {
    let ids: [InteractionRecord.ID] = try values(DeletionStatements.workedOn, thread)
    return try ids.compactMap { id in try interaction(id) }
  }

  /// Cancels the sending of a message.
  func cancelDeliveries(of message: InteractionRecord, at now: Int64) throws {
    try cancelTransfers(of: message, at: now)
    for role in [Delivery.Role.message, .copy] {
      guard let job = try job(Delivery.kind, for: Delivery.key(role, message.id.rawValue)) else { continue }
      try cancel(job.id, because: "its message was deleted", at: now)
    }
  }
}
