import Synchronization

/// Bounds how many pieces of work run at a time. Those that wait are served in order.
package final class Permits: Sendable {
  private struct State {
    var free: Int
    var waiting: [(number: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    var last: UInt64 = 0
  }

  private let state: Mutex<State>

  package init(_ count: Int) {
    state = Mutex(State(free: count))
  }

  /// Waits for a permit; false if the task is cancelled before.
  package func take() async -> Bool {
    let number = state.withLock { state in
      state.last += 1
      return state.last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state -> Bool? in
          if Task.isCancelled { return false }
          if state.free > 0 {
            state.free -= 1
            return true
          }
          state.waiting.append((number, continuation))
          return nil
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0).continuation }
      }
      waiting?.resume(returning: false)
    }
  }

  package func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      guard !state.waiting.isEmpty else {
        state.free += 1
        return nil
      }
      return state.waiting.removeFirst().continuation
    }
    next?.resume(returning: true)
  }
}
