import Synchronization

/// Nodes that were recently unreachable, which are not called again for a while.
final class PeerHealth: Sendable {
  static let firstDelay: UInt64 = 1_000_000_000
  static let longestDelay: UInt64 = 30_000_000_000

  private struct Absence {
    var failures: Int
    var until: UInt64
  }

  private let absent = Mutex<[[UInt8]: Absence]>([:])

  /// True if a node may be called. `now` is in nanoseconds.
  func mayTry(_ key: [UInt8], now: UInt64) -> Bool {
    absent.withLock { $0[key].map { now >= $0.until } ?? true }
  }

  /// Records that a node replied.
  func isThere(_ key: [UInt8]) { absent.withLock { $0[key] = nil } }

  /// Records that a node could not be reached; simultaneous failures count once.
  func isAway(_ key: [UInt8], now: UInt64) {
    absent.withLock { absent in
      let known = absent[key]
      guard now >= known?.until ?? 0 else { return }
      let failures = (known?.failures ?? 0) + 1
      let delay = min(Self.firstDelay << UInt64(min(failures - 1, 10)), Self.longestDelay)
      absent[key] = Absence(failures: failures, until: now + delay)
    }
  }

  /// Forgets nodes that are in no list any more.
  func keep(where isListed: ([UInt8]) -> Bool) {
    absent.withLock { absent in absent = absent.filter { isListed($0.key) } }
  }
}
