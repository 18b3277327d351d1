import SessionNetworking

/// Polls the rooms of a server.
typealias ServerPoller = Poller<ServerRound>

/// A poll of a server: the next page of each room.
final class ServerRound: PollRound {
  /// The number of consecutive polls without a delay while rooms have more messages.
  static let mostPages = 20

  /// The timeout of a poll. It is above the timeouts of the requests in it, and ends a poll that never would.
  static let timeout = Duration.seconds(120)

  private struct Timeout: Error, CustomStringConvertible {
    var description: String { "the server did not reply in time" }
  }

  private let feed: any ServerFeed
  private let sleep: @Sendable (Duration) async -> Void
  private var pages = 0

  /// `sleep` returns after a duration, or early if its task is cancelled.
  init(_ feed: any ServerFeed, sleep: @escaping @Sendable (Duration) async -> Void) {
    self.feed = feed
    self.sleep = sleep
  }

  nonisolated(nonsending) func poll() async -> PollResult {
    do {
      let gain = try await pollInTime()
      pages = gain.hasMore ? pages + 1 : 0
      guard !gain.hasMore || pages == Self.mostPages else { return PollResult(.none) }
      pages = 0
      return PollResult()
    } catch {
      pages = 0
      return PollResult(failure: "\(error)")
    }
  }

  private nonisolated(nonsending) func pollInTime() async throws -> ServerGain {
    try await withThrowingTaskGroup(of: ServerGain.self) { [feed, sleep] group in
      defer { group.cancelAll() }
      group.addTask { try await feed.poll() }
      group.addTask {
        await sleep(Self.timeout)
        throw Timeout()
      }
      guard let gain = try await group.next() else { preconditionFailure("a group without tasks") }
      return gain
    }
  }

  nonisolated(nonsending) func rest(after outcome: PollOutcome) async -> Duration {
    await feed.rest(after: outcome)
  }
}
