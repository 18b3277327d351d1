import Foundation
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Synchronization
import Testing

@testable import SessionNode

/// The registry handles announcements that arrive late, at a bad time, or too often.
@Suite(.timeLimit(.minutes(5))) struct RegistryHearingTests {
  /// Somebody with a key who answers pings, once that is let through.
  private final class Pinged: Sendable {
    let keys: NodeKeys
    let endpoint: NetworkEndpoint
    let called: AsyncStream<Never>
    let allowing: AsyncStream<Never>.Continuation

    init(_ number: UInt8, at address: String = "127.0.0.1:0", waits: Bool = false) throws {
      keys = try NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: number, count: 32)))
      let (called, calling) = AsyncStream.makeStream(of: Never.self)
      let (may, allowing) = AsyncStream.makeStream(of: Never.self)
      (self.called, self.allowing) = (called, allowing)
      if !waits { allowing.finish() }
      endpoint = try NetworkEndpoint(
        at: NetworkAddress(parsing: address),
        options: .init(
          identity: keys.identity,
          handlers: [
            "snode_ping": { _ in
              calling.finish()
              for await _ in may {}
              return Array("pong".utf8)
            }
          ]))
    }

    func announcement(
      _ state: NodeAnnouncement.State = .serving, at time: UInt64, httpsPort: UInt16 = 0,
      version: UInt16 = 11
    ) -> NodeAnnouncement {
      NodeAnnouncement(
        key: keys.publicKey, address: endpoint.address, httpsPort: httpsPort, version: [2, version, 0],
        state: state, height: 0, time: time, unreachable: [])
    }
  }

  private func refusal(_ body: () async throws -> Void) async -> NetworkRefusal? {
    do {
      try await body()
      return nil
    } catch {
      return error as? NetworkRefusal
    }
  }

  @discardableResult
  private func hear(_ announcement: NodeAnnouncement, at playground: RegistryPlayground) async throws
    -> [UInt8]
  {
    try await playground.registry.hear(announcement, from: announcement.key)
  }

  @Test func olderAnnouncementsAreIgnored() async throws {
    let playground = try await RegistryPlayground()
    let node = try Pinged(1)
    _ = try playground.allowed.allow(node.keys.publicKey)
    let time = playground.clock.wall
    try await hear(node.announcement(at: time), at: playground)
    try await hear(node.announcement(.gone, at: time + 2), at: playground)
    let late = await refusal { try await hear(node.announcement(at: time + 1), at: playground) }
    #expect(late?.code == 409)
    #expect(await playground.registry.list.nodes.isEmpty)
    try await hear(node.announcement(at: time + 3), at: playground)
    #expect(await playground.registry.list.nodes.count == 1)
    await node.endpoint.stop()
    await playground.stop()
  }

  @Test func nodeForbiddenDuringItsCheckDoesNotJoin() async throws {
    let playground = try await RegistryPlayground()
    let node = try Pinged(1, waits: true)
    let key = node.keys.publicKey
    _ = try playground.allowed.allow(key)
    async let refused = refusal {
      try await hear(node.announcement(at: playground.clock.wall), at: playground)
    }
    for await _ in node.called {}
    _ = try playground.allowed.forbid(key)
    _ = await playground.registry.look()
    node.allowing.finish()
    #expect(await refused?.code == 403)
    #expect(await playground.registry.list.nodes.isEmpty)
    await node.endpoint.stop()
    await playground.stop()
  }

  @Test func aNodeThatLeavesDuringThePingDoesNotJoin() async throws {
    let playground = try await RegistryPlayground()
    let node = try Pinged(1, waits: true)
    _ = try playground.allowed.allow(node.keys.publicKey)
    let time = playground.clock.wall
    async let refused = refusal { try await hear(node.announcement(at: time), at: playground) }
    for await _ in node.called {}
    try await hear(node.announcement(.gone, at: time + 1), at: playground)
    node.allowing.finish()
    #expect(await refused?.code == 409)
    #expect(await playground.registry.list.nodes.isEmpty)
    await node.endpoint.stop()
    await playground.stop()
  }

  @Test func addressMovesToTheLiveNodeOnceTheOtherIsSilent() async throws {
    let playground = try await RegistryPlayground()
    let old = try Pinged(1)
    for number in 1...2 {
      _ = try playground.allowed.allow(
        NodeKeys(seed: SecretBytes(copying: [UInt8](repeating: UInt8(number), count: 32))).publicKey)
    }
    try await hear(old.announcement(at: playground.clock.wall), at: playground)
    await old.endpoint.stop()
    let new = try Pinged(2, at: "\(old.endpoint.address)")
    let refused = await refusal {
      try await hear(new.announcement(at: playground.clock.wall), at: playground)
    }
    #expect(refused?.code == 409)
    #expect(
      "\(refused.map { String(decoding: $0.body, as: UTF8.self) } ?? "")".contains(old.keys.publicKey.hex))
    playground.clock.advance(seconds: 31)
    try await hear(new.announcement(at: playground.clock.wall), at: playground)
    #expect(await playground.registry.list.nodes.map(\.key) == [new.keys.publicKey])
    await new.endpoint.stop()
    await playground.stop()
  }

  @Test func listsDoNotFollowOneAnotherTooSoon() async throws {
    let playground = try await RegistryPlayground { $0.listInterval = .seconds(1000) }
    let node = try Pinged(1)
    _ = try playground.allowed.allow(node.keys.publicKey)
    func version() async -> UInt16? { await playground.registry.list.nodes.first?.version[1] }
    try await hear(node.announcement(at: playground.clock.wall), at: playground)
    let height = await playground.registry.list.height
    for version: UInt16 in 1...5 {
      try await hear(node.announcement(at: playground.clock.wall, version: version), at: playground)
    }
    _ = await playground.registry.look()
    #expect(await playground.registry.list.height == height)
    #expect(await version() == 11)
    playground.clock.advance(seconds: 1001)
    _ = await playground.registry.look()
    #expect(await version() == 5)
    await node.endpoint.stop()
    await playground.stop()
  }

  @Test func aRestartWakesNoDead() async throws {
    let folder = freshPath()
    let playground = try await RegistryPlayground(folder: folder)
    let nodes = try (1...3).map { try Pinged(UInt8($0)) }
    for node in nodes { _ = try playground.allowed.allow(node.keys.publicKey) }
    for node in nodes { try await hear(node.announcement(at: playground.clock.wall), at: playground) }
    playground.clock.advance(seconds: 601)
    for node in nodes.dropFirst() {
      try await hear(node.announcement(at: playground.clock.wall), at: playground)
    }
    _ = await playground.registry.look()
    let key = nodes[0].keys.publicKey
    func swarm(_ registry: Registry) async -> UInt64? {
      await registry.list.nodes.first { $0.key == key }?.swarm
    }
    #expect(await swarm(playground.registry) == NodeRecord.noSwarm)
    await playground.registry.stop()
    let again = try await Registry.start(try RegistryPlayground.options(folder, playground.clock))
    _ = await again.look()
    #expect(await swarm(again) == NodeRecord.noSwarm)
    _ = try await again.hear(nodes[0].announcement(at: playground.clock.wall), from: key)
    #expect(await swarm(again) == 0)
    for node in nodes { await node.endpoint.stop() }
    await again.stop()
    await playground.stop()
  }

  @Test func thatMostAreSilentIsToldOnce() async throws {
    let told = Told()
    let playground = try await RegistryPlayground { $0.log = told.log }
    let nodes = try (1...2).map { try Pinged(UInt8($0)) }
    for node in nodes { _ = try playground.allowed.allow(node.keys.publicKey) }
    for node in nodes { try await hear(node.announcement(at: playground.clock.wall), at: playground) }
    playground.clock.advance(seconds: 601)
    for _ in 0..<3 {
      _ = await playground.registry.status()
      _ = await playground.registry.look()
    }
    #expect(told.count(of: "most nodes are silent") == 1)
    for node in nodes { try await hear(node.announcement(at: playground.clock.wall), at: playground) }
    _ = await playground.registry.look()
    #expect(told.count(of: "most nodes announce themselves again") == 1)
    for node in nodes { await node.endpoint.stop() }
    await playground.stop()
  }

  @Test func mostNodesGoOnlyWhereThatIsConfirmedAndThenInOneList() async throws {
    let told = Told()
    let playground = try await RegistryPlayground { $0.log = told.log }
    let nodes = try (1...3).map { try Pinged(UInt8($0)) }
    for node in nodes { _ = try playground.allowed.allow(node.keys.publicKey) }
    for node in nodes { try await hear(node.announcement(at: playground.clock.wall), at: playground) }
    let height = await playground.registry.list.height
    try "".write(toFile: playground.allowed.path, atomically: true, encoding: .utf8)
    _ = await playground.registry.look()
    #expect(await playground.registry.list.height == height)
    #expect(await playground.registry.status().awaitsConfirmation)
    let lists = told.count(of: "new list")
    _ = try playground.allowed.allow(nodes[2].keys.publicKey)
    #expect(try await playground.registry.confirmAllowed() == 2)
    #expect(told.count(of: "new list") == lists + 1)
    #expect(await playground.registry.list.nodes.map(\.key) == [nodes[2].keys.publicKey])
    for node in nodes { await node.endpoint.stop() }
    await playground.stop()
  }

  @Test func aPortForHTTPSIsListedWhereItAnswers() async throws {
    let playground = try await RegistryPlayground(pingTimeout: .seconds(8))
    let node = try playground.begin(1) { $0.httpsAddress = try? NetworkAddress(parsing: "127.0.1.1:0") }
    try await node.refresh()
    let port = try #require(node.node.httpsAddress).port
    #expect(await playground.registry.list.nodes.map(\.httpsPort) == [port])
    // Nothing listens there: the node serves without HTTPS.
    let mute = try playground.begin(2) {
      $0.httpsAddress = try? NetworkAddress(parsing: "127.0.1.2:0")
      $0.announcedHTTPSPort = 9
    }
    try await mute.refresh()
    let record = await playground.registry.list.nodes.first { $0.key == mute.node.keys.publicKey }
    #expect(record?.httpsPort == 0)
    #expect(record?.swarm == 0)
    await playground.stop()
  }
}
