import Foundation
import SessionCore
import SessionNodeCore
import Testing

@testable import SessionNode

/// Nodes forward requests to each other, and refuse or drop invalid ones.
@Suite(.timeLimit(.minutes(5))) struct ForwardedTests {
  private let alice = try! Account(1)

  private func bytes(_ object: [String: Any]) throws -> [UInt8] {
    Array(try JSONSerialization.data(withJSONObject: object))
  }

  @Test func onlyWhatAWholeSwarmDoesIsPassedOn() async throws {
    let playground = try await Playground(nodes: 2)
    let peer = try await NodePeer(insteadOf: 2, in: playground)
    let node = playground.records[0]
    let retrieve = try await peer.call(
      "sn.storage_cc", [Array("retrieve".utf8), try bytes(try alice.retrieving())], at: node)
    #expect(retrieve.code == 400)
    #expect(
      String(decoding: retrieve.body, as: UTF8.self) == "received invalid forwarded non-forwardable request")
    let store = try bytes(try alice.storing([1]))
    for parts in [[], [Array("store".utf8)], [Array("store".utf8), store, []]] as [[[UInt8]]] {
      #expect(try await peer.call("sn.storage_cc", parts, at: node).code == 400)
    }
    #expect(
      try await peer.call("sn.storage_cc", [Array("nonsense".utf8), Array("{}".utf8)], at: node).code == 400)
    #expect(
      try await peer.call("sn.storage_cc", [Array("store".utf8), Array("{".utf8)], at: node).code == 400)
    let mallory = try bytes(try alice.storing([2], in: 2).merging(["signature": try alice.sign("x")]) { $1 })
    #expect(try await peer.call("sn.storage_cc", [Array("store".utf8), mallory], at: node).code == 401)
    #expect(try await playground.net.places[0].node?.store.count() == 0)
    #expect(try await peer.call("sn.storage_cc", [Array("store".utf8), store], at: node).code == 200)
    #expect(try await playground.net.places[0].node?.store.count() == 1)
    await peer.stop()
    await playground.stop()
  }

  @Test func messagesOfAnotherSwarmAreNotStored() async throws {
    let playground = try await Playground(nodes: 4, swarms: 2)
    let stranger = try playground.node(serving: alice, false)
    let index = try #require(playground.records.firstIndex(of: stranger))
    let node = try #require(await playground.net.places[index].node)
    let peer = try await NodePeer(insteadOf: index == 0 ? 2 : 1, in: playground)
    let store = try bytes(try alice.storing([1]))
    #expect(try await peer.call("sn.storage_cc", [Array("store".utf8), store], at: stranger).code == 421)
    var blob = TransferBlob()
    blob.messages = [message([1])]
    _ = try await peer.request("sn.data", try blob.written(), at: stranger)
    let token = [0x05, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32)
    _ = try await peer.request(
      "sn.revocations",
      try TransferBlob.write([TransferBlob.Revocation(account: alice.bytes, token: token)]), at: stranger)
    #expect(try await node.store.count() == 0)
    #expect(try await !node.store.isRevoked(token, account: alice.bytes))
    await peer.stop()
    await playground.stop()
  }

  private func message(
    _ data: [UInt8], hash: String? = nil, account: [UInt8]? = nil, expiry: UInt64 = wall + 60_000
  ) -> TransferBlob.Message {
    TransferBlob.Message(
      account: account ?? alice.bytes, namespace: 0,
      message: StoredMessage(
        hash: hash ?? alice.hash(data), timestamp: wall, expiry: expiry, data: data))
  }

  @Test func forwardedRequestsAreValidated() async throws {
    let playground = try await Playground(nodes: 2)
    let node = try #require(await playground.net.places[0].node)
    let peer = try await NodePeer(insteadOf: 2, in: playground)
    let month: UInt64 = 30 * 86_400_000
    let large = [UInt8](repeating: 1, count: 76_801)
    var blob = TransferBlob()
    blob.messages = [
      message([1], hash: alice.hash([2])), message([3], expiry: wall - 1),
      message([4], expiry: wall + month + 600_000), message(large), message([5]), message([5]),
    ]
    _ = try await peer.request("sn.data", try blob.written(), at: playground.records[0])
    let kept = try await node.store.messages(
      of: alice.bytes, namespace: 0, after: "", maxCount: 0, budget: .max, now: 0)
    #expect(kept.messages.map(\.data) == [[5]])
    for bad in [[], [2] + Array("le".utf8), [1] + Array("l".utf8), [1] + Array("llee".utf8)] as [[UInt8]] {
      let error = await #expect(throws: SessionError.self) {
        _ = try await peer.request("sn.data", bad, at: playground.records[0])
      }
      #expect(error?.refusal?.code == 400)
    }
    let error = await #expect(throws: SessionError.self) {
      _ = try await peer.request("sn.revocations", Array("l1:ae".utf8), at: playground.records[0])
    }
    #expect(error?.refusal?.code == 400)
    #expect(try await node.store.count() == 1)
    await peer.stop()
    await playground.stop()
  }

  @Test func lateRequestsSayWhen() async throws {
    let playground = try await Playground(nodes: 2)
    let peer = try await NodePeer(insteadOf: 2, in: playground)
    let node = playground.records[0]
    // In a day the signature of this one would not count any more.
    let then = wall - 86_400_000
    let store = MessageParts.pack([
      Array("store".utf8), try bytes(try alice.storing([1], in: 2, at: then, ttl: 2 * 86_400_000)),
    ])
    for time in ["", "x", "\(wall + 600_000)", "1"] {
      #expect(try await peer.call("sn.storage_late", [Array(time.utf8), store], at: node).code == 400)
    }
    #expect(try await peer.call("sn.storage_late", [Array("\(wall)".utf8)], at: node).code == 400)
    #expect(try await peer.call("sn.storage_late", [Array("\(wall)".utf8), store], at: node).code == 406)
    #expect(try await peer.call("sn.storage_late", [Array("\(then)".utf8), store], at: node).code == 200)
    #expect(try await playground.net.places[0].node?.store.count() == 1)
    await peer.stop()
    await playground.stop()
  }

  @Test func aNodeThatLeftTheListIsNotHeard() async throws {
    let playground = try await Playground(nodes: 3)
    let peer = try await NodePeer(insteadOf: 3, in: playground)
    #expect(try await peer.request("sn.ping", [], at: playground.records[0]) == Array("pong".utf8))
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: Array(playground.records[..<2]),
      operatorKeys: playground.net.operatorKeys())
    for place in await playground.net.places { try place.node?.learn(file) }
    let store = MessageParts.pack([Array("store".utf8), try bytes(try alice.storing([1]))])
    for command in [
      "sn.storage_cc", "sn.storage_late", "sn.data", "sn.revocations", "sn.want_data", "sn.onion_request",
    ] {
      let error = await #expect(throws: SessionError.self) {
        _ = try await peer.request(command, store, at: playground.records[0])
      }
      #expect(error?.refusal?.code == 403, "\(command)")
    }
    await peer.stop()
    await playground.stop()
  }
}
