import Glibc

/// Days and times near this machine.
package struct LocalCalendar: Sendable {
  /// The seconds that local time is ahead of UTC, at a time in seconds since 1970.
  private let offset: @Sendable (Int64) -> Int64

  package init(offset: @escaping @Sendable (Int64) -> Int64) { self.offset = offset }

  /// The time zone of this machine.
  package static let system = LocalCalendar { seconds in
    var (time, parts) = (time_t(seconds), tm())
    localtime_r(&time, &parts)
    return Int64(parts.tm_gmtoff)
  }

  package static let universal = LocalCalendar { _ in 0 }

  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November",
    "December",
  ]

  /// The furthest time from 1970 that is shown, in seconds: others choose the times of their messages.
  private static let furthest: Int64 = 253_402_300_799

  private func local(_ milliseconds: Int64) -> Int64 {
    let seconds = min(max(milliseconds / 1000, 0), Self.furthest)
    return max(seconds + offset(seconds), 0)
  }

  /// The number of the day since 1970.
  package func day(_ milliseconds: Int64) -> Int64 { local(milliseconds) / 86_400 }

  /// `14:02`
  package func time(_ milliseconds: Int64) -> String {
    let minutes = local(milliseconds) % 86_400 / 60
    return "\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
  }

  /// `14:02` today, `Mon` in the last week, else `23 Nov` or `2025-11-23`.
  package func short(_ milliseconds: Int64, now: Int64) -> String {
    let (day, today) = (day(milliseconds), day(now))
    if day == today { return time(milliseconds) }
    let (year, month, date) = Self.date(day)
    if day < today, today - day < 7 { return String(Self.weekday(day).prefix(3)) }
    guard year == Self.date(today).year else { return "\(year)-\(Self.two(month))-\(Self.two(date))" }
    return "\(date) \(Self.months[Int(month) - 1].prefix(3))"
  }

  /// `Monday 23 November`, with the year where it is another one.
  package func long(_ milliseconds: Int64, now: Int64) -> String {
    let (year, month, date) = Self.date(day(milliseconds))
    let text = "\(Self.weekday(day(milliseconds))) \(date) \(Self.months[Int(month) - 1])"
    return year == Self.date(day(now)).year ? text : text + " \(year)"
  }

  /// `2026-11-23 14:02:05`
  package func full(_ milliseconds: Int64) -> String {
    let (year, month, date) = Self.date(day(milliseconds))
    return
      "\(year)-\(Self.two(month))-\(Self.two(date)) \(time(milliseconds)):\(Self.two(local(milliseconds) % 60))"
  }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

  private static func weekday(_ day: Int64) -> String { weekdays[Int((day + 3) % 7)] }

  /// The date of a day since 1970, in the Gregorian calendar.
  private static func date(_ day: Int64) -> (year: Int64, month: Int64, date: Int64) {
    // Years that begin in March have their leap day at the end.
    let shifted = day + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let date = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, date)
  }
}
