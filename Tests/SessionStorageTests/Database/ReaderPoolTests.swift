import Dispatch
import Testing

@testable import SessionStorage

@Suite(.timeLimit(.minutes(1))) struct ReaderPoolTests {
  /// They would wait for a connection that never comes back.
  @Test func whoWaitsHearsThatNoConnectionCouldBeOpened() async throws {
    let waiting = DispatchSemaphore(value: 0)
    let pool = ReaderPool(limit: 1) { () throws(StorageError) in
      waiting.wait()
      throw StorageError(.missing, "on purpose")
    }
    let reads = (0..<3).map { _ in Task { try await pool.perform { _ in } } }
    while pool.waitingCount < reads.count - 1 {
      try Task.checkCancellation()
      await Task.yield()
    }
    // One opens; so would those that ask after it failed.
    for _ in reads { waiting.signal() }
    for read in reads {
      await #expect(throws: StorageError.self) { try await read.value }
    }
    #expect(pool.waitingCount == 0)
  }
}
