import Foundation
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Testing

@testable import SessionNode

/// Swarms that change while the network runs, and what is kept in them.
@Suite(.timeLimit(.minutes(5))) struct MovingSwarmsTests {
  private let alice = try! Account(1)

  private func call(
    _ method: String, _ parameters: [String: Any], at service: NodeService
  ) async throws -> Answer {
    let client = try patientClient()
    let peer = try NetworkPeer(
      address: try #require(service.node.address), key: service.node.keys.publicKey)
    let body = Array(try JSONSerialization.data(withJSONObject: parameters))
    let answer = try await Answer.of { try await client.request(method, body: body, to: peer) }
    await client.stop()
    return answer
  }

  private func settle(_ services: [NodeService]) async throws {
    for _ in 0..<2 { for service in services { try await service.refresh() } }
    for service in services { _ = await service.node.replicate() }
  }

  @Test func aSwarmIsCutAndEveryAccountIsFoundInItsNewOne() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    var services = try await playground.begin(1...2)
    let accounts = try (1...20).map { try Account($0) }
    for account in accounts {
      #expect(
        try await call("store", try account.storing([7], at: playground.clock.wall), at: services[0]).code
          == 200)
    }
    services.append(try playground.begin(3))
    try await settle(services)
    let list = await playground.registry.list
    #expect(Set(list.nodes.map(\.swarm)) == [0, UInt64(1) << 63])
    for account in accounts {
      let swarm = list.swarm(of: account.bytes)
      for service in services {
        let isTheirs = swarm.nodes.contains { $0.key == service.node.keys.publicKey }
        let answer = try await call("retrieve", try account.retrieving(), at: service)
        #expect(answer.code == (isTheirs ? 200 : 421))
        if isTheirs {
          #expect(try answer.messages.count == 1)
        } else {
          let named = try #require(try answer.json["snodes"] as? [[String: Any]])
          #expect(
            Set(named.compactMap { $0["pubkey_ed25519"] as? String }) == Set(swarm.nodes.map(\.key.hex)))
        }
      }
    }
    await playground.stop()
  }

  @Test func aNodeThatLeavesHandsOverWhatOnlyItHas() async throws {
    let playground = try await RegistryPlayground(smallest: 1, largest: 2)
    let services = try await playground.begin(1...2)
    let (leaving, staying) = (services[0], services[1])
    // All that follows from the lists so far is done; the other has not heard of what comes now.
    for service in services + services { _ = await service.node.replicate() }
    _ = try await leaving.node.store.store(
      [1], of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 600_000)
    try await leaving.leave()
    try await staying.refresh()
    #expect(try await staying.node.store.count() == 1)
    #expect(await playground.registry.list.nodes.map(\.key) == [staying.node.keys.publicKey])
    #expect(leaving.node.address == nil)
    await playground.stop()
  }

  @Test func aNodeThatJoinsIsGivenWhatTheOthersHave() async throws {
    let playground = try await RegistryPlayground()
    var services = try await playground.begin(1...2)
    let group = try Account(11, prefix: 0x03)
    let token = [0x03, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32)
    try await services[0].node.store.revoke([token], of: group.bytes, requestedAt: wall)
    _ = try await call("store", try alice.storing([1], at: playground.clock.wall), at: services[0])
    services.append(try playground.begin(3))
    try await settle(services)
    #expect(try await services[2].node.store.count() == 1)
    #expect(try await services[2].node.store.isRevoked(token, account: group.bytes))
    await playground.stop()
  }
}
