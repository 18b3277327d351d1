import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// The methods by which clients read events.
@Suite(.timeLimit(.minutes(5))) struct EventMethodsTests {
  private func kind(_ client: RPCClient, _ method: String, _ params: JSONValue) async -> String? {
    do {
      _ = try await client.call(method, params)
      return nil
    } catch { return (error as? RPCError)?.kind }
  }

  @Test func wrongParametersAreRefused() async throws {
    let account = try await ReadAccount()
    let server = try account.server()
    let client = try RPCClient(to: server.path) { _, _ in }
    let newest = try await account.happen().rawValue
    let cases: [(String, JSONValue)] = [
      ("events.subscribe", ["reader": "bot", "max_tries": -1]),
      ("events.subscribe", ["reader": "bot", "max_tries": 1001]),
      ("events.subscribe", ["reader": "bot", "max_tries": 3, "ack": "auto"]),
      ("events.subscribe", ["max_tries": 3]), ("events.subscribe", ["from": .integer(newest + 1)]),
      ("events.nack", ["reader": "bot", "cursor": 1]), ("events.nack", ["reader": "bot"]),
      ("events.nack", ["reader": "bot", "cursor": 1, "delay_ms": 3_600_001]),
      ("events.nack", ["reader": "bot", "cursor": 1, "reason": 5]),
      ("events.nack", ["reader": "bot", "cursor": 1, "reason": .string(String(repeating: "x", count: 501))]),
      ("events.next", ["reader": "bot", "wait_ms": 1_000_000_000]), ("events.next", ["reader": "a/b"]),
      ("events.next", ["reader": "two words"]),
      ("events.next", ["reader": .string(String(repeating: "x", count: 65))]),
      ("events.ack", ["reader": "bot", "cursor": .integer(newest + 1)]),
      ("events.ack", ["reader": "bot", "cursor": "1"]),
    ]
    for (method, params) in cases {
      #expect(await kind(client, method, params) == "invalid-params", "\(method) \(params)")
    }
    client.close()
    await server.stop()
    await account.messenger.stop()
  }

  @Test func aRefusedEventIsDeliveredAgainAndThenSetAside() async throws {
    let account = try await ReadAccount()
    let server = try account.server()
    let (told, telling) = AsyncStream.makeStream(of: String.self)
    let client = try RPCClient(to: server.path) { method, params in
      let event = params["event"] ?? [:]
      telling.yield("\(method) \(params["kind"]?.string ?? "") \(event["tries"]?.integer ?? 0)")
    }
    var heard = told.makeAsyncIterator()
    let subscribed = try await client.call("events.subscribe", ["reader": "bot", "max_tries": 2])
    let newest = try await account.messenger.lastEvent().rawValue
    let position: JSONValue = [
      "account": "alice", "cursor": .integer(newest), "newest": .integer(newest), "pending": 0,
    ]
    #expect(subscribed["positions"] == .array([position]))
    let cursor = JSONValue.integer(try await account.happen().rawValue)
    #expect(await heard.next() == "event  1")
    _ = try await client.call("events.nack", ["reader": "bot", "cursor": cursor])
    #expect(await heard.next() == "event  2")
    _ = try await client.call("events.nack", ["reader": "bot", "cursor": cursor, "reason": "no"])
    #expect(await heard.next() == "signal dead 0")
    client.close()
    await server.stop()
    await account.messenger.stop()
  }

  @Test func whoStartsBeforeTheFirstEventIsTold() async throws {
    let account = try await ReadAccount()
    let first = try await account.happen()
    _ = try await account.messenger.registerReader("bot")
    let lost = try await account.happen()
    let kept = try await account.happen()
    try await account.forget(keeping: 1)
    let server = try account.server()
    let client = try RPCClient(to: server.path) { _, _ in }
    let gap: JSONValue = [
      "oldest": .integer(kept.rawValue), "newest": .integer(kept.rawValue),
      "lost_from": .integer(first.rawValue + 1), "lost_to": .integer(lost.rawValue),
    ]
    do {
      _ = try await client.call("events.subscribe", ["from": .integer(first.rawValue)])
      Issue.record("no error")
    } catch let error as RPCError {
      #expect(error.code == 79 && error.kind == "gap" && JSONValue.object(error.details) == gap)
    }
    let next = try await client.call("events.next", ["reader": "bot", "limit": 5])
    #expect(next["gap"] == gap && next["items"] == [["cursor": .integer(kept.rawValue)]])
    let known = try await client.call("events.subscribe", ["reader": "bot"])
    #expect(known["gap"] == gap)
    for from: JSONValue in [0, "start"] {
      let start = try await client.call("events.subscribe", ["from": from])
      #expect(start["gap"] == nil)
      guard case .array(let positions)? = start["positions"] else { throw RPCError.invalidParams("none") }
      #expect(positions[0]["cursor"] == .integer(lost.rawValue) && positions[0]["pending"] == 1)
    }
    client.close()
    await server.stop()
    await account.messenger.stop()
  }

  @Test func anAccountHasALimitOfReaders() async throws {
    let account = try await ReadAccount()
    for number in 0..<Messenger.maxReaders { _ = try await account.messenger.registerReader("r\(number)") }
    let server = try account.server()
    let client = try RPCClient(to: server.path) { _, _ in }
    #expect(await kind(client, "events.subscribe", ["reader": "one-more"]) == "limit-reached")
    #expect(await kind(client, "events.ack", ["reader": "one-more", "cursor": 0]) == "limit-reached")
    #expect(await kind(client, "events.subscribe", ["reader": "r7"]) == nil)
    client.close()
    await server.stop()
    await account.messenger.stop()
  }

  /// What a bot has acknowledged is its own: no other may have it miss something.
  @Test func theReaderOfNotificationsNeedsTheRightsToAct() throws {
    for scopes in [[.read], [.read, .send], [.read, .manage]] as [Set<RPCScope>] {
      let refused = #expect(throws: RPCError.self) {
        try EventReader(["reader": "notify"], for: RPCAccess(scopes, owner: "bot"))
      }
      #expect(refused?.kind == "permission")
    }
    let all = RPCAccess([.read, .send, .manage], owner: "bot")
    #expect(try EventReader(["reader": "notify"], for: all).name == "notify")
  }

  @Test func aClientWithoutTheScopeAdminHasReadersOfItsOwn() async throws {
    let account = try await ReadAccount()
    let newest = try await account.happen().rawValue
    let methods = RPCMethod.events(SubscriptionTable()) { _, _ in "{}" }
    func kinds(_ access: RPCAccess, _ reader: String) async throws -> Set<String?> {
      let calls: [(String, String)] = [
        ("events.subscribe", ""), ("events.next", ""), ("events.ack", ",\"cursor\":\(newest)"),
        ("events.nack", ",\"cursor\":\(newest)"),
      ]
      var kinds: Set<String?> = []
      for (method, more) in calls {
        let call =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\(method)\",\"params\":{\"reader\":\"\(reader)\"\(more)}}"
        let replies = try await ServedClient(methods, account.accounts, access).replies(to: call)
        let reply = replies.first { $0["id"] == 1 }
        // There is no subscription whose event could be refused.
        kinds.insert(
          method == "events.nack" && reply?["error"]?["code"] == -32602
            ? nil : reply?["error"]?["data"]?["kind"]?.string)
      }
      return kinds
    }
    let own = RPCAccess([.read], owner: "bot")
    for reader in ["bot", "bot:a", "bot:a:b"] { #expect(try await kinds(own, reader) == [nil], "\(reader)") }
    for reader in ["other", "bot2", "bo", "bot.a"] {
      #expect(try await kinds(own, reader) == ["permission"], "\(reader)")
    }
    let admin = RPCAccess([.read, .admin], owner: "bot")
    #expect(try await kinds(admin, "other") == [nil])
    await account.messenger.stop()
  }

  @Test func notificationsThatAreIgnoredAreCounted() async throws {
    let account = try await ReadAccount()
    let server = try account.server()
    let socket = try StreamSocket.connect(to: server.path)
    let lines = [
      #"{"jsonrpc":"2.0","method":"events.next","params":{"reader":"bot"}}"#,
      #"{"jsonrpc":"2.0","method":"cancel","params":{"id":5}}"#,
      #"{"jsonrpc":"2.0","id":1,"method":"daemon.status"}"#,
    ]
    try await socket.write(Array(lines.map { $0 + "\n" }.joined().utf8))
    var reader = LineReader(socket, limit: RPCLimits.reply)
    let reply = try JSONReader.value(of: try #require(try await reader.next()).bytes)
    #expect(reply["result"]?["ignored"] == 1)
    socket.close()
    await server.stop()
    #expect(try await account.messenger.reader("bot") == nil)
    await account.messenger.stop()
  }
}
