import SessionBase
import Synchronization

/// How many calls that send a client of limited rights may begin: a bucket that refills with time.
package final class SendBudget: Sendable {
  static let perSecond = 10.0
  static let burst = 50.0

  private struct State {
    var level = SendBudget.burst
    var filled: ContinuousClock.Instant
  }

  private let state: Mutex<State>

  package init(at now: ContinuousClock.Instant = .now) { state = Mutex(State(filled: now)) }

  /// Takes one. Throws `rate-limited` if none is left.
  func take(at now: ContinuousClock.Instant = .now) throws(RPCError) {
    let level = state.withLock { state -> Double in
      let seconds = max(.zero, now - state.filled) / .seconds(1)
      state.level = min(Self.burst, state.level + seconds * Self.perSecond)
      state.filled = max(now, state.filled)
      let level = state.level
      if level >= 1 { state.level -= 1 }
      return level
    }
    guard level < 1 else { return }
    var error = RPCError(
      75, "rate-limited", "this client may send \(Int(Self.perSecond)) times a second",
      advice: "Nothing was sent; call again later.")
    error.details = [
      .init("retry_after_ms", .integer(Int64(((1 - level) / Self.perSecond * 1000).rounded(.up))))
    ]
    throw error
  }
}
