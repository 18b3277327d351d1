import Foundation
import SessionStorage
import Testing

@testable import SessionCLI

/// The full-screen interface in a real terminal, over a real network.
@Suite(.timeLimit(.minutes(10))) struct ScreenTests {
  @Test(arguments: [false, true])
  func messagesComeAndGo(daemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.with(daemon: daemon, serving: "alice") {
        let window = try await TerminalWindow(home.program, ["ui", "--account", "alice"], columns: 80)
        try await window.see(">bob", "Ctrl-K finds everything by name.")
        try await window.press("Enter")
        try await window.see("   Hello", "bob accepted the message request", "Enter send")
        try await window.type("from the screen")
        try await window.see("> from the screen")
        try await window.press("Enter")
        try await window.see("   from the screen")
        try await home.run("receive", "--ack", "--account", "bob")
        try await home.run(
          "send", "alice", "--account", "bob", "--reply-to", "2", "\u{1B}]52;c;eA==\u{7}\u{202E}seen")
        try await window.see("> me: from the screen", "\u{FFFD}]52;c;eA==\u{FFFD}\u{FFFD}seen")
        // Without it, what was shown for less than a second stays unread.
        try await window.press("C-r")
        try await window.resize(columns: 40, rows: 12)
        try await window.see(" < bob", "Enter send", "seen")
        try await window.press("C-q")
        #expect(try await window.see("ended 0\nicanon\necho\n") == "ended 0\nicanon\necho\n")
        try await window.close()
      }
      let texts = try await home.json("show", "alice", "--account", "bob").compactMap {
        $0["body"] as? String
      }
      #expect(texts.contains("from the screen"))
      #expect(try await home.json("chats", "--account", "alice").map { $0["unread"] as? Int } == [0])
    }
  }

  @Test(arguments: [false, true])
  func messagesAreScheduledAndFilesFoundOnTheScreen(daemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("plan".utf8).write(to: home.path("plan.txt"))
      try await home.run("send", "bob", "--attach", "plan.txt", "The plan", "--account", "alice")
      try await home.with(daemon: daemon, serving: "alice") {
        let window = try await TerminalWindow(home.program, ["ui", "--account", "alice"], columns: 80)
        try await window.see(">bob")
        try await window.press("Enter")
        try await window.see("[1] plan.txt", "Enter send")
        try await window.type("much later")
        try await window.see("> much later")
        try await window.press("M-s")
        try await window.see("send at")
        try await window.type("never")
        try await window.press("Enter")
        // What is no time gives the text back.
        try await window.see("write a time such as 07:30", "> much later")
        try await window.press("M-s")
        try await window.type("3d")
        try await window.press("Enter")
        try await window.see("it is sent at")
        try await window.press("C-k")
        try await window.type("scheduled")
        try await window.press("Enter")
        try await window.see("bob: much later")
        try await window.press("C-c")
        try await window.press("C-k")
        try await window.type("files of")
        try await window.press("Enter")
        try await window.see("plan.txt", "me  4 B")
        try await window.press("C-c")
        try await window.press("C-k")
        try await window.type("safety")
        try await window.press("Enter")
        try await window.see("safety number with bob", "not here.")
        try await window.press("C-c")
        try await window.press("C-q")
        try await window.see("ended 0\nicanon\necho\n")
        try await window.close()
      }
      let waiting = try await home.json("scheduled", "list", "--account", "alice")
      #expect(waiting.map { $0["body"] as? String } == ["much later"])
      #expect(try await home.json("draft", "list", "--account", "alice").isEmpty)
    }
  }

  @Test func screensOfOneAccountStandBesideEachOther() async throws {
    try await Household.with { home in
      try await home.friends()
      let first = try await TerminalWindow(home.program, ["ui", "--account", "alice"], columns: 80)
      try await first.see(">bob")
      try await first.press("Enter")
      try await first.see("   Hello")
      let second = try await TerminalWindow(home.program, ["ui", "--account", "alice"], columns: 80)
      try await second.see(">bob")
      try await second.press("Enter")
      try await second.see("   Hello")
      try await second.type("one")
      try await second.press("Enter")
      try await first.see("   one")
      try await first.press("C-q")
      try await first.see("ended 0\nicanon\necho\n")
      // The second one holds the account now, and keeps what was typed.
      try await second.type("two")
      try await second.press("Enter")
      try await second.see("   two", " connected")
      try await second.press("C-q")
      try await second.see("ended 0\nicanon\necho\n")
      for window in [first, second] { try await window.close() }
      try await home.run("receive", "--ack", "--account", "bob")
      let texts = try await home.json("show", "alice", "--account", "bob").compactMap {
        $0["body"] as? String
      }
      #expect(texts.suffix(2) == ["one", "two"])
    }
  }

  @Test func theTerminalIsRestoredHoweverItEnds() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let roots = try StorageRoots(environment: ["HOME": home.program.folder.path])
      let folder = try AccountFolder("alice", in: roots)
      for signal in [SIGKILL, SIGSEGV, SIGTERM, SIGHUP] {
        let window = try await TerminalWindow(home.program, ["ui", "--account", "alice"], columns: 80)
        try await window.see("no conversations yet")
        kill(try #require(AccountLock.holder(of: folder)?.process), signal)
        let screen = try await window.see("ended ", "icanon\necho\n")
        #expect(!screen.contains("no conversations yet"))
        if signal == SIGKILL {
          #expect(screen.hasPrefix("session: the interface ended by signal 9; the terminal is restored\n"))
        }
        try await window.close()
      }
    }
  }

  @Test func withoutATerminalThereAreLines() async throws {
    try await Household.with { home in
      try await home.friends()
      let outcome = try await home.outcome(
        ["ui", "--account", "alice"], input: "/go 1\n/where\nfrom a pipe\n/search hello\n/gone\n")
      #expect(outcome.status == 0)
      for line in [
        "1. bob, 1 unread: (accepted", "This is bob.", "message 1: Hello",
        "session: there is no command /gone",
      ] {
        #expect(outcome.messages.contains(line), "\(line): \(outcome.messages)")
      }
      try await home.run("receive", "--ack", "--account", "bob")
      let texts = try await home.json("show", "alice", "--account", "bob").compactMap {
        $0["body"] as? String
      }
      #expect(texts.last == "from a pipe")
    }
  }

  @Test func aScreenReaderGetsWholeLines() async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(
        home.program, ["ui", "--plain", "--account", "alice"], columns: 80)
      try await window.see("1. bob", "/quit leaves.\n>")
      try await window.enter("/go bob")
      try await window.see("This is bob.")
      try await home.run("send", "alice", "--account", "bob", "Are you there?")
      try await window.see("message 3: Are you there?\n>")
      try await window.enter("/quit")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()
    }
  }
}
