import SessionBase
import SessionNetworking
import Synchronization

/// Logs when the polls of a feed begin to fail, and when they succeed again.
final class LoggedPolls: PollLimits {
  private let feed: Feed
  private let limits: any PollLimits
  private let log: ClientLog
  private let isFailing = Mutex(false)

  init(of feed: Feed, _ limits: any PollLimits, _ log: ClientLog) {
    self.feed = feed
    self.limits = limits
    self.log = log
  }

  func begin() async -> Bool { await limits.begin() }

  func end(_ outcome: PollOutcome?) {
    switch outcome {
    case .failed: note(true)
    case .done: note(false)
    case .deferred, nil: break
    }
    limits.end(outcome)
  }

  func delay(after outcome: PollOutcome, usual: Duration) -> Duration {
    limits.delay(after: outcome, usual: usual)
  }

  private func note(_ fails: Bool) {
    let changed = isFailing.withLock { isFailing in
      defer { isFailing = fails }
      return isFailing != fails
    }
    guard changed else { return }
    switch (feed, fails) {
    case (.account, true): log(.warn, .poller, "poll-failed")
    case (.account, false): log(.info, .poller, "poll-recovered")
    case (.group(let id), true): log(.warn, .poller, "poll-failed", .person(id, "group"))
    case (.group(let id), false): log(.info, .poller, "poll-recovered", .person(id, "group"))
    case (.server, true): log(.warn, .poller, "server-poll-failed")
    case (.server, false): log(.info, .poller, "server-poll-recovered")
    }
  }
}
