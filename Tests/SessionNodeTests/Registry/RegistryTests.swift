import CSessionCore
import Foundation
import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionService
import Testing

@testable import SessionNode

/// Nodes that join, leave and fall silent, and the list that tells of it.
@Suite(.timeLimit(.minutes(5))) struct RegistryTests {
  private let alice = try! Account(1)

  private func expectRefusal(_ code: UInt16, _ body: () async throws -> Void) async {
    let error = await #expect(throws: SessionError.self) { try await body() }
    #expect(error?.refusal?.code == code)
  }

  @Test func allowedNodesJoinAndServe() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...3)
    let list = await playground.registry.list
    #expect(Set(list.nodes.map(\.key)) == Set(services.map(\.node.keys.publicKey)))
    for service in services {
      let status = await service.node.status()
      #expect(status.unreadiness == nil)
      #expect(status.height == list.height)
      #expect(status.members.count == 2)
    }
    #expect(try await playground.remote.list().text == list.text)
    let status = await playground.registry.status()
    #expect(status.nodes.map(\.state) == [.serving, .serving, .serving])
    #expect(status.allowed == 3)
    await playground.stop()
  }

  @Test func nodeJoinsOnlyAfterTheOperatorAllowsIt() async throws {
    let playground = try await RegistryPlayground()
    let service = try playground.begin(1, isAllowed: false)
    await expectRefusal(403) { try await service.refresh() }
    #expect(await playground.registry.list.nodes.isEmpty)
    #expect(service.node.unreadiness == "not done syncing")
    _ = try playground.allowed.allow(service.node.keys.publicKey)
    try await service.refresh()
    #expect(service.node.unreadiness == nil)
    await playground.stop()
  }

  @Test func forbiddenNodeStopsServingAndKeepsItsStore() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...3)
    let node = services[0].node
    _ = try await node.store.store([1], of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 60_000)
    _ = try playground.allowed.forbid(node.keys.publicKey)
    _ = await playground.registry.look()
    let list = await playground.registry.list
    #expect(list.nodes.count == 2)
    try await services[1].refresh()
    #expect(await services[1].node.status().members.count == 1)
    await expectRefusal(403) { try await services[0].refresh() }
    #expect(node.unreadiness == "not done syncing")
    #expect(try await node.store.count() == 1)
    #expect(throws: NodeFailure.outdatedList) { try node.retire(list) }
    // It is as any that is let in again.
    _ = try playground.allowed.allow(node.keys.publicKey)
    try await services[0].refresh()
    #expect(node.unreadiness == nil)
    await playground.stop()
  }

  @Test func aRegistryIsASeedLikeAnyOther() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...5)
    let client = try CoreClient(seeds: [playground.remote])
    let stored = try await client.store([1, 2], of: alice)
    #expect(stored.status == SC_OK, "\(stored)")
    for service in services { #expect(try await service.node.store.count() == 1) }
    await playground.stop()
  }

  @Test func clientsAskARegistryWhatTheyAskNodes() async throws {
    let playground = try await RegistryPlayground()
    _ = try await playground.begin(1...2)
    let client = try patientClient()
    func call(_ method: String, _ body: String) async throws -> String {
      String(
        decoding: try await client.request(method, body: Array(body.utf8), to: playground.remote.peer),
        as: UTF8.self)
    }
    let states = try await call("oxend_request", #"{"endpoint":"get_service_nodes","params":{}}"#)
    #expect(states.split(separator: "service_node_pubkey").count == 3)
    #expect(try await call("info", "{}").contains(#""version":[2,11,0]"#))
    #expect(try await call("get_swarm", #"{"pubkey":"\#(alice.hex)"}"#).contains(#""ip":"127.0.1.1""#))
    await expectRefusal(400) { _ = try await call("get_swarm", "{}") }
    await expectRefusal(0) { _ = try await call("store", "{}") }
    await client.stop()
    await playground.stop()
  }

  @Test func aSilentNodeLosesItsSwarmAndGetsOneAgain() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...3)
    playground.clock.advance(seconds: 601)
    for service in services.dropFirst() { try await service.refresh() }
    _ = await playground.registry.look()
    let key = services[0].node.keys.publicKey
    func swarm() async -> UInt64? { await playground.registry.list.nodes.first { $0.key == key }?.swarm }
    #expect(await swarm() == NodeRecord.noSwarm)
    try await services[1].refresh()
    #expect(await services[1].node.status().members.count == 1)
    try await services[0].refresh()
    #expect(await swarm() == 0)
    #expect(services[0].node.unreadiness == nil)
    await playground.stop()
  }

  @Test func whenMostAreSilentItIsTheRegistryThatIsCutOff() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...3)
    let before = await playground.registry.list.height
    playground.clock.advance(seconds: 601)
    try await services[0].refresh()
    _ = await playground.registry.look()
    #expect(await playground.registry.list.height == before)
    await playground.stop()
  }

  @Test func nodesSilentForAMonthAreForgotten() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...3)
    playground.clock.advance(seconds: 30 * 86_400 + 1)
    for service in services.dropFirst() { try await service.refresh() }
    _ = await playground.registry.look()
    #expect(await playground.registry.list.nodes.count == 2)
    await playground.stop()
  }

  @Test func nodesThatMostDoNotReachLoseTheirSwarm() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...4)
    let lost = services[3].node.keys.publicKey
    let time = MachineClock.nanoseconds
    for (index, service) in services.prefix(3).enumerated() {
      service.node.reachability.failed(lost, now: time - Reachability.reportedAfter)
      try await service.refresh()
      let state = await playground.registry.status().nodes.first { $0.key == lost.hex }?.state
      #expect(state == (index < 2 ? .serving : .absent))
    }
    await playground.stop()
  }

  @Test func numbersOfListsNeverGoBack() async throws {
    let folder = freshPath()
    let playground = try await RegistryPlayground(folder: folder)
    _ = try await playground.begin(1...2)
    let last = await playground.registry.list
    await playground.registry.stop()
    playground.clock.advance(seconds: -3600)
    let options = try RegistryPlayground.options(folder, playground.clock)
    let second = try await Registry.start(options)
    #expect(await second.list.text == last.text)
    _ = try playground.allowed.forbid(last.nodes[0].key)
    _ = await second.look()
    #expect(await second.list.height == last.height + 1)
    #expect(await second.list.nodes.count == 1)
    await second.stop()
    try FileManager.default.removeItem(atPath: RegistryFolder(path: options.folder).networkFile)
    playground.clock.advance(seconds: 7200)
    let third = try await Registry.start(options)
    #expect(await third.list.height > last.height + 1)
    await third.stop()
    await playground.stop()
  }

  @Test func theListNamesTheServersOfTheNetwork() async throws {
    let folder = freshPath()
    let playground = try await RegistryPlayground(folder: folder)
    _ = try await playground.begin(1...2)
    let last = await playground.registry.list
    #expect(last.services.isEmpty)
    await playground.registry.stop()
    let server = try NetworkService(url: "http://files.example", key: NodeKeys.random().publicKey)
    var options = try RegistryPlayground.options(folder, playground.clock)
    options.services = [NetworkService.fileServer: server]
    let second = try await Registry.start(options)
    let list = await second.list
    #expect(list.services == options.services)
    #expect(list.nodes == last.nodes && list.height > last.height)
    _ = try playground.allowed.forbid(last.nodes[0].key)
    _ = await second.look()
    #expect(await second.list.nodes.count == 1)
    #expect(await second.list.services == options.services)
    await second.stop()
    await playground.stop()
  }

  @Test func aListOfAnotherOperatorIsNotGoneOnWith() async throws {
    let folder = freshPath()
    let playground = try await RegistryPlayground(folder: folder)
    await playground.registry.stop()
    let options = try RegistryPlayground.options(folder, playground.clock)
    let other = try NetworkFile(name: "", height: 1, nodes: [], operatorKeys: NodeKeys.random())
    try KeptList(path: RegistryFolder(path: options.folder).networkFile).write(other)
    await #expect(throws: SessionError.self) { try await Registry.start(options) }
    await playground.stop()
  }

  @Test func aFolderHoldsOneRegistry() async throws {
    let folder = freshPath()
    let playground = try await RegistryPlayground(folder: folder)
    let options = try RegistryPlayground.options(folder, playground.clock)
    await #expect(throws: ServiceFailure.folderInUse(options.folder)) { try await Registry.start(options) }
    await playground.stop()
  }

  @Test func onlyTrueAnnouncementsAreHeard() async throws {
    let playground = try await RegistryPlayground()
    let service = try await playground.begin(1...1)[0]
    let (node, clock) = (service.node, playground.clock)
    let endpoint = try #require(node.endpoint)
    func announce(
      _ keys: NodeKeys, at address: NetworkAddress, time: UInt64? = nil, by signer: NodeKeys? = nil
    ) async throws {
      let announcement = NodeAnnouncement(
        key: keys.publicKey, address: address, httpsPort: 0, version: [2, 11, 0], state: .serving, height: 0,
        time: time ?? clock.wall, unreachable: [])
      _ = try await endpoint.request(
        RegistryCommand.announce, body: try announcement.signed(by: signer ?? keys),
        to: playground.remote.peer, timeout: .seconds(60))
    }
    let address = try #require(node.address)
    try await announce(node.keys, at: address)
    await expectRefusal(406) { try await announce(node.keys, at: address, time: clock.wall - 60_001) }
    await expectRefusal(409) { try await announce(node.keys, at: address, time: clock.wall - 30_000) }
    await expectRefusal(400) { try await announce(node.keys, at: address, by: try .random()) }
    // Well signed, but told by somebody else.
    await expectRefusal(403) { try await announce(try .random(), at: address) }
    await expectRefusal(409) {
      let second = try playground.begin(2)
      let announcement = NodeAnnouncement(
        key: second.node.keys.publicKey, address: address, httpsPort: 0, version: [2, 11, 0],
        state: .serving, height: 0, time: clock.wall, unreachable: [])
      _ = try await playground.remote.announce(
        announcement, by: second.node.keys, over: try #require(second.node.endpoint), timeout: .seconds(60))
    }
    await playground.stop()
  }

  @Test func aNodeIsOnlyListedWhereItAnswers() async throws {
    let playground = try await RegistryPlayground(pingTimeout: .milliseconds(200))
    let service = try playground.begin(1) {
      $0.announcedAddress = try? NetworkAddress(parsing: "127.0.9.9:9")
    }
    await expectRefusal(502) { try await service.refresh() }
    #expect(await playground.registry.list.nodes.isEmpty)
    await playground.stop()
  }

  @Test func aNodeBeginsWithTheListOfTheLastTime() async throws {
    let playground = try await RegistryPlayground()
    let services = try await playground.begin(1...2)
    let address = try #require(services[0].node.address)
    await services[0].stop()
    await playground.registry.stop()
    let again = try playground.begin(1) { $0.address = address }
    #expect(again.node.unreadiness == nil)
    #expect(again.node.height == services[1].node.height)
    await playground.stop()
  }
}
