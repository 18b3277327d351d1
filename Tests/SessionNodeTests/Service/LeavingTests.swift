import Foundation
import SessionCore
import SessionNodeCore
import SessionService
import Synchronization
import Testing

@testable import SessionNode

/// A node that leaves its network for good, or fails to.
@Suite(.timeLimit(.minutes(5))) struct LeavingTests {
  /// Tells when a line was told that has a text in it.
  private func waiting(for text: String) -> (AsyncStream<Never>, ServiceLog) {
    let (told, telling) = AsyncStream.makeStream(of: Never.self)
    return (told, ServiceLog(level: .info) { if $0.contains(text) { telling.finish() } })
  }

  private func left(_ playground: RegistryPlayground, _ number: Int) -> String {
    playground.folder(of: number) + "/left"
  }

  @Test func aLeavingNodeWithDebtsServesOnUnlessForced() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    var services = [try playground.begin(1) { $0.leaveGrace = .milliseconds(300) }, try playground.begin(2)]
    for _ in 0..<2 { for service in services { try await service.refresh() } }
    let other = services.removeLast()
    let key = other.node.keys.publicKey
    await other.stop()
    let leaving = services[0]
    _ = try await leaving.node.store.store(
      [1], of: Account(1).bytes, namespace: 0, timestamp: wall, expiry: wall + 600_000)
    try await leaving.node.store.beginTransfers(to: [key])
    let failure = await #expect(throws: NodeFailure.self) { try await leaving.leave() }
    guard case .owing = failure else {
      Issue.record("\(String(describing: failure))")
      return
    }
    #expect(leaving.node.unreadiness == nil)
    #expect(!FileManager.default.fileExists(atPath: left(playground, 1)))
    #expect(await playground.registry.list.nodes.count == 2)
    try await leaving.leave(isForced: true)
    #expect(await playground.registry.list.nodes.map(\.key) == [key])
    #expect(leaving.node.address == nil)
    await playground.stop()
  }

  @Test func aNodeThatLeftDoesNotRejoinByItself() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    let services = try await playground.begin(1...2)
    try await services[0].leave()
    #expect(throws: NodeFailure.hasLeft(left(playground, 1))) { try playground.begin(1) }
    try FileManager.default.removeItem(atPath: left(playground, 1))
    let again = try playground.begin(1)
    try await again.refresh()
    #expect(again.node.unreadiness == nil)
    await playground.stop()
  }

  @Test func aNodeHasNotLeftBeforeItIsOutOfItsSwarm() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2) {
      $0.listInterval = .seconds(1000)
      $0.nodeTimeout = .seconds(100_000)
    }
    let services = [try playground.begin(1) { $0.leaveGrace = .milliseconds(300) }, try playground.begin(2)]
    try await services[0].refresh()
    playground.clock.advance(seconds: 1001)
    for service in services.reversed() { try await service.refresh() }
    #expect(services[0].node.unreadiness == nil)
    // A list was signed a moment ago: the next one comes later than the node can wait.
    await #expect(throws: NodeFailure.self) { try await services[0].leave() }
    #expect(services[0].node.unreadiness == nil)
    await playground.stop()
  }

  @Test func stoppingALeavingNodeWaitsForItsEnd() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    let (told, log) = waiting(for: "left the network")
    let service = try playground.begin(1) { $0.node.log = log }
    try await service.refresh()
    async let leaving: Void = service.leave()
    for await _ in told {}
    await service.stop()
    // The folder is no longer locked.
    _ = try NodeFolder(path: playground.folder(of: 1)).lock()
    try await leaving
    await playground.stop()
  }

  @Test func theLeaveCommandHearsThatTheNodeHasLeft() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    let service = try playground.begin(1)
    try await service.refresh()
    let folder = playground.folder(of: 1)
    let (ended, ending) = AsyncStream.makeStream(of: Never.self)
    let control = try NodeControl(service, folder: folder) { ending.finish() }
    let remote = try NodeRemote(folder: folder)
    try await remote.leave()
    for await _ in ended {}
    #expect(FileManager.default.fileExists(atPath: left(playground, 1)))
    await remote.close()
    await control.stop()
    await playground.stop()
  }

  @Test func aNodeThatIsGoneInTheMiddleHasNotLeft() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    let (told, log) = waiting(for: "leaving the network")
    let services = [try playground.begin(1) { $0.node.log = log }, try playground.begin(2)]
    for _ in 0..<2 { for service in services { try await service.refresh() } }
    let key = services[1].node.keys.publicKey
    await services[1].stop()
    // Without a message there would be nothing to hand over, and the node could leave at once.
    _ = try await services[0].node.store.store(
      [1], of: Account(1).bytes, namespace: 0, timestamp: wall, expiry: wall + 600_000)
    try await services[0].node.store.beginTransfers(to: [key])
    let folder = playground.folder(of: 1)
    let control = try NodeControl(services[0], folder: folder) {}
    let remote = try NodeRemote(folder: folder)
    async let failure = #expect(throws: (any Error).self) { try await remote.leave() }
    for await _ in told {}
    await control.stop()
    #expect(await failure != nil)
    await remote.close()
    await services[0].stop()
    #expect(!FileManager.default.fileExists(atPath: left(playground, 1)))
    await playground.stop()
  }
}
