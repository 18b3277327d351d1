import Testing

@testable import SessionService

@Suite struct RateLimiterTests {
  private let second: UInt64 = 1_000_000_000

  @Test func aBucketEmptiesAndRefills() {
    let limiter = RateLimiter(.init(burst: 3, perSecond: 1, perSecondOfNodes: 2, clients: 10))
    func takes(_ host: UInt8, isNode: Bool = false, at now: UInt64) -> Bool {
      limiter.admits([host], isNode: isNode, now: now)
    }
    #expect((0..<4).map { _ in takes(1, at: 0) } == [true, true, true, false])
    #expect(takes(2, at: 0))
    #expect([takes(1, at: second), takes(1, at: second)] == [true, false])
    #expect((0..<3).map { _ in takes(1, isNode: true, at: 2 * second) } == [true, true, false])
  }

  @Test func thereIsRoomForSoManyClients() {
    let limiter = RateLimiter(.init(burst: 2, perSecond: 1, perSecondOfNodes: 1, clients: 2))
    func takes(_ host: UInt8, at now: UInt64) -> Bool { limiter.admits([host], isNode: false, now: now) }
    #expect(takes(1, at: 0) && takes(2, at: 0))
    #expect(!takes(3, at: 0))
    #expect(takes(3, at: 2 * second))
  }
}
