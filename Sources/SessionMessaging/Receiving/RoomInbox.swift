import SessionCore
import SessionStorage
import Synchronization

/// A message that a community server sent us, not yet opened.
struct ServerPost: Sendable {
  let number: Int64
  let author: SessionID
  let postedAt: MessageTime
  let data: [UInt8]
}

/// Stores the messages of the rooms of a community server.
struct RoomInbox: Sendable {
  /// The server's URL.
  let server: String
  let context: AccountContext
  let typists: Typists
  private let ownIDs = OwnIDs()

  /// Returns the rooms to poll, and the cursor of each.
  func rooms() async throws -> [Community.Place: Int64] {
    try await context.database.read { [server] transaction in
      var rooms: [Community.Place: Int64] = [:]
      for record in try transaction.communities(on: server) where record.isPolled {
        let room = try Community.Place(server: server, room: record.room)
        // Names that differ only in case are one room, whose conversation has one row.
        guard try transaction.thread(at: Conversation.ID.room(room).address)?.id == record.threadID else {
          continue
        }
        rooms[room] = record.sequenceNumber
      }
      return rooms
    }
  }

  /// Stores a page of a room, and the cursor behind it, in one transaction. A room that we have left stays as it is.
  func keep(_ posts: [ServerPost], of room: Community.Place, upTo cursor: Int64) async throws {
    let conversation = Conversation.ID.room(room)
    let arrivals = posts.sorted { $0.number < $1.number }.map { post in
      Arrival(
        post, as: .number(post.number), in: conversation,
        from: .community(sender: post.author, postedAt: post.postedAt), for: context.account)
    }
    try await write(arrivals, from: .room(room)) { transaction in
      guard let thread = try transaction.thread(at: conversation.address),
        var record = try transaction.community(thread.id)
      else { return false }
      record.sequenceNumber = max(record.sequenceNumber, cursor)
      try transaction.put(record)
      return true
    }
  }

  /// Receives messages in the transaction that moves the cursor; `move` returns false if there is none any more.
  private func write(
    _ arrivals: [Arrival], from source: MessageSource,
    moving move: @escaping @Sendable (borrowing WriteTransaction) throws -> Bool
  ) async throws {
    try await write(from: source, readingBlocked: !arrivals.isEmpty) { receiver, transaction in
      guard try move(transaction) else { return }
      for arrival in arrivals { try receiver.receive(arrival, in: transaction) }
    }
  }

  /// Receives what comes from the server in one transaction. Returns nil if we do not use the server any more.
  @discardableResult
  func write<R: Sendable>(
    from source: MessageSource, readingBlocked readsBlocked: Bool,
    _ body: @escaping @Sendable (MessageReceiver, borrowing WriteTransaction) throws -> R
  ) async throws -> R? {
    let (known, blocked) = try await context.database.read { [server] transaction in
      (
        try transaction.communityServer(server)?.publicKey,
        try readsBlocked ? transaction.blockedPeople() : []
      )
    }
    guard let key = known else { return nil }
    // Computing their ids takes long where many are blocked, and other writers need not wait for it.
    let people = SourcePeople(
      own: try ownIDs.value(onServer: key, for: context.account),
      blocked: SourcePeople.ids(of: blocked, onServer: key))
    return try await context.write { [self] transaction, now in
      guard try transaction.communityServer(server)?.publicKey == key else { return nil }
      let receiver = MessageReceiver(
        source: source, people: people, context: context, typists: typists, now: now, deletions: Deletions())
      return try body(receiver, transaction)
    }
  }
}

/// Our ids on the server of an inbox, computed once.
private final class OwnIDs: Sendable {
  private let known = Mutex<(key: [UInt8], ids: Set<SessionID>)?>(nil)

  func value(onServer key: [UInt8], for account: Account) throws -> Set<SessionID> {
    if let known = known.withLock({ $0 }), known.key == key { return known.ids }
    let ids = try SourcePeople(onServer: key, for: account, blocked: []).own
    known.withLock { $0 = (key: key, ids: ids) }
    return ids
  }
}
