import SessionStorage
import Synchronization

/// The posts and edits of each person within a day. Posts of before the server began are read from the rows once.
final class DailyPosts: Sendable {
  private static let span: Int64 = 86_400_000

  private let limit: Int
  /// The times of each person, the earliest first.
  private let state = Mutex<[Int64: [Int64]]>([:])

  init(limit: Int) { self.limit = limit }

  /// Throws 429 for one too many; `now` is in milliseconds.
  func check<Transaction: Reading & ~Copyable>(
    _ person: Int64, in transaction: borrowing Transaction, now: Int64
  ) throws {
    let times = try times(of: person, in: transaction, now: now)
    guard times.count >= limit, let first = times.dropFirst(times.count - limit).first else { return }
    throw CommunityRefusal(429, "Rate limited", retryAfter: max((first + Self.span - now + 999) / 1000, 1))
  }

  /// Counts a post or an edit that was checked, unless the transaction fails.
  func note(_ person: Int64, in transaction: borrowing WriteTransaction, now: Int64) {
    state.withLock { $0[person]?.append(now) }
    transaction.onRollback { [self] in
      state.withLock { state in
        if let index = state[person]?.lastIndex(of: now) { state[person]?.remove(at: index) }
      }
    }
  }

  private func times<Transaction: Reading & ~Copyable>(
    of person: Int64, in transaction: borrowing Transaction, now: Int64
  ) throws(StorageError) -> [Int64] {
    // A clock that was set back makes no time a later one.
    func isRecent(_ time: Int64) -> Bool { time > now - Self.span && time <= now + Self.span }
    if let known = state.withLock({ $0[person] }) {
      let recent = known.filter(isRecent)
      state.withLock { $0[person] = recent }
      return recent
    }
    let stored: [Int64] = try transaction.values(
      "SELECT posted FROM message WHERE author = ?1 AND posted > ?2", person, now - Self.span)
    let recent = Array(stored.filter(isRecent).sorted().suffix(limit))
    state.withLock { state in
      if state.count >= RecentCounts.maxPeople { state.removeAll() }
      state[person] = recent
    }
    return recent
  }
}
