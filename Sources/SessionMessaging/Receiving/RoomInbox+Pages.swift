import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage

/// A room, as far as polling it depends on it.
struct PolledRoom: Sendable {
  let place: Community.Place
  let cursor: Int64
  let infoUpdates: Int64

  /// What to ask for: the newest messages at first, and all changes from then on.
  var span: CommunitySpan { cursor == 0 ? .recent : .since(sequence: cursor) }
}

/// What a page changed.
struct PageChange: Hashable, Sendable {
  var isNews = false
  var hasMovedCursor = false
}

extension CommunityPage {
  /// True if there may be more.
  var isFull: Bool { count >= CommunityCall<CommunityPage>.pageSize }
}

extension RoomInbox {
  func serverKey() async throws -> [UInt8]? {
    try await context.database.read { [server] transaction in
      try transaction.communityServer(server)?.publicKey
    }
  }

  func roomsToPoll() async throws -> [PolledRoom] {
    try await context.database.read { [server] transaction in
      try transaction.communities(on: server).filter(\.isPolled).map { record in
        PolledRoom(
          place: try Community.Place(server: server, room: record.room), cursor: record.sequenceNumber,
          infoUpdates: record.infoUpdates)
      }
    }
  }

  func take(_ capabilities: CommunityCapabilities) async throws {
    try await context.write { [server] transaction, _ in try transaction.take(capabilities, of: server) }
  }

  /// Records that we cannot read a room.
  func close(_ room: Community.Place, as state: CommunityRecord.State) async throws {
    try await context.write { transaction, now in try transaction.close(room, as: state, at: now) }
  }

  /// Finds the messages that a page only has the reactions of, and that are not here although they are not older than
  /// those that are. Returns as much of the page as can be completed with one request, and their numbers.
  func withoutMissing(
    _ page: CommunityPage, of room: Community.Place
  ) async throws -> (CommunityPage, missing: [Int64]) {
    let numbers = page.messages.filter { $0.change == .reactions }.map(\.number)
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
        count: isWhole ? page.count : CommunityCall<CommunityPage>.pageSize, messages: Array(rest)), missing
    )
  }

  /// A message of a page that its author has signed.
  private struct SignedPost {
    let message: CommunityMessage
    let post: CommunityPost
    let arrival: Arrival
  }

  /// Stores the state of a room, a page of its messages, and the cursor behind them, in one transaction. A message that
  /// cannot be read does not hold up the others, and never will be read.
  func take(
    _ poll: CommunityPoll, _ page: CommunityPage, and fetched: [CommunityMessage], of room: PolledRoom
  ) async throws -> PageChange {
    let conversation = Conversation.ID.room(room.place)
    let messages = page.messages + fetched
    let posts = signedPosts(among: messages, in: conversation)
    // A message that was fetched may have changed after the page.
    let cursor = page.messages.map(\.sequence).max() ?? 0
    let change = try await write(from: .room(room.place), readingBlocked: !posts.isEmpty) {
      receiver, transaction in
      try transaction.take(poll, of: room.place, at: receiver.now)
      guard var thread = try transaction.thread(at: conversation.address),
        var record = try transaction.community(thread.id)
      else { return PageChange() }
      // What was written before we joined is not new to us, unless a device of ours has told how far it has read.
      let joinedAt = min(thread.createdAt, receiver.now.stored)
      let earlier = posts.map(\.post.postedAt.stored).filter { $0 <= joinedAt }
      if record.sequenceNumber == 0, thread.lastReadAt == 0, let newest = earlier.max() {
        thread.lastReadAt = newest
        try transaction.update(thread)
      }
      var isNews = false
      for signed in posts.sorted(by: { $0.message.number < $1.message.number }) {
        let isKept = try receiver.take(
          signed.message, signed.post, signed.arrival, CommunityPermissions(rawValue: record.permissions),
          in: thread, transaction)
        isNews = isNews || isKept
      }
      for message in messages.sorted(by: { $0.sequence < $1.sequence }) {
        let isChanged = try receiver.takeChange(message, in: thread, transaction)
        isNews = isNews || isChanged
      }
      let hasMoved = cursor > record.sequenceNumber
      if hasMoved {
        record.sequenceNumber = cursor
        try transaction.put(record)
      }
      return PageChange(isNews: isNews, hasMovedCursor: hasMoved)
    }
    return change ?? PageChange()
  }

  private func signedPosts(
    among messages: [CommunityMessage], in conversation: Conversation.ID
  ) -> [SignedPost] {
    messages.compactMap { message in
      guard case .post(let post) = message.change, (try? post.verify()) != nil else {
        if case .deletion = message.change { return nil }
        if case .reactions = message.change { return nil }
        context.environment.log(.info, .messages, "dropped", .code(MessageReceiver.Reason.unreadable))
        return nil
      }
      let arrival = Arrival(
        ServerPost(number: message.number, author: post.author, postedAt: post.postedAt, data: post.data),
        as: .number(message.number), in: conversation,
        from: .community(sender: post.author, postedAt: post.postedAt), for: context.account)
      return SignedPost(message: message, post: post, arrival: arrival)
    }
  }
}

private enum RoomStatements {
  static let oldest: SQL = "SELECT min(serverID) FROM interaction WHERE threadID = ? AND serverID IS NOT NULL"
}

extension Reading where Self: ~Copyable {
  /// The number of the oldest message of a room that is here.
  fileprivate func oldestNumber(in thread: ThreadRecord.ID) throws -> Int64? {
    let found: Int64?? = try value(RoomStatements.oldest, thread)
    return found ?? nil
  }
}
