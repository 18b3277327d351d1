import Synchronization

/// Work that is done by one task at a time.
package final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Mutex(State())

  package init() {}

  /// Runs work when its turn comes; nil if the task is cancelled before.
  package func take<R, E>(_ work: () async throws(E) -> R) async throws(E) -> R? {
    while !Task.isCancelled {
      guard let others = others() else {
        defer { end() }
        return try await work()
      }
      for await _ in others {}
    }
    return nil
  }

  /// The task to wait for; nil if it is the caller's turn.
  private func others() -> AsyncStream<Never>? {
    state.withLock { state in
      guard state.isTaken else {
        state.isTaken = true
        return nil
      }
      let (ends, ending) = AsyncStream.makeStream(of: Never.self)
      state.waiting.append(ending)
      return ends
    }
  }

  private func end() {
    let waiting = state.withLock { state in
      defer { (state.isTaken, state.waiting) = (false, []) }
      return state.waiting
    }
    for waiting in waiting { waiting.finish() }
  }
}
