import Foundation
import Testing

/// Many random histories of people in the rooms of two community servers, and of what they write to each other there.
@Suite(.timeLimit(.minutes(10))) struct CommunityHistoryTests {
  private static let isLong = ProcessInfo.processInfo.environment["SOAK"] != nil
  private static let seeds: ClosedRange<UInt64> = 1...(isLong ? 40 : 1)
  private static let steps = isLong ? 150 : 40

  @Test(arguments: seeds) func messagesOfCommunitiesAreNeitherLostNorDoubled(seed: UInt64) async throws {
    let history = try CommunityHistory(seed: seed)
    do {
      try await history.begin()
      for step in 0..<Self.steps {
        if step == Self.steps / 3 { history.backUp() }
        if step == 2 * Self.steps / 3 { try await history.restore() }
        try await history.step()
      }
      try await history.end()
      try await history.check()
      #expect(history.crashes > 0 && history.losses > 0 && history.changes > 0)
    } catch {
      await history.world.stop()
      throw error
    }
    await history.world.stop()
  }
}
