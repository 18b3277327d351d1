import Synchronization

/// The nonces of the last minutes, in the memory of the process. Those of changes are in the database, too, for longer.
final class NonceMemory: Sendable {
  /// Milliseconds that a nonce is remembered at least, and twice that at most.
  static let span: Int64 = 10 * 60_000
  /// Nonces in one half of the memory.
  static let maxCount = 500_000

  private struct State {
    var newer: Set<[UInt8]> = []
    var older: Set<[UInt8]> = []
    var began: Int64 = 0
  }

  private let state = Mutex(State())

  /// False for a nonce that is known. `now` is in milliseconds.
  func take(_ nonce: [UInt8], now: Int64) -> Bool {
    state.withLock { state in
      if now - state.began >= Self.span || state.newer.count >= Self.maxCount {
        state.older = now - state.began >= 2 * Self.span ? [] : state.newer
        state.newer = []
        state.began = now
      }
      guard !state.older.contains(nonce) else { return false }
      return state.newer.insert(nonce).inserted
    }
  }
}
