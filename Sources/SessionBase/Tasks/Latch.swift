import Synchronization

/// Something that several tasks wait for, and that happens once.
package final class Latch: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var isOpen: Bool { state.withLock { $0.isOpen } }

  package func open() {
    let waiting = state.withLock { state in
      defer { (state.isOpen, state.waiting) = (true, []) }
      return state.waiting
    }
    for waiting in waiting { waiting.finish() }
  }

  /// Returns when it has happened, or when the task is cancelled.
  package func wait() async {
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiting.append(ending) }
      return state.isOpen
    }
    guard !isOpen else { return }
    for await _ in ends {}
  }
}
