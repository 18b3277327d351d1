import Glibc
import RawConnections
import SessionCore
import Synchronization
import Testing

@testable import SessionHTTP

@Suite(.timeLimit(.minutes(5))) struct ServerTests {
  @Test func aRequestReachesTheHandlerWhole() async throws {
    let seen = Mutex<HTTPRequest?>(nil)
    try await withSite { request in
      let body = try? await request.body.collect(upTo: 100)
      seen.withLock { $0 = request }
      return HTTPResponse(201, headers: ["X-Answer": "yes"], body: .bytes((body ?? []) + [33]))
    } body: { (site) async throws in
      let reply = try await site.call(
        .put, "/a%20b/c?x=1&y=%26&z", headers: ["X-Ask": "why", "Content-Type": "text/plain"],
        body: Array("hello".utf8))
      #expect(reply.status == 201)
      #expect(reply.headers["x-answer"] == "yes")
      #expect(reply.body == Array("hello!".utf8))
    }
    let request = try #require(seen.withLock { $0 })
    #expect(request.method == .put)
    #expect(request.target.text == "/a%20b/c?x=1&y=%26&z")
    #expect(request.target.segments == ["a b", "c"])
    #expect(request.target[query: "y"] == "&")
    #expect(request.target[query: "z"] == "")
    #expect(request.headers["x-ASK"] == "why")
    #expect(request.headers.values(of: "Content-Type") == ["text/plain"])
    #expect(request.peer?.isLoopback == true)
  }

  @Test func aLongBodyArrivesInPiecesAsFastAsItIsRead() async throws {
    let sent = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try await withSite { request in
      var (count, sum) = (0, 0)
      while let piece = try? await request.body.next() {
        count += 1
        sum = piece.reduce(sum) { ($0 &* 33) ^ Int($1) }
        await Task.yield()
      }
      return .text(count > 10 ? 200 : 500, "\(sum)")
    } body: { (site) async throws in
      let reply = try await site.call(.post, body: sent)
      #expect(reply.status == 200)
      let sum = sent.reduce(0) { ($0 &* 33) ^ Int($1) }
      #expect(reply.body == Array("\(sum)".utf8))
    }
  }

  @Test(arguments: [10, 1_000_000])
  func anAnswerNeedsNoBodyThatWasNotRead(length: Int) async throws {
    try await withSite { _ in
      .text(404, "no")
    } body: { (site) async throws in
      for _ in 0..<3 {
        let reply = try await site.call(.post, body: Array(repeating: 7, count: length))
        #expect(reply.status == 404)
      }
    }
  }

  @Test func expectContinueIsAnsweredBeforeTheBody() async throws {
    try await withSite { _ in
      .text(404, "no")
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      await peer.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 900000\r\n\r\n")
      #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 404"))
    }
  }

  @Test func aBodyOverTheLimitIsRefusedBeforeTheHandler() async throws {
    try await withSite {
      $0.maxBody = 1000
    } handler: { request in
      .text(200, "\((try? await request.body.collect(upTo: .max))?.count ?? -1)")
    } body: { (site) async throws in
      let fits = try await site.call(.post, body: Array(repeating: 0, count: 1000))
      #expect(fits.body == Array("1000".utf8))
      let refused = try await site.call(.post, body: Array(repeating: 0, count: 1001))
      #expect(refused.status == 413)
      let chunk = "258\r\n" + String(repeating: "x", count: 600) + "\r\n"
      let head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
      let peer = try RawPeer(to: site.server.address)
      await peer.send(head + chunk + chunk + "0\r\n\r\n")
      // The handler began before anybody could know.
      #expect(await peer.readToEnd().hasSuffix("-1"))
      let endless = try RawPeer(to: site.server.address)
      await endless.send(head + String(repeating: chunk, count: 4))
      #expect(await endless.readToEnd() == "")
    }
  }

  @Test func aHeadOverTheLimitIsRefused() async throws {
    try await withSite { _ in
      .text(200, "")
    } body: { (site) async throws in
      let long = String(repeating: "x", count: 40_000)
      let reply = try await site.call(headers: ["X-Long": long])
      #expect(reply.status == 431)
    }
  }

  @Test(arguments: ["/%zz", "/a%0", "/%00", "/%ff", "a", "*"])
  func badTargetsAreRefused(target: String) async throws {
    try await withSite { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      await peer.send("GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await peer.readToEnd().hasPrefix("HTTP/1.1 400"))
    }
  }

  @Test(arguments: [
    "nonsense\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: x\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\n\r\n",
  ])
  func malformedRequestsAreRejected(text: String) async throws {
    try await withSite { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      await peer.send(text)
      let answer = await peer.readToEnd()
      #expect(!answer.hasPrefix("HTTP/1.1 200"))
      #expect(try await site.call().status == 200)
    }
  }

  @Test func aPeerHasSoManyConnections() async throws {
    try await withSite {
      $0.maxConnectionsPerPeer = 3
      $0.requestTimeout = .seconds(600)
    } handler: { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peers = try (0..<3).map { _ in try RawPeer(to: site.server.address) }
      let late = try RawPeer(to: site.server.address)
      #expect(await late.readToEnd() == "")
      await peers[2].send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await peers[2].readToEnd().hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func aTrustedPeerHasAnyNumberOfConnections() async throws {
    let loopback = try NetworkAddress(parsing: "127.0.0.1:0")
    try await withSite {
      $0.maxConnectionsPerPeer = 2
      $0.trustedPeers = [loopback]
      $0.requestTimeout = .seconds(600)
    } handler: { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peers = try (0..<5).map { _ in try RawPeer(to: site.server.address) }
      await peers[4].send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await peers[4].readToEnd().hasPrefix("HTTP/1.1 200"))
    }
  }

  @Test func othersThanTrustedPeersHaveSoManyConnections() async throws {
    let proxy = try NetworkAddress(parsing: "192.0.2.1:0")
    try await withSite {
      $0.maxConnectionsPerPeer = 3
      $0.trustedPeers = [proxy]
      $0.requestTimeout = .seconds(600)
    } handler: { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peers = try (0..<3).map { _ in try RawPeer(to: site.server.address) }
      let late = try RawPeer(to: site.server.address)
      #expect(await late.readToEnd() == "")
      await peers[2].send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      #expect(await peers[2].readToEnd().hasPrefix("HTTP/1.1 200"))
    }
  }

  /// A socket of IPv6 takes them too.
  @Test func clientsOfIPv4HaveTheirOwnAddresses() async throws {
    let mapped = try NetworkAddress(parsing: "[::ffff:127.0.0.1]:0")
    let server = try HTTPServer(at: mapped) { request in .text(200, request.peer?.hostText ?? "") }
    let peer = try RawPeer(to: NetworkAddress(parsing: "127.0.0.1:\(server.address.port)"))
    await peer.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
    #expect(await peer.readToEnd().hasSuffix("\r\n\r\n127.0.0.1"))
    await server.stop(grace: .zero)
  }

  /// The rest of its network is not.
  @Test func aTrustedPeerIsOneAddress() throws {
    let (proxy, neighbour) = (
      try NetworkAddress(parsing: "[2001:db8::1]:0"), try NetworkAddress(parsing: "[2001:db8::2]:0")
    )
    let peers = [proxy, neighbour].map { LimitedPeer($0, trusted: [proxy.hostBytes]) }
    #expect(peers.map(\.isTrusted) == [true, false])
    #expect(LimitedPeer(neighbour) == LimitedPeer(proxy))
    #expect(peers[1] == LimitedPeer(neighbour))
  }

  @Test func requestsBeyondTheLimitAreTurnedAway() async throws {
    let (began, gate) = (Gate(), Gate())
    try await withSite {
      $0.maxRequests = 1
    } handler: { _ in
      began.open()
      await gate.wait()
      return .text(200, "")
    } body: { (site) async throws in
      async let first = site.call()
      await began.wait()
      #expect(try await site.call().status == 503)
      gate.open()
      #expect(try await first.status == 200)
    }
  }

  @Test(arguments: ["", "GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc"])
  func slowClientsAreDisconnected(start: String) async throws {
    try await withSite {
      $0.requestTimeout = .milliseconds(200)
    } handler: { _ in
      .text(200, "")
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      if !start.isEmpty { await peer.send(start) }
      #expect(await peer.readToEnd() == "")
    }
  }

  @Test func aHandlerLearnsThatTheBodyBrokeOff() async throws {
    let ended = Gate()
    let seen = Mutex<HTTPError?>(nil)
    try await withSite { request in
      let error = await failure { _ = try await request.body.collect(upTo: .max) }
      seen.withLock { $0 = error }
      ended.open()
      return .text(200, "")
    } body: { (site) async throws in
      let peer = try RawPeer(to: site.server.address)
      await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\nabc")
      peer.hangUp()
      await ended.wait()
      #expect(seen.withLock { $0 } == .peerGone)
    }
  }

  @Test func aResponseMayBeAFile() async throws {
    let folder = try TemporaryFolder()
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 >> 5) }
    let path = folder.path + "/file"
    try #require(write(content, to: path))
    let file = try #require(HTTPFile(reading: path))
    #expect(file.readAll() == content)
    try await withSite { request in
      HTTPResponse(200, headers: ["Content-Type": "application/octet-stream"], body: .file(file))
    } body: { (site) async throws in
      for _ in 0..<2 { #expect(try await site.call().body == content) }
      let head = try await site.call(.head)
      #expect(head.body.isEmpty)
      #expect(head.headers["Content-Length"] == "300000")
    }
    #expect(HTTPFile(reading: folder.path) == nil)
    #expect(HTTPFile(reading: folder.path + "/none") == nil)
  }

  @Test(arguments: [
    HTTPResponse(200, headers: ["X-A": "b\r\nX-C: d"]), HTTPResponse(200, headers: ["X A": "b"]),
    HTTPResponse(9),
  ])
  func invalidResponsesBecomeErrors(response: HTTPResponse) async throws {
    try await withSite { _ in
      response
    } body: { (site) async throws in
      #expect(try await site.call().status == 500)
    }
  }

  @Test func manyRequestsAreUnderWayAtATime() async throws {
    let gate = Gate()
    let began = Mutex(0)
    try await withSite { request in
      if began.withLock({
        $0 += 1
        return $0
      }) == 16 {
        gate.open()
      }
      await gate.wait()
      return .text(200, request.target.text)
    } body: { (site) async throws in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<16 {
          group.addTask { try await site.call(.get, "/\(number)").body == Array("/\(number)".utf8) }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }

  @Test func stoppingWaitsForRequestsInProgress() async throws {
    let (began, gate) = (Gate(), Gate())
    let server = try HTTPServer(at: loopback()) { request in
      guard request.target.text == "/" else { return .text(200, "at once") }
      began.open()
      await gate.wait()
      return .text(200, "done")
    }
    let client = try HTTPClient(options: .patient)
    let site = Site(server: server, client: client)
    // A connection for what comes once the server takes no more.
    #expect(try await site.call(.get, "/quick").status == 200)
    async let reply = site.call()
    await began.wait()
    #expect(try await site.call(.get, "/quick").status == 200)
    async let stopped: Void = server.stop(grace: .seconds(600))
    while try await site.call(.get, "/quick").status == 200 { try Task.checkCancellation() }
    gate.open()
    #expect(try await reply.body == Array("done".utf8))
    await stopped
    #expect(throws: RawConnection.Refused.self) { try RawPeer(to: server.address) }
    await client.stop()
  }

  @Test func stoppingEndsWhatTakesLonger() async throws {
    let (began, cancelled) = (Gate(), Gate())
    let server = try HTTPServer(at: loopback()) { _ in
      began.open()
      await withTaskCancellationHandler {
        await cancelled.wait()
      } onCancel: {
        cancelled.open()
      }
      return .text(200, "late")
    }
    let client = try HTTPClient(options: .patient)
    let site = Site(server: server, client: client)
    async let error = failure { _ = try await site.call() }
    await began.wait()
    await server.stop(grace: .zero)
    await cancelled.wait()
    guard case .unreachable = await error else {
      Issue.record("there was an answer")
      return
    }
    await client.stop()
  }

  @Test func anAddressIsTakenOnce() async throws {
    try await withSite { _ in
      .text(200, "")
    } body: { (site) async throws in
      #expect(throws: HTTPError.addressInUse) {
        try HTTPServer(at: site.server.address) { _ in .text(200, "") }
      }
      let elsewhere = try NetworkAddress(parsing: "192.0.2.1:0")
      #expect(throws: HTTPError.self) { try HTTPServer(at: elsewhere) { _ in .text(200, "") } }
    }
  }

  @Test func itListensOnSixAsWell() async throws {
    let server = try HTTPServer(at: NetworkAddress(parsing: "[::1]:0")) {
      .text(200, "\($0.peer?.isLoopback == true)")
    }
    let client = try HTTPClient(options: .patient)
    let reply = try await client.send(HTTPClient.Request.patient(.get, "http://\(server.address)/"))
    #expect(reply.body == Array("true".utf8))
    await client.stop()
    await server.stop()
  }
}
