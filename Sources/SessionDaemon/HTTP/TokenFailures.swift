import Synchronization

/// Requests without a valid token. When there are many, each further one waits, against guessing.
final class TokenFailures: Sendable {
  /// The number that is answered without delay within a minute.
  static let limit = 10
  private static let span = Duration.seconds(60)
  private static let pause = Duration.seconds(1)

  private struct State {
    var since: ContinuousClock.Instant
    var count = 0
  }

  private let log: @Sendable (String) -> Void
  private let state = Mutex(State(since: .now))

  init(_ log: @escaping @Sendable (String) -> Void) { self.log = log }

  /// Counts one. Returns when it may be answered.
  func note() async {
    let count = count(at: .now)
    guard count > Self.limit else { return }
    if count == Self.limit + 1 { log("more than \(Self.limit) requests in a minute showed no valid token") }
    try? await Task.sleep(for: Self.pause)
  }

  /// Counts one, and returns how many there were within this minute.
  func count(at now: ContinuousClock.Instant) -> Int {
    state.withLock { state in
      if now - state.since >= Self.span { state = State(since: now) }
      state.count += 1
      return state.count
    }
  }
}
