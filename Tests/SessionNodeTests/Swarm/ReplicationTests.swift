import Foundation
import SessionCore
import SessionNodeCore
import Testing

@testable import SessionNode

/// A node receives the requests that it missed later.
@Suite(.timeLimit(.minutes(5))) struct ReplicationTests {
  private let alice = try! Account(1)
  private let group = try! Account(11, prefix: 0x03)

  /// Nodes that do nothing by themselves.
  private func playground(
    nodes: Int = 3, swarms: Int = 1, handshakeTimeout: Duration = .seconds(8)
  ) async throws -> Playground {
    try await Playground(nodes: nodes, swarms: swarms) {
      $0.handshakeTimeout = handshakeTimeout
    }
  }

  private func node(_ number: Int, in playground: Playground) async throws -> StorageNode {
    try #require(await playground.net.places[number - 1].node)
  }

  /// Has a node pay what it owes, also to those who were away a moment ago.
  private func pay(_ number: Int, in playground: Playground) async throws {
    await (try node(number, in: playground)).replicateNow()
  }

  private func hashes(at number: Int, in playground: Playground) async throws -> [String] {
    let found = try await playground.call(
      "retrieve", try alice.retrieving(), at: playground.records[number - 1])
    return try found.messages.compactMap { $0["hash"] as? String }
  }

  @Test func aMemberThatWasAwayIsTold() async throws {
    let playground = try await playground()
    _ = try await playground.call("store", try alice.storing([1]))
    _ = try await playground.call("store", try alice.storing([2]))
    try await playground.net.kill(3)
    _ = try await playground.call("store", try alice.storing([3]))
    let hash = alice.hash([1])
    _ = try await playground.call("delete", try alice.signed("delete" + hash, ["messages": [hash]]))
    let (time, token) = (wall, [0x03, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32))
    let text = Array("revoke_subaccount\(time)".utf8) + token
    _ = try await playground.call(
      "revoke_subaccount",
      [
        "pubkey": group.hex, "timestamp": time, "revoke": [token.base64],
        "signature": try group.keys.sign(text).base64,
      ])
    try await playground.net.revive(3)
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([1]), alice.hash([2])])
    try await pay(1, in: playground)
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([2]), alice.hash([3])])
    #expect(try await node(3, in: playground).store.isRevoked(token, account: group.bytes))
    #expect(try await node(1, in: playground).store.owed() == (0, 0))
    await playground.stop()
  }

  @Test func aSilentMemberDelaysNoStore() async throws {
    let playground = try await Playground { $0.slowMemberTimeout = .milliseconds(300) }
    try await playground.net.change(WeatherChange(node: 3, loss: 1))
    let begun = ContinuousClock.now
    let reply = try await playground.call("store", try alice.storing([1]))
    // Its handshake alone may take eight seconds.
    #expect(ContinuousClock.now - begun < .seconds(4))
    #expect(try reply.swarm[playground.records[2].key.hex]?["timeout"] as? Bool == true)
    #expect(try reply.swarm.values.count { $0["signature"] != nil } == 2)
    try await playground.net.change(WeatherChange(loss: 0))
    try await pay(1, in: playground)
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([1])])
    await playground.stop()
  }

  @Test(.timeLimit(.minutes(1))) func aSlowMemberIsToldInAMoment() async throws {
    let playground = try await Playground { $0.slowMemberTimeout = .milliseconds(50) }
    try await playground.net.change(WeatherChange(node: 3, delay: 300))
    let reply = try await playground.call("store", try alice.storing([1]))
    #expect(try reply.swarm[playground.records[2].key.hex]?["timeout"] as? Bool == true)
    let notifier = try await node(1, in: playground)
    while true {
      try Task.checkCancellation()
      let owed = try await notifier.store.owed()
      if owed == (0, 0) { break }
    }
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([1])])
    await playground.stop()
  }

  /// A client goes by who did it: who was not heard would count as one that refused.
  @Test func aRevocationWaitsForSilentMembers() async throws {
    let playground = try await Playground {
      $0.slowMemberTimeout = .milliseconds(10)
      $0.handshakeTimeout = .seconds(1)
    }
    try await playground.net.change(WeatherChange(node: 3, loss: 1))
    let (time, token) = (wall, [0x03, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32))
    let text = Array("revoke_subaccount\(time)".utf8) + token
    let begun = ContinuousClock.now
    _ = try await playground.call(
      "revoke_subaccount",
      [
        "pubkey": group.hex, "timestamp": time, "revoke": [token.base64],
        "signature": try group.keys.sign(text).base64,
      ])
    #expect(ContinuousClock.now - begun >= .seconds(1))
    await playground.stop()
  }

  @Test func owedRequestsSurviveARestart() async throws {
    let playground = try await playground(nodes: 2)
    try await playground.net.kill(2)
    _ = try await playground.call("store", try alice.storing([1]))
    try await playground.net.kill(1)
    try await playground.net.revive(1)
    try await playground.net.revive(2)
    try await pay(1, in: playground)
    #expect(try await hashes(at: 2, in: playground) == [alice.hash([1])])
    await playground.stop()
  }

  @Test func owedRequestsAreSentFirst() async throws {
    let playground = try await playground(nodes: 2)
    try await playground.net.kill(2)
    _ = try await playground.call("store", try alice.storing([1]))
    try await playground.net.revive(2)
    let hash = alice.hash([1])
    let deleted = try await playground.call("delete", try alice.signed("delete" + hash, ["messages": [hash]]))
    #expect(try deleted.swarm[playground.records[1].key.hex]?["timeout"] as? Bool == true)
    try await pay(1, in: playground)
    #expect(try await hashes(at: 2, in: playground) == [])
    let again = try await playground.call("store", try alice.storing([2]))
    #expect(try again.swarm.values.allSatisfy { $0["failed"] == nil })
    await playground.stop()
  }

  @Test func aLateDeleteAllSparesWhatCameSince() async throws {
    let playground = try await playground(nodes: 2)
    let old = wall - 5000
    _ = try await playground.call("store", try alice.storing([1], at: old))
    try await playground.net.kill(2)
    let time = wall - 1000
    _ = try await playground.call("delete_all", try alice.signed("delete_all\(time)", ["timestamp": time]))
    try await playground.net.revive(2)
    _ = try await node(2, in: playground).store.store(
      [9], of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 60_000)
    try await pay(1, in: playground)
    #expect(try await hashes(at: 2, in: playground) == [alice.hash([9])])
    await playground.stop()
  }

  @Test func aMemberWithoutAnythingAsksForEverything() async throws {
    let playground = try await playground(nodes: 2)
    let first = try await node(1, in: playground)
    for number in 0..<200 {
      _ = try await first.store.store(
        [UInt8](repeating: UInt8(number), count: 70_000), of: alice.bytes, namespace: 0, timestamp: wall,
        expiry: wall + 60_000)
    }
    let token = [0x03, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32)
    try await first.store.revoke([token], of: group.bytes, requestedAt: wall)
    let second = try await node(2, in: playground)
    await second.requestAll(try #require(second.membership))
    try await pay(1, in: playground)
    #expect(try await second.store.count() == 200)
    #expect(try await second.store.isRevoked(token, account: group.bytes))
    await playground.stop()
  }

  @Test func accountsMoveWithTheirSwarms() async throws {
    let playground = try await playground(nodes: 4, swarms: 1)
    for number in 1...2 {
      _ = try await node(number, in: playground).store.store(
        [1], of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 600_000)
    }
    // Nodes 3 and 4 now form a swarm of their own, where the account lies.
    var records = playground.records
    for index in 2...3 { records[index].swarm = SwarmSpace.position(of: alice.bytes) }
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys())
    for place in await playground.net.places { try place.node?.learn(file) }
    _ = await (try node(1, in: playground)).replicate()
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([1])])
    #expect(try await hashes(at: 4, in: playground) == [alice.hash([1])])
    #expect(try await playground.call("retrieve", try alice.retrieving(), at: records[0]).code == 421)
    await playground.stop()
  }

  @Test func aMemberThatWasCutOffIsToldEverything() async throws {
    let playground = try await playground()
    try await playground.net.change(WeatherChange(node: 3, loss: 1))
    let (time, token) = (wall, [0x03, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32))
    let stored = try await playground.call("store", try alice.storing([1]))
    #expect(try stored.swarm[playground.records[2].key.hex]?["timeout"] as? Bool == true)
    _ = try await playground.call(
      "revoke_subaccount",
      [
        "pubkey": group.hex, "timestamp": time, "revoke": [token.base64],
        "signature": try group.keys.sign(Array("revoke_subaccount\(time)".utf8) + token).base64,
      ])
    try await playground.net.change(WeatherChange(loss: 0))
    let third = try await node(3, in: playground)
    #expect(try await third.store.count() == 0)
    try await pay(1, in: playground)
    #expect(try await hashes(at: 3, in: playground) == [alice.hash([1])])
    #expect(try await third.store.isRevoked(token, account: group.bytes))
    #expect(try await node(1, in: playground).store.owed() == (0, 0))
    await playground.stop()
  }

  @Test func twoHalvesThatWentOnAloneBecomeOneAgain() async throws {
    let playground = try await playground(nodes: 2, handshakeTimeout: .seconds(60))
    let first = try await playground.call("store", try alice.storing([1]))
    #expect(try first.swarm.values.allSatisfy { $0["failed"] == nil })
    // The requests that nodes send each other when they start.
    for number in [1, 2, 1] { try await pay(number, in: playground) }
    let nodes = [try await node(1, in: playground), try await node(2, in: playground)]
    // Neither reaches the other, and clients reach both.
    for (index, one) in nodes.enumerated() {
      one.health.isAway(nodes[1 - index].keys.publicKey, now: .max - PeerHealth.longestDelay)
    }
    for (index, data) in ([[2], [3]] as [[UInt8]]).enumerated() {
      let stored = try await playground.call("store", try alice.storing(data), at: playground.records[index])
      #expect(try stored.swarm.values.filter { $0["failed"] as? Bool == true }.count == 1)
    }
    let hash = alice.hash([1])
    _ = try await playground.call(
      "delete", try alice.signed("delete" + hash, ["messages": [hash]]), at: playground.records[1])
    #expect(try await hashes(at: 1, in: playground) == [hash, alice.hash([2])])
    #expect(try await hashes(at: 2, in: playground) == [alice.hash([3])])
    for number in 1...2 { try await pay(number, in: playground) }
    let all = [alice.hash([2]), alice.hash([3])]
    #expect(try await Set(hashes(at: 1, in: playground)) == Set(all))
    #expect(try await Set(hashes(at: 2, in: playground)) == Set(all))
    await playground.stop()
  }

  @Test func strangersAreNotHeard() async throws {
    let playground = try await playground(nodes: 1)
    for command in [
      "sn.storage_cc", "sn.storage_late", "sn.data", "sn.revocations", "sn.want_data", "sn.onion_request",
    ] {
      #expect(try await playground.call(command, body: []).code == 403, "\(command)")
    }
    await playground.stop()
  }

  @Test func aTransferComesBackAndOnlyWhatHasItsHash() throws {
    func message(_ data: [UInt8], _ namespace: Int16, hash: String? = nil) -> TransferBlob.Message {
      TransferBlob.Message(
        account: alice.bytes, namespace: namespace,
        message: StoredMessage(
          hash: hash ?? alice.hash(data, in: namespace), timestamp: 5, expiry: 9, data: data))
    }
    var blob = TransferBlob()
    blob.messages = [message([1], 0), message([2], -11), message([3], 2, hash: alice.hash([4], in: 2))]
    #expect(try TransferBlob(parsing: blob.written()).messages == Array(blob.messages[..<2]))
    let (data, hash) = ([7] as [UInt8], alice.hash([7], in: 13))
    let old =
      [1] + Array("ll33:".utf8) + alice.bytes + Array("43:\(hash)i5ei9e1:".utf8) + data + Array("ee".utf8)
    #expect(try TransferBlob(parsing: old).messages == [message(data, 13)])
    for bad in [[], [2], [1], [1] + Array("l".utf8), [1] + Array("lelee".utf8), [1] + Array("lli1eee".utf8)]
      as [[UInt8]]
    {
      #expect(throws: SessionError.self) { try TransferBlob(parsing: bad) }
    }
  }
}
