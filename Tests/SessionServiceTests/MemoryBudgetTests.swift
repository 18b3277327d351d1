import Synchronization
import Testing

@testable import SessionService

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

  @Test func requestsNeverHoldMoreThanThereIs() async throws {
    let budget = MemoryBudget(400)
    let held = Held()
    try await withThrowingTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          let bytes = number % 60 + 2
          try await budget.with(upTo: 2 * bytes) { share in
            for _ in 0..<2 {
              try await share.take(bytes)
              held.add(bytes)
              await Task.yield()
            }
            held.add(-2 * bytes)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(held.now == 0)
    #expect(budget.used == 0)
    #expect((1...300).contains(held.most))
  }

  @Test func aRequestThatNeedsMoreThanThereIsGetsAll() async throws {
    let budget = MemoryBudget(16)
    for bytes in [1000, 12] {
      try await budget.with(upTo: bytes) { share in
        try await share.take(bytes)
        #expect(budget.used == 12)
        try await share.take(5)
        #expect(budget.used == 12)
      }
    }
  }

  @Test func announcedBytesAreNotCharged() async throws {
    let budget = MemoryBudget(16)
    try await budget.with(upTo: 12) { _ in
      try await budget.with(upTo: 12) { share in
        try await share.take(12)
        #expect(budget.used == 12)
      }
    }
  }

  /// Two requests of ten bytes each, in twelve: the second gets nothing that the first needs to end.
  @Test func requestsDoNotBlockEachOther() async throws {
    let budget = MemoryBudget(16)
    try await budget.with(upTo: 10) { first in
      try await first.take(5)
      let second = Task {
        try await budget.with(upTo: 10) { share in
          try await share.take(5)
          try await share.take(5)
          return 2
        }
      }
      try await first.take(5)
      #expect(budget.used == 10)
      first.end()
      #expect(try await second.value == 2)
    }
  }

  @Test func smallRequestsDoNotWaitForLargeOnes() async throws {
    let budget = MemoryBudget(1024)
    try await budget.with(upTo: 10_000) { large in
      try await large.take(10_000)
      try await budget.with(upTo: 4) { small in
        try await small.take(4)
        #expect(budget.used == 772)
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func aSmallNeedMayCountAsLarge() async throws {
    let budget = MemoryBudget(1024)
    // All of the memory of small requests, and as much again.
    let shares = 128
    try await withThrowingTaskGroup { group in
      let held = Held()
      for _ in 0..<shares {
        group.addTask {
          try await budget.with(upTo: 4, isLarge: true) { share in
            try await share.take(4)
            held.add(4)
            while held.now < 4 * shares { await Task.yield() }
          }
        }
      }
      while held.now < 4 * shares { await Task.yield() }
      try await budget.with(upTo: 4) { try await $0.take(4) }
      try await group.waitForAll()
    }
    #expect(budget.used == 0)
  }

  @Test func aCancelledRequestLetsOthersPass() async throws {
    let budget = MemoryBudget(16)
    try await budget.with(upTo: 8) { holder in
      try await holder.take(8)
      let large = Task { try await budget.with(upTo: 12) { try await $0.take(12) } }
      large.cancel()
      await #expect(throws: CancellationError.self) { try await large.value }
      #expect(
        try await budget.with(upTo: 4) {
          try await $0.take(4)
          return 1
        } == 1)
    }
  }
}
