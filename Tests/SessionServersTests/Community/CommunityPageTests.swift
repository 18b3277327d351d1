import Foundation
import SessionBase
import SessionCore
import SessionHTTP
import SessionStorage
import Testing

@testable import SessionServers

/// The pages for people without a client, into which strangers write.
@Suite(.onBothStorages, .timeLimit(.minutes(10))) struct CommunityPageTests {
  private static let hostile = [
    "<script>window.x=1</script>", "\"><img src=x onerror=\"window.x=1\">", "javascript:alert(1)", "</title>",
    "<!--", "]]>",
    "{{7*7}}", "a\u{2028}b", "a\u{202E}b", "a" + String(repeating: "\u{0301}", count: 1000), "👩‍👩‍👧",
    "a\u{200D}b",
    "a\u{0}b", "'onmouseover='x", "&lt;b&gt;", "שלום world", String(repeating: "x", count: 1990),
  ]

  /// Posts a text under a name. False for one that clients cannot write.
  @discardableResult
  private func post(_ site: CommunitySite, _ member: Member, _ text: String, name: String?) async throws
    -> Bool
  {
    site.clock.advance(.seconds(20))
    let time = try MessageTime(milliseconds: site.clock.now)
    guard let profile = try? MessageProfile(name: name),
      let message = try? Message(.visible(VisibleMessage(body: text, profile: profile)), sentAt: time),
      let data = try? member.account.encode(message, for: .community)
    else { return false }
    let answer = try await site.call(
      member, "POST", "/room/lobby/message", json: try member.post(data: data))
    try #require(answer.status == 201, "\(answer.text)")
    return true
  }

  @Test(arguments: ["/lobby", "/lobby?public_key=00", "/r/lobby/", "/r/lobby", "/LOBBY"])
  func theLinkOfARoomIsAPage(path: String) async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.call(nil, "GET", path)
      #expect(answer.status == 200)
      #expect(answer.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(answer.text.contains("<h1><bdi>Lobby</bdi></h1>"))
      #expect(
        answer.text.contains(
          "<code id=\"link\">\(site.server.url)/lobby?public_key=\(site.server.key.hex)</code>"))
      let policy = answer.headers["Content-Security-Policy"] ?? ""
      #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"))
      #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
      #expect(answer.headers["Referrer-Policy"] == "no-referrer")
    }
  }

  @Test func roomsThatAreNotPublicHaveNoPage() async throws {
    try await withCommunity { (site) async throws in
      try await site.server.store.write { try SQLText.defaults(14).run($0) }
      var pages: Set<String> = []
      for path in [
        "/lobby", "/r/lobby/", "/none", "/r/lobby/recent.html", "/r/lobby/invite.svg", "/r/none/invite.png",
      ] {
        let answer = try await site.call(nil, "GET", path)
        #expect(answer.status == 404)
        pages.insert(answer.text)
      }
      #expect(pages.count == 1)
      #expect(try await !site.call(nil, "GET", "/").text.contains("Lobby"))
    }
  }

  @Test(arguments: ["/batch", "/sequence"]) func pathsOfRequestsAreNoPages(path: String) async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.call(nil, "GET", path)
      #expect(answer.status == 405 && answer.headers["Allow"] == "POST")
      #expect(try await site.call(nil, "GET", "/user").status == 404)
    }
  }

  @Test func pagesCanBeOff() async throws {
    try await withCommunity { options in
      options.showsIndex = false
      options.showsRecent = false
    } body: { (site) async throws in
      try await post(site, try site.member(), "secret", name: nil)
      #expect(try await site.call(nil, "GET", "/").status == 404)
      let page = try await site.call(nil, "GET", "/lobby")
      #expect(page.status == 200)
      #expect(!page.text.contains("secret"))
      #expect(try await site.call(nil, "GET", "/r/lobby/recent.html").status == 404)
    }
  }

  @Test func programsThatAskForAnObjectGetNoPage() async throws {
    try await withCommunity { (site) async throws in
      let answer = try await site.send("GET", "/lobby", headers: [("Accept", "application/json")])
      #expect(answer.status == 404)
      #expect(answer.headers["Content-Type"]?.hasPrefix("text/plain") == true)
      #expect(try await site.call(nil, "GET", "/rooms").headers["Content-Type"] == "application/json")
      #expect(try await site.call(nil, "GET", "/favicon.ico").status == 204)
      for (path, type) in [("/static/room.css", "text/css"), ("/static/room.js", "text/javascript")] {
        let file = try await site.call(nil, "GET", path)
        #expect(file.headers["Content-Type"]?.hasPrefix(type) == true)
        #expect(file.body.count < 4096)
      }
    }
  }

  /// The markup of a page without its texts and the values of attributes.
  private func skeleton(_ html: String) -> [String] {
    html.matches(of: /<[^>]*>/).map { String($0.output.replacing(/"[^"]*"/, with: "")) }
  }

  @Test func nothingThatStrangersWriteIsMarkup() async throws {
    try await withCommunity {
      $0.postLimit = .init(1000, within: 1)
    } body: { (site) async throws in
      let (member, admin) = (try site.member(), try await site.admin())
      for text in Self.hostile { try await post(site, member, text, name: "me") }
      let harmless = try await site.call(nil, "GET", "/lobby").text
      for (index, text) in Self.hostile.enumerated() {
        let change: JSONValue = [
          "name": .string(String(String.UnicodeScalarView(("x" + text).unicodeScalars.prefix(100)))),
          "description": .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(2000)))),
        ]
        #expect(try await site.call(admin, "PUT", "/room/lobby", json: change).status == 200)
        try await post(site, member, "\(index)", name: text)
        _ = try await site.call(member, "PUT", "/room/lobby/reaction/1/<b>\(index)", json: [:])
        for path in ["/lobby", "/", "/r/lobby/recent.html"] {
          let html = try await site.call(nil, "GET", path).text
          let tags = Set(skeleton(html))
          #expect(!html.contains("<script>"), "\(text.prefix(30))")
          #expect(
            tags.allSatisfy { !$0.contains("onerror") && !$0.contains("img src=x") }, "\(text.prefix(30))")
          #expect(!html.unicodeScalars.contains { [0, 0x202E, 0x2028].contains($0.value) })
          #expect(!html.contains("a\u{200D}b"))
        }
      }
      #expect(harmless.contains("&lt;script&gt;window.x=1&lt;/script&gt;"))
      #expect(harmless.contains("&amp;lt;b&amp;gt;"))
      #expect(harmless.contains("<bdi>👩‍👩‍👧</bdi>"))
      #expect(harmless.contains("a\u{FFFD}b"))
      let marks = harmless.unicodeScalars.filter { $0 == "\u{0301}" }.count
      #expect(marks == 20)
    }
  }

  @Test(arguments: hostile) func textsAreShownWithoutHarm(text: String) {
    let cleaned = HTMLText.cleaned(text, limit: 100)
    #expect(cleaned.unicodeScalars.count <= 101)
    #expect(!cleaned.unicodeScalars.contains { [0, 0x202E, 0x2028].contains($0.value) })
    let shown = cleaned.escapedHTML
    #expect(!shown.contains { "<>\"'".contains($0) })
    let plain = shown.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
      "&quot;", with: "\""
    )
    .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
    #expect(plain == cleaned)
  }

  @Test func whispersAndFilteredMessagesAreOnNoPage() async throws {
    try await withCommunity { (site) async throws in
      let admin = try await site.admin()
      for text in ["hidden", "public"] {
        let message = try Message(
          .visible(VisibleMessage(body: text)), sentAt: MessageTime(milliseconds: site.clock.now))
        let data = try admin.account.encode(message, for: .community)
        let json = try admin.post(data: data, [.init("whisper_mods", .boolean(text == "hidden"))])
        #expect(try await site.call(admin, "POST", "/room/lobby/message", json: json).status == 201)
      }
      let html = try await site.call(nil, "GET", "/lobby").text
      #expect(html.contains("public"))
      #expect(!html.contains("hidden</bdi>"))
    }
  }

  @Test func messagesThatAreNoneAreShownAsSuch() async throws {
    try await withCommunity { (site) async throws in
      try await site.post("\u{1}no message", as: try site.member())
      #expect(try await site.call(nil, "GET", "/lobby").text.contains("<i>not a text</i>"))
    }
  }

  @Test func theInviteIsAPicture() async throws {
    try await withCommunity { (site) async throws in
      let svg = try await site.call(nil, "GET", "/r/lobby/invite.svg")
      #expect(svg.headers["Content-Type"] == "image/svg+xml")
      #expect(svg.text.hasPrefix("<svg "))
      #expect(svg.text.hasSuffix("</svg>"))
      let png = try await site.call(nil, "GET", "/r/lobby/invite.png")
      #expect(png.headers["Content-Type"] == "image/png")
      #expect(png.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }
}
