import SessionNetworking
import Synchronization

/// The limits of one group or server.
final class FeedLimits: PollLimits {
  private struct State {
    var permit: (PollGate.Permit, hasToken: Bool)?
    /// The number of callers waiting for a poll.
    var callers = 0
  }

  private let feed: Feed
  private let gate: PollGate
  private let budget: RetryBudget
  private let watched: WatchedFeeds
  private let state = Mutex(State())

  init(_ feed: Feed, _ gate: PollGate, _ budget: RetryBudget, _ watched: WatchedFeeds) {
    self.feed = feed
    self.gate = gate
    self.budget = budget
    self.watched = watched
  }

  /// True if the retry budget does not apply.
  private var isExempt: Bool { watched.contains(feed) || state.withLock { $0.callers > 0 } }

  func begin() async -> Bool {
    let isUrgent = isExempt
    guard isUrgent || budget.allows(feed) else { return false }
    guard let permit = await gate.enter(feed, isFailing: budget.isFailing(feed), isUrgent: isUrgent)
    else { return false }
    let hasToken = budget.take(for: feed)
    guard hasToken || isExempt else {
      gate.leave(permit)
      return false
    }
    state.withLock { $0.permit = (permit, hasToken) }
    return true
  }

  func end(_ outcome: PollOutcome?) {
    guard let (permit, hasToken) = state.withLock({ $0.permit.take() }) else { return }
    budget.note(outcome, of: feed, hasToken: hasToken)
    gate.leave(permit)
  }

  func delay(after outcome: PollOutcome, usual: Duration) -> Duration {
    if watched.contains(feed), outcome == .done { return min(usual, feed.watchedInterval) }
    return isExempt ? usual : budget.delay(of: feed, after: outcome, usual: usual)
  }

  /// Gives the feed priority while a caller waits for a poll of it.
  func hurry<Result>(
    isolation: isolated (any Actor)? = #isolation, during body: () async -> Result
  ) async -> Result {
    state.withLock { $0.callers += 1 }
    defer { state.withLock { $0.callers -= 1 } }
    gate.hurry(feed)
    return await body()
  }
}

/// The limits of the account, which never waits. They report when the network is back.
final class AccountLimits: PollLimits {
  private let hasFailed = Mutex(false)
  private let recovered: @Sendable () -> Void

  init(recovered: @escaping @Sendable () -> Void) {
    self.recovered = recovered
  }

  func begin() async -> Bool { true }

  func end(_ outcome: PollOutcome?) {
    guard let outcome else { return }
    let isFailed = outcome != .done
    let before = hasFailed.withLock { hasFailed in
      defer { hasFailed = isFailed }
      return hasFailed
    }
    if before && !isFailed { recovered() }
  }

  func delay(after outcome: PollOutcome, usual: Duration) -> Duration { usual }
}
