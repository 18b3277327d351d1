import SessionCore
import SessionNetworking
import SessionStorage

// Messages of rooms, and what their server says about them.

extension MessageReceiver {
  /// Receives a post, or the changed text of one that is here. Returns true if anything is new.
  func take(
    _ message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival,
    _ permissions: CommunityPermissions, in thread: ThreadRecord, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard isForUs(post, permissions) else { return false }
    if let known = try transaction.interaction(in: thread.id, serverID: message.number) {
      return try edit(known, as: message, post, arrival, transaction)
    }
    // A post of ours may come back before its reply, or in place of it.
    if isOwn(post.author), let sentAt = arrival.received?.message.sentAt?.stored,
      let own = try transaction.interaction(in: thread.id, by: post.author.address, sentAt: sentAt),
      own.isBeingPosted
    {
      try transaction.takePost(
        own, number: message.number, postedAt: post.postedAt, sequence: message.sequence, at: now)
      return true
    }
    guard try receive(arrival, in: transaction) == .kept,
      var row = try transaction.interaction(in: thread.id, serverID: message.number)
    else { return false }
    row.serverSeqno = message.sequence
    row.editedAt = post.editedAt?.stored
    row.isWhisper = post.whisper != nil
    if case .person(let recipient)? = post.whisper { row.whisperTo = recipient.address }
    try transaction.update(row)
    return true
  }

  /// A server that shows us the whispers of others is not believed.
  private func isForUs(_ post: CommunityPost, _ permissions: CommunityPermissions) -> Bool {
    switch post.whisper {
    case nil: true
    case .person(let recipient)?:
      isOwn(recipient) || isOwn(post.author) || permissions.contains(.moderator)
    case .moderators?: isOwn(post.author) || permissions.contains(.moderator)
    }
  }

  /// Replaces the text of a message by a later one of the same author. Its place, and what others did with it, stay.
  private func edit(
    _ known: InteractionRecord, as message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival,
    _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard let editedAt = post.editedAt?.stored, known.editedAt ?? 0 < editedAt, !known.isDeleted,
      known.author == post.author.address, message.sequence > known.serverSeqno ?? 0,
      case .visible(let visible)? = arrival.received?.message.content
    else { return false }
    var row = known
    row.body = visible.body.shown
    row.editedAt = editedAt
    row.serverSeqno = message.sequence
    row.hasMention = !row.isOutgoing && visible.mentions.contains { isOwn($0.id) }
    try transaction.update(row)
    try transaction.tell(.messageChanged, row, at: now)
    return true
  }

  /// Applies the reactions to a message, or its deletion. Returns true if anything changed.
  func takeChange(
    _ message: CommunityMessage, in thread: ThreadRecord, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard let known = try transaction.interaction(in: thread.id, serverID: message.number), !known.isDeleted
    else { return false }
    if message.change == .deletion {
      try transaction.delete(known, .forEveryone, at: now, context)
      return true
    }
    guard let reactions = message.reactions,
      try transaction.setReactions(reactions, to: known, as: own, or: people.own, at: now)
    else { return false }
    try transaction.tell(.messageChanged, known, at: now)
    return true
  }
}

extension WriteTransaction {
  /// Replaces the reactions to a message by those that the server reports. It names some of those who reacted, and the first
  /// of each emoji counts for all. Our own are stored under the id of the account. Returns false if nothing changes.
  fileprivate func setReactions(
    _ reactions: [CommunityReaction], to message: InteractionRecord, as own: SessionID,
    or ids: Set<SessionID>, at now: MessageTime
  ) throws -> Bool {
    let before = try self.reactions(to: message.id)
    let times = Dictionary(
      before.map { ("\($0.author) \($0.emoji)", $0.sentAt) }, uniquingKeysWith: { first, _ in first })
    var rows: [ReactionRecord] = []
    for reaction in reactions {
      var reactors = reaction.reactors.filter { !ids.contains($0) }
      if reaction.isOurs || reactors.count < reaction.reactors.count { reactors.append(own) }
      for (place, reactor) in reactors.enumerated() {
        var row = ReactionRecord(
          to: message.id, by: reactor.address, emoji: reaction.emoji,
          sentAt: times["\(reactor.address) \(reaction.emoji)"] ?? now.stored)
        row.count = place == 0 ? Int(clamping: max(reaction.count, Int64(reactors.count))) : 0
        row.sortID = reaction.index
        rows.append(row)
      }
    }
    guard rows != before else { return false }
    try deleteReactions(to: message.id)
    for row in rows { try put(row) }
    return true
  }
}
