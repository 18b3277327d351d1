import Testing

@testable import SessionTerminal

@Suite struct LocalCalendarTests {
  /// Monday, 2026-11-23 14:02:05 in UTC.
  private static let noon: Int64 = 1_795_442_525_000
  private static let day: Int64 = 86_400_000
  private let calendar = LocalCalendar.universal

  @Test func timesAndDaysHaveTheirNames() {
    #expect(calendar.full(Self.noon) == "2026-11-23 14:02:05")
    #expect(calendar.time(Self.noon) == "14:02")
    #expect(calendar.long(Self.noon, now: Self.noon) == "Monday 23 November")
    #expect(calendar.long(Self.noon - 365 * Self.day, now: Self.noon) == "Sunday 23 November 2025")
  }

  @Test func shortTimesNameTheDayOnlyWhereItIsAnother() {
    #expect(calendar.short(Self.noon, now: Self.noon) == "14:02")
    #expect(calendar.short(Self.noon - Self.day, now: Self.noon) == "Sun")
    #expect(calendar.short(Self.noon - 7 * Self.day, now: Self.noon) == "16 Nov")
    #expect(calendar.short(Self.noon - 365 * Self.day, now: Self.noon) == "2025-11-23")
    #expect(calendar.short(Self.noon + Self.day, now: Self.noon) == "24 Nov")
  }

  @Test func theTimeZoneMovesTheDay() {
    let east = LocalCalendar { _ in 10 * 3600 }
    #expect(east.time(Self.noon) == "00:02")
    #expect(east.day(Self.noon) == calendar.day(Self.noon) + 1)
  }

  @Test(arguments: [Int64.min, -1, 0, Int64.max])
  func noTimeOfAStrangerIsTooMuch(time: Int64) {
    #expect(!calendar.full(time).isEmpty)
    #expect(!calendar.short(time, now: Self.noon).isEmpty)
  }
}
