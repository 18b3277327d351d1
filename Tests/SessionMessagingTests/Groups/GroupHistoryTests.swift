import Foundation
import Testing

/// Random histories of a group.
@Suite(.timeLimit(.minutes(5))) struct GroupHistoryTests {
  private static let isSoak = ProcessInfo.processInfo.environment["SOAK"] != nil
  private static let seeds: ClosedRange<UInt64> = 1...(isSoak ? 1000 : 20)

  @Test(arguments: seeds) func allDevicesAgreeInTheEnd(seed: UInt64) async throws {
    let history = GroupHistory(seed: seed)
    do {
      try await history.begin()
      for _ in 0..<(Self.isSoak ? 60 : 40) { try await history.step() }
      try await history.crash()
      try await history.end()
      try await history.check()
      #expect(history.crashes > 0 && history.acts > 5 && history.successes > (Self.isSoak ? 5 : 0))
    } catch {
      await history.stop()
      throw error
    }
    await history.stop()
  }
}
