import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

// What we do to messages of rooms. It is shown at once where it cannot be mistaken, and the server follows.

extension Outbox {
  /// The room that a message is in; nil for other conversations.
  func room(ofMessage id: MessageView.ID) async throws -> Community.Place? {
    try await database.read { transaction in
      guard case .room(let room)? = Conversation.ID(try transaction.message(id).1.address) else { return nil }
      return room
    }
  }

  /// Adds or removes a reaction to a message of a room.
  func react(
    _ action: MessageReaction.Action, _ emoji: String, to id: MessageView.ID, in room: Community.Place
  ) async throws {
    try await write { [self] transaction, now in
      let (row, number) = try transaction.postedMessage(id, in: room)
      guard !row.isWhisper else { throw MessengerError(.notAllowed, "whispers cannot have reactions") }
      try transaction.requirePermission(.read, in: room)
      guard
        try transaction.capabilities(of: room.server).contains(
          CapabilityRecord(CommunityCapabilities.reactions))
      else { throw MessengerError(.notAllowed, "the server of this room takes no reactions") }
      let reactions = try transaction.roomReactions(to: row.id, own: own)
      let same = reactions.filter { $0.emoji.emojiKey == emoji.emojiKey }
      let known = same.first(where: \.isOurs) ?? same.first
      guard (known?.isOurs ?? false) == (action == .remove) else { return }
      let pending = PendingReactionRecord(
        to: number, in: row.threadID, known?.emoji ?? emoji, isRemoval: action == .remove)
      do throws(NetworkFailure) {
        _ = try CommunityCall.react(pending.emoji, to: number, in: room)
      } catch { throw MessengerError(.notAllowed, error.message) }
      let stored = try transaction.insert(pending)
      try transaction.set(reactions.applying(pending), to: row.id, own: own, at: now)
      try transaction.request(.react(pending: stored.rawValue), of: row, in: room, at: jobTime)
      try transaction.tell(.messageChanged, row, at: now)
    }
  }

  /// Gives a message of ours in a room another text. Its files stay.
  func edit(_ id: MessageView.ID, _ body: String) async throws {
    guard let room = try await room(ofMessage: id) else {
      throw MessengerError(.notAllowed, "only messages in the rooms of communities can be edited")
    }
    try await write { [self] transaction, _ in
      let (row, _) = try transaction.postedMessage(id, in: room)
      guard row.isOutgoing else { throw MessengerError(.notAllowed, "only your own messages can be edited") }
      guard !row.isWhisper else { throw MessengerError(.notAllowed, "whispers cannot be edited") }
      try transaction.requireWriting(in: room)
      if try transaction.attachments(of: row.id).isEmpty || !body.isEmpty {
        _ = try VisibleMessage(body: body).requireStandardLength()
      }
      try transaction.request(.edit(body: body), of: row, in: room, at: jobTime)
    }
  }

  /// Deletes a message of a room for everyone: our own, or as a moderator any. It stays until the server has deleted
  /// it, unless it is still being posted.
  func deleteForEveryone(_ id: MessageView.ID, in room: Community.Place) async throws {
    await context.learnTime()
    try await write { [self] transaction, now in
      let (row, _) = try transaction.message(id)
      guard !row.kind.isNote, !row.isDeleted else {
        throw MessengerError(.notAllowed, "only existing messages can be deleted for everyone")
      }
      guard row.serverID != nil || row.isBeingPosted else {
        throw MessengerError(.notAllowed, "the server of this room does not have this message any more")
      }
      guard row.serverID != nil else {
        let mayBePosted = try transaction.mayBePosted(row)
        try transaction.delete(row, .forEveryone, at: now, context)
        if mayBePosted, let rest = try transaction.interaction(row.id) {
          let job = try transaction.request(.delete, of: rest, in: room, at: jobTime)
          try transaction.keepSignedPosts(of: row.id, in: job)
        }
        return
      }
      if row.isOutgoing {
        try transaction.requireWriting(in: room)
      } else {
        try transaction.requirePermission(.moderator, in: room)
      }
      try transaction.request(.delete, of: row, in: room, at: jobTime)
    }
  }
}

extension Reading where Self: ~Copyable {
  /// Returns a message that a room has, and its number there.
  fileprivate func postedMessage(
    _ id: MessageView.ID, in room: Community.Place
  ) throws -> (InteractionRecord, number: Int64) {
    let (row, _) = try message(id, in: .room(room))
    guard !row.isDeleted, !row.kind.isNote, let number = row.serverID else {
      throw MessengerError(.notAllowed, "only messages that the server of the room has can be changed")
    }
    return (row, number)
  }

  /// Throws `notAllowed` without a permission in a room.
  func requirePermission(_ permission: CommunityPermissions, in room: Community.Place) throws {
    guard let thread = try thread(at: Conversation.ID.room(room).address),
      let record = try community(thread.id)
    else { throw MessengerError(.noConversation, "you are not in this room") }
    guard record.state != .joining else {
      throw MessengerError(.notAllowed, "the server of this room has not let you in yet")
    }
    guard CommunityPermissions(rawValue: record.permissions).isSuperset(of: permission) else {
      throw MessengerError(.notAllowed, permission.refusal)
    }
  }
}

extension CommunityPermissions {
  /// Why something is not allowed without these permissions.
  fileprivate var refusal: String {
    if !isDisjoint(with: [.globalAdmin, .globalModerator]) {
      return "only moderators of the whole server can do this"
    }
    if contains(.admin) { return "only admins of the room can do this" }
    if contains(.moderator) { return "only moderators of the room can do this" }
    if contains(.upload) { return "you may not send files to this room" }
    return contains(.write) ? "you may not write in this room" : "you may not read this room"
  }
}
