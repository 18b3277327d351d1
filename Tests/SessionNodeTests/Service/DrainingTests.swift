import Foundation
import SessionBase
import SessionCore
import SessionNodeCore
import Testing

@testable import SessionHTTP
@testable import SessionNode

/// A node that ends: nothing that it has begun is cut off.
@Suite(.timeLimit(.minutes(5))) struct DrainingTests {
  private let alice = try! Account(1)

  @Test func aBodyThatStillArrivesIsNotWaitedFor() async throws {
    let playground = try await Playground(nodes: 1)
    let node = try #require(await playground.net.places[0].node)
    let (asked, asking) = AsyncStream.makeStream(of: Never.self)
    let (may, allowing) = AsyncStream.makeStream(of: Never.self)
    let body = HTTPBody(declaredLength: 9) {
      asking.finish()
      for await _ in may {}
      return .failure(.peerGone)
    }
    let target = try #require(HTTPTarget(parsing: "/storage_rpc/v1"))
    let request = HTTPRequest(.post, target, body: body, peer: try NetworkAddress(parsing: "127.0.0.1:1"))
    async let answer = node.answerHTTP(request)
    for await _ in asked {}
    #expect(node.inFlight.count == 0)
    allowing.finish()
    #expect(await answer.status == 400)
    await playground.stop()
  }

  @Test func aNodeWithoutASwarmDoesNotRelayWhileItEnds() async throws {
    let playground = try await Playground(nodes: 2)
    let node = try #require(await playground.net.places[0].node)
    var records = playground.records
    records[0].swarm = NodeRecord.noSwarm
    try node.learn(
      NetworkFile(name: "", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys()))
    #expect(node.unreadinessToRelay == nil)
    #expect(node.unreadiness == "not in any swarm")
    await node.drain(within: .seconds(60))
    #expect(node.unreadinessToRelay == "shutting down")
    await playground.stop()
  }

  @Test func stoppingNodeHandsOverAndRefusesNewRequests() async throws {
    let playground = try await Playground(nodes: 2)
    try await playground.net.kill(2)
    _ = try await playground.call("store", try alice.storing([1]))
    try await playground.net.revive(2)
    let first = try #require(await playground.net.places[0].node)
    first.health.isThere(playground.records[1].key)
    await first.drain(within: .seconds(60))
    #expect(try await first.store.owed() == (0, 0))
    #expect(try await playground.net.places[1].node?.store.count() == 1)
    let refused = try await playground.call("store", try alice.storing([2]))
    #expect(refused.code == 503)
    #expect(refused.text == "Service node is not ready: shutting down\n")
    await playground.stop()
  }
}
