import Synchronization

/// The people to whom each person has written for the first time in the last day, also those who are not there.
final class NewRecipients: Sendable {
  private static let day: Int64 = 86_400_000
  /// Senders in memory.
  static let maxSenders = 100_000

  private let limit: Int
  private let state = Mutex<[Int64: [[UInt8]: Int64]]>([:])

  init(limit: Int) { self.limit = limit }

  /// False for one more than a person may write to in a day. `now` is in milliseconds.
  func admit(_ recipient: [UInt8], of sender: Int64, now: Int64) -> Bool {
    state.withLock { state in
      if state[sender] == nil, state.count >= Self.maxSenders { state.removeAll() }
      var known = state[sender, default: [:]].filter { now - $0.value < Self.day }
      defer { state[sender] = known }
      guard known[recipient] == nil else { return true }
      guard known.count < limit else { return false }
      known[recipient] = now
      return true
    }
  }
}
