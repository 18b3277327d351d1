import SessionCore
import SessionEndpoint
import SessionNode
import SessionNodeCore
import Testing

/// Requests in bt: bytes are raw, and the reply is in bt too.
@Suite struct BtFormTests {
  private let alice = try! Account(1)

  private func string(_ bytes: [UInt8]) -> [UInt8] { Array("\(bytes.count):".utf8) + bytes }
  private func string(_ text: String) -> [UInt8] { string(Array(text.utf8)) }

  /// A dict, with its keys in order.
  private func dict(_ members: [String: [UInt8]]) -> [UInt8] {
    let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    return Array("d".utf8) + sorted.flatMap { string($0.key) + $0.value } + Array("e".utf8)
  }

  private func number(_ number: some BinaryInteger) -> [UInt8] { Array("i\(number)e".utf8) }

  private func signed(_ text: String, _ members: [String: [UInt8]]) throws -> [UInt8] {
    let proof = [
      "pubkey": string(alice.bytes), "pubkey_ed25519": string(alice.keys.publicKey),
      "signature": string(try alice.keys.sign(text.utf8)),
    ]
    return dict(members.merging(proof) { $1 })
  }

  @Test func messagesStoredInBtAreRetrievedInBtAndJSON() async throws {
    let playground = try await Playground(nodes: 2)
    let (time, data) = (wall, [0, 255, 10] as [UInt8])
    let stored = try await playground.call(
      "store",
      body: try signed(
        "store2\(time)",
        [
          "namespace": number(2), "timestamp": number(time), "ttl": number(60_000), "data": string(data),
        ]))
    #expect(stored.text.hasPrefix("li200ed"))
    let hash = alice.hash(data, in: 2)
    for node in playground.records {
      let signature = try #require(await playground.net.places.first { $0.record == node }?.node).keys.sign(
        hash.utf8)
      #expect(stored.bytes.contains(string(hash)))
      #expect(stored.bytes.contains(string("signature") + string(signature)))
    }
    let found = try await playground.call(
      "retrieve",
      body: try signed("retrieve2\(time)", ["namespace": number(2), "timestamp": number(time)]))
    #expect(found.bytes.contains(string("data") + string(data)))
    #expect(found.bytes.contains(string("hash") + string(hash)))
    #expect(found.bytes.contains(string("more") + number(0)))
    #expect(try await playground.call("retrieve", try alice.retrieving(from: 2)).messages.count == 1)
    await playground.stop()
  }

  @Test func keysThatAreNotInOrderAreRefused() async throws {
    let playground = try await Playground(nodes: 1)
    let time = wall
    let good = try signed("retrieve\(time)", ["timestamp": number(time)])
    #expect(try await playground.call("retrieve", body: good).code == 200)
    let (key, other) = (
      string("pubkey") + string(alice.bytes), string("pubkey_ed25519") + string(alice.keys.publicKey)
    )
    let signature = string("signature") + string(try alice.keys.sign("retrieve\(time)".utf8))
    let tail = string("timestamp") + number(time) + Array("e".utf8)
    let bad: [[UInt8]] = [
      Array("d".utf8) + other + key + signature + tail,
      Array("d".utf8) + key + key + other + signature + tail,
      good + [UInt8(ascii: "e")], Array(good.dropLast()),
    ]
    for body in bad { #expect(try await playground.call("retrieve", body: body).code == 400) }
    let short = dict(["pubkey": string(Array(alice.bytes.dropLast())), "timestamp": number(time)])
    #expect(try await playground.call("retrieve", body: short).code == 400)
    await playground.stop()
  }

  @Test func refusalsAndRedirectsAreInBtToo() async throws {
    let playground = try await Playground(nodes: 4, swarms: 2)
    let stranger = try playground.node(serving: alice, false)
    let time = wall
    let error = try await playground.call(
      "retrieve", body: try signed("retrieve\(time)", ["timestamp": number(time)]), at: stranger)
    #expect(error.code == 421)
    let client = try patientClient()
    let refusal = await #expect(throws: SessionError.self) {
      _ = try await client.request(
        "retrieve", body: try signed("retrieve\(time)", ["timestamp": number(time)]), to: stranger.peer)
    }
    let bytes = refusal?.refusal?.body ?? []
    #expect(bytes.starts(with: Array("421 ".utf8)))
    #expect(bytes.contains(Array("li421ed2:hf".utf8)))
    #expect(bytes.contains(string("snodes")))
    await client.stop()
    await playground.stop()
  }
}
