import CSessionCore
import Foundation
import SessionCore
import SessionNode
import Testing

/// The C client and real nodes, over three hops.
@Suite(.timeLimit(.minutes(5))) struct ThreeHopTests {
  private let alice = try! Account(1)

  private func messages(in reply: CoreClient.Reply) throws -> [[UInt8]] {
    let body = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
    let messages = try #require(body?["messages"] as? [[String: Any]])
    return try messages.map { try [UInt8](base64: try #require($0["data"] as? String).utf8) }
  }

  @Test func storedMessagesAreRetrievedAfterANodeDies() async throws {
    let playground = try await Playground(nodes: 12, swarms: 2)
    let client = try CoreClient(playground.net.file)
    let stored = try await client.store([1, 2, 3], of: alice)
    #expect(stored.status == SC_OK, "\(stored)")
    #expect(try messages(in: try await client.retrieve(alice)) == [[1, 2, 3]])

    let member = try playground.node(serving: alice)
    let number = try #require(playground.records.firstIndex(of: member)) + 1
    try await playground.net.kill(number)
    let again = try await client.store([4], of: alice)
    #expect(again.status == SC_OK, "\(again)")
    let found = try await client.retrieve(alice)
    #expect(found.status == SC_OK)
    #expect(try messages(in: found) == [[1, 2, 3], [4]])
    await playground.stop()
  }

  @Test func everyMemberHasWhatCameOverAnOnion() async throws {
    let playground = try await Playground(nodes: 5, swarms: 1)
    let client = try CoreClient(playground.net.file)
    let stored = try await client.store([7], of: alice)
    #expect(stored.status == SC_OK, "\(stored)")
    for place in await playground.net.places { #expect(try await place.node?.store.count() == 1) }
    await playground.stop()
  }
}
