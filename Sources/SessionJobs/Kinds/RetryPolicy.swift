import SessionBase

/// How often a job may fail, and how long it rests in between.
public struct RetryPolicy: Hashable, Sendable {
  /// The rest after the first failure; it doubles with each further one.
  public static let base = Duration.milliseconds(250)
  /// How many times the base the rest is at most: 150 seconds.
  public static let maxFactor = 600
  /// What part of a rest is left to chance, so that what failed together does not come back together.
  public static let jitter = 0.2

  /// How many failures are not the last; nil for any number of them.
  public let maxFailures: Int?

  public init(maxFailures: Int?) { self.maxFailures = maxFailures.map { max($0, 0) } }

  /// Ten failures, as most jobs may have.
  public static let standard = RetryPolicy(maxFailures: 10)
  /// The first failure is the last.
  public static let never = RetryPolicy(maxFailures: 0)
  /// Until it is done.
  public static let unlimited = RetryPolicy(maxFailures: nil)

  /// Whether one more failure, after so many, is the last.
  public func isExhausted(after failures: Int) -> Bool { maxFailures.map { failures + 1 > $0 } ?? false }

  /// How many milliseconds to rest after a failure that followed `failures` others: at most 0.25 s, 0.5 s, 1 s … 150 s,
  /// and by up to a fifth less. `chance` is from 0 to 1.
  public static func rest(after failures: Int, chance: Double) -> Int64 {
    let factor = failures < 10 ? min(maxFactor, 1 << max(failures, 0)) : maxFactor
    let longest = base.milliseconds * Int64(factor)
    return longest - Int64(Double(longest) * jitter * min(max(chance, 0), 1))
  }
}

extension Int64 {
  /// A time so many milliseconds later, or the last one there is.
  func later(by milliseconds: Int64) -> Int64 {
    let (sum, isTooLate) = addingReportingOverflow(milliseconds)
    return isTooLate ? (milliseconds < 0 ? .min : .max) : sum
  }
}
