import Testing

@testable import SessionMessaging

@Suite struct SyncPaceTests {
  private func pace(_ times: Int64...) -> SyncPace {
    var pace = SyncPace()
    for time in times { pace.note(time) }
    return pace
  }

  @Test func theFirstPushesAreNotDelayed() {
    #expect(pace().earliest(at: 50_000) == 50_000)
    #expect(pace(50_000).earliest(at: 50_000) == 50_000)
    #expect(pace(50_000, 50_100).earliest(at: 50_200) == 50_200)
  }

  @Test func pushesWaitAtMostThreeSeconds() {
    #expect(pace(50_000, 50_000, 50_000).earliest(at: 50_000) == 53_000)
    #expect(pace(50_000, 50_000, 50_000, 53_000).earliest(at: 53_000) == 56_000)
    #expect(pace(50_000, 50_100, 50_200).earliest(at: 52_999) == 53_000)
  }

  @Test func inTheLongRunItIsOnceInThreeSeconds() {
    var (pace, now) = (SyncPace(), Int64(50_000))
    for _ in 0..<100 {
      now = pace.earliest(at: now)
      pace.note(now)
    }
    #expect(now == 50_000 + 97 * 3000)
  }

  @Test func theBudgetRefillsWhileIdle() {
    #expect(pace(50_000, 50_000, 50_000).earliest(at: 59_000) == 59_000)
    #expect(pace(50_000, 50_000, 50_000, 59_000, 59_000).earliest(at: 59_000) == 59_000)
  }

  @Test func clockSetBackDoesNotDelayTheNextPush() {
    #expect(pace(50_000, 50_100, 50_200).earliest(at: 10_000) == 10_000)
    #expect(pace(50_000, 50_100, 50_200, 10_000).earliest(at: 10_000) == 10_000)
  }
}
