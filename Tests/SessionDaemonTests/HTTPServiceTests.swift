import SeededNumbers
import SessionBase
import SessionMessaging
import Testing

@testable import SessionDaemon

/// What the server of HTTP answers to good requests.
@Suite(.timeLimit(.minutes(5))) struct HTTPServiceTests {
  private func answer(
    _ site: HTTPSite, _ body: String, _ scopes: Set<RPCScope> = [.read]
  ) async throws -> HTTPSite.Answer {
    var request = HTTPText(to: site.host, try await site.token("t\(body.hashValue.magnitude)", scopes))
    request.body = body
    return try await site.answer(to: request.text)
  }

  @Test func callsBatchesAndNotificationsAreAnswered() async throws {
    let site = try HTTPSite()
    let call = #"{"jsonrpc":"2.0","id":1,"method":"look"}"#
    let batch = try await answer(site, "[\(call),{},\n\(call.replacing("1,", with: "2,"))]")
    #expect(batch.status == 200 && batch.body.hasPrefix("[") && batch.body.hasSuffix("]"))
    #expect(batch.body.split(separator: "seen").count == 3)
    let notification = try await answer(site, #"{"jsonrpc":"2.0","method":"cancel","params":{"id":9}}"#)
    #expect(
      notification.status == 204 && notification.body == "" && notification.header("Content-Length") == nil)
    // An end of a line is space, as everywhere in JSON.
    #expect(
      try await answer(site, "{\n\"jsonrpc\":\"2.0\",\r\n\"id\":1,\"method\":\"look\"\n}\n").body.contains(
        "seen"))
    for (body, kind) in [
      ("{", "parse"), ("", "parse"), ("5", "invalid-request"),
      (#"{"jsonrpc":"2.0","id":1,"method":"loo"}"#, "no-method"),
      ("{\"a\":\"x\ny\"}", "parse"), ("[]", "invalid-request"),
    ] {
      let answer = try await answer(site, body)
      #expect(answer.status == 200 && answer.body.contains("\"kind\":\"\(kind)\""), "\(body): \(answer.text)")
    }
    await site.service.stop()
  }

  @Test func aConnectionServesSeveralRequests() async throws {
    let site = try HTTPSite()
    let request = HTTPText(to: site.host, try await site.token("bot")).with("Connection", nil)
    let last = request.with("Connection", "close")
    let answer = try await site.answer(to: request.text + request.text + last.text)
    #expect(answer.text.split(separator: "HTTP/1.1 200 OK").count == 3)
    #expect(answer.text.split(separator: "\"seen\"").count == 4)
  }

  @Test(.timeLimit(.minutes(1))) func theCallOfAClientThatLeavesEnds() async throws {
    let (begun, ended) = (Latch(), Latch())
    let waiting = RPCMethod("wait", needs: .read) { _ in
      begun.open()
      await Latch().wait()
      ended.open()
      throw CancellationError()
    }
    let site = try HTTPSite([waiting])
    var request = HTTPText(to: site.host, try await site.token("bot"))
    request.body = #"{"jsonrpc":"2.0","id":1,"method":"wait"}"#
    let socket = try site.connect()
    try await socket.write(Array(request.text.utf8))
    await begun.wait()
    socket.close()
    await ended.wait()
    await site.service.stop()
  }

  @Test func aRequestWhoseClientWritesNoMoreIsAnswered() async throws {
    let site = try HTTPSite()
    let socket = try site.connect()
    try await socket.write(Array(HTTPText(to: site.host, try await site.token("bot")).text.utf8))
    socket.endWriting()
    var bytes: [UInt8] = []
    while let piece = try await socket.read() { bytes += piece.bytes }
    #expect(HTTPSite.Answer(String(decoding: bytes, as: UTF8.self)).body.contains("seen"))
    await site.service.stop()
  }

  @Test func aConnectionWithoutATokenEndsBehindItsResponse() async throws {
    let site = try HTTPSite()
    let request = "GET /v1/health HTTP/1.1\r\nHost: \(site.host)\r\n\r\n"
    let answer = try await site.answer(to: request + request)
    #expect(answer.status == 204 && answer.header("Connection") == "close")
    #expect(answer.text.ranges(of: "HTTP/1.1").count == 1)
  }

  @Test func aConnectionWithoutATokenGivesWayToTheNext() async throws {
    let site = try HTTPSite()
    let secret = try await site.token("bot")
    // A connection with a token is no stranger any more.
    let known = try site.connect()
    try await known.write(Array(HTTPText(to: site.host, secret).with("Connection", nil).text.utf8))
    _ = try await known.read()
    var strangers: [StreamSocket] = []
    for _ in 0..<HTTPService.strangers {
      let socket = try site.connect()
      // The rest of the request does not come.
      try await socket.write(Array("GET /v1/health HTTP/1.1\r\n".utf8))
      strangers.append(socket)
    }
    // They do not keep a client with a token out; for it the oldest of them goes.
    #expect(try await site.answer(to: HTTPText(to: site.host, secret).text).status == 200)
    #expect(try await strangers[0].read() == nil)
    let end = Array("Host: \(site.host)\r\n\r\n".utf8)
    for socket in strangers.dropFirst() {
      try await socket.write(end)
      #expect(
        String(decoding: try await socket.read()?.bytes ?? [], as: UTF8.self).contains("204 No Content"))
    }
    try await known.write(Array(HTTPText(to: site.host, secret).text.utf8))
    #expect(String(decoding: try await known.read()?.bytes ?? [], as: UTF8.self).contains("200 OK"))
  }

  @Test func moreConnectionsWithATokenThanThereMayBeAreRefused() async throws {
    let site = try HTTPSite()
    let request = Array(
      HTTPText(to: site.host, try await site.token("bot")).with("Connection", nil).text.utf8)
    var known: [StreamSocket] = []
    for _ in 0..<HTTPService.connections {
      let socket = try site.connect()
      try await socket.write(request)
      #expect(try await socket.read() != nil)
      known.append(socket)
    }
    let refused = try await site.answer(to: "")
    #expect(refused.status == 503 && refused.header("Connection") == "close")
    for socket in known { socket.close() }
  }

  @Test func metricsCountAccountsByState() async throws {
    let site = try HTTPSite()
    let request = HTTPText(to: site.host, try await site.token("bot")).with(line: "GET /v1/metrics HTTP/1.1")
    let answer = try await site.answer(to: request.text)
    #expect(answer.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
    #expect(answer.body.contains("session_accounts{state=\"running\"} 0\n"))
    #expect(
      answer.body.contains("session_connections 1\n") && answer.body.contains("_start_time_seconds 5\n"))
    #expect(
      answer.body.split(separator: "\n").allSatisfy {
        $0.hasPrefix("#") || $0.split(separator: " ").count == 2
      })
  }

  @Test func metricsCountCallsAndTellOfAccountsByNumber() async throws {
    let account = try await ReadAccount()
    _ = try await account.messenger.registerReader("echo")
    for _ in 0..<3 { try await account.happen() }
    let refused = RPCMethod("refused", needs: .read) { _ in throw RPCError.invalidParams("never") }
    let site = try HTTPSite([refused], account.accounts)
    let secret = try await site.token("bot")
    for method in ["look", "look", "refused", "unknown"] {
      let call = HTTPText(to: site.host, secret).with(
        line: "POST /v1/rpc HTTP/1.1", body: #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
      _ = try await site.answer(to: call.text)
    }
    let request = HTTPText(to: site.host, secret).with(line: "GET /v1/metrics HTTP/1.1")
    let lines = Set(try await site.answer(to: request.text).body.split(separator: "\n"))
    for line in [
      #"session_calls_total{method="look"} 2"#, #"session_calls_total{method="refused"} 1"#,
      #"session_call_errors_total{method="refused"} 1"#, "session_call_duration_seconds_count 3",
      #"session_call_duration_seconds_bucket{le="+Inf"} 3"#,
      #"session_reader_lag{account="7",reader="echo"} 3"#,
      #"session_reader_dead_events{account="7",reader="echo"} 0"#,
      #"session_unsent_messages{account="7"} 0"#,
    ] { #expect(lines.contains(line[...]), "\(line)") }
    #expect(!lines.contains { $0.contains("alice") || $0.contains("unknown") })
    let size = lines.first { $0.hasPrefix(#"session_database_bytes{account="7"} "#) }
    #expect((size?.split(separator: " ").last.flatMap { Int($0) } ?? 0) > 4096)
    // A token for other accounts learns nothing of this one.
    let other = try await site.token("other", accounts: ["bob"])
    let others = HTTPText(to: site.host, other).with(line: "GET /v1/metrics HTTP/1.1")
    #expect(try await !site.answer(to: others.text).body.contains("account="))
    await account.messenger.stop()
  }

  @Test func metricsOfAStuckDatabaseSayForHowLongAlone() async throws {
    let account = try await ReadAccount()
    var stuck = await account.accounts.all()
    for index in stuck.indices { stuck[index].writingTime = ServedAccount.longestWrite }
    let site = try HTTPSite([], EarlierAccounts(served: account.accounts, seen: stuck))
    let request = HTTPText(to: site.host, try await site.token("bot")).with(line: "GET /v1/metrics HTTP/1.1")
    let lines = try await site.answer(to: request.text).body.split(separator: "\n")
    #expect(lines.filter { $0.contains("account=") } == [#"session_write_seconds{account="7"} 60.0"#])
    await account.messenger.stop()
  }

  @Test func onlyLoopbackIsAnAddress() {
    #expect(LoopbackAddress("127.0.0.1:80")?.url == "http://127.0.0.1:80")
    #expect(LoopbackAddress("[::1]:8190")?.url == "http://[::1]:8190")
    for text in [
      "0.0.0.0:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.2:80", "localhost:80", "[::]:80",
      "::1:80",
      "127.0.0.1:+1", "192.168.0.1:80", "",
    ] { #expect(LoopbackAddress(text) == nil, "\(text)") }
  }

  @Test func aPortThatIsInUseIsNamed() throws {
    let site = try HTTPSite()
    #expect { try LoopbackListener(at: site.service.address) } throws: { error in
      (error as? FileError)?.code == .inUse && (error as? FileError)?.message.contains(site.host) == true
    }
    let six = try LoopbackListener(at: LoopbackAddress(isIPv6: true, port: 0))
    #expect(six.address.port > 0)
  }

  /// Heads that are almost what they should be are read or refused, whatever they hold.
  @Test func everyHeadIsReadOrRefused() throws {
    let good = Array(
      "POST /v1/rpc?a=b%20c&d HTTP/1.1\r\nHost: 127.0.0.1:80\r\nContent-Length: 12\r\nX-A:\t b \r\nOrigin: null"
        .utf8)
    #expect(try HTTPHead(parsing: good[...]).fields.map(\.value) == ["127.0.0.1:80", "12", "b", "null"])
    var random = SeededGenerator(seed: 20_261_127)
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.insert([13, 10, 32, 58, 37, 0].randomElement(using: &random) ?? 0, at: place)
        default:
          bytes.replaceSubrange(place..., with: bytes[Int.random(in: 0..<bytes.count, using: &random)...])
        }
        if bytes.isEmpty { bytes = [0] }
      }
      do {
        let head = try HTTPHead(parsing: bytes[...])
        #expect(head.path.hasPrefix("/") && head.fields.count <= HTTPHead.maxFields)
        #expect(head.fields.allSatisfy { !$0.value.contains("\n") && !$0.value.contains("\r") }, "\(bytes)")
      } catch {
        refused += 1
        #expect([400, 411, 431, 505].contains(error.status))
      }
    }
    #expect(refused > 1000)
  }
}
