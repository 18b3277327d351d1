import Synchronization

/// The results of the last tests of other nodes. `now` is always in nanoseconds.
final class Reachability: Sendable {
  static let firstDelay: UInt64 = 10_000_000_000
  static let longestDelay: UInt64 = 120_000_000_000
  /// The silence after which a node is reported.
  static let reportedAfter: UInt64 = 60_000_000_000

  private struct Trial {
    /// When it was last called.
    var last: UInt64
    /// The start of its silence.
    var silentSince: UInt64?
    var failures = 0
    /// When it is called again.
    var next: UInt64 = 0
  }

  private let trials = Mutex<[[UInt8]: Trial]>([:])
  /// The nodes without a reply over HTTPS.
  private let mute = Mutex<Set<[UInt8]>>([])

  /// The nodes to call now: all silent ones whose delay has passed, and the one that was not called for the longest
  /// time.
  func due(_ keys: [[UInt8]], now: UInt64) -> [[UInt8]] {
    trials.withLock { trials in
      let silent = keys.filter { trials[$0]?.silentSince != nil }
      let others = keys.filter { trials[$0]?.silentSince == nil }
      let next = others.min { (trials[$0]?.last ?? 0) < (trials[$1]?.last ?? 0) }
      return silent.filter { trials[$0]?.next ?? 0 <= now } + (next.map { [$0] } ?? [])
    }
  }

  func passed(_ key: [UInt8], now: UInt64) {
    trials.withLock { $0[key] = Trial(last: now) }
  }

  func failed(_ key: [UInt8], now: UInt64) {
    trials.withLock { trials in
      var trial = trials[key] ?? Trial(last: now)
      trial.last = now
      trial.silentSince = trial.silentSince ?? now
      trial.next = now + min(Self.firstDelay << UInt64(min(trial.failures, 10)), Self.longestDelay)
      trial.failures += 1
      trials[key] = trial
    }
  }

  /// True if it replied to the last call; nil before the first.
  func isReachable(_ key: [UInt8]) -> Bool? {
    trials.withLock { $0[key].map { $0.silentSince == nil } }
  }

  /// Records whether a node replies over HTTPS, which is not reported; returns true if that changed.
  func tried(_ key: [UInt8], answersHTTPS: Bool) -> Bool {
    mute.withLock { answersHTTPS ? $0.remove(key) != nil : $0.insert(key).inserted }
  }

  /// The nodes that have been silent for some time.
  func reported(now: UInt64) -> [[UInt8]] {
    trials.withLock { trials in
      trials.filter { trial in trial.value.silentSince.map { now - $0 >= Self.reportedAfter } ?? false }
        .keys.sorted { $0.lexicographicallyPrecedes($1) }
    }
  }

  /// Forgets nodes that are in no list any more.
  func keep(where isListed: ([UInt8]) -> Bool) {
    trials.withLock { trials in trials = trials.filter { isListed($0.key) } }
    mute.withLock { mute in mute = mute.filter(isListed) }
  }
}
