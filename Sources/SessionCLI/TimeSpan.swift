/// A span of time as people write it: `90s`, `10m`, `12h`, `7d`, `2w`, or seconds alone.
struct TimeSpan: Sendable {
  let seconds: Int64

  private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

  init?(_ text: String) {
    let unit = text.last.flatMap { Self.units[$0] }
    guard let number = Int64(unit == nil ? Substring(text) : text.dropLast()), number >= 0 else { return nil }
    let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isTooLong else { return nil }
    self.seconds = seconds
  }

  init(seconds: Int64) { self.seconds = seconds }

  /// The text in the largest unit without a remainder.
  var text: String {
    for unit in ["w", "d", "h", "m"] as [Character] {
      guard let length = Self.units[unit], seconds >= length, seconds % length == 0 else { continue }
      return "\(seconds / length)\(unit)"
    }
    return "\(seconds)s"
  }
}
