import SessionCore
import SessionNetworking
import SessionStorage

// Messages about other messages, and transient ones.

extension MessageReceiver {
  func receive(
    _ reaction: MessageReaction, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation,
      let thread = try transaction.thread(at: conversation.address),
      let target = try transaction.interaction(
        in: thread.id, by: reaction.targetAuthor.address, sentAt: reaction.targetSentAt.stored),
      !target.isDeleted
    else { return .dropped(.noTarget) }
    try takeProfile(received, in: transaction)
    try noteAcceptance(by: received, in: transaction)
    let author = received.sender.address
    let mine = try transaction.reactions(to: target.id).filter { $0.author == author }
    let same = mine.first { $0.emoji.emojiKey == reaction.emojiKey }
    switch reaction.action {
    case .react:
      // A late, older reaction changes nothing.
      if let same, same.sentAt >= received.sentAt.stored { return .duplicate }
      let removed = SeenMessage.identifier(ofRemoved: reaction.emoji, by: author, at: received.sentAt.stored)
      if same == nil, try transaction.hasSeen(removed, in: conversation.address) { return .duplicate }
      guard same != nil || mine.count < Self.maxReactions else { return .dropped(.unwanted) }
      var record = ReactionRecord(
        to: target.id, by: author, emoji: same?.emoji ?? reaction.emoji, sentAt: received.sentAt.stored)
      record.serverHash = arrival.hash
      try transaction.put(record)
    case .remove:
      guard let same, same.sentAt <= received.sentAt.stored else { return .dropped(.noTarget) }
      try transaction.remove(same, in: conversation, until: arrival.end(at: now))
    }
    try transaction.tell(.messageChanged, target, at: now)
    return .kept
  }

  func receive(
    _ receipt: ReadReceipt, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard let conversation = arrival.conversation,
      let thread = try transaction.thread(at: conversation.address)
    else { return .dropped(.noTarget) }
    for time in receipt.messages {
      if var message = try transaction.interaction(in: thread.id, by: own.address, sentAt: time.stored) {
        guard message.kind == .outgoing, message.readByRecipientAt == nil else { continue }
        message.readByRecipientAt = now.stored
        try transaction.update(message)
        try transaction.tell(.messageChanged, message, at: now)
      } else if try transaction.pendingReceipts(in: thread.id) < Self.maxPendingReceipts {
        try transaction.put(
          PendingReadReceipt(
            in: thread.id, sentAt: time.stored, readAt: now.stored,
            expiresAt: arrival.end(at: now)))
      }
    }
    return .kept
  }

  func receive(
    _ typing: TypingIndicator, _ received: ReceivedMessage, _ arrival: Arrival,
    in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    guard case .person(let person)? = arrival.conversation,
      let thread = try transaction.thread(at: person.address)
    else { return .dropped(.noTarget) }
    let isNews = typists.note(
      person, isTyping: typing.action == .started, at: received.sentAt.stored, now: context.jobTime)
    if isNews { transaction.note(.updated, .thread(thread.id)) }
    return .kept
  }

  /// Applies an unsend request to a message of its sender. Only in the conversation that it belongs to; our own
  /// requests may concern any conversation.
  func receive(
    _ request: UnsendRequest, _ arrival: Arrival, in transaction: borrowing WriteTransaction
  ) throws -> Verdict {
    let author = request.targetAuthor.address
    var targets: [InteractionRecord] = []
    if let conversation = arrival.conversation {
      if let thread = try transaction.thread(at: conversation.address),
        let target = try transaction.interaction(
          in: thread.id, by: author, sentAt: request.targetSentAt.stored)
      {
        targets = [target]
      }
    } else {
      targets = try transaction.interactions(by: author, sentAt: request.targetSentAt.stored)
    }
    // More than one match is ambiguous.
    guard targets.count == 1, let target = targets.first, !target.kind.isNote else {
      return .dropped(.noTarget)
    }
    try transaction.delete(target, .forEveryone, at: now, context)
    return .kept
  }
}

private enum ReceiptStatements {
  static let pending: SQL = "SELECT count(*) FROM pendingReadReceipt WHERE threadID = ?"
}

extension Reading where Self: ~Copyable {
  fileprivate func pendingReceipts(in thread: ThreadRecord.ID) throws -> Int {
    try value(ReceiptStatements.pending, thread) ?? 0
  }
}

// A reaction whose sender crashed may be in a swarm twice, as two messages with one send time. The copy must not bring it
// back once it was removed.

extension SeenMessage {
  /// Names a reaction by what all its copies have in common.
  fileprivate static func identifier(ofRemoved emoji: String, by author: String, at sentAt: Int64) -> String {
    "unreacted:\(author):\(sentAt):\(emoji.emojiKey)"
  }
}

extension WriteTransaction {
  /// Removes a reaction for good, even if another copy of it arrives before `end`.
  func remove(_ reaction: ReactionRecord, in conversation: Conversation.ID, until end: Int64) throws {
    try deleteReaction(to: reaction.interactionID, by: reaction.author, emoji: reaction.emoji)
    _ = try insertNew(
      SeenMessage(
        SeenMessage.identifier(ofRemoved: reaction.emoji, by: reaction.author, at: reaction.sentAt),
        in: conversation.address, expiresAt: end + SeenMessage.grace, diesWithThread: true))
  }
}

extension String {
  /// The form used to compare emojis, independent of how a keyboard encodes them.
  var emojiKey: String { String(String.UnicodeScalarView(unicodeScalars.filter { $0 != "\u{FE0F}" })) }
}
