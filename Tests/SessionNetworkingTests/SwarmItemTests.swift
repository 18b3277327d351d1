import SessionNetworking
import Testing

@Suite struct SwarmItemTests {
  @Test(arguments: [(5, 10), (10, 10), (11, 11), (-1, 10)])
  func nothingIsKeptForLessThanNodesTake(seconds: Int, kept: Int) {
    #expect(SwarmItem([1], for: .seconds(seconds)).lifetime == .seconds(kept))
  }
}
