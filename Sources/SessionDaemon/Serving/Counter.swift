import Synchronization

/// A number that tasks change.
final class Counter: Sendable {
  private struct State {
    var number = 0
    var zeroSince: ContinuousClock.Instant? = .now
  }

  private let state = Mutex(State())

  var value: Int { state.withLock { $0.number } }

  /// Since when it is zero; nil while it is not.
  var zeroSince: ContinuousClock.Instant? { state.withLock { $0.zeroSince } }

  func add(_ difference: Int) {
    state.withLock { state in
      state.number += difference
      state.zeroSince = state.number == 0 ? .now : nil
    }
  }
}
