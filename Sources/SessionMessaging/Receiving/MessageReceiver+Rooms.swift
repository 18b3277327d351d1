import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

// Messages of rooms, and what their server says about them.

extension MessageReceiver {
  /// A message of a room with its text, and the same opened.
  typealias RoomPost = (message: CommunityMessage, post: CommunityPost, arrival: Arrival)

  /// Receives the messages of a page, and what happened to them, each in a part of its own. Returns true if anything is
  /// new.
  func take(
    _ posts: [RoomPost], and messages: [CommunityMessage], in thread: ThreadRecord,
    _ permissions: CommunityPermissions, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    var receiver = self
    receiver.isCareful = false
    var isNews = false
    for (message, post, arrival) in posts.sorted(by: { $0.message.number < $1.message.number }) {
      let isKept = try receiver.apart(transaction) { part in
        try receiver.take(message, post, arrival, permissions, in: thread, part)
      }
      isNews = isNews || isKept
    }
    for message in messages.sorted(by: { $0.sequence < $1.sequence }) {
      let isChanged = try receiver.apart(transaction) { part in
        try receiver.takeChange(message, in: thread, part)
      }
      isNews = isNews || isChanged
    }
    return isNews
  }

  /// Does what one message requires. If that cannot be stored, nothing of it is, and the other messages are.
  private func apart(
    _ transaction: borrowing WriteTransaction, _ body: (borrowing WriteTransaction) throws -> Bool
  ) throws -> Bool {
    do { return try transaction.savepoint(body) } catch {
      guard Self.isOfMessage(error) else { throw error }
      context.environment.log(.error, .messages, "not-stored", .error(error))
      return false
    }
  }

  /// Receives a post, or the changed text of one that is here. Returns true if anything is new.
  private func take(
    _ message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival,
    _ permissions: CommunityPermissions, in thread: ThreadRecord, _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard isForUs(post, permissions) else { return false }
    if let known = try transaction.interaction(in: thread.id, serverID: message.number) {
      return try edit(known, as: message, post, arrival, transaction)
    }
    if let own = try ownPost(post, arrival, in: thread, transaction) {
      try transaction.takePost(
        own,
        as: PostedMessage(
          number: message.number, author: post.author, postedAt: post.postedAt, sequence: message.sequence),
        at: now)
      return true
    }
    if try takeDeleted(message, post, arrival, in: thread, transaction) { return false }
    if let kept = try unnumbered(post, arrival, in: thread, transaction) {
      try takeAgain(kept, as: message, post, arrival, transaction)
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

  /// Our message that is being posted: it may come back before its reply, or in place of it, and under another of our ids
  /// than it was written under.
  private func ownPost(
    _ post: CommunityPost, _ arrival: Arrival, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> InteractionRecord? {
    guard isOwn(post.author), let message = arrival.received?.message, let sentAt = message.sentAt?.stored
    else { return nil }
    for id in people.own {
      if let row = try transaction.interaction(in: thread.id, by: id.address, sentAt: sentAt),
        row.isBeingPosted, try transaction.isPost(post.data, message, of: row)
      {
        return row
      }
    }
    return nil
  }

  /// Recognises a message of ours that was deleted here while it was being posted. If it was deleted for everyone, its
  /// server has to follow. Returns false for any other message.
  private func takeDeleted(
    _ message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard case .room(let room) = source, isOwn(post.author), let sent = arrival.received?.message,
      let sentAt = sent.sentAt?.stored
    else { return false }
    for id in people.own {
      guard var row = try transaction.interaction(in: thread.id, by: id.address, sentAt: sentAt),
        row.isDeleted, row.serverID == nil, try transaction.isPost(post.data, sent, of: row)
      else { continue }
      (row.serverID, row.serverSeqno, row.state) = (message.number, message.sequence, .sent)
      try transaction.update(row)
      if row.kind == .outgoingDeleted {
        try transaction.request(.delete, of: row, in: room, at: context.jobTime)
      }
      return true
    }
    return false
  }

  /// The same message from before the server lost its numbers. Here or there it may have been edited.
  private func unnumbered(
    _ post: CommunityPost, _ arrival: Arrival, in thread: ThreadRecord,
    _ transaction: borrowing WriteTransaction
  ) throws -> InteractionRecord? {
    guard case .visible(let visible)? = arrival.received?.message.content,
      let row = try transaction.interaction(
        in: thread.id, by: post.author.address, sentAt: post.postedAt.stored),
      row.serverID == nil, row.state == .received || row.state == .sent, !row.isDeleted,
      row.body == visible.body.shown || row.editedAt != nil || post.editedAt != nil
    else { return nil }
    return row
  }

  /// Gives a message the number, text and reactions that it has on a server that was restored from a backup.
  private func takeAgain(
    _ kept: InteractionRecord, as message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival,
    _ transaction: borrowing WriteTransaction
  ) throws {
    var row = kept
    row.serverID = message.number
    if row.editedAt != post.editedAt?.stored, case .visible(let visible)? = arrival.received?.message.content
    {
      try setText(visible, of: row, as: message, post, transaction)
    } else {
      row.serverSeqno = message.sequence
      try transaction.update(row)
    }
    guard message.reactions == nil,
      try transaction.set([], to: row.id, own: context.own, at: now)
    else { return }
    try transaction.tell(.messageChanged, row, at: now)
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

  /// Replaces the text of a message, with its files, quote and link, by a later one of the same author. Its place, and
  /// what others did with it, stay.
  private func edit(
    _ known: InteractionRecord, as message: CommunityMessage, _ post: CommunityPost, _ arrival: Arrival,
    _ transaction: borrowing WriteTransaction
  ) throws -> Bool {
    guard let editedAt = post.editedAt?.stored, known.editedAt ?? 0 < editedAt, !known.isDeleted,
      isSame(known.author, post.author), message.sequence > known.serverSeqno ?? 0,
      try !isBlocked(post.author, transaction),
      let received = arrival.received, case .visible(let visible) = received.message.content
    else { return false }
    try takeProfile(received, in: transaction)
    try setText(visible, of: known, as: message, post, transaction)
    return true
  }

  private func setText(
    _ visible: VisibleMessage, of known: InteractionRecord, as message: CommunityMessage,
    _ post: CommunityPost, _ transaction: borrowing WriteTransaction
  ) throws {
    var row = known
    row.body = visible.body.shown
    row.editedAt = post.editedAt?.stored
    row.serverSeqno = message.sequence
    row.hasMention = !row.isOutgoing && mentionsUs(visible)
    row.linkPreviewID = nil
    try takeLink(visible, into: &row, transaction)
    try transaction.update(row)
    try transaction.detachAll(from: row.id)
    try takeAttachments(visible.attachments, of: row, transaction)
    try transaction.removeQuote(of: row.id)
    if let quote = visible.quote {
      try transaction.insert(
        QuoteRecord(
          of: row.id, author: author(of: quote, in: row.threadID, transaction), sentAt: quote.sentAt.stored))
    }
    if let preview = known.linkPreviewID { try transaction.deleteUnusedLinkPreview(preview) }
    try transaction.requestFileSweep(at: context.jobTime)
    try transaction.tell(.messageChanged, row, at: now)
  }

  /// True if an id is one of those of the author of a message.
  private func isSame(_ author: String, _ id: SessionID) -> Bool {
    author == id.address || SessionID(author).map { people.areSame($0, id) } == true
  }

  /// The address under which what is quoted stands here: its author may have signed it with another id.
  func author(
    of quote: Quote, in thread: ThreadRecord.ID, _ transaction: borrowing WriteTransaction
  ) throws -> String {
    let (address, sentAt) = (quote.author.address, quote.sentAt.stored)
    guard people.server != nil,
      try transaction.interaction(in: thread, by: address, sentAt: sentAt) == nil
    else { return address }
    return try transaction.authors(in: thread, sentAt: sentAt).first { isSame($0, quote.author) } ?? address
  }

  func isBlocked(_ person: SessionID, _ transaction: borrowing WriteTransaction) throws -> Bool {
    guard !isOwn(person) else { return false }
    return try people.blocked.contains(person) || transaction.relation(to: person, own: own) == .blocked
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
      try transaction.take(
        reactions, to: known, number: message.number, sequence: message.sequence, own: own, ids: people.own,
        at: now)
    else { return false }
    try transaction.tell(.messageChanged, known, at: now)
    return true
  }
}
