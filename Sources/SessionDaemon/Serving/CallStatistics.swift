import Synchronization

/// What a server has counted of its calls.
final class CallStatistics: Sendable {
  /// The calls of one method.
  struct Method: Hashable, Sendable {
    var calls = 0
    var errors = 0
  }

  /// How many calls took how long.
  struct Times: Hashable, Sendable {
    /// The upper bounds of the classes, in milliseconds; calls beyond the last one are in a class of their own.
    static let bounds = [1, 3, 10, 30, 100, 300, 1000]

    private(set) var counts = [Int](repeating: 0, count: bounds.count + 1)
    private(set) var total = Duration.zero

    mutating func add(_ time: Duration) {
      let index = Self.bounds.firstIndex { time <= .milliseconds($0) } ?? Self.bounds.count
      counts[index] += 1
      total += time
    }
  }

  private struct State {
    var methods: [String: Method] = [:]
    var times = Times()
    var underWay = 0
    var idleSince: ContinuousClock.Instant? = .now
    var ignored = 0
  }

  private let state = Mutex(State())

  /// The number of notifications that nothing was done for.
  var ignored: Int { state.withLock { $0.ignored } }
  /// By the names of the methods.
  var methods: [String: Method] { state.withLock { $0.methods } }
  var times: Times { state.withLock { $0.times } }

  /// Since when no call is under way, apart from those that wait for something; nil while one is.
  var idleSince: ContinuousClock.Instant? { state.withLock { $0.idleSince } }

  func noteIgnored() { state.withLock { $0.ignored += 1 } }

  /// Counts a call as under way, until the returned value says that it is not, or goes.
  func begin() -> CallWork {
    state.withLock { state in
      state.underWay += 1
      state.idleSince = nil
    }
    return CallWork(self)
  }

  fileprivate func end() {
    state.withLock { state in
      state.underWay -= 1
      if state.underWay == 0 { state.idleSince = .now }
    }
  }

  /// Counts the reply to a call.
  func note(_ method: String, isError: Bool, took time: Duration) {
    state.withLock { state in
      state.methods[method, default: Method()].calls += 1
      if isError { state.methods[method]?.errors += 1 }
      state.times.add(time)
    }
  }
}

/// A call that is under way.
final class CallWork: Sendable {
  private let statistics: CallStatistics
  private let isOver = Mutex(false)

  fileprivate init(_ statistics: CallStatistics) { self.statistics = statistics }

  deinit { end() }

  /// The call has ended, or waits for something that may take any time.
  func end() {
    let wasOver = isOver.withLock { isOver in
      defer { isOver = true }
      return isOver
    }
    if !wasOver { statistics.end() }
  }
}
