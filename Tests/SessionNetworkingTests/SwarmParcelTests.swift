import SessionNetworking
import Testing

@Suite struct SwarmParcelTests {
  @Test(arguments: [(5, 10), (10, 10), (11, 11), (-1, 10)])
  func nothingIsKeptForLessThanNodesTake(seconds: Int, kept: Int) {
    #expect(SwarmParcel([1], for: .seconds(seconds)).lifetime == .seconds(kept))
  }
}
