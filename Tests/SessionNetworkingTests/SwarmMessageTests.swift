import SessionCore
import SessionNetworking
import Testing

@Suite struct SwarmMessageTests {
  private let now: UInt64 = 1_700_000_000_000

  @Test(arguments: [
    (1_700_000_000_000, 1_700_000_000_000), (1_700_000_060_000, 1_700_000_060_000),
    (1_700_000_060_001, 1_700_000_060_000), (9_000_000_000_000, 1_700_000_060_000),
    (1_697_408_000_000, 1_697_408_000_000), (1_697_407_999_999, 1_697_408_000_000), (1, 1_697_408_000_000),
  ])
  func timesThatNodesCannotKnowAreClamped(claimed: UInt64, believed: UInt64) throws {
    let expiry = try MessageTime(milliseconds: now + 5)
    let message = SwarmMessage(
      hash: "h", data: [1], storedAt: try MessageTime(milliseconds: claimed), expiresAt: expiry)
    let reply = SwarmReply(
      node: "n", [.messages: .success(.init([message], lastHash: "l", hasMore: true))])
    let plausible = reply.plausible(at: try MessageTime(milliseconds: now))
    let page = try #require(try plausible.pages[.messages]?.get())
    #expect(page.messages.map(\.storedAt.milliseconds) == [believed])
    #expect(page.messages.map(\.hash) == ["h"] && page.messages.map(\.expiresAt) == [expiry])
    #expect(page.lastHash == "l" && page.hasMore && plausible.node == "n")
  }
}
