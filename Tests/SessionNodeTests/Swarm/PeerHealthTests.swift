import Testing

@testable import SessionNode

@Suite struct PeerHealthTests {
  private let second: UInt64 = 1_000_000_000

  @Test func pausesGrowAndEndWithAnAnswer() {
    let health = PeerHealth()
    #expect(health.mayTry([1], now: 0))
    health.isAway([1], now: 0)
    health.isAway([1], now: second / 2)
    #expect(!health.mayTry([1], now: second - 1))
    #expect(health.mayTry([1], now: second))
    #expect(health.mayTry([2], now: 0))
    health.isAway([1], now: second)
    #expect(!health.mayTry([1], now: 3 * second - 1))
    #expect(health.mayTry([1], now: 3 * second))
    health.isThere([1])
    health.isAway([1], now: 9 * second)
    #expect(health.mayTry([1], now: 10 * second))
    for _ in 0..<40 { health.isAway([2], now: .max / 2) }
    health.keep { $0 == [2] }
    #expect(health.mayTry([1], now: 9 * second))
  }

  @Test func noPauseIsLongerThanTheLongest() {
    let health = PeerHealth()
    var now: UInt64 = 0
    for _ in 0..<40 {
      health.isAway([1], now: now)
      now += PeerHealth.longestDelay
      #expect(health.mayTry([1], now: now))
    }
  }
}
