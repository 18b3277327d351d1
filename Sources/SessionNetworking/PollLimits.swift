/// How a poll ended.
public enum PollOutcome: Hashable, Sendable {
  case done
  /// It failed, after this many consecutive failures including it.
  case failed(inARow: Int)
  /// It was not allowed to start yet.
  case deferred
}

/// Limits the polls of one poller where many share a network.
public protocol PollLimits: Sendable {
  /// Waits for a permit to poll. False if the poll is deferred or the task was cancelled; then there is no permit.
  func begin() async -> Bool
  /// Returns the permit once the results are stored. Nil for a poll that was abandoned.
  func end(_ outcome: PollOutcome?)
  /// Returns the delay after a poll; `usual` is the delay without limits.
  func delay(after outcome: PollOutcome, usual: Duration) -> Duration
}
