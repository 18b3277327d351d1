import Synchronization

/// Bounds how much is sent in a time. Servers refuse more, and then for longer.
final class SendingPace: Sendable {
  private let limit: Int
  /// In milliseconds.
  private let period: Int64
  private let times = Mutex<[String: [Int64]]>([:])

  init(limit: Int, period: Int64) {
    self.limit = limit
    self.period = period
  }

  /// Returns how long something for a place has to wait, in milliseconds, if there was too much before it.
  func delay(for place: String = "", at now: Int64) -> Int64? {
    times.withLock { times in
      times = times.mapValues { $0.filter { abs(now - $0) < period } }.filter { !$0.value.isEmpty }
      guard let sent = times[place], sent.count >= limit, let first = sent.min() else { return nil }
      return max(first + period - now, 1)
    }
  }

  /// Counts something that was sent to a place.
  func note(for place: String = "", at now: Int64) {
    times.withLock { $0[place, default: []].append(now) }
  }
}
