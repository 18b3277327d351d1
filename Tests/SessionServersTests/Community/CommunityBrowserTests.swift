import Browsing
import Foundation
import SessionCore
import Testing

@testable import SessionServers

/// The pages of rooms in a real browser. Without Chromium the tests are skipped.
@Suite(.enabled(if: Browser.path != nil, "Chromium is not installed"), .timeLimit(.minutes(10)))
struct CommunityBrowserTests {
  /// What marks a page in which a script of a stranger has run.
  private static let mark = "document.documentElement.dataset.owned=1"
  private static let hostile = [
    "<script>\(mark)</script>", "\"><img src=x onerror=\"\(mark)\">", "'><svg onload=\(mark)>",
    "</title><script>\(mark)</script>", "</p></li></ol></main><script>\(mark)</script>",
    "<!--", "]]><script>\(mark)</script>", "javascript:\(mark)", "<a href=\"javascript:\(mark)\">x</a>",
    "<iframe srcdoc=\"<script>parent.\(mark)</script>\">", "<style>*{display:none}</style>",
    "<base href=\"//192.0.2.1/\">", "<meta http-equiv=\"refresh\" content=\"0;url=//192.0.2.1/\">",
    "{{constructor.constructor('\(mark)')()}}", "שלום world",
  ]

  private func post(_ site: CommunitySite, _ member: Member, _ text: String, name: String) async throws {
    site.clock.advance(.seconds(20))
    let time = try MessageTime(milliseconds: site.clock.now)
    let message = try Message(
      .visible(VisibleMessage(body: text, profile: try MessageProfile(name: name))), sentAt: time)
    let data = try member.account.encode(message, for: .community)
    let answer = try await site.call(
      member, "POST", "/room/lobby/message", json: try member.post(data: data))
    try #require(answer.status == 201, "\(answer.text)")
  }

  @Test func noScriptOfAStrangerRuns() async throws {
    let browser = try #require(Browser())
    // Of a page that lets them, the browser runs them.
    let control = try await browser.document(
      of: "data:text/html,<script>\(Self.mark)</script><p>control</p>")
    try #require(control.contains("data-owned"), "\(control)")
    try await withCommunity { (site) async throws in
      let member = try site.member()
      for (index, text) in Self.hostile.enumerated() {
        try await post(site, member, text, name: String(Self.hostile[index].prefix(60)))
      }
      for text in [Self.hostile[1], Self.hostile[3]] {
        var settings = RoomSettings(token: "lobby")
        (settings.name, settings.description) = (String(text.prefix(100)), text)
        _ = try await site.server.carryOut(.changeRoom(settings))
        for path in ["lobby", "r/lobby/", "", "r/lobby/recent.html"] {
          let document = try await browser.document(of: "\(site.server.url)/\(path)")
          #expect(!document.contains("data-owned"), "\(path)")
          // The texts are there as texts; a browser writes a document with what has to be escaped in it.
          if path == "lobby" {
            for text in Self.hostile {
              let shown = text.replacingOccurrences(of: "&", with: "&amp;")
                .replacingOccurrences(of: "<", with: "&lt;").replacingOccurrences(of: ">", with: "&gt;")
              #expect(document.contains(shown), "\(text)")
            }
            #expect(document.components(separatedBy: "<script").count == 2)
            #expect(
              !document.contains("<iframe") && !document.contains("<base") && !document.contains("<svg"))
          }
        }
      }
    }
  }
}
