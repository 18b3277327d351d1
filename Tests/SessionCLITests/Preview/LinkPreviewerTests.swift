import Folders
import LoopbackProxy
import SessionCore
import SessionHTTP
import SessionMessaging
import Synchronization
import Testing

@testable import SessionCLI

/// Previews of a site on loopback that is known as example.org to a proxy.
@Suite(.timeLimit(.minutes(10))) struct LinkPreviewerTests {
  private func withSite(
    _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse,
    _ body: (LinkPreviewer, LoopbackProxy) async throws -> Void
  ) async throws {
    let identity = try TLSIdentity.selfSigned(for: [
      "example.org", "www.example.org", "xn--bcher-kva.example",
    ])
    let folder = try TemporaryFolder()
    try folder.write(identity.certificate, to: "authority.pem")
    var options = HTTPServer.Options()
    options.tls = identity
    let server = try HTTPServer(
      at: try NetworkAddress(parsing: "127.0.0.1:0"), options: options, handler: answer)
    let proxy = try LoopbackProxy(.http, to: server.address.port)
    let chosen = try HTTPProxy(parsing: "http://127.0.0.1:\(proxy.port)")
    var previewer = LinkPreviewer(
      SiteAccess(proxy: { _ in chosen }, rules: LinkRules(blocked: ["blocked.org"])))
    previewer.client.trust = .authorities(file: folder.path("authority.pem"))
    previewer.client.connectTimeout = .seconds(600)
    (previewer.timeout, previewer.imageTimeout) = (.seconds(600), .seconds(600))
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(previewer, proxy)) } catch { outcome = .failure(error) }
    proxy.stop()
    await server.stop(grace: .zero)
    try outcome.get()
  }

  private static func page(_ head: String, type: String = "text/html") -> HTTPResponse {
    HTTPResponse(
      200, headers: ["Content-Type": type], body: .bytes(Array("<html><head>\(head)</head><body>".utf8)))
  }

  /// Why there is no preview of a link; nil if there is one.
  private func failure(_ previewer: LinkPreviewer, _ link: String = "https://example.org/") async -> String? {
    do throws(LinkPreviewer.Failure) { _ = try await previewer.preview(of: link) } catch {
      return error.reason
    }
    return nil
  }

  /// A GIF image of one pixel.
  private static let pixel: [UInt8] =
    Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]

  /// The same with more blocks of pixels than an image has.
  private static func large(blocks: Int) -> [UInt8] {
    let block: [UInt8] = [0xFF] + [UInt8](repeating: 0, count: 255)
    return Array(pixel.dropLast(5)) + Array(repeatElement(block, count: blocks).joined()) + [0, 0x3B]
  }

  @Test func aPreviewHasTheTitleAndImageOfThePage() async throws {
    let asked = Mutex<[HTTPRequest]>([])
    try await withSite { request in
      asked.withLock { $0.append(request) }
      guard request.target.text == "/pic.gif" else {
        return Self.page(
          #"<title>Plain</title><meta property="og:title" content="Tea &amp; cake"><meta property="og:image" content=" /pic.gif ">"#
        )
      }
      return HTTPResponse(200, headers: ["Content-Type": "text/html"], body: .bytes(Self.pixel))
    } _: { (previewer, proxy) async throws in
      let preview = try await previewer.preview(of: "https://example.org/tea")
      #expect(preview.url == "https://example.org/tea" && preview.title == "Tea & cake" && preview.isMade)
      #expect(preview.image == OutgoingFile(.bytes(Self.pixel), contentType: "image/gif"))
      #expect(Set(proxy.wishes.map(\.target)) == ["example.org:443"])
    }
    let first = try #require(asked.withLock { $0.first })
    #expect(first.method == .get && first.target.text == "/tea")
    #expect(first.headers["user-agent"] == "Mozilla/5.0 (compatible; session)")
    #expect(first.headers["accept"] == "text/html" && first.headers["accept-language"] == "en")
    #expect(first.headers["accept-encoding"] == "gzip")
    for name in ["cookie", "referer", "range", "content-type", "proxy-authorization"] {
      #expect(first.headers[name] == nil, "\(name)")
    }
  }

  @Test func theNextBestTitleIsTaken() async throws {
    let head = Mutex("")
    try await withSite { _ in
      Self.page(head.withLock { $0 }, type: "application/xhtml+xml; charset=\"ISO-8859-1\"")
    } _: { (previewer, _) async throws in
      for (text, title) in [
        ("<meta name=twitter:title content=card><title>t</title>", "card"),
        ("<meta property=og:title content=' '><title>\u{E9}</title>", "\u{C3}\u{A9}"),
        ("<title> </title>", "example.org"), ("", "example.org"),
      ] {
        head.withLock { $0 = text }
        #expect(try await previewer.preview(of: "https://example.org").title == title)
      }
      #expect(
        try await previewer.preview(of: "https://b\u{FC}cher.example").title == "xn--bcher-kva.example")
    }
  }

  @Test func redirectsAreFollowedWithinTheRules() async throws {
    let place = Mutex("")
    let count = Mutex(0)
    try await withSite { request in
      count.withLock { $0 += 1 }
      switch request.target.segments.first {
      case "end": return Self.page("<title>end</title>")
      case "loop": return HTTPResponse(302, headers: ["Location": "/loop"])
      case "three": return HTTPResponse(301, headers: ["Location": "/two"])
      case "two": return HTTPResponse(307, headers: ["Location": "https://www.example.org/one"])
      case "one": return HTTPResponse(308, headers: ["Location": "end"])
      case "none": return HTTPResponse(303)
      default: return HTTPResponse(302, headers: ["Location": place.withLock { $0 }])
      }
    } _: { (previewer, proxy) async throws in
      #expect(try await previewer.preview(of: "https://example.org/three").title == "end")
      count.withLock { $0 = 0 }
      #expect(await failure(previewer, "https://example.org/loop") != nil)
      #expect(count.withLock { $0 } == 4)
      #expect(await failure(previewer, "https://example.org/none") == "the site replied with 303")
      for address in [
        "http://example.org/end", "file:///etc/passwd", "https://169.254.169.254/", "https://localhost/",
        "https://[::1]/", "https://example.org:8443/", "https://me@example.org/", "https://blocked.org/",
        "https://2852039166/",
      ] {
        place.withLock { $0 = address }
        #expect(await failure(previewer) != nil, "\(address)")
      }
      #expect(Set(proxy.wishes.map(\.target)) == ["example.org:443", "www.example.org:443"])
    }
  }

  @Test func otherContentThanAPageHasNoPreview() async throws {
    let answer = Mutex(HTTPResponse(200))
    try await withSite { _ in
      answer.withLock { $0 }
    } _: { (previewer, _) async throws in
      for other in [
        HTTPResponse(200), HTTPResponse(200, headers: ["Content-Type": "image/png"], body: .bytes([1])),
        Self.page("<title>x</title>", type: "text/plain"), HTTPResponse(404), HTTPResponse(500),
        HTTPResponse(
          200, headers: ["Content-Type": "text/html", "Content-Encoding": "gzip"], body: .bytes([1, 2, 3])),
      ] {
        answer.withLock { $0 = other }
        #expect(await failure(previewer) != nil)
      }
      // 10 MB of a title: the page is read to its limit, and the title to its own.
      answer.withLock {
        $0 = HTTPResponse(
          200, headers: ["Content-Type": "text/html"],
          body: .bytes(Array("<title>".utf8) + [UInt8](repeating: 0x78, count: 10_000_000)))
      }
      #expect(try await previewer.preview(of: "https://example.org").title?.count == 200)
    }
  }

  @Test func imagesThatAreNoneAreLeftOut() async throws {
    let image = Mutex((address: "", response: HTTPResponse(200)))
    try await withSite { request in
      let (address, response) = image.withLock { $0 }
      guard request.target.text != "/" else {
        return Self.page("<meta property=og:image content='\(address)'>")
      }
      return response
    } _: { (previewer, _) async throws in
      func hasImage(_ address: String, _ bytes: [UInt8], status: Int = 200) async throws -> Bool {
        image.withLock { $0 = (address, HTTPResponse(status, body: .bytes(bytes))) }
        return try await previewer.preview(of: "https://example.org/").image != nil
      }
      #expect(try await hasImage("/a", Self.pixel))
      #expect(try await !hasImage("data:image/gif;base64,R0lGODlh", Self.pixel))
      #expect(try await !hasImage("http://example.org/a", Self.pixel))
      #expect(try await !hasImage("https://127.0.0.1/a", Self.pixel))
      #expect(try await !hasImage("/a.svg", Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8)))
      #expect(try await !hasImage("/a.jpg", Array("<html>not an image</html>".utf8)))
      #expect(try await !hasImage("/a", Self.pixel, status: 404))
      // Larger than what is sent, and than what is read.
      #expect(try await !hasImage("/a", Self.large(blocks: 1021)))
      #expect(try await hasImage("/a", Self.large(blocks: 1000)))
      #expect(try await !hasImage("/a", Self.pixel + [UInt8](repeating: 0, count: 1 << 20)))
      // 25 megapixels by its header.
      #expect(try await !hasImage("/a", Array("GIF89a".utf8) + [0x88, 0x13, 0x88, 0x13, 0, 0, 0]))
    }
  }

  @Test func aSlowSiteIsNotWaitedFor() async throws {
    try await withSite { _ in
      // Until the server stops.
      try? await Task.sleep(for: .seconds(600))
      return Self.page("")
    } _: { (previewer, _) async throws in
      var previewer = previewer
      previewer.timeout = .milliseconds(50)
      #expect(await failure(previewer) == "no reply in time")
    }
  }

  @Test func withoutAProxyEveryAddressIsChecked() async throws {
    for host in ["127.0.0.1", "169.254.169.254", "10.0.0.1", "100.64.0.1", "[::1]", "[fd00::1]"] {
      var previewer = LinkPreviewer(SiteAccess(proxy: { _ in nil }, rules: LinkRules()))
      let address = try NetworkAddress(parsing: "\(host):443")
      let global = try NetworkAddress(parsing: "1.1.1.1:443")
      previewer.client.lookUp = { _, _ in [global, address] }
      #expect(await failure(previewer) == "\(HTTPError.addressRefused)")
    }
  }

  @Test func previewsAreKeptForAWhile() {
    let cache = LinkPreviewCache()
    for number in 0..<40 {
      cache["https://example.org/\(number)"] = .made(
        OutgoingText.Preview(url: "https://example.org/\(number)", title: "\(number)"))
    }
    guard case .made(let kept)? = cache["https://example.org/39"] else {
      Issue.record("the newest is not kept")
      return
    }
    #expect(kept.title == "39" && cache["https://example.org/0"] == nil)
  }

  /// A message to several has one wait for its link.
  @Test func aSiteWithoutAPreviewIsNotAskedForEachRecipient() async throws {
    let readings = Mutex(0)
    let world = MemoryIO()
    var io = world.io()
    io.servedSites = { () throws(CommandFailure) in
      readings.withLock { $0 += 1 }
      return SiteAccess(proxy: { _ in nil }, rules: LinkRules(blocked: ["blocked.org"]))
    }
    let previews = LinkPreviews(io: io)
    for _ in 0..<3 {
      #expect(try await previews.preview(of: "https://blocked.org/", in: try person()) == nil)
    }
    #expect(readings.withLock { $0 } == 1 && Set(world.messages).count == 1)
  }

  /// The message is not wanted any more.
  @Test func anInterruptedWaitIsNoFailureOfTheSite() async throws {
    let world = MemoryIO()
    let previews = LinkPreviews(io: world.io())
    let conversation = try person()
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await previews.preview(of: "https://localhost/", in: conversation)
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(previews.io.previews["https://localhost/"] == nil && world.messages.isEmpty)
  }

  private func person() throws -> Conversation.ID { .person(try SessionID(parsing: Example.bobID)) }
}
