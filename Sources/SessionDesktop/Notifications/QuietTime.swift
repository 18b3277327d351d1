import Glibc

/// When a person does not want to be disturbed.
package struct QuietTime: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    case off
    case on
    /// Milliseconds since 1970.
    case until(Int64)
  }

  /// The times of every day, in minutes after midnight, local time. They may cross midnight.
  package struct Schedule: Hashable, Sendable {
    package let begin: Int
    package let end: Int

    /// `22:00-07:00`. Nil for anything else, and for two times that are the same.
    package init?(_ text: String) {
      let parts = text.split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2, let begin = Self.minute(parts[0]), let end = Self.minute(parts[1]), begin != end
      else { return nil }
      (self.begin, self.end) = (begin, end)
    }

    private static func minute(_ text: Substring) -> Int? {
      let parts = text.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
        text.utf8.allSatisfy({
          $0 == UInt8(ascii: ":") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        }),
        let hour = Int(parts[0]), let minute = Int(parts[1]), hour < 24, minute < 60
      else { return nil }
      return hour * 60 + minute
    }

    package var text: String { "\(Self.text(of: begin))-\(Self.text(of: end))" }

    private static func text(of minute: Int) -> String {
      [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
    }

    /// True if a minute of the day is in it. The end is not.
    package func contains(minute: Int) -> Bool {
      begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
    }
  }

  package var state: State
  package var schedule: Schedule?

  package init(_ state: State = .off, schedule: Schedule? = nil) {
    (self.state, self.schedule) = (state, schedule)
  }

  /// True at a time, in milliseconds since 1970, which is this minute of the local day.
  package func contains(_ now: Int64, minute: Int) -> Bool {
    switch state {
    case .on: return true
    case .until(let end) where now < end: return true
    case .until, .off: return schedule?.contains(minute: minute) ?? false
    }
  }

  /// True at a time, in milliseconds since 1970.
  package func contains(_ now: Int64) -> Bool {
    var (seconds, day) = (time_t(now / 1000), tm())
    localtime_r(&seconds, &day)
    return contains(now, minute: Int(day.tm_hour * 60 + day.tm_min))
  }
}

extension QuietTime.State {
  /// The text of a file that keeps it.
  package var text: String {
    switch self {
    case .off: "off\n"
    case .on: "on\n"
    case .until(let end): "until \(end)\n"
    }
  }

  /// Nil for a text that is none.
  package init?(text: String) {
    let words = text.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("off"?, 1): self = .off
    case ("on"?, 1): self = .on
    case ("until"?, 2):
      guard let end = Int64(words[1]), end > 0 else { return nil }
      self = .until(end)
    default: return nil
    }
  }
}
