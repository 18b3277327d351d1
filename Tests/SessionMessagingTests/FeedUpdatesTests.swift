import SessionBase
import SessionCore
import Synchronization
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct FeedUpdatesTests {
  private struct Unreadable: Error {}

  /// Memberships that cannot be read the first few times, and then are of one group.
  private final class Memberships: Sendable {
    let feed: Feed
    private let failing: Int
    private let count = Mutex(0)

    init(failing: Int) throws {
      feed = .group(try SessionID(.group, key: [UInt8](repeating: 1, count: 32)))
      self.failing = failing
    }

    var reads: Int { count.withLock { $0 } }

    func read() throws -> WantedFeeds {
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number > failing else { throw Unreadable() }
      return WantedFeeds([feed: 1])
    }
  }

  /// Runs `body` with a supervisor that was told of a change of memberships.
  private func withUpdates(
    of memberships: Memberships,
    _ body: (World, PollSupervisor, FeedUpdates, WorkerQueue) async throws -> Void
  ) async throws {
    try await withAliceAndBob(areFriends: false) { (world, alice, _) async throws in
      let supervisor = PollSupervisor(
        clock: world.clock, chance: { 0 }, watched: WatchedFeeds(), make: FakePollers().make)
      let updates = FeedUpdates(alice.context, supervisor, read: memberships.read)
      await supervisor.start()
      await alice.context.queue.run { updates.apply() }
      try await body(world, supervisor, updates, alice.context.queue)
      updates.stop()
      await supervisor.stop()
    }
  }

  /// Lets time pass until the memberships were read so often.
  private func advance(_ world: World, until count: Int, of memberships: Memberships) async {
    while memberships.reads < count, !Task.isCancelled {
      world.clock.advance(by: FeedUpdates.longestDelay)
      await Task.yield()
    }
  }

  @Test func membershipsThatCannotBeReadAreReadAgain() async throws {
    let memberships = try Memberships(failing: 3)
    try await withUpdates(of: memberships) { (world, supervisor, _, queue) async throws in
      #expect(await !supervisor.pollNow(memberships.feed))
      await advance(world, until: 4, of: memberships)
      await queue.run {}
      #expect(await supervisor.pollNow(memberships.feed))
    }
  }

  @Test func retriesEndWhenTheMessengerStops() async throws {
    let memberships = try Memberships(failing: .max)
    try await withUpdates(of: memberships) { (world, _, updates, queue) async throws in
      await advance(world, until: 3, of: memberships)
      updates.stop()
      await queue.run {}
      let reads = memberships.reads
      for _ in 0..<1000 {
        world.clock.advance(by: FeedUpdates.longestDelay)
        await Task.yield()
      }
      await queue.run {}
      #expect(memberships.reads == reads)
    }
  }
}
