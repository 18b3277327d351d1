import SessionBase

/// How often a job may fail, and the backoff between attempts.
public struct RetryPolicy: Hashable, Sendable {
  /// The delay after the first failure; it doubles with each further one.
  public static let base = Duration.milliseconds(250)
  /// The longest backoff as a multiple of the base: 150 seconds.
  public static let maxFactor = 600
  /// The random part of a backoff, so that jobs that failed together do not return together.
  public static let jitter = 0.2

  /// The number of failures before the last one; nil for no limit.
  public let maxFailures: Int?

  public init(maxFailures: Int?) { self.maxFailures = maxFailures.map { max($0, 0) } }

  /// Ten failures, as most jobs may have.
  public static let standard = RetryPolicy(maxFailures: 10)
  /// The first failure is the last.
  public static let never = RetryPolicy(maxFailures: 0)
  /// Retries until it is done.
  public static let unlimited = RetryPolicy(maxFailures: nil)

  /// True if another failure, after so many, is the last.
  public func isExhausted(after failures: Int) -> Bool { maxFailures.map { failures + 1 > $0 } ?? false }

  /// The backoff in milliseconds after a failure that followed `failures` others: at most 0.25 s, 0.5 s, 1 s … 150
  /// s, less up to a fifth. `chance` is from 0 to 1.
  public static func delay(after failures: Int, chance: Double) -> Int64 {
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
