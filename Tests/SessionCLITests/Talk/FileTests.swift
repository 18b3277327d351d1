import Foundation
import Testing

/// Files that people send each other with the real program.
@Suite(.timeLimit(.minutes(10))) struct FileTests {
  /// A picture of one pixel.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  @Test func filesGoWithAMessageAndAreSaved() async throws {
    try await Household.with { home in
      let bob = try await home.account("bob")
      _ = try await home.account("alice")
      try await home.run("account", "use", "alice")
      try Data(base64Encoded: Self.picture)?.write(to: home.path("beach.png"))
      try Data("a list".utf8).write(to: home.path(".list"))

      let sent = try await home.json(
        "send", bob, "From the beach", "--attach", "beach.png", "--attach", ".list", "--caption", "at noon")
      let files = try #require(sent[0]["attachments"] as? [[String: Any]])
      #expect(files.map { $0["name"] as? String } == ["beach.png", ".list"])
      #expect(files.map { $0["state"] as? String } == ["ready", "ready"])
      #expect(files[0]["width"] as? Int == 1)

      try await home.run("account", "use", "bob")
      try await home.run("receive")
      try await home.run("requests", "accept", "alice")
      let listed = try await home.json("attachment", "list", "alice")
      #expect(listed.map { $0["here"] as? Bool } == [false, false])
      #expect(listed.map { $0["number"] as? Int } == [1, 2])
      #expect(listed.map { $0["kind"] as? String } == ["image", "file"])
      #expect(listed.map { $0["caption"] as? String } == ["at noon", nil])
      #expect(try await home.json("attachment", "list", "1").count == 2)
      let shown = try await home.run("show", "alice")
      #expect(shown.contains("not here yet): at noon\n  [2] .list  (6 B, not here yet)\n"))
      #expect(try await home.outcome(["send", "alice", "--caption", "of nothing"]).status == 64)

      try FileManager.default.createDirectory(at: home.path("in"), withIntermediateDirectories: false)
      #expect(try await home.run("attachment", "save", "1", "--to", "in") == "in/beach.png\nin/_list\n")
      #expect(try String(contentsOf: home.path("in/_list"), encoding: .utf8) == "a list")
      #expect(try Data(contentsOf: home.path("in/beach.png")).starts(with: [0x89, 0x50, 0x4E, 0x47]))
      let attributes = try FileManager.default.attributesOfItem(atPath: home.path("in/_list").path)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let saved = try await home.json("attachment", "save", "1", "2", "--to", "other")
      #expect(saved.map { $0["path"] as? String } == ["other"])

      let again = try await home.outcome(["attachment", "save", "1", "--to", "in"])
      #expect(again.status == 73)
      #expect(again.messages.contains("there is a file in/beach.png already\n"))
      #expect(try await home.outcome(["attachment", "save", "1", "--to", "absent"]).status == 64)
      #expect(try await home.outcome(["attachment", "save", "1", "3"]).status == 65)
      #expect(try await home.outcome(["attachment", "save", "9"]).status == 65)
      #expect(try await home.outcome(["attachment", "list", "carol"]).status == 67)
    }
  }

  @Test func aFileAloneIsAMessageAndItsWayIsDrawn() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      try Data(repeating: 7, count: 3_000_000).write(to: home.path("large"))
      let sent = try await home.outcomeOnTerminal("send", "me", "--attach", "large")
      #expect(sent.status == 0)
      #expect(sent.drawn.hasPrefix("\rsending [------------------------------]   0%\u{1B}[K"))
      #expect(sent.drawn.contains("100%"))
      // Nothing of it is left when the command ends.
      #expect(sent.drawn.hasSuffix("\r\u{1B}[K"))
      let messages = try await home.json("show", alice)
      #expect(messages.map { $0["body"] as? String } == [""])
      #expect(try await home.run("chats").hasSuffix("[large]\n"))

      let piped = try await home.outcome(["send", "me", "--attach", "large", "Again"])
      #expect(piped.status == 0)
      #expect(piped.messages == "")
      let absent = try await home.outcome(["send", "me", "--attach", "absent"])
      #expect(absent.status == 66)
      #expect(absent.messages.contains("cannot open absent"))
      let folder = try await home.outcome(["send", "me", "--attach", "."])
      #expect(folder.status == 65)
      #expect(folder.messages.hasPrefix("session: . is a folder\n"))
      let huge = home.path("huge")
      try Data(repeating: 7, count: 10_500_000).write(to: huge)
      #expect(try await home.outcome(["send", "me", "--attach", "huge"]).status == 65)
    }
  }

  @Test(.timeLimit(.minutes(1))) func onlyRegularFilesAreAttached() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try #require(mkfifo(home.path("pipe").path, 0o600) == 0)
      try #require(symlink("/dev/zero", home.path("zero").path) == 0)
      let window = try await TerminalWindow(home.program, ["chat", "me"])
      for (name, kind) in [("pipe", "a FIFO"), ("zero", "a device")] {
        let said = "session: \(name) is \(kind), not a regular file\n"
        let refused = try await home.outcome(["send", "me", "--attach", name])
        #expect(refused.status == 65)
        #expect(refused.messages.hasPrefix(said))
        try await window.enter("/attach \(name)")
        try await window.see(said, "\n> /attach \(name)\n")
        try await window.press("C-u")
      }
      try await window.enter("/quit")
      try await window.see("ended 0\n")
      try await window.close()
      #expect(try await home.json("chats").isEmpty)
    }
  }
}
