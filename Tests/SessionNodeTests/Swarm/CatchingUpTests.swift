import Foundation
import SessionCore
import SessionNodeCore
import SessionStorage
import Testing

@testable import SessionNode

/// A member that was away for long, and a swarm that changes meanwhile.
@Suite(.timeLimit(.minutes(5))) struct CatchingUpTests {
  private func node(_ number: Int, in playground: Playground) async throws -> StorageNode {
    try #require(await playground.net.places[number - 1].node)
  }

  private func key(_ number: Int) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }

  @Test func everythingOfManyAccountsComesInOrder() async throws {
    let playground = try await Playground(nodes: 2)
    let accounts = try (1...40).map { try Account($0) }
    try await playground.net.kill(2)
    for account in accounts {
      for data in [[1], [2]] as [[UInt8]] {
        #expect(try await playground.call("store", try account.storing(data)).code == 200)
      }
      let hash = account.hash([1])
      #expect(
        try await playground.call("delete", try account.signed("delete" + hash, ["messages": [hash]])).code
          == 200)
    }
    #expect(try await node(1, in: playground).store.owed() == (120, 0))
    try await playground.net.revive(2)
    await (try node(1, in: playground)).replicateNow()
    #expect(try await node(1, in: playground).store.owed() == (0, 0))
    let second = try await node(2, in: playground)
    #expect(try await second.store.count() == 40)
    for account in accounts {
      #expect(try await second.store.expiries(of: [account.hash([2])], account: account.bytes).count == 1)
    }
    await playground.stop()
  }

  @Test func tooManyOwedRequestsBecomeAFullTransfer() async throws {
    let playground = try await Playground(nodes: 2)
    let alice = try Account(1)
    let first = try await node(1, in: playground)
    try await playground.net.kill(2)
    for number in 0..<300 {
      _ = try await first.store.store(
        key(number), of: alice.bytes, namespace: 0, timestamp: wall, expiry: wall + 600_000)
    }
    try await first.store.owe(
      [], about: alice.bytes, to: [playground.records[1].key], time: wall, ends: wall, most: 0)
    try await playground.net.revive(2)
    await first.replicateNow()
    #expect(try await node(2, in: playground).store.count() == 300)
    #expect(try await first.store.owed() == (0, 0))
    await playground.stop()
  }

  @Test func requestsOwedBeforeARestartAreSentFirst() async throws {
    let playground = try await Playground(nodes: 2)
    let alice = try Account(1)
    try await playground.net.kill(2)
    _ = try await playground.call("store", try alice.storing([1]))
    try await playground.net.kill(1)
    try await playground.net.revive(1)
    let first = try await node(1, in: playground)
    // It does not reach the other one yet, and knows that it owes it something.
    _ = await first.replicate()
    try await playground.net.revive(2)
    first.health.isThere(playground.records[1].key)
    let hash = alice.hash([1])
    let deleted = try await playground.call("delete", try alice.signed("delete" + hash, ["messages": [hash]]))
    #expect(try deleted.swarm[playground.records[1].key.hex]?["timeout"] as? Bool == true)
    await first.replicateNow()
    #expect(try await node(2, in: playground).store.count() == 0)
    await playground.stop()
  }

  /// A swarm is cut in two while members of both halves are away; in the end every account is where it belongs.
  @Test func aSwarmIsCutWhileAMemberIsAway() async throws {
    let playground = try await Playground(nodes: 4)
    let accounts = try (1...24).map { try Account($0) }
    try await playground.net.kill(4)
    for (index, account) in accounts.enumerated() {
      let at = playground.records[index % 3]
      #expect(try await playground.call("store", try account.storing([7]), at: at).code == 200)
    }
    let token = [0x05, 0x03, 0, 0] + [UInt8](repeating: 9, count: 32)
    for account in accounts {
      try await node(1, in: playground).store.revoke([token], of: account.bytes, requestedAt: wall)
    }
    var records = playground.records
    for index in 2...3 { records[index].swarm = 1 << 63 }
    let file = try NetworkFile(
      name: "devnet", height: 99, nodes: records, operatorKeys: playground.net.operatorKeys())
    for number in 1...3 { try await node(number, in: playground).learn(file) }
    for number in 1...3 { await (try node(number, in: playground)).replicateNow() }
    // Back with what it had, and with the old list first.
    try await playground.net.revive(4)
    try await node(4, in: playground).learn(file)
    // It asks for everything, and is given it the next time.
    for _ in 1...2 {
      for number in 1...4 { await (try node(number, in: playground)).replicateNow() }
    }
    let space = SwarmSpace(records.map(\.swarm))
    for account in accounts {
      for (index, record) in records.enumerated() {
        let store = try await node(index + 1, in: playground).store
        let isTheirs = space.swarm(of: account.bytes) == record.swarm
        let answer = try await playground.call("retrieve", try account.retrieving(), at: record)
        #expect(answer.code == (isTheirs ? 200 : 421))
        guard isTheirs else { continue }
        #expect(try answer.messages.count == 1)
        if record.swarm != 0 { #expect(try await store.isRevoked(token, account: account.bytes)) }
      }
    }
    for number in 1...4 { #expect(try await node(number, in: playground).store.owed() == (0, 0)) }
    await playground.stop()
  }
}
