import SessionNetworking

/// Polls the rooms of a server.
typealias ServerPoller = Poller<ServerRound>

/// A poll of a server: the next page of each room.
final class ServerRound: PollRound {
  /// The number of consecutive polls without a delay while rooms have more messages.
  static let mostPages = 20

  private let feed: any ServerFeed
  private var pages = 0

  init(_ feed: any ServerFeed) {
    self.feed = feed
  }

  nonisolated(nonsending) func poll() async -> PollResult {
    do {
      let gain = try await feed.poll()
      pages = gain.hasMore ? pages + 1 : 0
      guard !gain.hasMore || pages == Self.mostPages else { return PollResult(.none) }
      pages = 0
      return PollResult()
    } catch {
      pages = 0
      return PollResult(failure: "\(error)")
    }
  }

  nonisolated(nonsending) func rest(after outcome: PollOutcome) async -> Duration {
    await feed.rest(after: outcome)
  }
}
