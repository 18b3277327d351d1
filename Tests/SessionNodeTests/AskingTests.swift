import Foundation
import SessionCore
import SessionNode
import Testing

/// Requests that change nothing, and several in one.
@Suite(.timeLimit(.minutes(5))) struct AskingTests {
  private let alice = try! Account(1)
  private func begin(_ way: Way) async throws -> Playground {
    try await Playground(nodes: 4, swarms: 2, way: way)
  }

  @Test(arguments: Way.allCases) func aNodeOfAnotherSwarmNamesTheRightOne(way: Way) async throws {
    let playground = try await begin(way)
    let stranger = try playground.node(serving: alice, false)
    let redirect = try await playground.call("retrieve", try alice.retrieving(), at: stranger)
    #expect(redirect.code == 421)
    let swarm = try playground.node(serving: alice).swarm
    let members = Set(playground.records.filter { $0.swarm == swarm }.map(\.key.hex))
    let asked = try await playground.call("get_swarm", ["pubkey": alice.hex], at: stranger)
    for body in [try redirect.json, try asked.json] {
      let nodes = try #require(body["snodes"] as? [[String: Any]])
      #expect(Set(nodes.compactMap { $0["pubkey_ed25519"] as? String }) == members)
      #expect(UInt64(try #require(body["swarm"] as? String), radix: 16) == swarm)
      #expect(nodes.allSatisfy { ($0["ip"] as? String)?.hasPrefix("127.") ?? false })
      #expect(body["hf"] as? [Int] == [19, 6])
    }
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func theListsTellOfAllNodes(way: Way) async throws {
    let playground = try await begin(way)
    let asked = try await playground.call(
      "oxend_request", ["endpoint": "get_service_nodes", "params": [:] as [String: Any]])
    let result = try #require(try asked.json["result"] as? [String: Any])
    let states = try #require(result["service_node_states"] as? [[String: Any]])
    #expect(states.map { $0["pubkey_ed25519"] as? String } == playground.records.map(\.key.hex))
    #expect(states.map { $0["swarm_id"] as? UInt64 } == playground.records.map(\.swarm))
    let poll = ["poll_block_hash": playground.net.file.blockHash]
    let unchanged = try await playground.call(
      "oxend_request", ["endpoint": "get_service_nodes", "params": poll])
    #expect((try unchanged.json["result"] as? [String: Any])?["unchanged"] as? Bool == true)
    let binary = try await playground.call("active_nodes_bin", [:])
    // In an onion there is no place for binary but as text.
    let isText = way == .onion || way == .onionOverHTTPS
    let bytes = isText ? try [UInt8](base64: binary.bytes) : binary.bytes
    #expect(bytes.count == 51 * playground.records.count)
    #expect(Array(bytes.prefix(32)) == playground.records[0].key)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func infoTellsTheTime(way: Way) async throws {
    let playground = try await begin(way)
    let before = wall
    let info = try await playground.call("info", [:]).json
    let time = try #require(info["timestamp"] as? UInt64)
    #expect((before...wall).contains(time))
    #expect(info["version"] as? [Int] == [2, 11, 0])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aPageEndsWhereItWasAskedTo(way: Way) async throws {
    let playground = try await begin(way)
    let node = try playground.node(serving: alice)
    for number in 1...5 {
      _ = try await playground.call("store", try alice.storing([UInt8(number)]), at: node)
    }
    let first = try await playground.call("retrieve", try alice.retrieving(["max_count": 2]), at: node)
    #expect(try first.json["more"] as? Bool == true)
    #expect(try first.messages.map { $0["hash"] as? String } == [alice.hash([1]), alice.hash([2])])
    let rest = try await playground.call("retrieve", try alice.retrieving(after: alice.hash([2])), at: node)
    #expect(try rest.messages.map { $0["hash"] as? String } == (3...5).map { alice.hash([$0]) })
    #expect(try rest.json["more"] as? Bool == false)
    let small = try await playground.call("retrieve", try alice.retrieving(["max_size": 1]), at: node)
    #expect(try small.messages.count == 1)
    let unknown = try await playground.call(
      "retrieve", try alice.retrieving(after: alice.hash([99])), at: node)
    #expect(try unknown.messages.count == 5)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aBatchAnswersAllAndASequenceStops(way: Way) async throws {
    let playground = try await begin(way)
    let node = try playground.node(serving: alice)
    let requests: [[String: Any]] = [
      ["method": "store", "params": try alice.storing([7])],
      ["method": "retrieve", "params": ["pubkey": alice.hex]],
      ["method": "info", "params": [:] as [String: Any]],
    ]
    let batch = try await playground.call("batch", ["requests": requests], at: node).json
    let results = try #require(batch["results"] as? [[String: Any]])
    #expect(results.map { $0["code"] as? Int } == [200, 401, 200])
    #expect(results[1]["body"] as? String == "retrieve signature verification failed")
    let sequence = try await playground.call("sequence", ["requests": requests], at: node).json
    #expect((sequence["results"] as? [[String: Any]])?.map { $0["code"] as? Int } == [200, 401])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aBranchDependsOnItsConditions(way: Way) async throws {
    let playground = try await begin(way)
    let info: [String: Any] = ["method": "info", "params": [:] as [String: Any]]
    let then = try await playground.call(
      "ifelse", ["if": ["hf_at_least": [19, 6], "v_before": [99]], "then": info]
    ).json
    #expect(then["condition"] as? Bool == true)
    #expect((then["result"] as? [String: Any])?["code"] as? Int == 200)
    let otherwise = try await playground.call("ifelse", ["if": ["height_at_least": 1 << 40], "then": info])
      .json
    #expect(otherwise["condition"] as? Bool == false)
    #expect(otherwise["result"] == nil)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func unregisteredNameIsReportedAsMissing(way: Way) async throws {
    let playground = try await begin(way)
    let request: [String: Any] = [
      "endpoint": "ons_resolve",
      "params": ["type": 0, "name_hash": "mNpp69gJKd4runEa2LZ5MyWUpw1LjMlP8xtMbLDBVuc="] as [String: Any],
    ]
    let reply = try await playground.call("oxend_request", request).json
    #expect((reply["result"] as? [String: Any])?["encrypted_value"] == nil)
    #expect(reply["t"] != nil)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aPartForAnotherSwarmIsSentElsewhereAlone(way: Way) async throws {
    let playground = try await begin(way)
    let stranger = try playground.node(serving: alice, false)
    let requests: [[String: Any]] = [
      ["method": "info", "params": [:] as [String: Any]],
      ["method": "store", "params": try alice.storing([1])],
      ["method": "get_swarm", "params": ["pubkey": alice.hex]],
    ]
    let batch = try await playground.call("batch", ["requests": requests], at: stranger).json
    let results = try #require(batch["results"] as? [[String: Any]])
    #expect(results.map { $0["code"] as? Int } == [200, 421, 200])
    #expect(((results[1]["body"] as? [String: Any])?["snodes"] as? [Any])?.count == 2)
    #expect(batch["t"] == nil)
    // A branch may have a batch in it, and a branch.
    let inner: [String: Any] = [
      "if": ["v_at_least": [1]], "else": requests[0],
      "then": ["method": "batch", "params": ["requests": requests]] as [String: Any],
    ]
    let outer = try await playground.call(
      "ifelse", ["if": ["hf_before": [99]], "then": ["method": "ifelse", "params": inner] as [String: Any]],
      at: stranger
    ).json
    let then = try #require((outer["result"] as? [String: Any])?["body"] as? [String: Any])
    let last = try #require((then["result"] as? [String: Any])?["body"] as? [String: Any])
    #expect((last["results"] as? [[String: Any]])?.map { $0["code"] as? Int } == [200, 421, 200])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func onlySomeOfTheConditionsMustNotHold(way: Way) async throws {
    let playground = try await Playground(nodes: 1, way: way)
    let info: [String: Any] = ["method": "info", "params": [:] as [String: Any]]
    let height = playground.net.file.height
    let rows: [([String: Any], Bool)] = [
      (["hf_at_least": [19]], true), (["hf_at_least": [19, 6, 99]], true), (["hf_at_least": [20]], false),
      (["hf_before": [19, 6]], false), (["hf_before": [19, 7]], true), (["v_at_least": [2, 11]], true),
      (["v_at_least": [2, 11, 1]], false), (["v_before": [2, 11, 0]], false), (["v_before": [3]], true),
      (["height_at_least": height], true), (["height_before": height], false),
      (["height_before": height + 1], true),
      (["hf_at_least": [19], "v_before": [1]], false),
      (["hf_at_least": [] as [Int], "height_at_least": 0], true),
    ]
    for (number, (conditions, isTrue)) in rows.enumerated() {
      let reply = try await playground.call("ifelse", ["if": conditions, "then": info, "else": info]).json
      #expect(reply["condition"] as? Bool == isTrue, "\(number)")
      #expect(reply["result"] != nil)
      #expect(reply["height"] as? UInt64 == height)
      #expect(reply["v"] as? [Int] == [2, 11, 0])
      #expect(reply["hf"] as? [Int] == [19, 6])
    }
    await playground.stop()
  }

  @Test func aRequestInBtIsAnsweredInBt() async throws {
    let playground = try await begin(.quic)
    let info = try await playground.call("info", body: Array("de".utf8))
    #expect(info.text.hasPrefix("li200ed2:hfli19ei6ee1:ti"))
    await playground.stop()
  }

  @Test func aNodeAnswersAPing() async throws {
    let playground = try await begin(.quic)
    #expect(try await playground.call("snode_ping", body: []).text == "pong")
    await playground.stop()
  }
}

extension Account {
  fileprivate func retrieving(_ more: [String: Any]) throws -> [String: Any] {
    try retrieving(from: 0, after: "", more)
  }
}
