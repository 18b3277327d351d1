import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// A room, as far as polling it depends on it.
struct PolledRoom: Sendable {
  let place: Community.Place
  let cursor: Int64
  let infoUpdates: Int64
  /// The number of messages to ask for.
  var pageSize = CommunityCall<CommunityPage>.pageSize
  /// True if it is to be asked for alone.
  var isAlone = false
  /// True if its whole description is to be asked for.
  var wantsDescription = true
  /// True if the newest messages are to be asked for, and not all changes: there may be too many.
  var wantsRecent = false
  /// True if the next change is too large to reach us, so that all of them are passed over but the newest message.
  var passesMessage = false
  /// True if its server has not had it for so long that it is not asked for any more.
  var isLongGone = false
  /// True if it had no messages in the last poll.
  var wasEmpty = false
  /// The newest message here, of any conversation, before the request.
  var newestRow: InteractionRecord.ID
  /// The largest number of a message of the room here, before a request for the newest ones.
  var newestNumber: Int64 = 0

  /// What to ask for: the newest messages at first, and all changes from then on.
  var span: CommunitySpan { isRecent ? .recent : .since(sequence: cursor) }
  var isRecent: Bool { (cursor == 0 && !wasEmpty) || wantsRecent }
}

/// What a page changed.
struct PageChange: Hashable, Sendable {
  var isNews = false
  var hasMovedCursor = false
}

extension RoomInbox {
  /// What is known about the server; nil if we do not use it any more.
  func serverRecord() async throws -> CommunityServerRecord? {
    try await context.database.read { [server] transaction in try transaction.communityServer(server) }
  }

  /// Stores how many polls in a row have failed.
  func note(failures: Int) async throws {
    try await context.write { [server] transaction, _ in
      guard var record = try transaction.communityServer(server) else { return }
      record.pollFailures = min(failures, Self.maxFailures)
      try transaction.put(record)
    }
  }

  private static let maxFailures = 1000

  func roomsToPoll() async throws -> [PolledRoom] {
    let now = try context.time().stored
    return try await context.database.read { [server] transaction in
      let newest = try transaction.newestInteraction()
      return try transaction.communities(on: server).filter(\.isPolled).map { record in
        var room = PolledRoom(
          place: try Community.Place(server: server, room: record.room), cursor: record.sequenceNumber,
          infoUpdates: record.infoUpdates, newestRow: newest)
        room.wantsRecent = record.lastSuccessAt > 0 && now - record.lastSuccessAt > Self.longAbsence
        if record.state == .gone {
          let joinedAt = try transaction.thread(record.threadID)?.createdAt ?? 0
          room.isLongGone = now - max(record.lastSuccessAt, joinedAt) > Self.longGone
        }
        room.wasEmpty = record.lastSuccessAt > 0 && record.sequenceNumber == 0
        if room.isRecent { room.newestNumber = try transaction.newestNumber(in: record.threadID) ?? 0 }
        return room
      }
    }
  }

  /// How long after the last poll only the newest messages are fetched, in milliseconds.
  private static let longAbsence: Int64 = 14 * 24 * 3_600_000

  /// How long after the last poll that brought messages a room that is gone is still asked for, in milliseconds.
  private static let longGone: Int64 = 7 * 24 * 3_600_000

  func take(_ capabilities: CommunityCapabilities) async throws {
    try await context.write { [server] transaction, _ in try transaction.take(capabilities, of: server) }
  }

  /// Begins a room anew whose server created it again, or lost messages that we have seen. The messages here stay as
  /// history, and the next poll brings those that the server has. Returns false if nothing of that has happened. Throws
  /// if it has, and is not allowed.
  func restart(
    _ room: PolledRoom, as poll: CommunityPoll, isBehind: Bool, isAllowed: Bool
  ) async throws -> Bool {
    guard let created = poll.details?.createdAt?.stored else { return false }
    return try await context.write { [server, own = context.own] transaction, now in
      guard let thread = try transaction.thread(at: Conversation.ID.room(room.place).address),
        let record = try transaction.community(thread.id)
      else { return false }
      let isOther = record.createdAt != 0 && abs(record.createdAt - created) > Self.createdTolerance
      guard isOther || (isBehind && room.cursor == record.sequenceNumber) else { return false }
      guard isAllowed else {
        throw NetworkFailure(.transient, "the community server begins this room anew too often")
      }
      try transaction.restart(record, in: thread, createdAt: created, own: own, at: now)
      guard var server = try transaction.communityServer(server) else { return true }
      (server.inboxLatest, server.outboxLatest) = (0, 0)
      try transaction.put(server)
      for place in LetterBox.allCases.map(\.place) + [room.place.room] {
        for item in try transaction.badItems(in: place, of: server.url) { try transaction.delete(item) }
      }
      return true
    }
  }

  /// Servers count in fractions of seconds, which are rounded.
  private static let createdTolerance: Int64 = 1

  /// Records that we cannot read any room of the server.
  func closeAll() async throws {
    try await context.write { [server, context] transaction, now in
      for record in try transaction.communities(on: server) where record.isPolled {
        let room = try Community.Place(server: server, room: record.room)
        try transaction.close(room, as: .noAccess, at: now, context)
      }
    }
  }

  /// Records that we cannot read a room.
  func close(_ room: Community.Place, as state: CommunityRecord.State) async throws {
    try await context.write { [context] transaction, now in
      try transaction.close(room, as: state, at: now, context)
    }
  }

  /// Finds the messages that a page only has the reactions of, and that are not here although they are not older than
  /// those that are. Returns as much of the page as can be completed with one request, and their numbers.
  /// Those of `except` are not asked for.
  func withoutMissing(
    _ page: CommunityPage, of room: Community.Place, except: Set<Int64> = []
  ) async throws -> (CommunityPage, missing: [Int64]) {
    let numbers = page.messages.filter { $0.change == .reactions && !except.contains($0.number) }.map(
      \.number)
    guard !numbers.isEmpty else { return (page, []) }
    let unknown: Set<Int64> = try await context.database.read { transaction in
      guard let thread = try transaction.thread(at: Conversation.ID.room(room).address),
        let oldest = try transaction.oldestNumber(in: thread.id)
      else { return [] }
      return Set(
        try numbers.filter { number in
          try number > oldest && transaction.interaction(in: thread.id, serverID: number) == nil
        })
    }
    var missing: [Int64] = []
    let rest = page.messages.prefix { message in
      guard message.change == .reactions, unknown.contains(message.number), !missing.contains(message.number)
      else { return true }
      guard missing.count < CommunityRequest.maxBatch else { return false }
      missing.append(message.number)
      return true
    }
    let isWhole = rest.count == page.messages.count
    return (
      CommunityPage(
        count: isWhole ? page.count : CommunityCall<CommunityPage>.pageSize, isLarge: page.isLarge,
        messages: Array(rest)), missing
    )
  }

  /// Stores the state of a room, a page of its messages, and the cursor behind them, in one transaction. A message that
  /// cannot be read does not hold up the others.
  func take(
    _ poll: CommunityPoll, _ page: CommunityPage, and fetched: [CommunityMessage], of room: PolledRoom
  ) async throws -> PageChange {
    let conversation = Conversation.ID.room(room.place)
    let messages = page.messages + fetched
    let posts = try signedPosts(among: messages, in: conversation)
    // A message that was fetched may have changed after the page.
    var cursor = page.messages.map(\.sequence).max() ?? 0
    // The server was asked for its state before the page, so nothing that the page lacks is newer. What is passed over may
    // be a change of an older message, which no later poll would bring.
    if room.passesMessage { cursor = max(cursor, poll.details?.messageSequence ?? 0) }
    let newCursor = cursor
    let change = try await write(from: .room(room.place), readingBlocked: !posts.isEmpty) {
      receiver, transaction in
      try transaction.take(poll, of: room.place, at: receiver.now, context)
      guard var thread = try transaction.thread(at: conversation.address),
        var record = try transaction.community(thread.id)
      else { return PageChange() }
      var receiver = receiver
      // What was written before we joined is not new to us, unless a device of ours has told how far it has read.
      let joinedAt = min(thread.createdAt, receiver.now.stored)
      let earlier = posts.map(\.post.postedAt.stored).filter { $0 <= joinedAt }
      if record.sequenceNumber == 0, thread.lastReadAt == 0, let newest = earlier.max() {
        thread.lastReadAt = newest
        try transaction.update(thread)
        receiver.news = .mentions
      }
      if room.isRecent, record.sequenceNumber > 0 {
        try transaction.noteGap(before: page, isFull: page.isFull(limit: room.pageSize), in: thread.id)
      }
      let change = try receiver.take(
        posts, and: messages, in: thread, CommunityPermissions(rawValue: record.permissions), transaction)
      if !messages.isEmpty { try note(messages, posts, of: room.place, transaction) }
      if room.isRecent {
        try receiver.dropMissing(
          from: page, in: thread, upTo: room.newestRow, numbered: room.newestNumber, transaction)
      }
      let hasMoved = newCursor > record.sequenceNumber
      // Polls without news write nothing.
      if hasMoved || abs(receiver.now.stored - record.lastSuccessAt) > Self.successPrecision {
        record.sequenceNumber = max(record.sequenceNumber, newCursor)
        record.lastSuccessAt = receiver.now.stored
        try transaction.put(record)
      }
      return PageChange(isNews: change, hasMovedCursor: hasMoved)
    }
    return change ?? PageChange()
  }

  /// How exactly the time of the last poll is known, in milliseconds.
  private static let successPrecision: Int64 = 3_600_000

  /// The posts with a valid signature, decoded. Throws if there is no memory for that: then the whole page comes again.
  func signedPosts(
    among messages: [CommunityMessage], in conversation: Conversation.ID
  ) throws -> [MessageReceiver.RoomPost] {
    try messages.compactMap { message in
      let post: CommunityPost
      switch message.change {
      case .post(let signed) where try signed.isVerified(): post = signed
      case .deletion, .reactions: return nil
      default:
        context.environment.log(.info, .messages, "dropped", .code(MessageReceiver.Reason.unreadable))
        return nil
      }
      let arrival = Arrival(
        ServerPost(number: message.number, author: post.author, postedAt: post.postedAt, data: post.data),
        as: .number(message.number), in: conversation,
        from: .community(sender: post.author, postedAt: post.editedAt ?? post.postedAt), for: context.account)
      if case .failure(let error) = arrival.content, error.code == .noMemory { throw error }
      return (message, post, arrival)
    }
  }
}

extension CommunityPost {
  /// False for a signature that is not the author's.
  fileprivate func isVerified() throws -> Bool {
    do {
      try verify()
      return true
    } catch {
      if error.code == .noMemory { throw error }
      return false
    }
  }
}
