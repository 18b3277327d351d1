import SessionBase
import SessionJobs
import SessionNetworking
import Synchronization

/// Limits failed polls over all groups and servers: 30, and one more every two seconds.
///
/// Each poll takes a token, and returns it unless it fails. Failing feeds leave the last tokens to the others, which
/// therefore never wait for them. Once the tokens have run out, the delays of failing feeds double until half of the
/// tokens are back. When the network returns, all of them come back, once a minute at most.
final class RetryBudget: Sendable {
  static let size = 30
  /// The time to regain a token, in milliseconds.
  static let refill: Int64 = 2000
  /// The tokens reserved for feeds that do not fail: as many as can be polled at a time.
  static let reserve = PollGate.groupPermits + PollGate.serverPermits
  static let longestDelay = Duration.seconds(15 * 60)
  /// The least time between two returns of all tokens, in milliseconds: a network that comes and goes gains nothing.
  static let returnInterval: Int64 = 60_000

  private struct State {
    var tokens = size
    var refilledAt: Int64
    var isDrained = false
    /// When all tokens came back with the network.
    var returnedAt: Int64?
    var failing: Set<Feed> = []
    /// How many times the delay of each feed was doubled.
    var doublings: [Feed: Int] = [:]

    mutating func refill(at now: Int64) {
      let count = Int(clamping: max(0, now - refilledAt) / RetryBudget.refill)
      refilledAt += Int64(count) * RetryBudget.refill
      tokens = min(size, tokens + min(count, size))
      // A full bucket gains nothing by waiting, and a clock may be set back.
      if tokens == size || now < refilledAt { refilledAt = now }
      if tokens >= size / 2 { isDrained = false }
    }

    mutating func allows(_ feed: Feed) -> Bool {
      let isAllowed = tokens > (failing.contains(feed) ? reserve : 0)
      if !isAllowed { isDrained = true }
      return isAllowed
    }
  }

  private let clock: any JobClock
  private let chance: @Sendable () -> Double
  private let state: Mutex<State>

  /// `chance` returns numbers from 0 up to 1, to spread feeds whose delays doubled.
  init(clock: any JobClock, chance: @escaping @Sendable () -> Double) {
    self.clock = clock
    self.chance = chance
    state = Mutex(State(refilledAt: clock.now))
  }

  func isFailing(_ feed: Feed) -> Bool { state.withLock { $0.failing.contains(feed) } }

  /// True if there is a token for a feed.
  func allows(_ feed: Feed) -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.refill(at: now)
      return state.allows(feed)
    }
  }

  /// Takes a token for a feed; false if there is none for it.
  func take(for feed: Feed) -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.refill(at: now)
      guard state.allows(feed) else { return false }
      state.tokens -= 1
      return true
    }
  }

  /// Records the result of a poll; nil for one that was abandoned. Its token comes back unless it failed.
  func note(_ outcome: PollOutcome?, of feed: Feed, hasToken: Bool) {
    state.withLock { state in
      switch outcome {
      case .failed: state.failing.insert(feed)
      case .done:
        state.failing.remove(feed)
        state.doublings[feed] = nil
        fallthrough
      case .deferred, nil:
        if hasToken { state.tokens = min(Self.size, state.tokens + 1) }
      }
    }
  }

  /// Returns the delay after a poll; `usual` is the delay without the budget.
  func delay(of feed: Feed, after outcome: PollOutcome, usual: Duration) -> Duration {
    guard outcome != .done else { return usual }
    let now = clock.now
    let doublings: Int? = state.withLock { state in
      state.refill(at: now)
      let count = state.isDrained ? min(state.doublings[feed, default: 0] + 1, 12) : nil
      state.doublings[feed] = count
      return count
    }
    guard let doublings else { return usual }
    let delay = min(Self.longestDelay, usual * (1 << doublings))
    return max(usual, delay * (1 - chance() / 2))
  }

  /// Resets doubled delays because the network is back. Returns the feeds that failed or had one.
  ///
  /// Their failures were the network's, so their tokens come back as well: without them, feeds that are polled again
  /// would be deferred.
  func forgive() -> Set<Feed> {
    let now = clock.now
    return state.withLock { state in
      if state.returnedAt.map({ abs(now - $0) >= Self.returnInterval }) ?? true {
        (state.tokens, state.isDrained, state.returnedAt) = (Self.size, false, now)
      }
      defer { state.doublings = [:] }
      return state.failing.union(state.doublings.keys)
    }
  }

  func forget(_ feed: Feed) {
    state.withLock { state in
      state.failing.remove(feed)
      state.doublings[feed] = nil
    }
  }
}
