import SessionBase
import Synchronization
import Testing

@testable import SessionDaemon

/// What clients may write to a connection, and what they get.
@Suite(.timeLimit(.minutes(5))) struct RPCConnectionTests {
  /// The replies to what a client writes before it stops writing.
  private func replies(to text: String, _ methods: [RPCMethod] = []) async throws -> [JSONValue] {
    try await ServedClient(methods).replies(to: text)
  }

  private func kind(of reply: JSONValue?) -> String? { reply?["error"]?["data"]?["kind"]?.string }

  @Test func callsAreAnsweredWithTheirIDs() async throws {
    let all = try await replies(
      to: """
        {"jsonrpc":"2.0","id":7,"method":"daemon.ping"}
        {"jsonrpc":"2.0","id":"a","method":"daemon.ping","params":{}}\r

        """)
    #expect(all.count == 2)
    #expect(Set(all.map { $0["id"] }) == [7, "a"])
    #expect(all.allSatisfy { ($0["result"]?["at"]?.integer ?? 0) > 0 })
  }

  @Test func aLastLineNeedsNoEnd() async throws {
    let all = try await replies(to: #"{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}"#)
    #expect(all.count == 1 && all[0]["result"] != nil)
  }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":null,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":9007199254740993,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":-9223372036854775808,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"jsonrpc":"1.0","id":1,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"id":1,"method":"daemon.ping"}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":1}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":1,"method":"daemon.ping","extra":1}"#, "invalid-request"),
    (#"{"jsonrpc":"2.0","id":1,"method":"daemon.ping","params":[1]}"#, "invalid-params"),
    (#"{"jsonrpc":"2.0","id":1,"method":"daemon.pong"}"#, "no-method"),
    (#"5"#, "invalid-request"), (#"[]"#, "invalid-request"), (#"{"a":1,"a":2}"#, "parse"), (#"{"#, "parse"),
  ])
  func wrongCallsHaveNames(_ line: String, _ expected: String) async throws {
    let all = try await replies(to: line + "\n")
    #expect(all.count == 1)
    #expect(kind(of: all.first) == expected)
  }

  @Test func namesOfMethodsAreSuggested() async throws {
    let all = try await replies(to: #"{"jsonrpc":"2.0","id":1,"method":"daemon.pong"}"#)
    #expect(all.first?["error"]?["data"]?["nearest"] == "daemon.ping")
  }

  @Test func idsOfTextHaveALimit() async throws {
    for (count, isFine) in [(64, true), (65, false)] {
      let id = String(repeating: "a", count: count)
      let all = try await replies(to: "{\"jsonrpc\":\"2.0\",\"id\":\"\(id)\",\"method\":\"daemon.ping\"}")
      #expect((all.first?["result"] != nil) == isFine)
    }
  }

  @Test func batchesAreAnsweredAsOne() async throws {
    let call = #"{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}"#
    let all = try await replies(to: "[\(call),{},\(call.replacing("1,", with: "2,"))]\n")
    guard case .array(let replies)? = all.first else {
      Issue.record("no array: \(all)")
      return
    }
    #expect(replies.count == 3)
    #expect(replies.count { $0["result"] != nil } == 2)
    let large = "[" + Array(repeating: call, count: 101).joined(separator: ",") + "]"
    #expect(kind(of: try await self.replies(to: large).first) == "batch-too-large")
  }

  @Test func linesBeyondTheLimitEndTheConnection() async throws {
    let all = try await replies(to: String(repeating: "a", count: RPCLimits.line + 200_000))
    #expect(all.count == 1)
    #expect(kind(of: all.first) == "line-too-long")
  }

  /// The system joins plain bytes with the descriptors of a later write.
  @Test func descriptorsBelongToTheLineThatTheyWereWrittenWith() async throws {
    let (client, server) = try StreamSocket.pair()
    var reader = LineReader(server, limit: 1000)
    try await client.write(Array("first\n".utf8))
    try await client.write(Array("second\nthird\n".utf8), [PassedFile(holding: [7])])
    #expect(try await reader.next()?.files.count == 0)
    let second = try #require(try await reader.next())
    let third = try #require(try await reader.next())
    #expect(second.files.count + third.files.count == 1)
    for _ in 0..<40 { try await client.write(Array("x".utf8), [PassedFile(holding: [7])]) }
    await #expect(throws: LineReader.LineTooLong.self) { try await reader.next() }
  }

  @Test func drainingFinishesCallsAndCancelsThoseThatWait() async throws {
    let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
    let isOpen = Latch()
    let (own, other) = try StreamSocket.pair()
    let methods = [
      RPCMethod("finish", needs: nil) { _ in
        beginning.yield()
        await isOpen.wait()
        try Task.checkCancellation()
        return "1"
      },
      RPCMethod("wait", needs: nil) { call in
        if let id = call.id { call.connection.noteWaiting(id) }
        beginning.yield()
        await Latch().wait()
        try Task.checkCancellation()
        return "2"
      },
    ]
    let table = Dictionary(uniqueKeysWithValues: methods.map { ($0.name, $0) })
    let connection = RPCConnection(other, table, NoAccounts(), .own)
    let serving = Task { await connection.run() }
    try await own.write(
      Array(
        """
        {"jsonrpc":"2.0","id":1,"method":"finish"}
        {"jsonrpc":"2.0","id":2,"method":"wait"}

        """.utf8))
    var starts = begun.makeAsyncIterator()
    _ = await (starts.next(), starts.next())
    let draining = Task { await connection.drain(within: .seconds(60)) }
    var reader = LineReader(own, limit: RPCLimits.reply)
    var replies: [JSONValue] = []
    while replies.count < 2, let line = try await reader.next() {
      let reply = try JSONReader.value(of: line.bytes)
      // The client also learns that the server ends.
      guard reply["id"] != nil else { continue }
      replies.append(reply)
      isOpen.open()
    }
    #expect(replies.map { $0["id"] } == [2, 1])
    #expect(kind(of: replies.first) == "cancelled" && replies.last?["result"] == 1)
    await draining.value
    await serving.value
  }

  @Test func emptyLinesAreNothing() async throws {
    let all = try await replies(to: String(repeating: "\n", count: 1_000_000) + "{}")
    #expect(all.count == 1)
  }

  @Test func anAccountThatIsNotThereIsRefusedAlsoByName() async throws {
    let naming = RPCMethod("naming", needs: nil) { call in JSONText.quoted(try await call.account()) }
    let all = try await replies(
      to: "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"naming\",\"params\":{\"account\":\"alice\"}}\n",
      [naming])
    #expect(kind(of: all.first) == "no-account")
  }

  @Test func anIDIsFreeAsSoonAsItsReplyIsThere() async throws {
    let client = try ServedClient()
    var reader = LineReader(client.socket, limit: RPCLimits.reply)
    for _ in 0..<500 {
      try await client.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"daemon.ping\"}\n")
      let line = try #require(try await reader.next())
      try #require(try JSONReader.value(of: line.bytes)["result"] != nil)
    }
    client.socket.endWriting()
    await client.untilEnded()
  }

  @Test func twoCallsUnderWayHaveTwoIDs() async throws {
    let isOpen = Latch()
    let waiting = RPCMethod("wait", needs: nil) { _ in
      await isOpen.wait()
      return "1"
    }
    let opening = RPCMethod("open", needs: nil) { _ in
      isOpen.open()
      return "2"
    }
    let all = try await replies(
      to: """
        {"jsonrpc":"2.0","id":1,"method":"wait"}
        {"jsonrpc":"2.0","id":1,"method":"daemon.ping"}
        {"jsonrpc":"2.0","id":2,"method":"open"}
        """, [waiting, opening])
    #expect(all.count == 3)
    #expect(kind(of: all.first { kind(of: $0) != nil }) == "duplicate-id")
    #expect(all.contains { $0["result"] == 1 })
  }

  @Test func aCallCanBeCancelled() async throws {
    let waiting = RPCMethod("wait", needs: nil) { _ in
      await Latch().wait()
      try Task.checkCancellation()
      return "1"
    }
    let all = try await replies(
      to: """
        {"jsonrpc":"2.0","id":1,"method":"wait"}
        {"jsonrpc":"2.0","method":"cancel","params":{"id":1}}
        """, [waiting])
    #expect(kind(of: all.first) == "cancelled")
  }

  @Test func aClientThatGoesEndsTheCallsOfOurPrograms() async throws {
    let (ends, ending) = AsyncStream.makeStream(of: Void.self)
    let waiting = RPCMethod("wait", needs: nil) { _ in
      await Latch().wait()
      ending.finish()
      return "1"
    }
    let client = try ServedClient([waiting])
    try await client.write(
      """
      {"jsonrpc":"2.0","id":1,"method":"hello","params":{"internal":\(Greeting.internalVersion)}}
      {"jsonrpc":"2.0","id":2,"method":"wait"}

      """)
    var reader = LineReader(client.socket, limit: RPCLimits.reply)
    _ = try await reader.next()
    client.socket.close()
    for await _ in ends {}
    await client.untilEnded()
  }

  @Test func internalMethodsNeedAGreetingOfTheSameVersion() async throws {
    let methods = RPCMethod.messenger
    let calls = #"{"jsonrpc":"2.0","id":2,"method":"x.call","params":{}}"#
    #expect(kind(of: try await replies(to: calls, methods).first) == "version")
    let other = #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"internal":99}}"# + "\n" + calls
    #expect(try await replies(to: other, methods).contains { kind(of: $0) == "version" })
  }

  @Test func moreCallsThanMayRunWaitForOthers() async throws {
    let running = Mutex((now: 0, most: 0))
    let slow = RPCMethod("slow", needs: nil) { _ in
      running.withLock { running in
        running.now += 1
        running.most = max(running.most, running.now)
      }
      for _ in 0..<20 { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return "1"
    }
    let calls = (1...500).map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"method\":\"slow\"}\n" }.joined()
    #expect(try await replies(to: calls, [slow]).count == 500)
    #expect(running.withLock { $0.most } <= RPCLimits.calls)
  }

  @Test(.timeLimit(.minutes(1))) func aFewNotificationsAreCarriedOut() async throws {
    let (called, calling) = AsyncStream.makeStream(of: String.self)
    let methods = ["typing", "events.ack", "send"].map { name in
      RPCMethod(name, needs: .send) { _ in
        calling.yield(name)
        return "{}"
      }
    }
    let lines = ["send", "typing", "events.ack"].map { #"{"jsonrpc":"2.0","method":"\#($0)"}"# + "\n" }
    // They have no reply, also where they fail.
    #expect(try await replies(to: lines.joined(), methods) == [])
    calling.finish()
    #expect(await called.reduce(into: Set()) { $0.insert($1) } == ["typing", "events.ack"])
  }

  @Test(.timeLimit(.minutes(1))) func whatBelongsToAClientEndsWithIt() async throws {
    let (ended, ending) = AsyncStream.makeStream(of: Int64.self)
    let method = RPCMethod("begin", needs: .send) { call in
      let number = call.params["number"]?.integer ?? 0
      call.whenClientLeaves(call.params["name"]?.string ?? "") { ending.yield(number) }
      return "{}"
    }
    let lines = [("a", 1), ("b", 2), ("a", 3)].map { name, number in
      #"{"jsonrpc":"2.0","id":\#(number),"method":"begin","params":{"name":"\#(name)","number":\#(number)}}"#
    }
    let client = try ServedClient([method])
    for line in lines {
      try await client.write(line + "\n")
      _ = try await client.socket.read()
    }
    client.socket.close()
    await client.untilEnded()
    ending.finish()
    #expect(await ended.reduce(into: Set()) { $0.insert($1) } == [2, 3])
  }

  @Test func aClientLearnsThatTheServerIsAboutToEnd() async throws {
    let (own, other) = try StreamSocket.pair()
    let connection = RPCConnection(other, [:], NoAccounts(), .own)
    let serving = Task { await connection.run() }
    await connection.drain(within: .seconds(5))
    await serving.value
    let text = String(decoding: try await own.read()?.bytes ?? [], as: UTF8.self)
    #expect(
      text == #"{"jsonrpc":"2.0","method":"bye","params":{"reason":"stopping","reconnect_ms":1000}}"# + "\n")
  }
}
