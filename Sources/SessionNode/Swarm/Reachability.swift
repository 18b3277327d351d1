import Synchronization

/// Which nodes of the network answered when they were last called for a test. `now` is in nanoseconds everywhere.
final class Reachability: Sendable {
  static let firstPause: UInt64 = 10_000_000_000
  static let longestPause: UInt64 = 120_000_000_000
  /// Who was away for so long is reported.
  static let reportedAfter: UInt64 = 60_000_000_000

  private struct Trial {
    /// When it was last called.
    var last: UInt64
    /// When it first gave no answer, and since then none.
    var silentSince: UInt64?
    var failures = 0
    /// When it is called again, if it gave no answer.
    var next: UInt64 = 0
  }

  private let trials = Mutex<[[UInt8]: Trial]>([:])
  /// Who gave no answer over HTTPS the last time.
  private let mute = Mutex<Set<[UInt8]>>([])

  /// Who is to be called now: all that gave no answer and whose pause is over, and of the others the one that was
  /// not called for the longest.
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
      trial.next = now + min(Self.firstPause << UInt64(min(trial.failures, 10)), Self.longestPause)
      trial.failures += 1
      trials[key] = trial
    }
  }

  /// Whether it gave an answer the last time; nil when it was never called.
  func isReachable(_ key: [UInt8]) -> Bool? {
    trials.withLock { $0[key].map { $0.silentSince == nil } }
  }

  /// Records whether a node replies over HTTPS, which is not reported; returns true if that changed.
  func tried(_ key: [UInt8], answersHTTPS: Bool) -> Bool {
    mute.withLock { answersHTTPS ? $0.remove(key) != nil : $0.insert(key).inserted }
  }

  /// Who has given no answer for some time.
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
