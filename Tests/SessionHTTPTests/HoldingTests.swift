import SessionCore
import SessionHTTP
import Testing

/// How much a server holds, and for how slow a peer.
@Suite(.timeLimit(.minutes(5))) struct HoldingTests {
  private func collect(_ request: HTTPRequest) async -> HTTPResponse {
    do throws(HTTPError) {
      return .text(200, "\(try await request.body.collect(upTo: .max).count)")
    } catch {
      return .text(error == .busy ? 503 : 400, "\(error)")
    }
  }

  @Test func bodiesAreHeldAsLongAsThereIsRoom() async throws {
    let (began, gate) = (Gate(), Gate())
    try await withSite {
      $0.maxHeldBytesPerPeer = 100_000
    } handler: { request in
      let response = await collect(request)
      if request.target.text == "/slow" {
        began.open()
        await gate.wait()
      }
      return response
    } body: { (site) async throws in
      func post(_ count: Int, _ target: String = "/") async throws -> Int {
        try await site.call(.post, target, body: Array(repeating: 7, count: count)).status
      }
      #expect(try await post(150_000) == 503)
      #expect(try await post(90_000) == 200)
      async let held = post(60_000, "/slow")
      await began.wait()
      #expect(try await post(60_000) == 503)
      #expect(try await post(30_000) == 200)
      gate.open()
      let last = try await held
      #expect(last == 200)
      #expect(try await post(60_000) == 200)
    }
  }

  @Test func theServerHoldsSoMuchInAll() async throws {
    try await withSite {
      $0.maxHeldBytes = 100_000
    } handler: {
      await collect($0)
    } body: { (site) async throws in
      #expect(try await site.call(.post, body: Array(repeating: 7, count: 100_001)).status == 503)
      #expect(try await site.call(.post, body: Array(repeating: 7, count: 100_000)).status == 200)
    }
  }

  @Test func anAnswerThatThereIsNoRoomForIsNotSent() async throws {
    try await withSite {
      $0.maxHeldBytesPerPeer = 100_000
    } handler: { request in
      HTTPResponse(
        200, body: .bytes(Array(repeating: 7, count: request.target.text == "/" ? 100_001 : 90_000)))
    } body: { (site) async throws in
      #expect(try await site.call().status == 503)
      for _ in 0..<3 { #expect(try await site.call(.get, "/less").status == 200) }
    }
  }

  @Test(.timeLimit(.minutes(2))) func slowSendersAreDisconnected() async throws {
    try await withSite {
      $0.requestTimeout = .seconds(600)
      $0.slowest = 1_000_000
      $0.pace = .milliseconds(200)
    } handler: {
      await collect($0)
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc")
      #expect(await peer.readToEnd() == "")
    }
  }

  @Test(.timeLimit(.minutes(2))) func clientsThatDoNotReadTheirReplyAreDisconnected() async throws {
    let began = Gate()
    let server = try HTTPServer(
      at: loopback(),
      options: {
        var options = HTTPServer.Options()
        options.answerTimeout = .seconds(600)
        options.pace = .milliseconds(200)
        return options
      }()
    ) { _ in
      began.open()
      return HTTPResponse(200, body: .bytes(Array(repeating: 7, count: 30_000_000)))
    }
    let peer = try RawPeer(to: server.address)
    await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    await began.wait()
    // It ends when nothing is under way any more.
    await server.stop(grace: .seconds(600))
    withExtendedLifetime(peer) {}
  }

  @Test func aHandlerMayTakeItsTime() async throws {
    try await withSite {
      $0.slowest = 1_000_000
      $0.pace = .milliseconds(300)
    } handler: { _ in
      try? await Task.sleep(for: .milliseconds(700))
      return .text(200, "")
    } body: { (site) async throws in
      #expect(try await site.call().status == 200)
    }
  }
}
