import Synchronization
import Testing

@testable import SessionServers

@Suite struct MemoryBudgetTests {
  /// How much is held, and was at the most.
  private final class Held: Sendable {
    private let state = Mutex((now: 0, most: 0))

    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }

    func add(_ bytes: Int) {
      state.withLock {
        $0.now += bytes
        $0.most = max($0.most, $0.now)
      }
    }
  }

  @Test func nobodyHasMoreThanThereIs() async throws {
    let budget = MemoryBudget(100)
    let held = Held()
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let bytes = number % 60 + 1
          try await budget.with(bytes) {
            held.add(bytes)
            await Task.yield()
            held.add(-bytes)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(held.now == 0)
    #expect((1...100).contains(held.most))
  }

  @Test func whoWantsMoreThanThereIsGetsAll() async throws {
    let budget = MemoryBudget(10)
    #expect(try await budget.with(1000) { 7 } == 7)
    #expect(try await budget.with(10) { 8 } == 8)
  }

  @Test func whoIsCancelledGoesAndLetsOthersPass() async throws {
    let budget = MemoryBudget(10)
    let (ends, ending) = AsyncStream.makeStream(of: Never.self)
    let (began, beginning) = AsyncStream.makeStream(of: Never.self)
    let holder = Task {
      try await budget.with(6) {
        beginning.finish()
        for await _ in ends {}
      }
    }
    for await _ in began {}
    let large = Task { try await budget.with(10) {} }
    let small = Task { try await budget.with(4) { 1 } }
    large.cancel()
    await #expect(throws: ServerRefusal(503)) { try await large.value }
    #expect(try await small.value == 1)
    ending.finish()
    try await holder.value
  }
}
