import Glibc

/// A day or a moment as people near this machine write it.
enum LocalMoment {
  /// Milliseconds since 1970 of `2026-03-01` or `2026-03-01 14:05`, with optional seconds and a `T` in place of the blank.
  /// Nil for anything else. Of a moment that a change of the clocks leaves out, the one behind the change; of one that is
  /// there twice, the first.
  static func parse(_ text: String) -> Int64? {
    guard
      let parts = text.wholeMatch(
        of: /([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]([0-9]{2}):([0-9]{2})(?::([0-9]{2}))?)?/)
    else { return nil }
    var wanted = tm()
    wanted.tm_year = (Int32(parts.1) ?? 0) - 1900
    wanted.tm_mon = (Int32(parts.2) ?? 0) - 1
    wanted.tm_mday = Int32(parts.3) ?? 0
    wanted.tm_hour = parts.4.flatMap { Int32($0) } ?? 0
    wanted.tm_min = parts.5.flatMap { Int32($0) } ?? 0
    wanted.tm_sec = parts.6.flatMap { Int32($0) } ?? 0
    guard wanted.tm_year >= 70, (0...11).contains(wanted.tm_mon), (0...23).contains(wanted.tm_hour),
      (0...59).contains(wanted.tm_min), (0...59).contains(wanted.tm_sec)
    else { return nil }
    return milliseconds(wanted)
  }

  /// The next moment with this time of the day, `14:05`, after a moment. Nil for anything else.
  static func next(_ text: String, after now: Int64) -> Int64? {
    guard let parts = text.wholeMatch(of: /([0-9]{1,2}):([0-9]{2})/), let hour = Int32(parts.1),
      let minute = Int32(parts.2), (0...23).contains(hour), (0...59).contains(minute)
    else { return nil }
    var (seconds, day) = (time_t(now / 1000), tm())
    localtime_r(&seconds, &day)
    for days in Int32(0)...1 {
      var wanted = day
      wanted.tm_mday += days
      (wanted.tm_hour, wanted.tm_min, wanted.tm_sec) = (hour, minute, 0)
      if let found = milliseconds(wanted, isNormalised: false), found > now { return found }
    }
    return nil
  }

  /// `isNormalised` is false if the day may be one behind the end of its month.
  private static func milliseconds(_ wanted: tm, isNormalised: Bool = true) -> Int64? {
    // Of two moments the first has summer time.
    let candidates = [Int32(1), 0].compactMap { summer -> Int64? in
      var tried = wanted
      tried.tm_isdst = summer
      let time = mktime(&tried)
      guard time != -1, tried.tm_isdst == summer else { return nil }
      guard !isNormalised || (tried.tm_mday == wanted.tm_mday && tried.tm_mon == wanted.tm_mon) else {
        return nil
      }
      return tried.tm_hour == wanted.tm_hour && tried.tm_min == wanted.tm_min ? Int64(time) * 1000 : nil
    }
    if let first = candidates.min() { return first }
    // It is left out: the clocks go forward.
    var tried = wanted
    tried.tm_isdst = 0
    let time = mktime(&tried)
    guard time != -1, !isNormalised || (tried.tm_mday == wanted.tm_mday && tried.tm_mon == wanted.tm_mon)
    else { return nil }
    return Int64(time) * 1000
  }
}
