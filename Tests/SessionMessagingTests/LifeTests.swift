import SessionCore
import SessionNetworking
import SessionStorage
import Synchronization
import Testing

@testable import SessionMessaging

/// Concurrent starts, suspensions and stops of a messenger.
@Suite struct LifeTests {
  /// Counts how often a node was asked to tell.
  private final class Watch: SwarmWatch {
    private let state = Mutex(0)
    var begun: Int { state.withLock { $0 } }

    func begin(
      as signer: Storage.Signer, _ namespaces: [StorageNamespace], at node: [UInt8]
    ) async throws(NetworkFailure) { state.withLock { $0 += 1 } }

    func notices(of account: SessionID) -> AsyncStream<SwarmNotice> { AsyncStream { _ in } }
  }

  private enum Interruption: CaseIterable {
    case suspended
    case stopped
  }

  @Test(arguments: Interruption.allCases)
  private func nothingIsLeftRunningByAStartThatIsInterrupted(_ interruption: Interruption) async throws {
    let (world, watch) = (World(), Watch())
    world.swarms.setWatch(watch)
    world.swarms.holdReachability()
    let alice = try Messenger(.generate(), .inMemory(schema: .account), world.environment)
    let starting = Task { try await alice.start() }
    await world.swarms.untilReachabilityIsHeld()
    let interrupting = Task {
      switch interruption {
      case .suspended: await alice.suspend()
      case .stopped: await alice.stop(finishingWithin: .zero)
      }
    }
    // The interruption has begun when the start goes on.
    for _ in 0..<100 { await Task.yield() }
    world.swarms.releaseReachability()
    try? await starting.value
    await interrupting.value
    let (polls, begun) = (world.swarms.polls, watch.begun)
    for _ in 0..<20 {
      world.clock.advance(by: 60_000)
      for _ in 0..<20 { await Task.yield() }
    }
    // A poll that had begun before the suspension may end after it.
    #expect(world.swarms.polls - polls <= (interruption == .suspended ? 1 : 0))
    #expect(watch.begun == begun)
    #expect(await alice.notifier() == nil)
    if interruption == .suspended {
      await alice.resume()
      #expect(await alice.poll())
    }
    await world.stop(alice)
  }
}
