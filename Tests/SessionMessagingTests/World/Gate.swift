import Synchronization

/// Holds requests until a test releases them.
final class Gate: Sendable {
  private struct State {
    var held: [Int: CheckedContinuation<Void, Never>] = [:]
    var number = 0
    var watchers: [AsyncStream<Never>.Continuation] = []
    var isOpen = false
  }

  private let state = Mutex(State())

  /// Returns when the test releases the gate, or the task is cancelled.
  func wait() async {
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let watchers = state.withLock { state in
          state.held[number] = continuation
          defer { state.watchers = [] }
          return state.watchers
        }
        for watcher in watchers { watcher.finish() }
        if Task.isCancelled || state.withLock({ $0.isOpen }) { end(number) }
      }
    } onCancel: {
      end(number)
    }
  }

  func release() {
    let held = state.withLock { state in
      defer { state.held = [:] }
      return Array(state.held.values)
    }
    for continuation in held { continuation.resume() }
  }

  /// Opens the gate, so that nothing waits there any more, or closes it.
  func setOpen(_ isOpen: Bool) {
    state.withLock { $0.isOpen = isOpen }
    if isOpen { release() }
  }

  /// Returns when something waits, or when the task is cancelled.
  func untilHeld() async {
    let (arrivals, ending) = AsyncStream.makeStream(of: Never.self)
    let isHeld = state.withLock { state in
      if state.held.isEmpty { state.watchers.append(ending) }
      return !state.held.isEmpty
    }
    guard !isHeld else { return }
    for await _ in arrivals {}
  }

  private func end(_ number: Int) {
    state.withLock { $0.held.removeValue(forKey: number) }?.resume()
  }
}
