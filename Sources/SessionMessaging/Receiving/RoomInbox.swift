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
      blocked: SourcePeople.ids(of: blocked, onServer: key), server: key)
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
