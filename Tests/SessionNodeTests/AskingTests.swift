import Foundation
import SessionCore
import SessionNode
import Testing

/// Requests that change nothing, and several in one.
@Suite struct AskingTests {
  private let alice = try! Account(1)
  private func begin(_ way: Way) async throws -> Playground {
    try await Playground(nodes: 4, swarms: 2, way: way)
  }

  @Test(arguments: Way.allCases) func aNodeOfAnotherSwarmNamesTheRightOne(way: Way) async throws {
    let playground = try await begin(way)
    let stranger = try playground.node(serving: alice, false)
    let redirect = try await playground.ask("retrieve", try alice.retrieving(), at: stranger)
    #expect(redirect.code == 421)
    let swarm = try playground.node(serving: alice).swarm
    let members = Set(playground.records.filter { $0.swarm == swarm }.map(\.key.hex))
    let asked = try await playground.ask("get_swarm", ["pubkey": alice.hex], at: stranger)
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
    let asked = try await playground.ask(
      "oxend_request", ["endpoint": "get_service_nodes", "params": [:] as [String: Any]])
    let result = try #require(try asked.json["result"] as? [String: Any])
    let states = try #require(result["service_node_states"] as? [[String: Any]])
    #expect(states.map { $0["pubkey_ed25519"] as? String } == playground.records.map(\.key.hex))
    #expect(states.map { $0["swarm_id"] as? UInt64 } == playground.records.map(\.swarm))
    let poll = ["poll_block_hash": playground.net.file.blockHash]
    let unchanged = try await playground.ask(
      "oxend_request", ["endpoint": "get_service_nodes", "params": poll])
    #expect((try unchanged.json["result"] as? [String: Any])?["unchanged"] as? Bool == true)
    let binary = try await playground.ask("active_nodes_bin", [:])
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
    let info = try await playground.ask("info", [:]).json
    let time = try #require(info["timestamp"] as? UInt64)
    #expect((before...wall).contains(time))
    #expect(info["version"] as? [Int] == [2, 11, 0])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aPageEndsWhereItWasAskedTo(way: Way) async throws {
    let playground = try await begin(way)
    let node = try playground.node(serving: alice)
    for number in 1...5 {
      _ = try await playground.ask("store", try alice.storing([UInt8(number)]), at: node)
    }
    let first = try await playground.ask("retrieve", try alice.retrieving(["max_count": 2]), at: node)
    #expect(try first.json["more"] as? Bool == true)
    #expect(try first.messages.map { $0["hash"] as? String } == [alice.hash([1]), alice.hash([2])])
    let rest = try await playground.ask("retrieve", try alice.retrieving(after: alice.hash([2])), at: node)
    #expect(try rest.messages.map { $0["hash"] as? String } == (3...5).map { alice.hash([$0]) })
    #expect(try rest.json["more"] as? Bool == false)
    let small = try await playground.ask("retrieve", try alice.retrieving(["max_size": 1]), at: node)
    #expect(try small.messages.count == 1)
    let unknown = try await playground.ask(
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
    let batch = try await playground.ask("batch", ["requests": requests], at: node).json
    let results = try #require(batch["results"] as? [[String: Any]])
    #expect(results.map { $0["code"] as? Int } == [200, 401, 200])
    #expect(results[1]["body"] as? String == "retrieve signature verification failed")
    let sequence = try await playground.ask("sequence", ["requests": requests], at: node).json
    #expect((sequence["results"] as? [[String: Any]])?.map { $0["code"] as? Int } == [200, 401])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aBranchDependsOnItsConditions(way: Way) async throws {
    let playground = try await begin(way)
    let info: [String: Any] = ["method": "info", "params": [:] as [String: Any]]
    let then = try await playground.ask(
      "ifelse", ["if": ["hf_at_least": [19, 6], "v_before": [99]], "then": info]
    ).json
    #expect(then["condition"] as? Bool == true)
    #expect((then["result"] as? [String: Any])?["code"] as? Int == 200)
    let otherwise = try await playground.ask("ifelse", ["if": ["height_at_least": 1 << 40], "then": info])
      .json
    #expect(otherwise["condition"] as? Bool == false)
    #expect(otherwise["result"] == nil)
    await playground.stop()
  }

  @Test func aRequestInBtIsAnsweredInBt() async throws {
    let playground = try await begin(.quic)
    let info = try await playground.ask("info", body: Array("de".utf8))
    #expect(info.text.hasPrefix("li200ed2:hfli19ei6ee1:ti"))
    await playground.stop()
  }

  @Test func aNodeAnswersAPing() async throws {
    let playground = try await begin(.quic)
    #expect(try await playground.ask("snode_ping", body: []).text == "pong")
    await playground.stop()
  }
}

extension Account {
  fileprivate func retrieving(_ more: [String: Any]) throws -> [String: Any] {
    try retrieving(from: 0, after: "", more)
  }
}
