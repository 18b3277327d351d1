import SessionNetworking
import Synchronization

/// Polls the rooms of a server.
typealias ServerPoller = Poller<ServerRound>

/// A poll of a server: the next page of each room.
final class ServerRound: PollRound {
  /// The number of consecutive polls without a delay while rooms have more messages.
  static let mostPages = 20

  /// The timeout of a poll. It is above the timeouts of the requests in it, and ends a poll that never would.
  static let timeout = Duration.seconds(120)

  /// The longest delay that a server can ask for.
  static let longestRequestedDelay = Duration.seconds(3600)

  /// The number of polls in progress that were given up and do not end, although they were cancelled. Beyond it, no
  /// other one begins.
  static let mostAbandoned = 3

  private struct Timeout: Error, CustomStringConvertible {
    var description: String { "the server did not reply in time" }
  }

  /// Counts polls in progress.
  private final class Running: Sendable {
    private let count = Mutex(0)

    func begin() -> Bool {
      count.withLock { count in
        guard count < mostAbandoned else { return false }
        count += 1
        return true
      }
    }

    func end() { count.withLock { $0 -= 1 } }
  }

  private let feed: any ServerFeed
  private let sleep: @Sendable (Duration) async -> Void
  private let running = Running()
  private var pages = 0

  /// `sleep` returns after a duration, or early if its task is cancelled.
  init(_ feed: any ServerFeed, sleep: @escaping @Sendable (Duration) async -> Void) {
    self.feed = feed
    self.sleep = sleep
  }

  nonisolated(nonsending) func poll() async -> PollResult {
    do {
      let result = try await Self.pollInTime(feed, running, sleep)
      pages = result.hasMore ? pages + 1 : 0
      guard !result.hasMore || pages == Self.mostPages else { return PollResult(.none) }
      pages = 0
      return PollResult()
    } catch {
      pages = 0
      let least = (error as? NetworkFailure)?.retryDelay ?? .zero
      return PollResult(failure: "\(error)", .usual(atLeast: min(least, Self.longestRequestedDelay)))
    }
  }

  /// Returns as soon as the poll ends, times out or is cancelled. A task group would wait for a request that ignores its
  /// cancellation, and the poll would keep its place among those of other servers.
  private static func pollInTime(
    _ feed: any ServerFeed, _ running: Running, _ sleep: @escaping @Sendable (Duration) async -> Void
  ) async throws -> ServerPollResult {
    guard running.begin() else { throw Timeout() }
    let (results, continuation) = AsyncStream.makeStream(of: Result<ServerPollResult, any Error>.self)
    let poll = Task {
      defer { running.end() }
      do { continuation.yield(.success(try await feed.poll())) } catch { continuation.yield(.failure(error)) }
    }
    let timer = Task {
      await sleep(timeout)
      continuation.yield(.failure(Timeout()))
    }
    defer {
      poll.cancel()
      timer.cancel()
    }
    for await result in results { return try result.get() }
    throw CancellationError()
  }

  nonisolated(nonsending) func delay(after outcome: PollOutcome) async -> Duration {
    await feed.delay(after: outcome)
  }

  func resetBackoff() { feed.resetBackoff() }
}
