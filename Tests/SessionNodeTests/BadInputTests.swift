import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import Testing

@testable import SessionNode

/// A node refuses invalid requests with the right error.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
  private let alice = try! Account(1)

  private typealias Row = (method: String, parameters: [String: Any], code: Int)

  private func rows() throws -> [Row] {
    let store = try alice.storing([1])
    let retrieve = try alice.retrieving()
    func with(_ base: [String: Any], _ changes: [String: Any]) -> [String: Any] {
      base.merging(changes) { $1 }
    }
    func without(_ base: [String: Any], _ key: String) -> [String: Any] { base.filter { $0.key != key } }
    let hash = alice.hash([1])
    let (past, future) = (wall - 120_000, wall + 120_000)
    let info: [String: Any] = ["method": "info", "params": [:] as [String: Any]]
    let group = try Account(11, prefix: 0x03)
    let tokens = (0..<51).map { [0x03, 0x03, 0, $0] + [UInt8](repeating: 9, count: 32) }
    func branches(_ depth: Int) -> [String: Any] {
      (1..<depth).reduce(["if": ["height_at_least": 1], "then": info]) { inner, _ in
        ["if": ["height_at_least": 1], "then": ["method": "ifelse", "params": inner] as [String: Any]]
      }
    }
    return [
      ("retrieve", with(retrieve, ["pubkey_ed25519": "00"]), 400),
      ("retrieve", with(retrieve, ["pubkey_ed25519": String(repeating: "0", count: 64)]), 401),
      ("retrieve", with(retrieve, ["signature": String(repeating: "!", count: 86)]), 400),
      ("retrieve", with(retrieve, ["subaccount": "AAAA", "subaccount_sig": store["signature"] ?? ""]), 400),
      ("retrieve", with(retrieve, ["last_hash": "x"]), 400),
      ("retrieve", with(retrieve, ["lastHash": hash]), 400),
      ("retrieve", with(retrieve, ["max_count": -1]), 400),
      ("retrieve", with(retrieve, ["max_size": Int.min]), 200),
      ("retrieve", with(retrieve, ["namespace": "all"]), 400),
      ("store", with(store, ["ttl": "abc"]), 400),
      ("store", with(store, ["timestamp": "\(wall)x"]), 400),
      ("store", with(without(store, "ttl"), ["expiry": 5]), 400),
      ("store", with(store, ["timestamp": wall - 3_600_000, "ttl": 60_000]), 406),
      ("store", with(try alice.storing([1], in: 2, at: past), ["sig_timestamp": past]), 406),
      ("delete", try alice.signed("delete\(hash)x", ["messages": [hash]]), 401),
      ("delete_all", try alice.signed("delete_all\(past)", ["timestamp": past]), 406),
      ("delete_all", try alice.signed("delete_allx\(wall)", ["timestamp": wall, "namespace": "x"]), 400),
      ("delete_before", try alice.signed("delete_before\(future)", ["before": future]), 401),
      ("expire_all", try alice.signed("expire_all\(past)", ["expiry": past]), 406),
      ("expire", try alice.signed("expire\(past)\(hash)", ["messages": [hash], "expiry": past]), 401),
      (
        "get_expiries",
        try alice.signed("get_expiries\(past)\(hash)", ["messages": [hash], "timestamp": past]),
        406
      ),
      ("get_expiries", try alice.signed("", ["messages": [] as [String], "timestamp": wall]), 400),
      (
        "revoke_subaccount",
        try group.signed("", ["timestamp": wall, "revoke": tokens.map(\.base64)]), 400
      ),
      (
        "revoke_subaccount",
        try group.signed("", ["timestamp": past, "revoke": [tokens[0].base64]]), 406
      ),
      (
        "unrevoke_subaccount",
        try group.signed("", ["timestamp": wall, "unrevoke": [tokens[0].base64]]), 401
      ),
      ("revoked_subaccounts", try group.signed("revoked_subaccounts\(past)", ["timestamp": past]), 406),
      ("batch", ["requests": [[String: Any]](repeating: info, count: 21)], 400),
      ("batch", ["requests": [[String: Any]](repeating: info, count: 20)], 200),
      ("sequence", ["requests": [] as [[String: Any]]], 400),
      ("sequence", ["requests": [["method": "ifelse", "params": branches(1)] as [String: Any]]], 400),
      ("ifelse", ["if": [:] as [String: Any], "then": info], 400),
      ("ifelse", ["if": ["height_at_least": 1]], 400),
      ("ifelse", ["if": ["height_at_least": "x"], "then": info], 400),
      ("ifelse", branches(8), 200),
      ("ifelse", branches(9), 400),
      ("get_swarm", ["pubkey": "05"], 400),
      (
        "oxend_request",
        ["endpoint": "ons_resolve", "params": ["type": 0, "name_hash": "?"] as [String: Any]], 400
      ),
      ("store", with(store, ["timestamp": 1.5]), 400),
      ("store", with(store, ["timestamp": -1]), 400),
      ("store", with(store, ["pubkey": "05ff"]), 400),
      ("store", with(store, ["pubkey": String(repeating: "z", count: 66)]), 400),
      ("store", with(store, ["pubKey": alice.hex]), 400),
      ("retrieve", with(retrieve, ["pubkey": "03" + alice.keys.publicKey.hex]), 400),
      ("retrieve", with(retrieve, ["pubkey_ed25519": try Account(9).keys.publicKey.hex]), 401),
      ("retrieve", with(retrieve, ["signature": "AAAA"]), 400),
      ("retrieve", with(retrieve, ["subaccount": [UInt8](repeating: 3, count: 36).base64]), 400),
      ("retrieve", without(retrieve, "timestamp"), 400),
      ("retrieve", with(retrieve, ["timestamp": wall - 120_000]), 406),
      ("retrieve", with(retrieve, ["timestamp": 1_000_000]), 400),
      ("retrieve", with(retrieve, ["namespace": 40_000]), 400),
      ("store", with(store, ["expiry": wall + 60_000]), 400),
      ("store", without(store, "ttl"), 400),
      ("store", with(store, ["ttl": UInt64.max]), 400),
      ("store", with(store, ["ttl": 9_999]), 403),
      ("store", with(store, ["ttl": UInt64(15 * 86_400_000)]), 403),
      ("store", with(store, ["timestamp": wall + 300_000]), 406),
      ("store", with(store, ["data": "?"]), 400),
      ("store", with(store, ["data": [UInt8](repeating: 1, count: 76_801).base64]), 400),
      ("delete", try alice.signed("delete", ["messages": [] as [String]]), 400),
      ("delete", try alice.signed("deletex", ["messages": ["x"]]), 400),
      (
        "expire",
        try alice.signed("expire", ["messages": [hash], "expiry": [wall, wall, wall]]), 400
      ),
      (
        "expire",
        try alice.signed("expire", ["messages": [hash], "expiry": wall, "shorten": true, "extend": true]), 400
      ),
      ("batch", ["requests": [] as [[String: Any]]], 400),
      ("batch", ["requests": [["method": "batch", "params": ["requests": [] as [Int]]]]], 400),
      ("batch", ["requests": [["method": "nonsense", "params": [:] as [String: Any]]]], 400),
      ("oxend_request", ["endpoint": "stop_daemon"], 400),
    ]
  }

  @Test(arguments: Way.allCases) func everythingThatIsWrongHasItsCode(way: Way) async throws {
    let playground = try await Playground(nodes: 1, way: way)
    for (number, row) in try rows().enumerated() {
      let answer = try await playground.call(row.method, row.parameters)
      #expect(answer.code == row.code, "row \(number), \(row.method): \(answer.text)")
    }
    let store = try await playground.net.places[0].node?.store.count()
    #expect(store == 0)
    await playground.stop()
  }

  @Test func invalidBodiesAreRejected() async throws {
    let playground = try await Playground(nodes: 1)
    let texts: [(String, String, Int)] = [
      ("info", "[1", 400), ("info", "d1:b0:1:a0:e", 400), ("info", "de?", 400), ("store", "[]", 400),
      ("info", "", 200), ("info", "de", 200), ("info", "d1:a0:1:a0:e", 400), ("info", "d1:ai01ee", 400),
      ("info", "d1:a01:xe", 400), ("info", "d1:ai-0ee", 400), ("info", "d1:a", 400),
      ("info", "d1:a\(String(repeating: "l", count: 40))\(String(repeating: "e", count: 41))", 400),
    ]
    for (method, body, code) in texts {
      #expect(try await playground.call(method, body: Array(body.utf8)).code == code, "\(body)")
    }
    await playground.stop()
  }

  @Test func aClientThatAsksTooOftenHasToWait() async throws {
    let playground = try await Playground(nodes: 1) { $0.exemptsLoopback = false }
    var refused: Answer?
    for _ in 0..<20_000 where refused == nil {
      let answer = try await playground.call("snode_ping", body: [])
      let info = try await playground.call("info", [:])
      if info.code != 200 { refused = info }
      #expect(answer.code == 200)
    }
    #expect(refused?.code == 429)
    #expect(refused?.text == "Too many requests, try again later")
    await playground.stop()
  }

  @Test func aNodeThatIsBusySaysSo() async throws {
    let playground = try await Playground(nodes: 1)
    let node = try #require(await playground.net.places[0].node)
    let (may, allowing) = AsyncStream.makeStream(of: Never.self)
    let work = (0...StorageNode.maxInFlight).map { _ in
      Task { await node.inFlight.counting { for await _ in may {} } }
    }
    while node.inFlight.count <= StorageNode.maxInFlight {
      try Task.checkCancellation()
      await Task.yield()
    }
    let refused = try await playground.call("info", [:])
    #expect(refused.code == 503)
    #expect(refused.text == "Server busy, try again later")
    for work in work { work.cancel() }
    for work in work { await work.value }
    allowing.finish()
    #expect(try await playground.call("info", [:]).code == 200)
    await playground.stop()
  }

  @Test func aNodeThatKnowsNoNetworkIsNotReady() async throws {
    let keys = try NodeKeys.random()
    let node = try StorageNode(
      keys: keys, at: NetworkAddress(parsing: "127.0.0.1:0"), store: .inMemory())
    let client = try patientClient()
    let peer = try NetworkPeer(address: try #require(node.address), key: keys.publicKey)
    let error = await #expect(throws: SessionError.self) { try await client.request("info", to: peer) }
    #expect(error?.refusal?.code == 503)
    let text = String(decoding: error?.refusal?.body ?? [], as: UTF8.self)
    #expect(text.hasSuffix("Service node is not ready: not done syncing\n"))
    await client.stop()
    await node.stop()
  }
}
