import SessionCore
import SessionNodeCore
import Testing

@testable import SessionNode

@Suite struct HostRuleTests {
  private func admits(_ rule: String, _ host: String, _ port: UInt16 = 443) throws -> Bool {
    try #require(HostRule(rule)).admits(OnionTarget(url: "", host: host, port: port))
  }

  @Test(arguments: [
    ("files.example", "files.example"), ("files.example", "FILES.Example"),
    ("FILES.example", "files.EXAMPLE"),
    ("files.example:443", "files.example"), ("*.example", "files.example"), ("*.example", "a.b.example"),
    ("*", "anything"), ("*", "127.0.0.1"), ("*:443", "x.y"), ("192.0.2.1", "192.0.2.1"),
    ("[::1]", "[0:0::1]"),
    ("[::1]:443", "[::1]"),
  ])
  func matchingHostsAreAdmitted(rule: String, host: String) throws { #expect(try admits(rule, host)) }

  @Test(arguments: [
    ("files.example", "files.example."), ("files.example", "xfiles.example"), ("files.example", "example"),
    ("files.example", "files.example.evil"), ("files.example:80", "files.example"), ("*.example", "example"),
    ("*.example", ".example"), ("*.example", "badexample"), ("*:80", "x.y"), ("127.0.0.1", "127.1"),
    ("127.0.0.1", "2130706433"), ("127.0.0.1", "localhost"), ("127.0.0.1", "[::ffff:127.0.0.1]"),
    ("[::1]", "[::2]"),
  ])
  func otherHostsAreNotAdmitted(rule: String, host: String) throws { #expect(try !admits(rule, host)) }

  @Test(arguments: [
    "", ":80", "*:", "*:0", "*:65536", "*:080", "a:x", "a b", "a..b", ".a", "a.", "*a", "*.", "**", "a/b",
    "a@b",
    "http://a", "[::1", "::1", "[zz]",
  ])
  func invalidRulesAreReported(text: String) { #expect(HostRule(text) == nil) }
}
