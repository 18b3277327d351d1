/// How a poll ended.
public enum PollOutcome: Hashable, Sendable {
  case done
  /// It failed, as so many in a row have by now.
  case failed(inARow: Int)
  /// It did not begin, because it may not yet.
  case deferred
}

/// Limits the polls of one poller where many share a network.
public protocol PollLimits: Sendable {
  /// Waits for a permit to poll. False if the poll is deferred or the task was cancelled; then there is no permit.
  func begin() async -> Bool
  /// Gives the permit back, once what came is kept. Nil for a poll that was given up.
  func end(_ outcome: PollOutcome?)
  /// How long to rest after a poll that alone would be followed by a rest of `usual`.
  func rest(after outcome: PollOutcome, usual: Duration) -> Duration
}
