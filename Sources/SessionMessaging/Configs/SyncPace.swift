import SessionStorage

/// The pace of config pushes: the first few changes are pushed at once, so that single commands do not wait; later
/// ones every three seconds at most.
struct SyncPace: Sendable {
  static let spacing: Int64 = 3000
  static let burst: Int64 = 3

  /// The time from which the full burst is available again.
  private var refilledAt = Int64.min

  mutating func note(_ time: Int64) {
    refilledAt = max(isOf(time) ? refilledAt : time, time).saturatingAdd(Self.spacing)
  }

  /// Returns the next time to push. A clock that was set back does not delay it.
  func earliest(at now: Int64) -> Int64 {
    isOf(now) ? max(now, refilledAt - (Self.burst - 1) * Self.spacing) : now
  }

  /// True if pushes were recorded recently and by the same clock.
  private func isOf(_ now: Int64) -> Bool {
    refilledAt > now - Self.burst * Self.spacing && refilledAt <= now + Self.burst * Self.spacing
  }
}
