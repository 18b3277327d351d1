import Testing

@testable import SessionMessaging

@Suite struct SyncPaceTests {
  private func pace(_ times: Int64...) -> SyncPace {
    var pace = SyncPace()
    for time in times { pace.note(time) }
    return pace
  }

  @Test func whoDoesAThingOrTwoDoesNotWait() {
    #expect(pace().earliest(at: 50_000) == 50_000)
    #expect(pace(50_000).earliest(at: 50_000) == 50_000)
    #expect(pace(50_000, 50_100).earliest(at: 50_200) == 50_200)
  }

  @Test func inTheLongRunItIsOnceInThreeSeconds() {
    #expect(pace(50_000, 50_100, 50_200).earliest(at: 50_300) == 59_000)
    #expect(pace(50_000, 50_100, 50_200, 59_000).earliest(at: 59_000) == 59_100)
    #expect(pace(50_000, 53_000, 56_000).earliest(at: 58_999) == 59_000)
    #expect(pace(50_000, 53_000, 56_000).earliest(at: 70_000) == 70_000)
  }

  @Test func aClockThatWasSetBackKeepsNobodyWaiting() {
    #expect(pace(50_000, 50_100, 50_200).earliest(at: 10_000) == 10_000)
  }
}
