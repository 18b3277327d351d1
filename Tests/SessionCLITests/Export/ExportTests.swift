import Browsing
import Foundation
import SessionBase
import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionMessaging

/// Conversations in plain files.
@Suite(.timeLimit(.minutes(10))) struct ExportTests {
  @Test(arguments: [
    ("beach.jpg", "beach.jpg"), ("../../etc/passwd", "passwd"), ("a\\b\\..\\c.txt", "c.txt"),
    (".hidden", "hidden"),
    ("..", "file"), ("", "file"), ("a\u{0}b\u{202E}gpj.exe", "a_b_gpj.exe"), ("con:<1>.txt", "con__1_.txt"),
  ])
  func namesOfFilesLeadNowhere(_ name: String, _ expected: String) {
    #expect(ExportedName.cleaned(name) == expected)
  }

  @Test func longNamesKeepTheirExtension() {
    let cleaned = ExportedName.cleaned(String(repeating: "ä", count: 300) + ".jpeg")
    #expect(cleaned.utf8.count <= ExportedName.limit && cleaned.hasSuffix("ä.jpeg"))
    #expect(ExportedName.escaped("a b%\"ä.txt") == "a%20b%25%22%C3%A4.txt")
  }

  @Test func onlyAddressesOfPagesBecomeLinks() {
    #expect(
      ExportedPage.linked("see https://a.example/x?y=1&z=2, javascript:alert(1) <b>")
        == "see <a href=\"https://a.example/x?y=1&amp;z=2\" rel=\"noreferrer\">https://a.example/x?y=1&amp;z=2</a>, "
        + "javascript:alert(1) &lt;b&gt;")
    #expect(
      ExportedPage.linked("http://x\" onclick=\"y")
        == "<a href=\"http://x\" rel=\"noreferrer\">http://x</a>&quot; onclick=&quot;y")
    #expect(ExportedPage.linked("https:// http://") == "https:// http://")
    let word = String(repeating: "a", count: 1_000_000)
    #expect(ExportedPage.linked(word) == word)
  }

  @Test func daysAndTimesAreLocal() throws {
    let day = try #require(LocalMoment.parse("2026-03-01"))
    #expect(LocalTime.text(day) == "2026-03-01 00:00")
    let time = try #require(LocalMoment.parse("2026-03-01 14:05:09"))
    #expect(time - day == ((14 * 60 + 5) * 60 + 9) * 1000)
    #expect(LocalMoment.parse("2024-02-29") != nil)
    for text in ["", "2026-02-29", "2026-13-01", "2026-01-00", "26-01-01", "2026-01-01 24:00", "2026-01-01x"]
    {
      #expect(LocalMoment.parse(text) == nil, "\(text)")
    }
    let next = try #require(LocalMoment.next("14:05", after: time))
    #expect(LocalTime.text(next) == "2026-03-02 14:05")
    #expect(try LocalTime.text(#require(LocalMoment.next("14:06", after: time))) == "2026-03-01 14:06")
    #expect(LocalMoment.next("25:00", after: time) == nil)
  }

  private static let mark = "document.documentElement.dataset.owned=1"
  private static let hostile = [
    "<script>\(mark)</script>", "\"><img src=x onerror=\"\(mark)\">", "</title><script>\(mark)</script>",
    "javascript:\(mark)", "<!--", "&lt;script&gt;", "\u{202E}turned around",
  ]

  /// Some marks join the sign after them to one character.
  @Test func marksHideNoSigns() {
    #expect("\u{0600}<b>".escapedHTML == "\u{0600}&lt;b&gt;")
    #expect(
      ExportedPage.linked("see https://x\"\u{301}/style=a (http://y.) http://")
        == "see <a href=\"https://x\" rel=\"noreferrer\">https://x</a>&quot;\u{301}/style=a "
        + "(<a href=\"http://y\" rel=\"noreferrer\">http://y</a>.) http://")
    #expect(ExportedName.cleaned("x\u{0D4E}/../y") == "y")
    #expect(!ExportedName.cleaned("x\u{0D4E}/").unicodeScalars.contains("/"))
  }

  @Test func conversationsAreExportedInEachFormat() async throws {
    try await Household.with { home in
      try await home.friends()
      for text in Self.hostile { try await home.run("send", "bob", text, "--account", "alice") }
      let name = "\"><img src=x onerror=\"\(Self.mark)\">.txt"
      try Data("a file".utf8).write(to: home.path(name.replacingOccurrences(of: "/", with: "")))
      try await home.run("send", "bob", "With", "--attach", name, "--account", "alice")
      try await home.run("contacts", "nickname", "bob", Self.hostile[0], "--account", "alice")
      try await home.run("account", "use", "alice")
      let bob = try #require(try await home.json("contacts", "list").first?["id"] as? String)
      func export(_ words: String...) async throws -> Program.Outcome {
        try await home.outcome(["export"] + words + ["--yes"])
      }
      #expect(try await home.outcome(["export", bob, "--format", "text", "--to", "x"]).status == 64)
      #expect(try await export("--format", "text", "--to", "x").status == 64)
      #expect(try await export(bob, "--format", "html", "--to", "-").status == 64)
      #expect(try await export(bob, "--format", "pdf", "--to", "x").status == 64)
      #expect(try await export(bob, "--format", "text", "--to", "x", "--since", "soon").status == 64)

      let lines = try await export(bob, "--format", "jsonl", "--to", "-").output.split(separator: "\n")
      let objects = try lines.map { try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      #expect(
        objects.first??["type"] as? String == "export" && objects.first??["conversation"] as? String == bob)
      let shown = try await home.json("show", bob)
      #expect(objects.dropFirst().map { $0?["body"] as? String } == shown.map { $0["body"] as? String })
      let files = objects.last??["files"] as? [[String: Any]]
      #expect(files?.first?["name"] as? String == name && files?.first?["size"] as? Int == 6)
      #expect(
        try await export(bob, "--format", "jsonl", "--to", "-", "--until", "2001-01-01").output.split(
          separator: "\n"
        ).count == 1)

      #expect(try await export(bob, "--format", "text", "--to", "bob.txt").status == 0)
      let text = try String(contentsOf: home.path("bob.txt"), encoding: .utf8)
      #expect(text.contains(": Hello\n") && text.contains("\n  [file ") && !text.contains("\u{202E}"))
      let mode = try FileManager.default.attributesOfItem(atPath: home.path("bob.txt").path)[
        .posixPermissions]
      #expect(mode as? Int == 0o600)
      #expect(try await export(bob, "--format", "text", "--to", "bob.txt").status == 73)

      #expect(try await export("--all", "--format", "html", "--with-files", "--to", "all").status == 0)
      let folder = try #require(
        try FileManager.default.contentsOfDirectory(atPath: home.path("all").path).first {
          $0.hasPrefix("1-")
        })
      let page = home.path("all/\(folder)/index.html")
      let html = try String(contentsOf: page, encoding: .utf8)
      #expect(html.contains("&lt;script&gt;") && !html.contains("<script"))
      let saved = try FileManager.default.contentsOfDirectory(atPath: home.path("all/\(folder)/files").path)
      #expect(saved.count == 1 && saved.allSatisfy { !$0.contains("<") && !$0.contains("\"") })
      try await expectHarmless(page)
      try await expectHarmless(home.path("all/index.html"))
    }
  }

  /// In a browser that is there, nothing of the page runs.
  private func expectHarmless(_ page: URL) async throws {
    guard let browser = Browser() else { return }
    let document = try await browser.document(of: page.absoluteString)
    #expect(document.contains("<h1") && !document.contains("data-owned"))
    #expect(!document.contains("<script") && !document.contains("<img src=\"x\""))
  }

  @Test(.enabled(if: Browser.path != nil, "Chromium is not installed"))
  func picturesNextToAPageAreLoadedAndNothingElse() async throws {
    let folder = try Program.atHome()
    let browser = try #require(Browser())
    let png = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="))
    try png.write(to: folder.path("dot.png"))
    // The policy forbids the script; the control shows that this browser would run it.
    let body = "<img id=\"i\" src=\"dot.png\"><script>\(Self.mark)</script>"
    try Data(("<!doctype html>" + body).utf8).write(to: folder.path("control.html"))
    try Data((ExportedPage.beginning("x") + body + ExportedPage.ending).utf8).write(
      to: folder.path("page.html"))
    let control = try await browser.document(of: folder.path("control.html").absoluteString)
    #expect(control.contains("data-owned"))
    let page = try await browser.document(of: folder.path("page.html").absoluteString)
    #expect(!page.contains("data-owned") && page.contains("dot.png"))
  }

  /// Writing to a disk must not keep other tasks of the program from running.
  @Test func conversationsAreWrittenOnAQueueOfTheirOwn() async throws {
    let messenger = try Messenger(
      .generate(), try .inMemory(schema: .account), MessengerEnvironment(swarms: UnreachableSwarms()))
    let export = PlainExport(
      messenger: messenger, format: .text, range: .init(), hasFiles: false, now: 1_700_000_000_000)
    #expect(await export.isOnItsQueue)
  }
}

extension PlainExport {
  /// Where its methods run.
  fileprivate var isOnItsQueue: Bool { queue.isCurrent }
}
