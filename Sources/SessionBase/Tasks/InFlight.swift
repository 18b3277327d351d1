import Synchronization

/// The number of requests in progress, and the tasks that wait for the last one.
package final class InFlight: Sendable {
  private struct State {
    var count = 0
    var waiting: [AsyncStream<Never>.Continuation] = []
  }

  private let state = Mutex(State())

  package init() {}

  package var count: Int { state.withLock { $0.count } }
  /// True if a task waits for the last one.
  package var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Does work that is counted.
  package func counting<R>(_ work: () async throws -> R) async rethrows -> R {
    state.withLock { $0.count += 1 }
    defer { end() }
    return try await work()
  }

  private func end() {
    let idle = state.withLock { state -> [AsyncStream<Never>.Continuation] in
      state.count -= 1
      guard state.count == 0 else { return [] }
      defer { state.waiting = [] }
      return state.waiting
    }
    for waiting in idle { waiting.finish() }
  }

  /// Returns when no request is in progress, or when the task is cancelled.
  package func idle() async {
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let isIdle = state.withLock { state in
      if state.count > 0 { state.waiting.append(ending) }
      return state.count == 0
    }
    guard !isIdle else { return }
    for await _ in ends {}
  }
}
