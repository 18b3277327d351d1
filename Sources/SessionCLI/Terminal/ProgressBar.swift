/// The progress of some work, as a line of a terminal.
enum ProgressBar {
  private static let widest = 30
  private static let narrowest = 5

  /// The unit of progress.
  enum Unit: Sendable {
    case bytes
    /// `hasMore` is true if the total is not known yet.
    case messages(hasMore: Bool)
    case steps
  }

  /// Returns a line that shows the progress after an elapsed time. The line is never wider than `width`: if needed, it
  /// omits first the remaining time, then the rate, then the numbers, then the bar.
  static func line(
    _ label: String, done: Int64, total: Int64, in unit: Unit = .bytes, elapsed: Duration, width: Int
  ) -> String {
    let share = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 0
    let percent = String(String("  \(Int(share * 100))%".reversed()).prefix(4).reversed())
    var details = numbers(done, total, unit).map { [$0] } ?? []
    if let rate = rate(done, elapsed) {
      details.append(text(of: rate, unit) + "/s")
      if done < total { details.append(timeLeft(Double(total - done) / rate)) }
    }
    while true {
      let head = DisplayText.line(label) + " "
      let tail = ([percent] + details).joined(separator: "  ")
      let room = width - DisplayText.width(head) - tail.count - 3
      if room >= narrowest { return head + bar(share, min(room, widest)) + " " + tail }
      guard details.popLast() != nil else { return DisplayText.fitted(head + percent, to: max(width, 1)) }
    }
  }

  private static func bar(_ share: Double, _ width: Int) -> String {
    let filled = Int(share * Double(width))
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled) + "]"
  }

  private static func numbers(_ done: Int64, _ total: Int64, _ unit: Unit) -> String? {
    switch unit {
    case .bytes: nil
    case .messages(let hasMore): "\(done) of \(total)\(hasMore ? "+" : "")"
    case .steps: "\(done) of \(total)"
    }
  }

  private static func text(of rate: Double, _ unit: Unit) -> String {
    switch unit {
    case .bytes: ByteCount.text(Int64(rate))
    case .messages, .steps: "\(Int64(rate))"
    }
  }

  /// The number per second; nil if unknown.
  private static func rate(_ done: Int64, _ elapsed: Duration) -> Double? {
    let seconds = elapsed / .seconds(1)
    guard seconds >= 0.2, done > 0 else { return nil }
    return max(Double(done) / seconds, 1)
  }

  private static func timeLeft(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(.up), 359_999))
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return (hours > 0 ? "\(hours):\(two(minutes))" : "\(minutes)") + ":\(two(whole % 60)) left"
  }
}
