extension Double {
  /// With so many digits behind the point.
  public func rounded(to digits: Int) -> String {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    let whole = (self * scale).rounded()
    let (number, rest) = Int(whole).quotientAndRemainder(dividingBy: Int(scale))
    guard digits > 0 else { return "\(number)" }
    let behind = String(abs(rest))
    return "\(number)." + String(repeating: "0", count: digits - behind.count) + behind
  }
}

extension Array where Element == Double {
  /// Returns the quantile for a share of the values, which must be sorted.
  public func part(_ share: Double) -> Double { self[Swift.min(count - 1, Int(Double(count) * share))] }
}

/// Returns the printed form of whether a target was met.
public func judged(_ isMet: Bool) -> String { isMet ? "met" : "MISSED" }
