import CSessionCore
import Foundation
import SessionCore
import SessionEndpoint
import SessionHTTP
import SessionNodeCore
import Testing

@testable import SessionNode

/// Onion requests that are invalid or lead to missing nodes.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OnionTests {
  /// The reply of the first node to an onion request.
  private struct Outcome {
    let code: Int
    let body: [UInt8]
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  private static let info = Array(#"{"method":"info","params":{}}"#.utf8)

  private func send(_ bytes: [UInt8], to node: NodeRecord, over way: Way) async throws -> Outcome {
    if way == .onionOverHTTPS {
      let web = try WebClient()
      let reply = try await web.post(bytes, "/onion_req/v2", at: node)
      await web.client.stop()
      return Outcome(code: reply.status, body: reply.body)
    }
    let client = try patientClient()
    let answer = try await Answer.of { try await client.request("onion_req", body: bytes, to: node.peer) }
    await client.stop()
    return Outcome(code: answer.code, body: answer.bytes)
  }

  @Test(arguments: [Way.onion, .onionOverHTTPS]) func blocksThatCannotBeReadAreRefused(way: Way) async throws
  {
    let playground = try await Playground(nodes: 1, way: way)
    let node = playground.records[0]
    let layer = try RawLayer(RawLayer.block(Self.info, #"{"headers":""}"#), for: node)
    let good = try layer.bytes()
    var huge = good
    huge.replaceSubrange(0..<4, with: [0xff, 0xff, 0xff, 0xff])
    let bad: [[UInt8]] = [
      [], [1, 2, 3], huge, RawLayer.block(layer.sealed, ""), RawLayer.block(layer.sealed, "[]"),
      good + [UInt8(ascii: "x")], good + good, RawLayer.block(layer.sealed, #"{"enc_type":"xchacha20"}"#),
      try layer.bytes(["ephemeral_key": "ab"]), try layer.bytes(["ephemeral_key": 5]),
      try layer.bytes(["enc_type": "aes-cbc"]), try layer.bytes(["enc_type": "rot13"]),
      try layer.bytes(["enc_type": 7]), try layer.bytes(["hop_no": "x"]), try layer.bytes(["hop_no": 1.5]),
    ]
    for (number, bytes) in bad.enumerated() {
      let outcome = try await send(bytes, to: node, over: way)
      #expect(outcome.code == 400, "\(number)")
      #expect(outcome.text.hasPrefix("Error parsing onion request: "), "\(number): \(outcome.text)")
    }
    for hop in [-5, 0, 15, Int.max] {
      #expect(try await send(try layer.bytes(["hop_no": hop]), to: node, over: way).code == 200, "\(hop)")
    }
    // A key that yields a zero secret, a wrong cipher, and bytes that are not sealed.
    for bytes in [
      try layer.bytes(["ephemeral_key": String(repeating: "0", count: 64)]),
      try layer.bytes(["enc_type": NSNull()]),
      RawLayer.block([1, 2, 3], #"{"ephemeral_key":"\#(node.key.hex)"}"#),
    ] {
      let outcome = try await send(bytes, to: node, over: way)
      #expect(outcome.code == 400)
      #expect(outcome.text == "Invalid ciphertext")
    }
    await playground.stop()
  }

  /// Contents of a layer, each with the code and text of the node's sealed reply.
  private func layers(_ node: NodeRecord) -> [(content: [UInt8], code: Int, text: String)] {
    let info = Self.info
    let key = String(repeating: "ab", count: 32)
    func server(_ changes: String, host: String = "example.org") -> [UInt8] {
      RawLayer.block(
        [1], #"{"host":"\#(host)","target":"/oxen/v4/lsrpc","ephemeral_key":"\#(key)"\#(changes)}"#)
    }
    return [
      (RawLayer.block(info, #"{"headers":""}"#), 200, ""),
      (RawLayer.block(info, #"{"headers":null}"#), 200, ""),
      (RawLayer.block(info, #"{"headers":"","destination":"x"}"#), 200, ""),
      (RawLayer.block(info, #"{"headers":"","json":true}"#), 200, ""),
      (RawLayer.block(info, #"{"headers":"","json":"yes"}"#), 400, "Invalid json"),
      (RawLayer.block(info, #"{"headers":"","base64":1}"#), 400, "Invalid json"),
      (RawLayer.block(Array("nonsense".utf8), #"{"headers":""}"#), 400, "invalid json"),
      (RawLayer.block(Array("{}".utf8), #"{"headers":""}"#), 400, "invalid json: no `method` field"),
      (
        RawLayer.block(Array(#"{"method":"info"}"#.utf8), #"{"headers":""}"#), 400,
        "invalid json: no `params` field"
      ),
      (RawLayer.block(Array(#"{"method":"x","params":{}}"#.utf8), #"{"headers":""}"#), 400, "no method x"),
      ([1, 2], 400, "Invalid json"),
      (RawLayer.block(info, ""), 400, "Invalid json"),
      (RawLayer.block(info, "{}"), 400, "Invalid json"),
      (RawLayer.block(info, #"{"destination":"ab","ephemeral_key":"\#(key)"}"#), 400, "Invalid json"),
      (RawLayer.block(info, #"{"destination":"\#(key)"}"#), 400, "Invalid json"),
      (
        RawLayer.block(info, #"{"destination":"\#(key)","ephemeral_key":"\#(key)","enc_type":"aes-cbc"}"#),
        400, "Invalid json"
      ),
      (RawLayer.block([1], #"{"host":"example.org","ephemeral_key":"\#(key)"}"#), 400, "Invalid json"),
      (server(#","port":0"#), 400, "Invalid url"), (server(#","port":65536"#), 400, "Invalid url"),
      (server(#","protocol":"ftp""#), 400, "Invalid url"),
      (server("", host: "a/b"), 400, "Invalid url"), (server("", host: ""), 400, "Invalid url"),
      // A node that does not proxy refuses every server.
      (server(""), 400, "Invalid url"),
    ]
  }

  @Test(arguments: [Way.onion, .onionOverHTTPS]) func contentOfALayerIsValidated(way: Way) async throws {
    let playground = try await Playground(nodes: 1, way: way)
    let node = playground.records[0]
    for cipher in [SC_HOP_XCHACHA20, SC_HOP_AES_GCM] {
      for (number, row) in layers(node).enumerated() {
        let layer = try RawLayer(row.content, for: node, cipher: cipher)
        let outcome = try await send(try layer.bytes(), to: node, over: way)
        #expect([200, 400].contains(outcome.code), "\(number)")
        let (code, body) = try layer.open(outcome.body)
        #expect(code == row.code, "\(number): \(body)")
        if row.code != 200 { #expect(body == row.text, "\(number)") }
      }
    }
    await playground.stop()
  }

  /// A request for a node that goes by another one, with the last layer sealed for `sealedFor`.
  private func relayed(
    by first: NodeRecord, to destination: [UInt8], sealedFor last: NodeRecord, hop: Int? = nil
  ) throws -> (bytes: [UInt8], inner: RawLayer) {
    let inner = try RawLayer(RawLayer.block(Self.info, #"{"headers":""}"#), for: last)
    var route = inner.seal
    route["destination"] = destination.hex
    let control = String(decoding: try JSONSerialization.data(withJSONObject: route), as: UTF8.self)
    let outer = try RawLayer(RawLayer.block(inner.sealed, control), for: first)
    return (try outer.bytes(hop.map { ["hop_no": $0] } ?? [:]), inner)
  }

  @Test(arguments: [Way.onion, .onionOverHTTPS]) func aRelayedRequestFindsItsNodeOrSaysWhyNot(way: Way)
    async throws
  {
    let playground = try await Playground(nodes: 3, way: way) { $0.hopTimeout = .seconds(20) }
    let nodes = playground.records
    let good = try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1])
    let reply = try await send(good.bytes, to: nodes[0], over: way)
    #expect(reply.code == 200)
    #expect(try good.inner.open(reply.body).code == 200)

    let stranger = [UInt8](repeating: 9, count: 32)
    for key in [stranger, nodes[0].key] {
      let outcome = try await send(
        try relayed(by: nodes[0], to: key, sealedFor: nodes[1]).bytes, to: nodes[0], over: way)
      #expect(outcome.code == 502)
      #expect(outcome.text == "Next node not found: \(key.hex)")
    }
    let wrong = try await send(
      try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[2]).bytes, to: nodes[0], over: way)
    #expect(wrong.code == 400)
    #expect(wrong.text == "Invalid ciphertext")
    let far = try await send(
      try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1], hop: 15).bytes, to: nodes[0], over: way
    )
    #expect(far.code == 400)
    #expect(far.text == "onion request max path length exceeded")

    try await playground.net.kill(2)
    let dead = try await send(
      try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1]).bytes, to: nodes[0], over: way)
    #expect(dead.code == 502)
    #expect(dead.text == "Next node is currently unreachable: \(nodes[1].key.hex)")
    await playground.stop()
  }

  @Test func aHopThatIsSilentTimesOut() async throws {
    let playground = try await Playground(nodes: 2) { $0.hopTimeout = .milliseconds(400) }
    let nodes = playground.records
    // They know each other, and then the second hears nothing more.
    let good = try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1])
    #expect(try await send(good.bytes, to: nodes[0], over: .onion).code == 200)
    try await playground.net.change(WeatherChange(node: 2, loss: 1))
    let outcome = try await send(
      try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1]).bytes, to: nodes[0], over: .onion)
    #expect(outcome.code == 504)
    #expect(outcome.text == "Request time out")
    await playground.stop()
  }

  @Test func aNodeWithoutASwarmRelaysAndOneThatEndsDoesNot() async throws {
    let playground = try await Playground(nodes: 3)
    var nodes = playground.records
    nodes[0].swarm = NodeRecord.noSwarm
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: nodes, operatorKeys: playground.net.operatorKeys())
    for place in await playground.net.places { try place.node?.learn(file) }
    let good = try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1])
    #expect(try await send(good.bytes, to: nodes[0], over: .onion).code == 200)
    let alice = try Account(1)
    #expect(try await playground.call("retrieve", try alice.retrieving(), at: nodes[0]).code == 503)
    await (try #require(await playground.net.places[1].node)).drain(within: .zero)
    let ended = try await send(
      try relayed(by: nodes[0], to: nodes[1].key, sealedFor: nodes[1]).bytes, to: nodes[0], over: .onion)
    #expect(ended.code == 503)
    #expect(ended.text == "Snode not ready: \(nodes[1].key.hex)")
    await playground.stop()
  }

  @Test func onlyDictsOfNodesAreHandedOn() async throws {
    let playground = try await Playground(nodes: 2)
    let peer = try await NodePeer(insteadOf: 2, in: playground)
    for text in [
      "", "de", "le", "d4:data1:xe", "d4:data1:x8:enc_type7:aes-cbc13:ephemeral_key0:6:hop_noi1ee",
    ] {
      let reply = try await peer.request("sn.onion_request", Array(text.utf8), at: playground.records[0])
      let answer = try #require(MessageParts.readAnswer(reply))
      #expect(answer.code == 400)
      #expect(
        String(decoding: answer.body, as: UTF8.self).hasPrefix("Invalid internal onion request: "), "\(text)")
    }
    await peer.stop()
    await playground.stop()
  }
}
