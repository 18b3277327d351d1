import Synchronization

/// The feeds that the user is viewing.
final class WatchedFeeds: Sendable {
  private let counts = Mutex<[Feed: Int]>([:])

  func begin(_ feed: Feed) { counts.withLock { $0[feed, default: 0] += 1 } }

  func end(_ feed: Feed) {
    counts.withLock { counts in
      let count = counts[feed, default: 0] - 1
      counts[feed] = count > 0 ? count : nil
    }
  }

  func contains(_ feed: Feed) -> Bool { counts.withLock { $0[feed] != nil } }
}

/// Has the group or room of a conversation polled often while it exists: keep it for as long as the user is viewing the
/// conversation.
public final class ConversationWatch: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) {
    self.end = end
  }

  deinit { end() }
}
