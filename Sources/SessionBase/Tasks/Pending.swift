import Synchronization

/// A result that a task waits for. It is completed exactly once.
package final class Pending<Outcome: Sendable>: Sendable {
  private struct State {
    var waiting: CheckedContinuation<Outcome, Never>?
    var outcome: Outcome?
    var isCancelled = false
    var number: UInt64?
  }

  private let state = Mutex(State())

  package init() {}

  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The number by which the other side identifies it, once started.
  package var number: UInt64? { state.withLock { $0.number } }

  package func began(as number: UInt64) { state.withLock { $0.number = number } }

  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Starts, and waits for the result; cancelling the task calls `onCancel`.
  package func outcome(_ begin: () -> Void, onCancel: @Sendable () -> Void) async -> Outcome {
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        wait(with: waiting)
        begin()
      }
    } onCancel: {
      onCancel()
    }
  }

  /// Resumes the continuation when it is completed, at once if it has been.
  private func wait(with waiting: CheckedContinuation<Outcome, Never>) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiting = waiting }
      return state.outcome
    }
    if let outcome { waiting.resume(returning: outcome) }
  }

  /// The first outcome counts; a second is dropped.
  package func complete(_ outcome: Outcome) {
    let waiting = state.withLock { state -> CheckedContinuation<Outcome, Never>? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }
}
