import SessionCore

/// The timer of disappearing messages as the value of a setting.
enum TimerText {
  /// The longest lifetime of messages in the network, in seconds.
  static let longest: UInt32 = 14 * 86_400

  /// Reads `1w`, `after-send 1w` or `after-read 1d`. Nil for anything else.
  static func timer(_ text: String) -> DisappearingTimer? {
    let words = text.split(separator: " ").map(String.init)
    guard (1...2).contains(words.count), let last = words.last, last.last?.isLetter == true,
      let span = TimeSpan(last), (1...Int64(longest)).contains(span.seconds)
    else { return nil }
    let mode: DisappearingTimer.Mode
    switch words.count == 2 ? words[0] : "after-send" {
    case "after-send": mode = .afterSend
    case "after-read": mode = .afterRead
    default: return nil
    }
    return try? DisappearingTimer(mode, seconds: UInt32(span.seconds))
  }

  static func text(_ timer: DisappearingTimer) -> String {
    "\(timer.mode == .afterRead ? "after-read" : "after-send") \(TimeSpan(seconds: Int64(timer.seconds)).text)"
  }
}
