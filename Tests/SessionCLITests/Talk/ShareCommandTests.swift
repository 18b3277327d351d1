import Foundation
import Glibc
import SessionCore
import SessionMessaging
import Testing

@testable import SessionCLI

/// `session share` and `session open-link`, over a real network.
@Suite(.timeLimit(.minutes(10))) struct ShareCommandTests {
  private func texts(_ home: Household) async throws -> [String] {
    try await home.run("receive", "--ack", "--account", "bob")
    return try await home.json("show", "alice", "--account", "bob").compactMap { $0["body"] as? String }
  }

  @Test(arguments: [false, true])
  func aConversationIsChosenOrConfirmed(daemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("beach".utf8).write(to: home.path("beach.txt"))
      try await home.with(daemon: daemon, serving: "alice") {
        let window = try await TerminalWindow(
          home.program, ["share", "beach.txt", "--text", "look\u{1B}]52;c;eA==", "--account", "alice"],
          columns: 80)
        try await window.see("share beach.txt (5 B) with", " > bob", "text: look\u{FFFD}]52")
        try await window.resize(columns: 60, rows: 10)
        try await window.see("share beach.txt (5 B) with", " > bob", "Up and Down choose")
        try await window.press("Enter")
        try await window.see("ended 0\nicanon\necho\n")
        try await window.close()
        let words = ["share", "--to", "bob", "--text", "really", "--account", "alice"]
        for answer in ["n", "", "maybe"] {
          let asked = try await TerminalWindow(home.program, words, columns: 80)
          try await asked.see("text: really", "Send the text to bob? [y/N]")
          try await asked.enter(answer)
          #expect(try await asked.see("ended 130\n").contains("session: nothing was sent"))
          try await asked.close()
        }
        let asked = try await TerminalWindow(home.program, words, columns: 80)
        try await asked.see("Send the text to bob? [y/N]")
        try await asked.enter("y")
        try await asked.see("ended 0\nicanon\necho\n")
        try await asked.close()
      }
      #expect(try await texts(home).suffix(2) == ["look\u{1B}]52;c;eA==", "really"])
      let first = try #require(try await home.json("show", "alice", "--account", "bob").dropLast().last)
      let files = try #require(first["attachments"] as? [[String: Any]])
      #expect(files.map { $0["name"] as? String } == ["beach.txt"])
    }
  }

  @Test(arguments: ["me", "bob", "\"bob\"", ""])
  func aRoomIsShownWithItsAddress(name: String) throws {
    let own = try SessionID(parsing: "05" + String(repeating: "ab", count: 32))
    let room = try Conversation.ID(parsing: "https://example.org/lobby")
    let shown = RecipientChoice.name(of: room, name, in: Directory(own: own, []))
    #expect(shown == "\"\(name)\" https://example.org/lobby")
    #expect(RecipientChoice.name(of: .person(own), name, in: Directory(own: own, [])) == "me")
  }

  @Test func leavingTheListSendsNothing() async throws {
    try await Household.with { home in
      try await home.friends()
      for key in ["Escape", "C-c"] {
        let window = try await TerminalWindow(
          home.program, ["share", "--text", "no", "--account", "alice"], columns: 80)
        try await window.see(" > bob")
        try await window.press(key)
        #expect(try await window.see("ended 130\nicanon\necho\n").contains("session: nothing was sent"))
        try await window.close()
      }
      #expect(try await !texts(home).contains("no"))
    }
  }

  @Test func scriptsAgreeOnTheCommandLine() async throws {
    try await Household.with { home in
      try await home.friends()
      let sent = try await home.outcome(
        ["share", "--to", "bob", "--yes", "--json", "--account", "alice"], input: "from a pipe\n")
      #expect(sent.status == 0, "\(sent.messages)")
      #expect(try expectForms(inLines: sent.output, writtenBy: ["share"]).count == 1)
      #expect(try await texts(home).last == "from a pipe")
      // A file that is gone when it is sent, and what can never be sent.
      try FileManager.default.createDirectory(at: home.path("folder"), withIntermediateDirectories: false)
      try #require(mkfifo(home.path("pipe").path, 0o600) == 0)
      let many = (0..<33).map { _ in "beach.txt" }
      for (words, status) in [
        (["folder", "--to", "bob", "--yes"], 65), (["pipe", "--to", "bob", "--yes"], 65),
        (["missing", "--to", "bob", "--yes"], 66), (many + ["--to", "bob", "--yes"], 64),
        (["--text", "x", "--yes"], 64), (["--text", "x"], 64), (["--to", "bob"], 64),
        (["--to", "bob", "--text", "x"], 64), (["--to", "nobody", "--text", "x", "--yes"], 67),
      ] {
        let outcome = try await home.outcome(["share"] + words + ["--account", "alice"])
        #expect(outcome.status == Int32(status), "\(words): \(outcome.status) \(outcome.messages)")
        #expect(outcome.output.isEmpty)
      }
      #expect(try await texts(home).last == "from a pipe")
    }
  }

  @Test func aLinkOpensTheInterface() async throws {
    try await Household.with { home in
      try await home.friends()
      let carol = "05" + String(repeating: "ab", count: 32)
      let link = "session:\(carol)?text=two%0Alines%1B%5D52%3B&name=me&attach=%2Fetc%2Fpasswd"
      let window = try await TerminalWindow(
        home.program, ["open-link", link, "--account", "alice"], columns: 100)
      try await window.see("from a link, which calls this person", "> two", "lines]52;")
      try await window.press("C-q")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()
      // Nothing was sent, and no conversation was made.
      #expect(try await home.json("chats", "--account", "alice").count == 1)
      let number = try #require(try await home.json("chats", "--account", "alice").first?["number"] as? Int)
      let known = try await TerminalWindow(
        home.program, ["open-link", "session:?chat=\(number)", "--account", "alice"], columns: 80)
      try await known.see("   Hello", "Enter send")
      try await known.press("C-q")
      try await known.see("ended 0\n")
      try await known.close()
      let plain = try await TerminalWindow(
        home.program, ["open-link", link, "--plain", "--account", "alice"], columns: 100)
      try await plain.see("from a link, which calls this person \"me\": two lines]52;")
      try await plain.enter("/quit")
      try await plain.see("ended 0\n")
      try await plain.close()
    }
  }

  @Test func linksAreShownAndMistakesNamed() async throws {
    let program = try Program.atHome()
    let id = "05" + String(repeating: "ab", count: 32)
    let shown = try await program.ran("open-link", "--show", "session:\(id)?text=a%1B&name=Bob")
    #expect(shown.status == 0)
    #expect(shown.output == "person        \(id)\ncalls itself  \"Bob\"\ntext          a\u{FFFD}\n")
    let json = try await program.ran("open-link", "--json", "SESSION:\(id)?text=a")
    let form = try #require(try expectForms(inLines: json.output, writtenBy: ["open-link"]).first)
    #expect(form["conversation"] as? String == id && form["text"] as? String == "a")
    for link in [
      "session:\(id.dropLast())", "session://\(id)", "session:\(id)?text=%00", "session:\(id)?text=%2",
      "session:\(id)?text=a&text=b", "session:\(id)?text=" + String(repeating: "x", count: 10_000),
      "https://example.org/lobby", "file:///etc/passwd", "\u{1B}]52;c;eA==\u{7}",
    ] {
      let refused = try await program.ran("open-link", "--show", link)
      #expect(refused.status == 65 && refused.output.isEmpty, "\(link): \(refused.messages)")
      #expect(refused.messages.contains("cannot be opened") && !refused.messages.contains("\u{1B}"))
    }
  }
}
