import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Synchronization
import Testing

@testable import SessionNode

/// Subscriptions of accounts that are not a node's any more.
@Suite(.timeLimit(.minutes(5))) struct EndingSubscriptionsTests {
  private let alice = try! Account(1)
  private let listener: NetworkEndpoint
  private let ends: AsyncStream<[UInt8]>

  init() throws {
    let (ends, ended) = AsyncStream.makeStream(of: [UInt8].self)
    self.ends = ends
    var options = NetworkEndpoint.Options(
      identity: try .random(),
      handlers: [
        "monitor_ended": {
          ended.yield($0.body)
          return []
        }
      ])
    options.handshakeTimeout = .seconds(60)
    listener = try NetworkEndpoint(at: NetworkAddress(parsing: "127.0.0.1:0"), options: options)
  }

  /// Has Alice listen to her messages at a node.
  private func listen(at node: NodeRecord) async throws -> String {
    let time = wall / 1000
    let signature = try alice.keys.sign("MONITOR\(alice.hex)\(time)00".utf8)
    let body =
      Array("d1:P32:".utf8) + alice.keys.publicKey + Array("1:di0e1:nli0ee1:s64:".utf8) + signature
      + Array("1:ti\(time)ee".utf8)
    let reply = try await listener.request("monitor", body: body, to: node.peer, timeout: .seconds(60))
    return String(decoding: reply, as: UTF8.self)
  }

  @Test func subscribersOfARetiredNodeLearnTheNewSwarm() async throws {
    let playground = try await Playground(nodes: 3)
    let node = try #require(await playground.net.places[0].node)
    #expect(try await listen(at: playground.records[0]) == "d7:successi1ee")
    let others = Array(playground.records.dropFirst())
    let list = try NetworkFile(
      name: "devnet", height: 99, nodes: others, operatorKeys: playground.net.operatorKeys())
    try node.retire(list)
    try #require(node.subscriptions.count == 0)
    var told = ends.makeAsyncIterator()
    let event = String(decoding: try #require(await told.next()), as: UTF8.self)
    for other in others { #expect(event.contains(other.key.hex)) }
    await listener.stop()
    await playground.stop()
  }

  @Test func aListWithoutMostNodesHasToBeConfirmedAlsoByWhomItLacks() async throws {
    let playground = try await Playground(nodes: 3)
    let node = try #require(await playground.net.places[0].node)
    let list = try NetworkFile(
      name: "devnet", height: 99, nodes: [playground.records[1]],
      operatorKeys: playground.net.operatorKeys())
    #expect(throws: NodeFailure.shrunkenList) { try node.retire(list) }
    #expect(node.unreadiness == nil)
    try node.retire(list, isConfirmed: true)
    #expect(node.unreadiness == "not done syncing")
    await listener.stop()
    await playground.stop()
  }

  @Test func aListThatComesWhileSomebodyBeginsToListenIsHeeded() async throws {
    let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
    let playground = try await Playground(nodes: 2) {
      $0.sweepInterval = .seconds(100_000)
      $0.wallClock = {
        // The node looks at the clock after it has seen whose account it is.
        meanwhile.withLock { $0.take() }?()
        return MachineClock.wallMilliseconds
      }
    }
    let node = try #require(await playground.net.places[0].node)
    var records = playground.records
    records[1].swarm = SwarmSpace.position(of: alice.bytes)
    records[0].swarm = ~records[1].swarm
    let list = try NetworkFile(
      name: "devnet", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys())
    // The nodes have finished starting: nothing else reads the clock.
    for place in await playground.net.places { _ = await place.node?.replicate() }
    _ = try await playground.call("info", [:])
    meanwhile.withLock { $0 = { try? node.learn(list) } }
    #expect(try await listen(at: playground.records[0]).contains("7:errcodei6e"))
    #expect(node.subscriptions.count == 0)
    await listener.stop()
    await playground.stop()
  }
}
