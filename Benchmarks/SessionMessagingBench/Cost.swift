import CBench
import Glibc

/// The cost of an operation: elapsed time, and processor time of all threads, in seconds.
struct Cost {
  let elapsed: Double
  let computed: Double

  /// Of what a closure does.
  static func of(_ body: () throws -> Void) rethrows -> Cost {
    let (begun, computed) = (bench_seconds(), computedSeconds)
    try body()
    return Cost(elapsed: bench_seconds() - begun, computed: computedSeconds - computed)
  }

  /// The processor time of this process so far.
  static var computedSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func + (one: Cost, other: Cost) -> Cost {
    Cost(elapsed: one.elapsed + other.elapsed, computed: one.computed + other.computed)
  }
}
