import SessionHTTP
import Testing

@testable import SessionCLI

@Suite struct LinkInTextTests {
  @Test(arguments: [
    ("see https://example.org/a, and", "https://example.org/a"),
    ("(https://example.org/a_(b)).", "https://example.org/a_(b)"),
    ("HTTPS://Example.org", "HTTPS://Example.org"),
    ("<https://example.org>", "https://example.org"),
    ("first http://a.org then https://b.org https://c.org", "https://b.org"),
    ("`https://a.org` https://b.org", "https://b.org"),
    ("```\nhttps://a.org\n``` and `` `https://x.org` `` https://b.org", "https://b.org"),
    ("` https://b.org", "https://b.org"),
    ("xhttps://a.org https://b.org!", "https://b.org"),
    ("https://b.org/\u{202E}gnp.exe", "https://b.org/"),
  ])
  func theFirstLinkOutsideOfCodeIsFound(text: String, link: String) {
    #expect(LinkInText.first(in: text) == link)
  }

  @Test(arguments: [
    "", "http://a.org", "https://", "https:// a.org", "`https://a.org`", "httpsx://a.org",
    "https://a.org/" + String(repeating: "x", count: 2048),
  ])
  func otherTextsHaveNone(text: String) {
    #expect(LinkInText.first(in: text) == nil)
  }

  @Test func onlyNamedHostsOfTheInternetAreAsked() throws {
    var rules = LinkRules()
    rules.blocked = try #require(
      LinkRules.blockedHosts(
        in: "ads.example *.Tracker.example, other.org\t.dots.example. B\u{FC}cher.example"))
    func refusal(_ text: String) throws -> String? {
      let url = try PageURL(parsing: text)
      do throws(LinkRules.Refusal) { try rules.check(url) } catch { return error.reason }
      return nil
    }
    #expect(try refusal("https://example.org/a") == nil)
    #expect(try refusal("https://example.org:443/a") == nil)
    #expect(try refusal("https://notother.org/") == nil)
    for text in [
      "http://example.org", "https://example.org:8443", "https://127.0.0.1", "https://[::1]",
      "https://0x7f.1", "https://127.0.0.1.", "https://1.2.3.4.5",
      "https://localhost", "https://printer", "https://a.onion", "https://a.loki", "https://a.local",
      "https://a.local.", "https://a.internal", "https://a.home.arpa", "https://A.LOCALHOST",
      "https://ads.example", "https://www.ads.example", "https://tracker.example", "https://OTHER.org.",
      "https://dots.example", "https://a.dots.example.", "https://b\u{FC}cher.example",
      "https://www.xn--bcher-kva.example",
      "https://example.org/" + String(repeating: "x", count: 2048),
    ] {
      #expect(try refusal(text) != nil, "\(text)")
    }
  }

  /// It would block nothing.
  @Test(arguments: [
    "*", "*.", ".", "a..b", "example.org/path", "https://example.org", "example.org:8443", "me@example.org",
    "good.example b\u{FC}d/x",
  ])
  func aListWithAnEntryThatIsNoHostIsAMistake(list: String) {
    #expect(LinkRules.blockedHosts(in: list) == nil)
  }

  @Test func titlesAreOneLineOfHarmlessText() {
    #expect(LinkPreviewer.title("  a\n\t b\u{A0}c  ") == "a b c")
    #expect(LinkPreviewer.title("a\u{202E}b\u{2066}c\u{7}\u{1B}[31m") == "abc[31m")
    #expect(LinkPreviewer.title("\u{200B}\u{FEFF} ") == "")
    #expect(LinkPreviewer.title(String(repeating: "ab ", count: 100)).count == 200)
    #expect(LinkPreviewer.title("\u{1F469}\u{200D}\u{1F680}") == "\u{1F469}\u{200D}\u{1F680}")
  }

  @Test func textsOfOtherEncodingsBecomeUTF8() {
    func text(_ bytes: [UInt8], _ name: String) -> String {
      String(decoding: CharacterEncoding.utf8(bytes, from: name), as: UTF8.self)
    }
    #expect(text([0x63, 0xE9, 0x93], "ISO-8859-1") == "c\u{E9}\u{201C}")
    #expect(text([0xCF, 0xF0, 0xE8], "windows-1251") == "\u{41F}\u{440}\u{438}")
    #expect(text([0x93, 0xFA, 0x96, 0x7B], "Shift_JIS") == "\u{65E5}\u{672C}")
    // A character that is cut, an unknown encoding, and a lie.
    #expect(text([0x61, 0x93], "shift_jis") == "a")
    #expect(text(Array("caf\u{E9}".utf8), "x-unknown") == "caf\u{E9}")
    #expect(!CharacterEncoding.isKnown("ISO-2022-CN-EXT") && CharacterEncoding.isKnown("UTF-8"))
    #expect(CharacterEncoding.utf8([], from: "koi8-r").isEmpty)
  }
}
