import Foundation
import Testing

/// Many random histories of an account, its requests, groups and rooms, with programs that end between any two commits
/// and devices that are restored.
@Suite(.timeLimit(.minutes(5))) struct OwnerHistoryTests {
  private static let seeds: ClosedRange<UInt64> =
    1...(ProcessInfo.processInfo.environment["SOAK"] == nil ? 4 : 10)

  @Test(arguments: seeds) func messagesAreNeitherLostNorDuplicated(seed: UInt64) async throws {
    let history = try OwnerHistory(seed: seed)
    do {
      try await history.begin()
      for _ in 0..<60 { try await history.step() }
      try await history.end()
      try await history.check()
      #expect(history.crashes > 0 && history.said.count > 10)
      #expect(history.strangers.count > 2 && history.restored > 0)
      #expect(history.rooms.count > 10 && history.world.servers.failedPolls > 0)
    } catch {
      await history.stop()
      throw error
    }
    await history.stop()
  }
}
