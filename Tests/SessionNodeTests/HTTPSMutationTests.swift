import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import Testing

@testable import SessionNode

/// Thousands of requests that are almost right: each is answered with a code that says what is wrong, and the node lives.
@Suite(.serialized) struct HTTPSMutationTests {
  private static let requests = 1200
  private static let codes: Set<Int> = [200, 400, 401, 403, 404, 405, 406, 410, 413, 414, 421, 431]

  /// Changes bytes here and there, in ways that follow from a seed.
  private struct Mutator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    private static let pieces = [
      "null", "-1", "1e9", "18446744073709551616", "[]", "{}", "\"\"", "\\u0000", "\u{FF}", "[[[[[[[[",
      "9223372036854775807",
      "\"all\"", "\"method\":\"batch\"", "00", "\u{2028}", ",", "}", "xchacha20", "\"headers\":1",
    ].map { Array($0.utf8) }

    mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      for _ in 0...below(4) {
        let place = bytes.isEmpty ? 0 : below(bytes.count)
        switch below(7) {
        case 0 where !bytes.isEmpty: bytes[place] ^= 1 << UInt8(below(8))
        case 1 where !bytes.isEmpty: bytes[place] = UInt8(below(256))
        case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + below(12)))
        case 3: bytes.insert(contentsOf: Self.pieces[below(Self.pieces.count)], at: place)
        case 4: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + below(40))], at: place)
        case 5: bytes.removeLast(min(bytes.count, below(30)))
        default: bytes.insert(contentsOf: (0..<below(20)).map { _ in UInt8(below(256)) }, at: place)
        }
      }
      return bytes
    }

    mutating func path(_ path: String) -> String {
      let letters = Array("abcv12/.~-_%2F?&=+")
      var text = Array(path)
      for _ in 0...below(3) where below(2) == 0 {
        text.insert(letters[below(letters.count)], at: 1 + below(text.count))
      }
      return String(text)
    }
  }

  /// Requests as clients make them.
  private func seeds(at node: NodeRecord) throws -> [(path: String, body: [UInt8])] {
    let alice = try Account(1)
    let time = wall
    let hash = alice.hash([1])
    let info: [String: Any] = ["method": "info", "params": [:] as [String: Any]]
    let calls: [[String: Any]] = [
      info, ["method": "store", "params": try alice.storing([1, 2, 3], in: 2)],
      ["method": "retrieve", "params": try alice.retrieving(from: 2)],
      ["method": "delete", "params": try alice.signed("delete\(hash)", ["messages": [hash]])],
      [
        "method": "expire",
        "params": try alice.signed("expire\(time)\(hash)", ["messages": [hash], "expiry": [time]]),
      ],
      ["method": "get_swarm", "params": ["pubkey": alice.hex]],
      [
        "method": "oxend_request",
        "params": ["endpoint": "get_service_nodes", "params": ["limit": 1]] as [String: Any],
      ],
      ["method": "batch", "params": ["requests": [info, info]]],
      ["method": "ifelse", "params": ["if": ["hf_at_least": [19, 6]], "then": info, "else": info]],
    ]
    let bodies = try calls.map { Array(try JSONSerialization.data(withJSONObject: $0)) }
    let layer = try RawLayer(RawLayer.block(bodies[0], #"{"headers":""}"#), for: node)
    let inner = RawLayer.block(bodies[1], #"{"headers":"","json":true}"#)
    return bodies.map { ("/storage_rpc/v1", $0) } + [
      ("/onion_req/v2", try layer.bytes()),
      ("/onion_req/v2", try RawLayer(inner, for: node).bytes(["hop_no": 3])),
      ("/ping_test/v1", []), ("/get_stats/v1", []),
    ]
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func mutatedRequestsAreAnswered(seed: UInt64) async throws {
    let playground = try await Playground(nodes: 1, way: .https)
    let node = playground.records[0]
    let web = try WebClient()
    let seeds = try seeds(at: node)
    var mutator = Mutator(seed: seed)
    var answered: [Int: Int] = [:]
    for _ in 0..<Self.requests {
      let (path, body) = seeds[mutator.below(seeds.count)]
      let target = mutator.below(8) == 0 ? mutator.path(path) : path
      var sent: [UInt8]? = mutator.below(20) == 0 ? nil : mutator.mutated(body)
      let method: HTTPMethod = sent == nil ? .get : .post
      // An onion's inside is changed too, so that it still opens.
      if sent != nil, target == "/onion_req/v2", mutator.below(2) == 0 {
        let content = RawLayer.block(seeds[1].body, #"{"headers":"","json":true,"base64":false}"#)
        sent = try RawLayer(mutator.mutated(content), for: node).bytes()
      }
      let reply = try await web.send(method, target, body: sent, at: node)
      answered[reply.status, default: 0] += 1
      #expect(
        Self.codes.contains(reply.status),
        "\(target) \(String(decoding: sent ?? [], as: UTF8.self)): \(String(decoding: reply.body, as: UTF8.self))"
      )
    }
    #expect(answered.count >= 4, "\(answered)")
    let call = Array(#"{"method":"info","params":{}}"#.utf8)
    #expect(try await web.post(call, "/storage_rpc/v1", at: node).status == 200)
    let served = try #require(await playground.net.places[0].node)
    #expect(served.inFlight.count == 0)
    await web.client.stop()
    await playground.stop()
  }
}
