import Synchronization

/// Subscribers to current events; nothing is stored for later subscribers.
final class Listeners<Told: Sendable>: Sendable {
  private struct State {
    var telling: [Int: AsyncStream<Told>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// A listener may fall behind by `limit` values; beyond that it misses the oldest.
  init(limit: Int) {
    self.limit = limit
  }

  /// Returns `first` and all later events.
  func stream(after first: Told? = nil) -> AsyncStream<Told> {
    let (stream, telling) = AsyncStream.makeStream(of: Told.self, bufferingPolicy: .bufferingNewest(limit))
    if let first { telling.yield(first) }
    let number = state.withLock { state in
      state.next += 1
      state.telling[state.next] = telling
      return state.next
    }
    telling.onTermination = { [weak self] _ in
      self?.state.withLock { $0.telling[number] = nil }
    }
    return stream
  }

  func tell(_ told: Told) {
    for telling in all { telling.yield(told) }
  }

  /// Ends all subscriptions.
  func finish() {
    for telling in all { telling.finish() }
  }

  private var all: [AsyncStream<Told>.Continuation] { state.withLock { Array($0.telling.values) } }
}
