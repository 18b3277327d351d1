import Synchronization

/// The polls that all accounts of a program make together, divided among them.
public final class PollBudget: Sendable {
  private struct State {
    var pollsPerSecond: Int
    var weights: [UInt64: PollWeight] = [:]
    var last: UInt64 = 0
  }

  private let state: Mutex<State>

  public static let usual = 20

  public init(pollsPerSecond: Int = usual) {
    state = Mutex(State(pollsPerSecond: max(1, pollsPerSecond)))
  }

  /// The number of polls a second from now on.
  public func set(pollsPerSecond: Int) { state.withLock { $0.pollsPerSecond = max(1, pollsPerSecond) } }

  /// The share of one more account, for as long as it exists.
  func share() -> PollShare {
    let number = state.withLock { state in
      state.last += 1
      state.weights[state.last] = .quiet
      return state.last
    }
    return PollShare(of: self, number)
  }

  fileprivate func remove(_ number: UInt64) { state.withLock { $0.weights[number] = nil } }

  /// The interval of an account that has this weight from now on.
  fileprivate func interval(of number: UInt64, _ weight: PollWeight) -> Duration {
    let (all, budget) = state.withLock { state in
      state.weights[number] = weight
      return (state.weights.values.reduce(0) { $0 + $1.rawValue }, state.pollsPerSecond)
    }
    return max(weight.shortest, .milliseconds(1000 * all / (budget * weight.rawValue)))
  }
}

/// How much an account's polls count.
enum PollWeight: Int, Sendable {
  /// Nothing has happened for two days.
  case quiet = 1
  case recent = 2
  /// Something happened within an hour, or a program waits for events.
  case active = 4

  private static let hour: Int64 = 3_600_000

  /// The weight of an account that had its last event so long ago, in milliseconds; nil if it never had one.
  init(silence: Int64?, isAwaited: Bool) {
    if isAwaited || silence.map({ $0 < Self.hour }) == true {
      self = .active
    } else {
      self = silence.map { $0 < 48 * Self.hour } == true ? .recent : .quiet
    }
  }

  /// The interval where few accounts share the budget.
  var shortest: Duration {
    switch self {
    case .active: .milliseconds(1500)
    case .recent: .seconds(3)
    case .quiet: .seconds(5)
    }
  }
}

/// What one account has of a budget.
final class PollShare: Sendable {
  private let budget: PollBudget
  private let number: UInt64

  fileprivate init(of budget: PollBudget, _ number: UInt64) { (self.budget, self.number) = (budget, number) }

  deinit { budget.remove(number) }

  func interval(_ weight: PollWeight) -> Duration { budget.interval(of: number, weight) }
}
