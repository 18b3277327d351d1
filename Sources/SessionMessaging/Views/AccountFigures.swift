import SessionJobs
import SessionNetworking
import SessionStorage

/// What is measured of an account.
package struct AccountFigures: Sendable {
  /// The number of jobs, by state.
  package let jobs: [String: Int]
  /// Messages that are being sent, also to our other devices. No more than may wait are counted.
  package let unsent: Int
  /// Events that are kept.
  package let events: Int
  /// Polls that worked since the account was opened, and failures since the last of them.
  package let polls: Int
  package let pollFailures: Int
  package let databaseBytes: Int
  package let readers: [EventReaderView]
}

extension Messenger {
  /// Measures the account.
  package func figures() async throws -> AccountFigures {
    let view = try await jobs()
    let unsent = try await context.database.read { transaction in
      try transaction.unsettledCount(upTo: Outbox.maxUnsent)
    }
    let condition = await pollCondition()
    return AccountFigures(
      jobs: Dictionary(uniqueKeysWithValues: view.counts.map { ("\($0.key)", $0.value) }), unsent: unsent,
      events: try await eventCount(after: .start), polls: condition.polls, pollFailures: condition.failures,
      databaseBytes: databaseBytes, readers: try await readers())
  }
}
