import CBench

/// One line of the benchmark: what it costs, beside the floor that was measured in turn with it. Time is that of the
/// processor: nothing here waits for anything else, and other programs are not to be measured.
struct Figure {
  /// How good it has to be.
  enum Goal {
    case none
    /// Microseconds an operation.
    case atMost(Double)
    /// Times the floor.
    case timesFloor(Double)
  }

  let name: String
  /// What the floor does, in a few words.
  let floorName: String
  /// Operations in one call.
  let amount: Double
  var goal = Goal.none

  /// Measures and prints it. Both bodies do the same.
  func run(ours: @escaping () throws -> Void, floor: (() -> Void)?) {
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
        figure.measure = BENCH_US_PER_OP
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
