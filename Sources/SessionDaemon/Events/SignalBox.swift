import SessionBase
import Synchronization

/// The signals that a client has not got yet, in order: one for each subject.
final class SignalBox: Sendable {
  /// The most subjects; beyond that the oldest signal is dropped.
  static let limit = 1000

  private struct State {
    var waiting: [Signal.Subject: Signal] = [:]
    var order: [Signal.Subject] = []
    var change = Latch()
  }

  private let state = Mutex(State())

  /// Adds a signal. One about the same subject gives up its place to it.
  func put(_ signal: Signal) {
    let change = state.withLock { state in
      if state.waiting.updateValue(signal, forKey: signal.subject) == nil {
        state.order.append(signal.subject)
        if state.order.count > Self.limit { state.waiting[state.order.removeFirst()] = nil }
      }
      return state.change
    }
    change.open()
  }

  /// The oldest signal, as soon as there is one; nil if the task is cancelled.
  func next() async -> Signal? {
    while !Task.isCancelled {
      let (signal, change) = state.withLock { state -> (Signal?, Latch) in
        if state.change.isOpen { state.change = Latch() }
        guard !state.order.isEmpty else { return (nil, state.change) }
        return (state.waiting.removeValue(forKey: state.order.removeFirst()), state.change)
      }
      if let signal { return signal }
      await change.wait()
    }
    return nil
  }
}
