/// The refusals logged in this minute: each node once, up to a limit.
struct Refusals {
  static let most = 20
  private static let minute: UInt64 = 60_000_000_000

  private var began: UInt64 = 0
  private var keys: Set<[UInt8]> = []

  /// True if a refusal must be logged. `now` is in nanoseconds.
  mutating func isNews(_ key: [UInt8], now: UInt64) -> Bool {
    if now - began >= Self.minute { (began, keys) = (now, []) }
    return keys.count < Self.most && keys.insert(key).inserted
  }
}
