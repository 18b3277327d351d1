import SessionStorage

/// How often configs are stored: a few times as soon as they change, so that nobody waits who does a thing or two, and
/// once in three seconds in the long run.
struct SyncPace: Sendable {
  static let spacing = Duration.seconds(3)
  static let burst = 3

  /// When they were stored last, the latest time at the end.
  private var times: [Int64] = []

  mutating func note(_ time: Int64) {
    times.append(time)
    times.removeFirst(max(0, times.count - Self.burst))
  }

  /// When they may be stored the next time. A clock that was set back keeps nobody waiting.
  func earliest(at now: Int64) -> Int64 {
    guard times.count == Self.burst, times.allSatisfy({ $0 <= now }) else { return now }
    return max(now, times[0].saturatingAdd(Self.spacing.milliseconds * Int64(Self.burst)))
  }
}
