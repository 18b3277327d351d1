import Synchronization

/// Work that is done by one task at a time.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Mutex(State())

  /// Does work when nobody else does; nil where the task is cancelled before its turn comes.
  func take<R>(_ work: () async -> R) async -> R? {
    while !Task.isCancelled {
      guard let others = others() else {
        defer { end() }
        return await work()
      }
      for await _ in others {}
    }
    return nil
  }

  /// What ends when whoever is at work does; nil where nobody was, and it is the turn of whoever asks.
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
