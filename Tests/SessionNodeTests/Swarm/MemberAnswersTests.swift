import Foundation
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionStorage
import Testing

@testable import SessionNode

/// How it shows that a member of the swarm did not do its part.
@Suite(.timeLimit(.minutes(5))) struct MemberAnswersTests {
  private let alice = try! Account(1)
  private let group = try! Account(11, prefix: 0x03)
  private let member = try! Account(22)

  @Test(arguments: Way.allCases) func aMemberThatRefusesSaysWhy(way: Way) async throws {
    let playground = try await Playground(nodes: 2, way: way)
    let token = [0x03, 0x03, 0, 0] + member.keys.publicKey
    // Only the second knows that the rights were taken back.
    let second = try #require(await playground.net.places[1].node)
    try await second.store.revoke([token], of: group.bytes, requestedAt: wall)
    let time = wall
    let reply = try await playground.call(
      "store",
      [
        "pubkey": group.hex, "namespace": 11, "timestamp": time, "ttl": 60_000, "data": [1].base64,
        "subaccount": token.base64, "subaccount_sig": try group.keys.sign(token).base64,
        "signature": try member.sign("store11\(time)"),
      ])
    #expect(reply.code == 200)
    let refusal = try #require(try reply.swarm[playground.records[1].key.hex])
    #expect(refusal["failed"] as? Bool == true)
    #expect("\(refusal["code"] ?? "")" == "401")
    #expect(refusal["reason"] as? String == "store signature verification failed")
    #expect(try reply.swarm[playground.records[0].key.hex]?["hash"] as? String == group.hash([1], in: 11))
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func databaseFailuresAreReported(way: Way) async throws {
    let playground = try await Playground(nodes: 2, way: way)
    try #require(await playground.net.places[1].node).store.close()
    let reply = try await playground.call("store", try alice.storing([1]))
    #expect(reply.code == 200)
    let failed = try #require(try reply.swarm[playground.records[1].key.hex])
    #expect(failed["failed"] as? Bool == true)
    #expect(failed["query_failure"] as? Bool == true)
    // It heard of the request: there is nothing to tell it later.
    let first = try #require(await playground.net.places[0].node)
    #expect(try await first.store.owed() == (0, 0))
    try first.store.close()
    let none = try await playground.call("store", try alice.storing([2]))
    #expect(none.code == 500)
    #expect(try await playground.call("retrieve", try alice.retrieving()).code == 500)
    #expect(try await playground.call("info", [:]).code == 200)
    await playground.stop()
  }

  @Test func aNodeThatIsFullStoresNothingAndDoesEverythingElse() async throws {
    let keys = try NodeKeys.random()
    let store = try MessageStore.inMemory(maxBytes: 512 * 1024)
    let node = try StorageNode(keys: keys, at: NetworkAddress(parsing: "127.0.0.1:0"), store: store)
    let record = try NodeRecord(
      key: keys.publicKey, address: try #require(node.address), httpsPort: 0, version: [0, 0, 0], swarm: 0)
    try node.learn(try NetworkFile(name: "", height: 1, nodes: [record], operatorKeys: .random()))
    let client = try patientClient()
    func call(_ method: String, _ parameters: [String: Any]) async throws -> Answer {
      let body = Array(try JSONSerialization.data(withJSONObject: parameters))
      return try await Answer.of { try await client.request(method, body: body, to: record.peer) }
    }
    var full: Answer?
    for number in 0..<60 as Range<UInt8> where full == nil {
      let answer = try await call("store", try alice.storing([number] + [UInt8](repeating: 0, count: 10_000)))
      if answer.code != 200 { full = answer }
    }
    #expect(full?.code == 500)
    #expect(try full?.swarm[keys.publicKey.hex]?["query_failure"] as? Bool == true)
    let time = wall
    #expect(try await !call("retrieve", try alice.retrieving()).messages.isEmpty)
    let deleted = try await call("delete_all", try alice.signed("delete_all\(time)", ["timestamp": time]))
    #expect(deleted.code == 200)
    try await store.sweep(now: wall)
    #expect(try await call("store", try alice.storing([1])).code == 200)
    await client.stop()
    await node.stop()
  }
}
