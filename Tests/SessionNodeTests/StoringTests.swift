import Foundation
import SessionCore
import SessionNode
import Testing

/// Requests that the whole swarm carries out.
@Suite(.timeLimit(.minutes(5))) struct StoringTests {
  private let alice = try! Account(1)
  private func begin(_ way: Way) async throws -> Playground { try await Playground(way: way) }

  @Test(arguments: Way.allCases) func theWholeSwarmKeepsWhatOneIsGiven(way: Way) async throws {
    let playground = try await begin(way)
    let time = wall
    let reply = try await playground.call("store", try alice.storing([1, 2, 3], at: time, ttl: 20_000))
    let hash = alice.hash([1, 2, 3])
    let swarm = try reply.swarm
    #expect(reply.code == 200)
    #expect(Set(swarm.keys) == Set(playground.records.map(\.key.hex)))
    for (node, member) in swarm {
      #expect(member["hash"] as? String == hash)
      #expect(member["expiry"] as? UInt64 == time + 20_000)
      #expect(member["already"] == nil)
      let signature = try [UInt8](base64: try #require(member["signature"] as? String).utf8)
      try Signature.verify(signature, of: hash.utf8, by: [UInt8](hex: node.utf8))
    }
    for node in playground.records {
      let found = try await playground.call("retrieve", try alice.retrieving(), at: node).messages
      #expect(found.map { $0["hash"] as? String } == [hash])
      #expect(found.first?["data"] as? String == [1, 2, 3].base64)
      #expect(found.first?["timestamp"] as? UInt64 == time)
      #expect(found.first?["expiration"] as? UInt64 == time + 20_000)
    }
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func storingAgainExtendsTheMessageWithoutDuplicatingIt(way: Way) async throws
  {
    let playground = try await begin(way)
    let time = wall
    _ = try await playground.call("store", try alice.storing([1], at: time, ttl: 600_000))
    let again = try await playground.call("store", try alice.storing([1], at: time, ttl: 900_000))
    for member in try again.swarm.values {
      #expect(member["already"] as? Bool == true)
      #expect(member["expiry"] as? UInt64 == time + 900_000)
    }
    let shorter = try await playground.call("store", try alice.storing([1], at: time, ttl: 300_000))
    for member in try shorter.swarm.values { #expect(member["expiry"] as? UInt64 == time + 900_000) }
    #expect(try await playground.call("retrieve", try alice.retrieving()).messages.count == 1)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func anOutboxHoldsOneMessageThatAnybodyReads(way: Way) async throws {
    let playground = try await begin(way)
    for data in [[1], [2]] as [[UInt8]] {
      _ = try await playground.call("store", try alice.storing(data, in: -21))
    }
    let found = try await playground.call("retrieve", ["pubkey": alice.hex, "namespace": -21]).messages
    #expect(found.map { $0["data"] as? String } == [[2].base64])
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func anybodyStoresIntoAnInboxAndOnlyTheOwnerElsewhere(way: Way) async throws
  {
    let playground = try await begin(way)
    let unsigned: [String: Any] = ["pubkey": alice.hex, "timestamp": wall, "ttl": 60_000, "data": [9].base64]
    #expect(try await playground.call("store", unsigned).code == 200)
    let elsewhere = try await playground.call("store", unsigned.merging(["namespace": 2]) { $1 })
    #expect(elsewhere.code == 401)
    #expect(elsewhere.text == "store signature verification failed")
    #expect(try await playground.call("retrieve", ["pubkey": alice.hex]).code == 401)
    let mallory = try Account(66)
    var forged = try mallory.retrieving()
    forged["pubkey"] = alice.hex
    #expect(try await playground.call("retrieve", forged).code == 401)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func deletingTakesTheMessagesOfTheOwnerAndSaysWhich(way: Way) async throws {
    let playground = try await begin(way)
    for data in [[1], [2]] as [[UInt8]] { _ = try await playground.call("store", try alice.storing(data)) }
    let (first, missing) = (alice.hash([1]), alice.hash([77]))
    let asked = [missing, first]
    let deleted = try await playground.call(
      "delete", try alice.signed("delete" + asked.joined(), ["messages": asked]))
    for (node, member) in try deleted.swarm {
      #expect(member["deleted"] as? [String] == [first])
      let signature = try [UInt8](base64: try #require(member["signature"] as? String).utf8)
      let text = alice.hex + asked.joined() + first
      try Signature.verify(signature, of: text.utf8, by: [UInt8](hex: node.utf8))
    }
    let bob = try Account(2)
    let second = alice.hash([2])
    let theirs = try await playground.call(
      "delete", try bob.signed("delete" + second, ["messages": [second], "required": true]))
    #expect(theirs.code == 404)
    #expect(try await playground.call("retrieve", try alice.retrieving()).messages.count == 1)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func sweepsReachOneNamespaceOrAll(way: Way) async throws {
    let playground = try await begin(way)
    let time = wall
    for (data, namespace, at) in [([1], 0, time - 5_000), ([2], 2, time), ([3], 3, time - 5_000)]
      as [([UInt8], Int16, UInt64)]
    {
      _ = try await playground.call("store", try alice.storing(data, in: namespace, at: at))
    }
    let before = time - 1_000
    let old = try await playground.call(
      "delete_before", try alice.signed("delete_beforeall\(before)", ["before": before, "namespace": "all"]))
    for member in try old.swarm.values {
      #expect(
        member["deleted"] as? [String: [String]] == ["0": [alice.hash([1])], "3": [alice.hash([3], in: 3)]])
    }
    let expiry = time + 500_000
    let ended = try await playground.call(
      "expire_all", try alice.signed("expire_all2\(expiry)", ["expiry": expiry, "namespace": 2]))
    for member in try ended.swarm.values {
      #expect(member["updated"] as? [String] == [alice.hash([2], in: 2)])
    }
    let all = try await playground.call(
      "delete_all", try alice.signed("delete_allall\(time)", ["timestamp": time, "namespace": "all"]))
    for (node, member) in try all.swarm {
      #expect(member["deleted"] as? [String: [String]] == ["2": [alice.hash([2], in: 2)]])
      let signature = try [UInt8](base64: try #require(member["signature"] as? String).utf8)
      let text = alice.hex + "\(time)" + alice.hash([2], in: 2)
      try Signature.verify(signature, of: text.utf8, by: [UInt8](hex: node.utf8))
    }
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func livesAreSetShortenedAndExtended(way: Way) async throws {
    let playground = try await begin(way)
    let time = wall
    for data in [[1], [2]] as [[UInt8]] {
      _ = try await playground.call("store", try alice.storing(data, at: time, ttl: 50_000))
    }
    let hashes = [alice.hash([1]), alice.hash([2])]
    func expire(_ expiries: [UInt64], _ mode: String = "") async throws -> Answer {
      let digits = expiries.map(String.init).joined()
      var parameters: [String: Any] = [
        "messages": hashes, "expiry": expiries.count == 1 ? expiries[0] : expiries,
      ]
      if !mode.isEmpty { parameters[mode] = true }
      return try await playground.call(
        "expire", try alice.signed("expire\(mode)\(digits)\(hashes.joined())", parameters))
    }
    for member in try await expire([time + 40_000, time + 60_000], "extend").swarm.values {
      #expect(member["updated"] as? [String] == [hashes[1]])
      #expect(member["unchanged"] as? [String: UInt64] == [hashes[0]: time + 50_000])
      #expect(member["expiry"] as? [UInt64] == [time + 60_000])
    }
    for member in try await expire([time + 55_000], "shorten").swarm.values {
      #expect(member["updated"] as? [String] == [hashes[1]])
      #expect(member["unchanged"] as? [String: UInt64] == [hashes[0]: time + 50_000])
    }
    let month: UInt64 = 30 * 86_400_000
    for member in try await expire([time + 2 * month]).swarm.values {
      #expect(member["updated"] as? [String] == hashes.sorted())
      #expect(try #require(member["expiry"] as? UInt64) <= wall + month)
    }
    let expiries = try await playground.call(
      "get_expiries",
      try alice.signed("get_expiries\(time)\(hashes.joined())", ["messages": hashes, "timestamp": time]))
    let found = try #require(try expiries.json["expiries"] as? [String: UInt64])
    #expect(Set(found.keys) == Set(hashes))
    #expect(try expiries.json["t"] == nil)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aMemberThatIsAwayShowsAsTimedOut(way: Way) async throws {
    let playground = try await begin(way)
    try await playground.net.kill(3)
    let reply = try await playground.call("store", try alice.storing([5]))
    #expect(reply.code == 200)
    let away = try #require(try reply.swarm[playground.records[2].key.hex])
    #expect(away["failed"] as? Bool == true)
    #expect(away["timeout"] as? Bool == true)
    #expect(try reply.swarm.values.filter { $0["failed"] == nil }.count == 2)
    await playground.stop()
  }
}
