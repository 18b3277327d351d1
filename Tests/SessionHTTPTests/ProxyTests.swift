import LoopbackProxy
import SessionCore
import SessionHTTP
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct ProxyTests {
  /// A client that reaches all hosts through a proxy, and how often it looked a name up.
  private func with(
    _ manner: LoopbackProxy.Manner, user: String? = nil,
    _ body: (Site, HTTPClient, LoopbackProxy) async throws -> Void
  ) async throws {
    try await withSite { request in
      .text(200, "served \(request.target.text)")
    } body: { (site) async throws in
      let proxy = try LoopbackProxy(manner, to: site.server.address.port)
      let kind: HTTPProxy.Kind = manner == .socks ? .socks5h : .http
      var chosen = try HTTPProxy(parsing: "\(kind.rawValue)://127.0.0.1:\(proxy.port)")
      if let user { (chosen.user, chosen.password) = (user, "secret") }
      var options = HTTPClient.Options.patient
      options.proxy = { [chosen] _ in chosen }
      // Nothing is looked up on this machine, and no address of a server is known.
      options.lookUp = { name, _ in
        Issue.record("\(name) was looked up")
        return []
      }
      options.admits = { _ in false }
      let client = try HTTPClient(options: options)
      let outcome: Result<Void, any Error>
      do { outcome = .success(try await body(site, client, proxy)) } catch { outcome = .failure(error) }
      await client.stop()
      proxy.stop()
      try outcome.get()
    }
  }

  @Test(arguments: [LoopbackProxy.Manner.http, .socks])
  func theProxyAloneKnowsTheName(manner: LoopbackProxy.Manner) async throws {
    try await with(manner) { _, client, proxy in
      let reply = try await client.send(.patient(.get, "http://site.example:8080/page"))
      #expect(reply.status == 200 && reply.body == Array("served /page".utf8))
      #expect(
        proxy.wishes.map(\.target) == ["site.example:8080"] && proxy.wishes.allSatisfy { $0.login == nil })
    }
  }

  @Test func theProxyIsToldTheUserAndPassword() async throws {
    try await with(.socks, user: "alice") { _, client, proxy in
      _ = try await client.send(.patient(.get, "http://site.example/"))
      #expect(proxy.wishes.map(\.login) == ["alice:secret"])
    }
    try await with(.http, user: "alice") { _, client, proxy in
      _ = try await client.send(.patient(.get, "http://site.example/"))
      #expect(proxy.wishes.map(\.login) == ["YWxpY2U6c2VjcmV0"])
    }
  }

  @Test func nothingGoesAroundAProxyThatFails() async throws {
    let asked = Mutex(0)
    try await withSite { _ in
      asked.withLock { $0 += 1 }
      return .text(200, "")
    } body: { (site) async throws in
      let page = try LoopbackProxy(.page, to: site.server.address.port)
      let gone = try LoopbackProxy(.http, to: site.server.address.port)
      gone.stop()
      // A port without a listener, and a server that is no proxy.
      for text in ["http://127.0.0.1:\(gone.port)", "http://127.0.0.1:\(page.port)"] {
        let proxy = try HTTPProxy(parsing: text)
        var options = HTTPClient.Options.patient
        options.proxy = { _ in proxy }
        let client = try HTTPClient(options: options)
        var isPage = false
        do {
          isPage = try await client.send(.patient(.get, site.url)).body == Array("<html>".utf8)
        } catch {}
        #expect(!isPage)
        await client.stop()
      }
      page.stop()
    }
    #expect(asked.withLock { $0 } == 0)
  }

  @Test func aHostCanGoWithoutTheProxy() async throws {
    try await withSite { _ in
      .text(200, "direct")
    } body: { (site) async throws in
      let closed = try HTTPProxy(parsing: "socks5h://127.0.0.1:1")
      var options = HTTPClient.Options.patient
      options.proxy = { $0 == "127.0.0.1" ? nil : closed }
      let client = try HTTPClient(options: options)
      #expect(try await client.send(.patient(.get, site.url)).body == Array("direct".utf8))
      await client.stop()
    }
  }

  @Test func proxiesAreGivenByAHostAndPort() throws {
    for text in ["socks5h://127.0.0.1:9050", "http://proxy.example:3128", "http://[::1]:80"] {
      #expect(try HTTPProxy(parsing: text).description == text)
    }
    #expect(try HTTPProxy(parsing: "SOCKS5H://localhost:1/").description == "socks5h://localhost:1")
    let mistakes: [(String, HTTPProxy.Mistake)] = [
      ("socks5://127.0.0.1:9050", .leaksNames), ("socks4://127.0.0.1:9050", .leaksNames),
      ("http://me:secret@127.0.0.1:80", .password), ("socks5h://me@127.0.0.1:80", .password),
      ("https://127.0.0.1:443", .other), ("127.0.0.1:9050", .other), ("http://127.0.0.1", .other),
      ("http://:80", .other), ("http://host:0", .other), ("http://host:65536", .other),
      ("http://host:80/path", .other), ("http://ho st:80", .other), ("http://::1:80", .other), ("", .other),
    ]
    for (text, mistake) in mistakes {
      #expect(throws: mistake, "\(text)") { try HTTPProxy(parsing: text) }
    }
  }
}
