import Testing

@testable import SessionMessaging

/// How often each of many accounts is polled.
@Suite struct PollBudgetTests {
  private static let hour: Int64 = 3_600_000

  @Test(
    arguments: [
      (nil, false, PollWeight.quiet), (nil, true, .active), (0, false, .active), (hour - 1, false, .active),
      (hour, false, .recent), (48 * hour - 1, false, .recent), (48 * hour, false, .quiet),
      (48 * hour, true, .active), (-5, false, .active),
    ] as [(Int64?, Bool, PollWeight)])
  func accountsCountByTheirLastEvent(silence: Int64?, isAwaited: Bool, weight: PollWeight) {
    #expect(PollWeight(silence: silence, isAwaited: isAwaited) == weight)
  }

  @Test func fewAccountsArePolledAsOftenAsTheirWeightSays() {
    let share = PollBudget().share()
    #expect(share.interval(.active) == .milliseconds(1500))
    #expect(share.interval(.recent) == .seconds(3))
    #expect(share.interval(.quiet) == .seconds(5))
  }

  @Test func manyAccountsStayWithinTheBudget() {
    let budget = PollBudget(pollsPerSecond: 20)
    let shares = (0..<300).map { _ in budget.share() }
    let weights = (0..<300).map { [PollWeight.active, .recent, .quiet][$0 % 3] }
    for (share, weight) in zip(shares, weights) { _ = share.interval(weight) }
    let intervals = zip(shares, weights).map { $0.interval($1) / .seconds(1) }
    #expect(intervals.reduce(0) { $0 + 1 / $1 } <= 20.001)
    #expect(abs(intervals[0] * 4 - intervals[2]) < 0.01 && abs(intervals[1] * 2 - intervals[2]) < 0.01)
    budget.set(pollsPerSecond: 40)
    #expect(abs(shares[0].interval(.active) / .seconds(1) * 2 - intervals[0]) < 0.01)
  }

  @Test func anAccountThatEndsLeavesItsPartToTheOthers() {
    let budget = PollBudget(pollsPerSecond: 1)
    let share = budget.share()
    do {
      let others = (0..<50).map { _ in budget.share() }
      for other in others { _ = other.interval(.active) }
      #expect(share.interval(.active) == .seconds(51))
    }
    #expect(share.interval(.active) == .milliseconds(1500))
  }
}
