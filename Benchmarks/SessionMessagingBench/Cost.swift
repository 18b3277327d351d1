import CBench
import Glibc

/// What something took: time that passed, and time of the processor, of all threads, in seconds.
struct Cost {
  let elapsed: Double
  let computed: Double

  /// Of what a closure does.
  static func of(_ body: () throws -> Void) rethrows -> Cost {
    let (begun, computed) = (bench_seconds(), computedSeconds)
    try body()
    return Cost(elapsed: bench_seconds() - begun, computed: computedSeconds - computed)
  }

  /// What this process has computed so far.
  static var computedSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  static func + (one: Cost, other: Cost) -> Cost {
    Cost(elapsed: one.elapsed + other.elapsed, computed: one.computed + other.computed)
  }
}

extension Double {
  /// With so many digits behind the point.
  func rounded(to digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let whole = (self * scale).rounded()
    let (number, rest) = Int(whole).quotientAndRemainder(dividingBy: Int(scale))
    guard digits > 0 else { return "\(number)" }
    let behind = String(abs(rest))
    return "\(number)." + String(repeating: "0", count: digits - behind.count) + behind
  }
}

extension Array where Element == Double {
  /// What so much of all are below at most; the values are in order.
  func part(_ share: Double) -> Double { self[Swift.min(count - 1, Int(Double(count) * share))] }
}

/// Whether a target was met, as it is printed.
func judged(_ isMet: Bool) -> String { isMet ? "met" : "MISSED" }
