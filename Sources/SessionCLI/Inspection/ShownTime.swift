import FoundationEssentials

/// A moment as its number, and as a date where it is one that can be.
enum ShownTime {
  /// The end of the year 9999.
  private static let maxSeconds: UInt64 = 253_402_300_799

  static func seconds(_ number: UInt64) -> String {
    guard let date = date(number) else { return String(number) }
    return "\(number)  \(date)Z"
  }

  static func milliseconds(_ number: UInt64) -> String {
    guard let date = date(number / 1000) else { return String(number) }
    let thousandths = String(1000 + number % 1000).dropFirst()
    return "\(number)  \(date).\(thousandths)Z"
  }

  private static func date(_ seconds: UInt64) -> Substring? {
    guard seconds > 0, seconds <= maxSeconds else { return nil }
    return Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601).dropLast()
  }
}
