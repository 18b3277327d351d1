import CBench

/// One line of a benchmark: what it costs, beside the floor that was measured in turn with it. Time is that of the
/// processor, of all threads, so that other programs are not measured; or the time that passes, for what waits.
public struct Figure {
  /// How good it has to be.
  public enum Goal {
    case none
    /// Microseconds an operation.
    case atMost(Double)
    /// Times the floor.
    case timesFloor(Double)
  }

  /// The unit that is printed.
  public enum Measure {
    case microseconds
    /// Thousands of operations a second.
    case rate
  }

  let name: String
  /// A short description of the floor.
  let floorName: String
  /// Operations in one call.
  let amount: Double
  let goal: Goal
  let measure: Measure
  let isElapsed: Bool

  public init(
    name: String, floorName: String, amount: Double, goal: Goal = .none, measure: Measure = .microseconds,
    isElapsed: Bool = false
  ) {
    self.name = name
    self.floorName = floorName
    self.amount = amount
    self.goal = goal
    self.measure = measure
    self.isElapsed = isElapsed
  }

  /// True if the arguments select this figure, or select none.
  public static func isWanted(_ name: String) -> Bool {
    CommandLine.arguments.count < 2 || name.contains(CommandLine.arguments[1])
  }

  /// Measures and prints it. Both bodies do the same.
  public func run(ours: @escaping () throws -> Void, floor: (() -> Void)?) {
    let bodies = Bodies(ours: ours, floor: floor)
    name.withCString { name in
      floorName.withCString { floorName in
        var figure = bench_case()
        figure.name = name
        figure.floor_name = floorName
        figure.ours = { user in Bodies.from(user).callOurs() }
        if floor != nil { figure.floor = { user in Bodies.from(user).floor?() } }
        figure.user = Unmanaged.passUnretained(bodies).toOpaque()
        figure.amount = amount
        figure.measure = measure == .rate ? BENCH_KOPS_PER_S : BENCH_US_PER_OP
        figure.elapsed = isElapsed
        switch goal {
        case .none: figure.goal = BENCH_NO_GOAL
        case .atMost(let target):
          figure.goal = BENCH_FIGURE_AT_MOST
          figure.target = target
        case .timesFloor(let target):
          figure.goal = BENCH_TIME_RATIO_AT_MOST
          figure.target = target
        }
        bench_run(&figure)
      }
    }
    withExtendedLifetime(bodies) {}
  }

  private final class Bodies {
    let ours: () throws -> Void
    let floor: (() -> Void)?

    init(ours: @escaping () throws -> Void, floor: (() -> Void)?) {
      self.ours = ours
      self.floor = floor
    }

    static func from(_ user: UnsafeMutableRawPointer?) -> Bodies {
      guard let user else { fatalError("a benchmark is called without its bodies") }
      return Unmanaged.fromOpaque(user).takeUnretainedValue()
    }

    func callOurs() {
      do { try ours() } catch { fatalError("a benchmark failed: \(error)") }
    }
  }
}
