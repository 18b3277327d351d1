import Foundation
import SessionCore
import SessionHTTP
import SessionNodeCore
import Testing

@testable import SessionNode

/// Answers in the places where clients have learnt to expect what the reference storage server says.
@Suite(.timeLimit(.minutes(5))) struct ReferenceAnswersTests {
  private let alice = try! Account(1)

  private func withPlayground(_ way: Way = .quic, _ body: (Playground) async throws -> Void) async throws {
    let playground = try await Playground(nodes: 2, way: way)
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(playground)) } catch { outcome = .failure(error) }
    await playground.stop()
    try outcome.get()
  }

  @Test func repliesToStoreHaveTheHashAtTheTop() async throws {
    try await withPlayground { playground in
      let answer = try await playground.call("store", try alice.storing([1]))
      #expect(try answer.json["hash"] as? String == alice.hash([1]))
    }
  }

  @Test func retrieveWithoutSignatureNamesTheMissingParameter() async throws {
    try await withPlayground { playground in
      let named = try await playground.call("retrieve", ["pubkey": alice.hex, "namespace": 2])
      #expect(named.code == 400)
      #expect(named.text == "invalid request: Required field 'signature' missing")
      let inbox = try await playground.call("retrieve", ["pubkey": alice.hex])
      #expect(inbox.code == 401)
    }
  }

  /// The last of 43 characters has two bits that belong to no byte.
  @Test func hashesMayHaveBitsThatBelongToNoByte() async throws {
    try await withPlayground { playground in
      let hash = String(repeating: "A", count: 42) + "B"
      let answer = try await playground.call(
        "delete", try alice.signed("delete" + hash, ["messages": [hash]]))
      #expect(answer.code == 200)
      let wrong = String(repeating: "A", count: 42) + "-"
      let refused = try await playground.call(
        "delete", try alice.signed("delete" + wrong, ["messages": [wrong]]))
      #expect(refused.code == 400)
    }
  }

  @Test func monitorAnswersBadBodiesWithACode() async throws {
    try await withPlayground { playground in
      func code(_ body: String) async throws -> String {
        let answer = try await playground.call("monitor", body: Array(body.utf8))
        #expect(answer.code == 200)
        return answer.text
      }
      #expect(try await code("le") == "le")
      for body in ["{}", "x", "i1e", "d", ""] {
        let text = try await code(body)
        #expect(text.hasPrefix("d7:errcodei1e5:error"), "\(body)")
      }
      let key = "32:" + String(repeating: "k", count: 32)
      let signature = "1:s64:" + String(repeating: "s", count: 64)
      let account = "1:p33:\u{5}" + String(repeating: "k", count: 32)
      #expect(try await code("d1:di1e1:nli0ee\(signature)1:ti1ee").hasPrefix("d7:errcodei1e"))
      #expect(
        try await code("d1:P\(key)1:di1e1:nli0ee\(account)\(signature)1:ti1ee").hasPrefix("d7:errcodei"))
      #expect(try await code("d1:di1e1:nle\(account)\(signature)1:ti1ee").hasPrefix("d7:errcodei1e"))
      #expect(try await code("d1:di1e\(account)\(signature)1:ti1ee").hasPrefix("d7:errcodei1e"))
      #expect(try await code("d1:di1e1:nli0ee\(account)1:s3:abc1:ti1ee").hasPrefix("d7:errcodei5e"))
    }
  }

  @Test func theVersionIsAText() async throws {
    try await withPlayground(.https) { playground in
      let web = try WebClient()
      let reply = try await web.send(.get, "/get_stats/v1", at: playground.records[0])
      await web.client.stop()
      let stats = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
      #expect(stats?["version"] as? String == NodeOptions.version.map(String.init).joined(separator: "."))
    }
  }

  @Test func unchangedHashesAreReportedOnlyWithFlags() async throws {
    try await withPlayground { playground in
      let group = try Account(9, prefix: 0x03)
      let member = try Account(10, prefix: 0x03)
      _ = try await playground.call("store", try group.storing([1], in: 11))
      let (hash, expiry) = (group.hash([1], in: 11), wall + 60_000)
      // Read and Write, without Delete: lives can only be made longer.
      let token: [UInt8] = [0x03, 0x03, 0, 0] + member.keys.publicKey
      let answer = try await playground.call(
        "expire",
        [
          "pubkey": group.hex, "messages": [hash], "expiry": expiry, "subaccount": token.base64,
          "subaccount_sig": try group.keys.sign(token).base64,
          "signature": try member.sign("expire\(expiry)\(hash)"),
        ])
      for (_, said) in try answer.swarm {
        #expect(said["failed"] == nil)
        #expect(said["unchanged"] == nil)
        #expect((said["updated"] as? [String])?.isEmpty == true)
      }
    }
  }

  @Test func inABatchARetrieveSeesTheStoreBeforeIt() async throws {
    try await withPlayground { playground in
      for number in 0..<20 as Range<UInt8> {
        let answer = try await playground.call(
          "batch",
          [
            "requests": [
              ["method": "store", "params": try alice.storing([number, 7])],
              ["method": "retrieve", "params": try alice.retrieving()],
            ]
          ])
        let results = try #require(try answer.json["results"] as? [[String: Any]])
        let body = try #require(results.last?["body"] as? [String: Any])
        #expect((body["messages"] as? [Any])?.count == Int(number) + 1)
      }
    }
  }

  @Test(arguments: Way.allCases) func anUnknownMethodInABatchIsNamed(way: Way) async throws {
    try await withPlayground(way) { playground in
      let answer = try await playground.call(
        "batch", ["requests": [["method": "info", "params": [:]], ["method": "dance", "params": [:]]]])
      #expect(answer.code == 400)
      #expect(answer.text == "no method dance")
    }
  }

  @Test func onlyTheFieldsThatAreAskedForAreGiven() async throws {
    try await withPlayground { playground in
      for fields in [
        ["service_node_pubkey": true, "public_ip": true, "swarm_id": false],
        ["service_node_pubkey", "public_ip"],
      ] as [Any] {
        let answer = try await playground.call(
          "oxend_request", ["endpoint": "get_service_nodes", "params": ["fields": fields]])
        let result = try #require(try answer.json["result"] as? [String: Any])
        let nodes = try #require(result["service_node_states"] as? [[String: Any]])
        #expect(nodes.count == 2)
        for node in nodes { #expect(Set(node.keys) == ["service_node_pubkey", "public_ip"]) }
      }
    }
  }
}
