import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization

/// The poll interval of a group, which grows while nothing happens there.
enum GroupPollInterval {
  private static let shortest: Int64 = 3000
  private static let longest: Int64 = 30_000
  /// The silence after which the interval reaches its maximum.
  private static let quiet: Int64 = 12 * 3_600_000
  private static let day: Int64 = 24 * 3_600_000

  /// The interval after a silence; both in milliseconds.
  static func after(silence: Int64) -> Int64 {
    let silence = max(0, silence)
    if silence > 7 * day { return 120_000 }
    if silence > 2 * day { return 60_000 }
    return shortest + (longest - shortest) * min(silence, quiet) / quiet
  }

  /// The interval of a group whose swarm has not let us in for a while.
  static func withoutAccess(for time: Int64) -> Int64 { time < 3_600_000 ? 300_000 : 900_000 }

  /// The interval of a group without any activity, after this many empty polls.
  static func after(emptyPolls count: Int) -> Int64 {
    min(longest, shortest + 1000 << min(count, 10))
  }
}

extension OwnerInbox {
  /// The account uses the interval of the schedule and its share of the program's polls, a group that of its activity.
  func delay(after outcome: PollOutcome, usual: Duration) async -> Duration {
    guard plan.isGroup else { return max(usual, await sharedInterval() ?? .zero) }
    let known = try? await context.database.read { [plan, swarm] transaction in
      (
        latest: try transaction.latestActivity(in: swarm),
        accessLostAt: try transaction.groupRecord(of: plan.owner)?.accessLostAt
      )
    }
    guard let known, let latest = known.latest, let now = try? context.time().stored else {
      let count = emptyPolls.withLock { count in
        defer { count += 1 }
        return count
      }
      return .milliseconds(GroupPollInterval.after(emptyPolls: count))
    }
    emptyPolls.withLock { $0 = 0 }
    if let lostAt = known.accessLostAt {
      return .milliseconds(GroupPollInterval.withoutAccess(for: now - lostAt))
    }
    return .milliseconds(GroupPollInterval.after(silence: now - latest))
  }
}

extension OwnerInbox {
  /// The interval that the program's polls leave to this account; nil if they have no limit.
  private func sharedInterval() async -> Duration? {
    guard let share = context.pollShare else { return nil }
    let latest = try? await context.database.read { transaction in try transaction.latestEventTime() }
    let silence = latest.flatMap { $0 }.map { context.jobTime - $0 }
    return share.interval(PollWeight(silence: silence, isAwaited: context.isAwaited))
  }
}

private enum RestStatements {
  static let latestEvent: SQL = "SELECT at FROM event ORDER BY id DESC LIMIT 1"

  static let latest: SQL =
    "SELECT receivedAt FROM interaction WHERE threadID = ? ORDER BY sentAt DESC, id DESC LIMIT 1"
}

extension Reading where Self: ~Copyable {
  /// The time of the newest event; nil if there is none.
  fileprivate func latestEventTime() throws -> Int64? { try value(RestStatements.latestEvent) }

  /// The time of the last message or read position in a conversation; nil if there is none.
  func latestActivity(in address: String) throws -> Int64? {
    guard let thread = try thread(at: address) else { return nil }
    let received: Int64? = try value(RestStatements.latest, thread.id)
    return max(received ?? 0, thread.lastReadAt).nonZero
  }
}

extension Int64 {
  fileprivate var nonZero: Int64? { self == 0 ? nil : self }
}
