extension Duration {
  /// Whole milliseconds; the largest or smallest number for a duration beyond it.
  package var milliseconds: Int64 {
    let (seconds, fraction) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    guard !isTooLong else { return seconds < 0 ? .min : .max }
    return product.addingReportingOverflow(fraction / 1_000_000_000_000_000).partialValue
  }

  /// Whole nanoseconds; none for negative durations, and no more than a century.
  package var nanoseconds: UInt64 {
    let (seconds, attoseconds) = min(max(self, .zero), .seconds(3_155_760_000)).components
    return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
  }
}
