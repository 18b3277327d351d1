import Synchronization

/// Who wants to hear of something while it goes on; nothing is kept for whoever comes later.
final class Listeners<Told: Sendable>: Sendable {
  private struct State {
    var telling: [Int: AsyncStream<Told>.Continuation] = [:]
    var next = 0
  }

  private let state = Mutex(State())
  private let limit: Int

  /// A listener may be behind by `limit`: of more the oldest is missed.
  init(limit: Int) {
    self.limit = limit
  }

  /// What is told from now on, behind `first`.
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

  /// No more is told.
  func finish() {
    for telling in all { telling.finish() }
  }

  private var all: [AsyncStream<Told>.Continuation] { state.withLock { Array($0.telling.values) } }
}
