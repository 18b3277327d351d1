import SessionBase
import Testing

@testable import SessionDaemon

/// Which requests the server of HTTP refuses, and how.
@Suite struct HTTPGateTests {
  private let site: HTTPSite

  init() throws { site = try HTTPSite() }

  private func status(_ request: HTTPText) async throws -> Int {
    let answer = try await site.answer(to: request.text)
    if (400...499).contains(answer.status) {
      #expect(answer.header("Connection") == "close" && !answer.text.contains("seen"))
    }
    return answer.status
  }

  private func good() async throws -> HTTPText { HTTPText(to: site.host, try await site.token("bot")) }

  @Test func aGoodRequestIsAnswered() async throws {
    let answer = try await site.answer(to: try await good().text)
    #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
    #expect(answer.body == #"{"jsonrpc":"2.0","id":1,"result":"seen"}"#)
    #expect(
      answer.header("X-Content-Type-Options") == "nosniff" && answer.header("Cache-Control") == "no-store")
    #expect(!answer.text.contains("Access-Control"))
    await site.service.stop()
  }

  /// The checks are made in their order: as the mistakes are mended one after the other, the next one answers.
  @Test func theFirstCheckThatFailsAnswers() async throws {
    let secret = try await site.token("bot")
    var request = HTTPText(to: site.host, nil).with(line: "PUT /v1/rpc HTTP/1.1", body: "x")
      .with("Host", nil).with("Origin", "null").with("Sec-Fetch-Site", "cross-site")
      .with("Content-Type", "text/plain").with("X-Long", String(repeating: "x", count: 9000))
    var statuses: [Int] = []
    func note() async throws { statuses.append(try await status(request)) }
    try await note()
    request = request.with("X-Long", nil)
    try await note()
    request = request.with("Host", "evil.example")
    try await note()
    request = request.with("Host", site.host)
    try await note()
    request = request.with("Origin", nil)
    try await note()
    request = request.with("Sec-Fetch-Site", "none")
    try await note()
    request = request.with(line: "POST /v1/rpc HTTP/1.1", body: request.body)
    try await note()
    request = request.with("Content-Type", "application/json")
    try await note()
    request = request.with("Authorization", "Bearer \(secret)")
    try await note()
    #expect(statuses == [431, 400, 421, 403, 403, 405, 415, 401, 200])
  }

  // MARK: - 1: the head

  @Test func headsHaveLimits() async throws {
    let good = try await good()
    let shortest = "POST /v1/rpc HTTP/1.1".utf8.count
    for (count, expected) in [(4096, 404), (4097, 431), (200_000, 431)] {
      let path = "/v1/rpc" + String(repeating: "x", count: count - shortest)
      #expect(try await status(good.with(line: "POST \(path) HTTP/1.1")) == expected)
    }
    #expect(try await status(good.with("X", String(repeating: "x", count: 7900))) == 200)
    #expect(try await status(good.with("X", String(repeating: "x", count: 8192))) == 431)
    var many = good
    while many.headers.count < 63 { many.headers.append(("X", "y")) }
    #expect(try await status(many) == 200)
    many.headers += [("X", "y")]
    #expect(try await status(many) == 431)
  }

  @Test(arguments: [
    "POST /v1/rpc HTTP/1.1\r\n\r\n", "POST /v1/rpc HTTP/1.1\nHost: a\n\n\r\n\r\n", "\r\n\r\n", "POST\r\n\r\n",
    "POST  /v1/rpc HTTP/1.1\r\nHost: HOST\r\n\r\n", "POST http://HOST/v1/rpc HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nHost: HOST\r\n\r\n", "POST * HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost : HOST\r\n\r\n", "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\n folded\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nX: \u{1}\r\n\r\n",
    "POST /v1/rpc?a=%zz HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nX: ü\r\n\r\n",
    "GET /v1/events HTTP/1.1\r\nHost: HOST\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: -1\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: 0x1\r\n\r\n",
    "POST /v1/rpc HTTP/1.1\r\nHost: HOST\r\nContent-Length: 99999999999999999999\r\n\r\n",
  ])
  func malformedHeadsAreRefused(_ text: String) async throws {
    let answer = try await site.answer(to: text.replacing("HOST", with: site.host))
    #expect(answer.status == 400)
  }

  @Test func bodiesOfUnknownLengthAndOtherVersionsAreRefused() async throws {
    var chunked = try await good().with("Transfer-Encoding", "chunked")
    chunked.hasLength = false
    #expect(try await status(chunked) == 411)
    var without = try await good2()
    without.hasLength = false
    without.body = ""
    #expect(try await status(without) == 411)
    #expect(try await status(without.with(line: "POST /v1/rpc HTTP/1.0")) == 505)
    var long = without.with("Content-Length", "\((1 << 20) + 1)")
    long.hasLength = false
    #expect(try await status(long) == 413)
  }

  private func good2() async throws -> HTTPText { HTTPText(to: site.host, try await site.token("bot2")) }

  // MARK: - 2 to 6: pages

  @Test(arguments: [
    ("127.0.0.1:PORT", 200), ("localhost:PORT", 200), ("[::1]:PORT", 200), ("evil.example:PORT", 421),
    ("127.0.0.1", 421), ("127.0.0.1:1", 421), ("LOCALHOST:PORT", 421), ("localhost.:PORT", 421), ("", 421),
    ("127.0.0.1:PORT, evil.example", 421),
  ])
  func onlyOwnNamesAreHosts(_ host: String, _ expected: Int) async throws {
    let host = host.replacing("PORT", with: "\(site.service.address.port)")
    #expect(try await status(try await good().with("Host", host)) == expected)
  }

  @Test(
    arguments: [
      (nil, nil, 200), ("null", nil, 403), ("http://localhost:4000", nil, 403),
      ("http://LOCALHOST:3000", nil, 403),
      ("http://localhost:3000", nil, 200), ("", nil, 403), (nil, "none", 200), (nil, "same-origin", 200),
      (nil, "same-site", 403), (nil, "cross-site", 403), ("http://localhost:3000", "cross-site", 200),
      ("null", "same-origin", 403),
    ] as [(String?, String?, Int)])
  func pagesOfOtherOriginsAreRefused(_ origin: String?, _ site: String?, _ expected: Int) async throws {
    let request = try await good().with("Origin", origin).with("Sec-Fetch-Site", site)
    #expect(try await status(request) == expected)
  }

  @Test func anAllowedPageGetsItsOwnOriginAlone() async throws {
    let request = try await good().with("Origin", HTTPSite.origin)
    let answer = try await site.answer(to: request.text)
    #expect(
      answer.header("Access-Control-Allow-Origin") == HTTPSite.origin && answer.header("Vary") == "Origin")
    #expect(answer.header("Access-Control-Allow-Credentials") == nil)
    // It may also read why it was refused.
    let refused = try await site.answer(to: request.with("Authorization", nil).text)
    #expect(refused.status == 401 && refused.header("Access-Control-Allow-Origin") == HTTPSite.origin)
    let asked = try await site.answer(
      to: request.with("Authorization", nil).with("Content-Type", nil).with(line: "OPTIONS /v1/rpc HTTP/1.1")
        .text)
    #expect(asked.status == 204 && asked.header("Access-Control-Allow-Methods") == "GET, POST")
    #expect(asked.header("Access-Control-Allow-Headers") == "authorization, content-type")
    site.service.allow([])
    #expect(try await status(request) == 403)
  }

  @Test func browsersAreToldNothingWithoutAnAllowedOrigin() async throws {
    for request in [
      try await good().with(line: "OPTIONS /v1/rpc HTTP/1.1"),
      HTTPText(to: site.host, nil).with(line: "OPTIONS /v1/rpc HTTP/1.1").with(
        "Origin", "http://evil.example"),
    ] {
      let answer = try await site.answer(to: request.text)
      #expect([403, 405].contains(answer.status) && !answer.text.contains("Access-Control"))
    }
  }

  @Test(arguments: [
    ("GET /v1/rpc", 405), ("PUT /v1/rpc", 405), ("post /v1/rpc", 405), ("POST /v1/events", 405),
    ("DELETE /v1/health", 405), ("HEAD /v1/metrics", 405), ("GET /", 404), ("POST /v1/rpc/", 404),
    ("POST /v1/../v1/rpc", 404), ("POST /v1/%72pc", 404),
  ])
  func methodsAndPathsAreKnown(_ line: String, _ expected: Int) async throws {
    let answer = try await site.answer(to: try await good().with(line: "\(line) HTTP/1.1").text)
    #expect(answer.status == expected)
    #expect((answer.header("Allow") != nil) == (expected == 405))
  }

  @Test(
    arguments: [
      ("application/json", 200), ("application/json; charset=utf-8", 200), ("Application/JSON ", 200),
      ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("application/jsonp", 415), (nil, 415),
      ("text/plain, application/json", 415),
    ] as [(String?, Int)])
  func aFormCannotCall(_ type: String?, _ expected: Int) async throws {
    #expect(try await status(try await good().with("Content-Type", type)) == expected)
  }

  // MARK: - 7 and 8: tokens

  @Test func onlyAValidTokenIsAdmitted() async throws {
    let secret = try await site.token("bot")
    let request = HTTPText(to: site.host, secret)
    #expect(try await status(request) == 200)
    let wrong = secret.dropLast() + (secret.last == "A" ? "E" : "A")
    for value in [
      nil, "", "Bearer", "Bearer ", "Basic \(secret)", secret, "Bearer \(wrong)", "Bearer \(secret)x",
    ] {
      #expect(try await status(request.with("Authorization", value)) == 401, "\(value ?? "none")")
    }
    let inQuery = request.with(line: "POST /v1/rpc?token=\(secret) HTTP/1.1", body: request.body)
    #expect(try await status(inQuery.with("Authorization", nil)) == 401)
    #expect(try await status(request.with("Authorization", nil).with("Cookie", "token=\(secret)")) == 401)
    var twice = request
    twice.headers.append(("Authorization", "Bearer \(secret)"))
    #expect(try await status(twice) == 401)
    try await site.tokens.change { $0 = [] }
    #expect(try await status(request) == 401)
    #expect(try await status(HTTPText(to: site.host, try await site.token("old", expiresAt: 1))) == 401)
  }

  @Test func manyRequestsWithoutATokenAreSlowedDown() {
    let lines = Counter()
    let failures = TokenFailures { _ in lines.add(1) }
    let start = ContinuousClock.now
    for number in 1...20 { #expect(failures.count(at: start) == number) }
    #expect(failures.count(at: start + .seconds(61)) == 1)
  }

  @Test func theScopesOfATokenHold() async throws {
    let request = HTTPText(to: site.host, try await site.token("reader", [.read]))
    var posting = request
    posting.body = #"{"jsonrpc":"2.0","id":1,"method":"post"}"#
    let refused = try await site.answer(to: posting.text)
    #expect(refused.status == 200 && refused.body.contains(#""kind":"permission""#))
    #expect(refused.body.contains(#""scope":"send""#))
    let sender = HTTPText(to: site.host, try await site.token("sender", [.send]))
    for path in ["metrics", "events?account=a"] {
      let answer = try await site.answer(to: sender.with(line: "GET /v1/\(path) HTTP/1.1").text)
      #expect(answer.status == 403 && answer.body.contains(#""scope":"read""#))
    }
    #expect(try await status(request.with(line: "GET /v1/metrics HTTP/1.1")) == 200)
  }

  @Test func healthNeedsNoToken() async throws {
    let request = HTTPText(to: site.host, nil).with(line: "GET /v1/health HTTP/1.1")
    let answer = try await site.answer(to: request.text)
    #expect(answer.status == 204 && answer.body == "")
    // The checks of pages hold for it, too.
    #expect(try await status(request.with("Origin", "null")) == 403)
    #expect(try await status(request.with("Host", "evil.example")) == 421)
  }

  @Test func aConnectionThatEndsInTheMiddleHarmsNoOther() async throws {
    for text in ["", "P", "POST /v1/rpc HTTP/1.1\r\nHost: a\r\n"] {
      let socket = try site.connect()
      try await socket.write(Array(text.utf8))
      socket.endWriting()
      var bytes: [UInt8] = []
      while let piece = try await socket.read() { bytes += piece.bytes }
      #expect(bytes.isEmpty == text.isEmpty)
    }
    #expect(try await status(try await good()) == 200)
  }
}
