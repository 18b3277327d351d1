import SessionCore
import SessionNode
import SessionNodeCore
import Testing

/// Members of a group, and rights that are taken back.
@Suite(.timeLimit(.minutes(5))) struct SubaccountTests {
  private let group = try! Account(11, prefix: 0x03)
  private let member = try! Account(22)
  private func begin(_ way: Way) async throws -> Playground { try await Playground(nodes: 2, way: way) }

  private func token(_ rights: UInt8) -> [UInt8] { [0x03, rights, 0, 0] + member.keys.publicKey }

  private func signed(_ text: String, _ rights: UInt8, _ parameters: [String: Any]) throws -> [String: Any] {
    let token = token(rights)
    return [
      "pubkey": group.hex, "subaccount": token.base64, "subaccount_sig": try group.keys.sign(token).base64,
      "signature": try member.sign(text),
    ].merging(parameters) { $1 }
  }

  private func retrieve(_ namespace: Int16, _ rights: UInt8, in playground: Playground) async throws -> Int {
    let time = wall
    let parameters: [String: Any] = ["namespace": Int(namespace), "timestamp": time]
    let answer = try await playground.call(
      "retrieve", try signed("retrieve\(namespace)\(time)", rights, parameters))
    return answer.code
  }

  private func revoke(_ method: String, _ key: String, _ tokens: [[UInt8]], in playground: Playground)
    async throws -> Answer
  {
    let time = wall
    let text = Array("\(method)\(time)".utf8) + tokens.flatMap { $0 }
    return try await playground.call(
      method,
      [
        "pubkey": group.hex, "timestamp": time, key: tokens.map(\.base64),
        "signature": try group.keys.sign(text).base64,
      ])
  }

  @Test(arguments: Way.allCases) func rightsDecideWhatAMemberMay(way: Way) async throws {
    let playground = try await begin(way)
    #expect(try await retrieve(11, 3, in: playground) == 200)
    #expect(try await retrieve(11, 2, in: playground) == 401)
    let time = wall
    let store: [String: Any] = ["namespace": 11, "timestamp": time, "ttl": 60_000, "data": [1].base64]
    #expect(try await playground.call("store", try signed("store11\(time)", 3, store)).code == 200)
    #expect(try await playground.call("store", try signed("store11\(time)", 1, store)).code == 401)
    let hash = group.hash([1], in: 11)
    #expect(
      try await playground.call("delete", try signed("delete\(hash)", 3, ["messages": [hash]])).code == 401)
    #expect(
      try await playground.call("delete", try signed("delete\(hash)", 7, ["messages": [hash]])).code == 200)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func subaccountsWithoutDeleteRightOnlyExtend(way: Way) async throws {
    let playground = try await begin(way)
    let time = wall
    _ = try await playground.call("store", try group.storing([1], in: 11, at: time, ttl: 60_000))
    let hash = group.hash([1], in: 11)
    func expire(_ expiry: UInt64, _ mode: String = "") async throws -> Answer {
      var parameters: [String: Any] = ["messages": [hash], "expiry": expiry]
      if !mode.isEmpty { parameters[mode] = true }
      return try await playground.call("expire", try signed("expire\(mode)\(expiry)\(hash)", 3, parameters))
    }
    for one in try await expire(time + 30_000).swarm.values {
      #expect(one["updated"] as? [String] == [])
      #expect(one["unchanged"] == nil)
    }
    for one in try await expire(time + 90_000).swarm.values { #expect(one["updated"] as? [String] == [hash]) }
    #expect(try await expire(time + 30_000, "shorten").code == 400)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aRevokedMemberReadsNoMoreThanTheNotice(way: Way) async throws {
    let playground = try await begin(way)
    let token = token(3)
    #expect(try await revoke("revoke_subaccount", "revoke", [token], in: playground).code == 200)
    #expect(try await retrieve(11, 3, in: playground) == 401)
    #expect(try await retrieve(-11, 3, in: playground) == 200)
    let time = wall
    let list = try await playground.call(
      "revoked_subaccounts",
      ["pubkey": group.hex, "timestamp": time, "signature": try group.sign("revoked_subaccounts\(time)")])
    #expect(try list.json["revoked_subaccounts"] as? [String] == [token.base64])
    let back = try await revoke("unrevoke_subaccount", "unrevoke", [token], in: playground)
    for one in try back.swarm.values { #expect(one["count"] as? Int == 1) }
    #expect(try await retrieve(11, 3, in: playground) == 200)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func aTokenOfAnotherPrefixNeedsTheFlagForIt(way: Way) async throws {
    let playground = try await begin(way)
    func retrieve(_ token: [UInt8], _ signer: Account) async throws -> Int {
      let time = wall
      return try await playground.call(
        "retrieve",
        [
          "pubkey": group.hex, "subaccount": token.base64,
          "subaccount_sig": try signer.keys.sign(token).base64,
          "signature": try member.sign("retrieve11\(time)"), "namespace": 11, "timestamp": time,
        ]
      ).code
    }
    #expect(try await retrieve([0x05, 0x01, 0, 0] + member.keys.publicKey, group) == 401)
    #expect(try await retrieve([0x05, 0x09, 0, 0] + member.keys.publicKey, group) == 200)
    #expect(try await retrieve([0x03, 0x01, 0, 0] + member.keys.publicKey, member) == 401)
    await playground.stop()
  }

  @Test(arguments: Way.allCases) func anOutboxAndWholeSweepsNeedTheRightToDelete(way: Way) async throws {
    let playground = try await begin(way)
    let time = wall
    let store: [String: Any] = ["namespace": -1, "timestamp": time, "ttl": 60_000, "data": [1].base64]
    #expect(try await playground.call("store", try signed("store-1\(time)", 2, store)).code == 401)
    #expect(try await playground.call("store", try signed("store-1\(time)", 6, store)).code == 200)
    for (method, name) in [
      ("delete_all", "timestamp"), ("delete_before", "before"), ("expire_all", "expiry"),
    ] {
      let parameters: [String: Any] = [name: time, "namespace": -1]
      let text = "\(method)-1\(time)"
      #expect(try await playground.call(method, try signed(text, 3, parameters)).code == 401, "\(method)")
      #expect(try await playground.call(method, try signed(text, 4, parameters)).code == 200, "\(method)")
    }
    let hash = group.hash([1], in: 11)
    let expiries: [String: Any] = ["messages": [hash], "timestamp": time]
    let text = "get_expiries\(time)\(hash)"
    #expect(try await playground.call("get_expiries", try signed(text, 2, expiries)).code == 401)
    #expect(try await playground.call("get_expiries", try signed(text, 1, expiries)).code == 200)
    await playground.stop()
  }

  @Test func onlyTheOwnerTakesRightsBack() async throws {
    let playground = try await begin(.quic)
    let time = wall
    let text = Array("revoke_subaccount\(time)".utf8) + token(1)
    let answer = try await playground.call(
      "revoke_subaccount",
      [
        "pubkey": group.hex, "timestamp": time, "revoke": [token(1).base64],
        "subaccount": token(15).base64, "subaccount_sig": try group.keys.sign(token(15)).base64,
        "signature": try member.keys.sign(text).base64,
      ])
    #expect(answer.code == 401)
    await playground.stop()
  }
}
