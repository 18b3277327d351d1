import Testing

@testable import SessionDesktop

/// When a person does not want to be disturbed.
@Suite struct QuietTimeTests {
  @Test func aScheduleMayCrossMidnight() throws {
    let night = try #require(QuietTime.Schedule("22:00-07:00"))
    for (hour, isQuiet) in [
      (21, false), (22, true), (23, true), (0, true), (6, true), (7, false), (12, false),
    ] {
      #expect(night.contains(minute: hour * 60) == isQuiet, "\(hour):00")
    }
    #expect(night.contains(minute: 6 * 60 + 59) && !night.contains(minute: 21 * 60 + 59))
    let lunch = try #require(QuietTime.Schedule("12:00-13:30"))
    #expect(lunch.contains(minute: 720) && lunch.contains(minute: 809) && !lunch.contains(minute: 810))
    #expect(night.text == "22:00-07:00" && QuietTime.Schedule("7:05-8:00")?.text == "07:05-08:00")
  }

  @Test(arguments: [
    "", "07:00", "07:00-07:00", "25:00-1", "25:00-01:00", "7-8", "07:60-08:00", "-1:00-02:00",
    "07:00-08:00-09:00",
    "07:00 -08:00", "٠٧:00-08:00", "007:00-08:00", "07:0-08:00", "+7:00-08:00",
  ])
  func otherTextsAreNoSchedule(_ text: String) { #expect(QuietTime.Schedule(text) == nil) }

  @Test func itEndsByItself() {
    let quiet = QuietTime(.until(1000))
    #expect(quiet.contains(999, minute: 0) && !quiet.contains(1000, minute: 0))
    // A clock that is set back makes it quiet again, and nothing worse.
    #expect(quiet.contains(0, minute: 0))
    #expect(QuietTime(.on).contains(.max, minute: 0) && !QuietTime().contains(0, minute: 0))
    let scheduled = QuietTime(.until(1000), schedule: .init("00:00-01:00"))
    #expect(scheduled.contains(5000, minute: 30) && !scheduled.contains(5000, minute: 60))
  }

  @Test func itsFileIsReadAsItWasWritten() {
    for state in [QuietTime.State.on, .off, .until(1_800_000_000_000)] {
      #expect(QuietTime.State(text: state.text) == state)
    }
    for text in ["", "maybe", "until", "until -1", "until soon", "on on", "until 1 2"] {
      #expect(QuietTime.State(text: text) == nil, "\(text)")
    }
  }
}
