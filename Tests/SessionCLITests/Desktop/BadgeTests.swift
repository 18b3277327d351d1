import Foundation
import Testing

@testable import SessionCLI

/// The number of unread messages, for status bars.
@Suite(.timeLimit(.minutes(10))) struct BadgeTests {
  private var counts: UnreadCounts {
    var counts = UnreadCounts()
    (counts.messages, counts.mentions, counts.requests) = (3, 2, 1)
    return counts
  }

  @Test func aFormatHasTheNumbersInIt() throws {
    for (format, line) in [
      ("{unread}", "4"), ("{unread} {mentions}", "4 2"), ("✉ {requests}!", "✉ 1!"), ("plain", "plain"),
      ("", ""),
      ("{unread}{unread}", "44"), ("100 %", "100 %"),
    ] { #expect(try BadgeText(format).line(counts) == line) }
    for format in ["{unread", "unread}", "{messages}", "{}", "{{unread}}", "}{", "{unread }"] {
      #expect(throws: BadgeText.Mistake.self, "\(format)") { try BadgeText(format) }
    }
  }

  @Test func changesAreFollowed() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("read", "--all", "--account", "bob")
      try await home.run("read", "--all", "--account", "alice")
      #expect(try await home.run("badge", "--format", "{unread} unread") == "0 unread\n")
      #expect(try await home.outcome(["badge", "--format", "{x}"]).status == 64)
      #expect(try await home.outcome(["badge", "--json", "--format", "{unread}"]).status == 64)
      let daemon = try await DaemonTests.started(home)
      let lines = try home.start("badge", "--follow")
      let objects = try home.start("badge", "--follow", "--json")
      _ = try await lines.line(with: "0")
      _ = try await objects.line(with: #""unread":0"#)
      try await home.run("send", "bob", "Hi", "--account", "alice")
      #expect(try await lines.line(with: "1") == "1")
      let changed = try await objects.line(with: #""unread":1"#)
      #expect(try expectForms(inLines: changed + "\n", writtenBy: ["badge"]).count == 1)
      // What is muted does not count, over the socket either.
      try await home.run("mute", "alice", "--account", "bob")
      #expect(try await lines.line(with: "0") == "0")
      try await home.run("unmute", "alice", "--account", "bob")
      #expect(try await lines.line(with: "1") == "1")
      try await home.run("read", "alice", "--account", "bob")
      #expect(try await lines.line(with: "0") == "0")
      // It goes on without the daemon, and with the next one.
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      let next = try await DaemonTests.started(home)
      try await home.run("send", "bob", "Hi again", "--account", "alice")
      #expect(try await lines.line(with: "1") == "1")
      next.signal(SIGTERM)
      #expect(await next.end() == 0)
      for process in [lines, objects] {
        process.signal(SIGTERM)
        #expect(await process.end() == 0)
      }
    }
  }
}
