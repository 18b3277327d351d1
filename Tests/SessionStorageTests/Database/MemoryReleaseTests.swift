import SessionBase
import Synchronization
import Testing

@testable import SessionStorage

/// Memory is given back when a burst of commits is over.
@Suite(.timeLimit(.minutes(1))) struct MemoryReleaseTests {
  /// Delays that last until the test ends them.
  private struct Delays {
    private let begun: AsyncStream<CheckedContinuation<Void, Never>>
    private let telling: AsyncStream<CheckedContinuation<Void, Never>>.Continuation

    init() { (begun, telling) = AsyncStream.makeStream() }

    @Sendable func sleep(_ delay: Duration) async {
      await withCheckedContinuation { _ = telling.yield($0) }
    }

    /// Waits for the next delay.
    func next() async throws -> CheckedContinuation<Void, Never> {
      for await waiting in begun { return waiting }
      throw StorageError(.closed, "no delay")
    }
  }

  @Test func aBurstReleasesMemoryOnceWhenItIsOver() async throws {
    let delays = Delays()
    let release = MemoryRelease(sleep: delays.sleep)
    let (released, telling) = AsyncStream.makeStream(of: Void.self)
    func commit(_ count: Int) { for _ in 0..<count { release.noteCommit { telling.yield() } } }
    commit(MemoryRelease.burst - 1)
    commit(1)
    var delay = try await delays.next()
    // It goes on.
    commit(MemoryRelease.burst)
    delay.resume()
    delay = try await delays.next()
    commit(MemoryRelease.burst - 1)
    delay.resume()
    var turns = released.makeAsyncIterator()
    #expect(await turns.next() != nil)
    // The next burst begins anew.
    commit(MemoryRelease.burst)
    try await delays.next().resume()
    #expect(await turns.next() != nil)
    telling.finish()
    #expect(await turns.next() == nil)
  }
}
