import Synchronization

/// The nonces of the last minutes, in the memory of the process. Those of changes are in the database, too, for longer.
final class NonceMemory: Sendable {
  /// Milliseconds that a nonce is remembered at least, and twice that at most.
  static let span: Int64 = 10 * 60_000
  /// Nonces in one half of the memory.
  static let maxCount = 500_000

  /// The 16 bytes of a nonce, without memory of their own.
  private struct Nonce: Hashable {
    let words: (UInt64, UInt64)

    init(_ bytes: [UInt8]) {
      var words: (UInt64, UInt64) = (0, 0)
      for (index, byte) in bytes.prefix(16).enumerated() {
        if index < 8 { words.0 = words.0 << 8 | UInt64(byte) } else { words.1 = words.1 << 8 | UInt64(byte) }
      }
      self.words = words
    }

    static func == (a: Nonce, b: Nonce) -> Bool { a.words == b.words }

    func hash(into hasher: inout Hasher) {
      hasher.combine(words.0)
      hasher.combine(words.1)
    }
  }

  private struct State {
    var newer: Set<Nonce> = []
    var older: Set<Nonce> = []
    var began: Int64 = 0
  }

  private let state = Mutex(State())

  /// False for a nonce that is known. `now` is in milliseconds.
  func take(_ nonce: [UInt8], now: Int64) -> Bool {
    let nonce = Nonce(nonce)
    return state.withLock { state in
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
