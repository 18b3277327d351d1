import Foundation
import Testing

/// People who are in a conversation, at a terminal and through a pipe, over a real network.
@Suite(.timeLimit(.minutes(10))) struct ChatTests {
  @Test func theLineStaysBelowWhatComes() async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("(accepted the message request)\n>")

      try await window.type("half a li")
      try await window.see("> half a li")
      try await home.run("send", "alice", "--account", "bob", "Are you there?")
      try await window.see("  Are you there?\n> half a li")
      try await window.enter("ne, and then more than fits into one row of it")
      try await window.see("into one row of it\n>\n")

      try await window.enter("/react 3 👍")
      try await window.see("me: 👍 to #3\n")
      try await window.enter("/reply #3 I am.")
      try await window.see("  > bob: Are you there?\n  I am.\n>\n")
      try await window.enter("/rect 3 👍")
      try await window.see("/help lists the commands.\n> /rect 3 👍\n")
      try await window.press("C-u")
      try await home.run("react", "1", "🎉", "--account", "bob")
      let screen = try await window.see("bob: 🎉 to #1\n>\n")
      try expectScreen(screen, "chat")

      try await window.press("C-d")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()

      let texts = try await home.json("receive", "--ack", "--account", "bob").compactMap {
        ($0["message"] as? [String: Any])?["body"] as? String
      }
      #expect(texts == ["half a line, and then more than fits into one row of it", "I am."])
      #expect(try await home.json("chats", "--account", "alice").map { $0["unread"] as? Int } == [0])
    }
  }

  @Test func aFileIsSentWhileItsWayIsShown() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data(repeating: 7, count: 600_000).write(to: home.path("at noon.png"))
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("(accepted the message request)\n>")
      try await home.run("devnet", "delay", "400")
      try await window.enter("/attach ~/at noon.png")
      try await window.see("  [1] at noon.png  (600 kB, on its way)\nsending at noon.png [", "%")
      try await window.type("meanwhile")
      try await window.see("% > meanwhile\n")
      try await home.run("devnet", "delay", "0")
      try await window.see("\n> meanwhile\n")
      for _ in "meanwhile" { try await window.press("BSpace") }
      try await window.enter("/attach absent.png")
      let screen = try await window.see(
        "session: cannot open absent.png: No such file or directory\n",
        "you can read.\n> /attach absent.png\n"
      )
      try expectScreen(screen, "chat-attach")
      try await window.press("C-u")
      try await window.press("C-d")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()

      try await home.run("receive", "--account", "bob")
      #expect(
        try await home.json("attachment", "list", "alice", "--account", "bob").map { $0["name"] as? String }
          == ["at noon.png"])
    }
  }

  @Test func actionsOfTheOtherPersonAreShown() async throws {
    try await Household.with { home in
      try await home.friends()
      for name in ["alice", "bob"] {
        for setting in ["typing", "read-receipts"] {
          try await home.run("settings", "set", setting, "on", "--account", name)
        }
      }
      let alice = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await alice.see("(accepted the message request)\n>")
      let bob = try await TerminalWindow(home.program, ["chat", "alice", "--account", "bob"])
      try await bob.see("  Hello\n>")
      try await alice.see("\nbob read #1\n>\n")
      try await bob.type("I am ty")
      try await alice.see("\nbob is typing >\n")
      try await bob.enter("ping")
      try await alice.see("  I am typing\n>\n")
      try await alice.enter("Seen?")
      // Before it, or behind it, stands what Alice read.
      try await bob.see("  Seen?\n")
      try await alice.see("\nbob read #4\n>\n")
      try await bob.press("C-d")
      try await bob.see("ended 0\n")
      try await bob.close()
      try await home.run("timer", "alice", "after-send", "1d", "--account", "bob")
      try await alice.see("  (messages disappear 1d after they were sent)\n>\n")
      try await home.run("timer", "alice", "off", "--account", "bob")
      let screen = try await alice.see("  (messages do not disappear any more)\n>\n")
      try expectScreen(screen, "chat-signs")
      try await alice.press("C-d")
      try await alice.see("ended 0\nicanon\necho\n")
      try await alice.close()
    }
  }

  @Test func theListAndTheMessagesFitTheTerminal() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("send", "alice", "--account", "bob", "--reply-to", "1", "日本語 and 👩‍👩‍👧, side by side")
      try await home.run("receive", "--ack", "--account", "alice")
      for name in ["chats", "show"] {
        let words = [name] + (name == "show" ? ["bob"] : []) + ["--account", "alice"]
        let window = try await TerminalWindow(home.program, words, columns: 72)
        try expectScreen(try await window.see("ended 0\nicanon\necho\n"), name)
        try await window.close()
      }
    }
  }

  @Test(arguments: ["C-c", "C-d"])
  func leavingRestoresTheTerminal(key: String) async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(home.program, ["chat", "me", "--account", "alice"])
      try await window.enter("a note")
      try await window.see("  a note\n>\n")
      if key == "C-c" { try await window.type("what is not sent") }
      try await window.press(key)
      let screen = try await window.see("ended 0\nicanon\necho\n")
      #expect(screen.contains("  a note\nended 0\n"))
      try await window.close()
      #expect(
        try await home.json("show", "me", "--account", "alice").map { $0["body"] as? String } == ["a note"])
    }
  }

  @Test func linesOfAPipeAreSentAndThenItEnds() async throws {
    try await Household.with { home in
      try await home.friends()
      let piped = ["chat", "bob", "--account", "alice", "--limit", "1"]
      let chat = piped + ["--commands"]
      let said = try await home.outcome(chat, input: "one\n\n//two\n/reply 1 three")
      #expect(said.status == 0)
      #expect(said.output.contains("  one\n"))
      let texts = try await home.json("receive", "--ack", "--account", "bob").compactMap {
        ($0["message"] as? [String: Any])?["body"] as? String
      }
      #expect(texts == ["one", "/two", "three"])

      let mistaken = try await home.outcome(chat, input: "four\n/reply three\nfive\n")
      #expect(mistaken.status == 64)
      #expect(
        mistaken.messages.contains("session: /reply: wrong arguments\nUsage: /reply ID TEXT\n"))
      let bodies = try await home.json("show", "bob", "--account", "alice").map { $0["body"] as? String }
      #expect(bodies.contains("four") && !bodies.contains("five"))

      let lines = try await home.outcome(chat + ["--json"], input: "six\n").output.split(separator: "\n")
      let objects = try lines.map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
      for object in objects { try expectForm(of: object, writtenBy: ["chat"]) }
      #expect(objects.contains { $0["event"] as? String == "messageSent" })

      let long = try await home.outcome(
        chat, input: "seven\n" + String(repeating: "x", count: 1 << 20) + "x\neight\n")
      #expect(long.status == 65)
      #expect(
        long.messages.contains("session: line 2 of the input is longer than the limit of 1048576 bytes\n"))
      let kept = try await home.json("show", "bob", "--account", "alice").map { $0["body"] as? String }
      #expect(kept.contains("seven") && !kept.contains("eight"))

      let unknown = try await home.outcome(["chat", "bib", "--account", "alice"])
      #expect(unknown.status == 67)
      #expect(unknown.messages.contains("did you mean bob?"))
    }
  }

  @Test func linesOfAPipeAreTextWhateverTheyBeginWith() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("secret".utf8).write(to: home.path("secret"))
      let lines = ["/attach secret", "/quit", "//two", "/delete 1", "last"]
      let said = try await home.outcome(
        ["chat", "bob", "--account", "alice", "--limit", "1"], input: lines.joined(separator: "\n"))
      #expect(said.status == 0)
      let texts = try await home.json("receive", "--ack", "--account", "bob").compactMap {
        ($0["message"] as? [String: Any])?["body"] as? String
      }
      #expect(texts == lines)
      #expect(try await home.json("attachment", "list", "alice", "--account", "bob").isEmpty)
    }
  }

  private func texts(_ home: Household, of name: String) async throws -> [String] {
    try await home.json("receive", "--ack", "--account", name).compactMap {
      ($0["message"] as? [String: Any])?["body"] as? String
    }
  }

  @Test func aPastedTextIsOneMessageThatEnterSends() async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("(accepted the message request)\n>")
      try await window.paste("first line\n/quit\nthird \u{1B}line\n")
      try await window.see("third line")
      #expect(
        try await home.outcome(["show", "bob", "--account", "alice"]).output.contains("first") == false)
      try await window.type(" and more")
      try await window.press("M-Enter")
      try await window.enter("typed")
      try await window.see("  /quit\n", "  third line and more\n  typed\n")
      // Pasted input is text, even if it begins with a slash.
      try await window.paste("/quit")
      try await window.press("Enter")
      try await window.see("  typed\n", "\n  /quit\n>\n")
      try await window.press("C-d")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()
      #expect(
        try await texts(home, of: "bob") == ["first line\n/quit\nthird line and more\ntyped", "/quit"])
    }
  }

  @Test func unsentTextAndDraftsAreRestored() async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"], rows: 60)
      try await window.see("(accepted the message request)\n>")
      try await window.paste(String(repeating: "long ", count: 401) + "end")
      try await window.press("Enter")
      try await window.see("session: ", "long end\n")
      for _ in 1...9 { try await window.press("BSpace") }
      try await window.press("Enter")
      try await window.see("long\n>\n")
      try await window.enter("/rect 3 x")
      try await window.see("/help lists the commands.\n> /rect 3 x\n")
      try await window.press("C-u")
      try await window.type("half a thought")
      // The terminal drops what the program has not read when it turns Ctrl-C into a signal.
      try await window.see("> half a thought")
      try await window.press("C-c")
      try await window.see("ended 0\nicanon\necho\n")
      try await window.close()
      #expect(
        try await texts(home, of: "bob").map(\.count) == [1999])
      let again = try await TerminalWindow(
        home.program, ["chat", "bob", "--account", "alice", "--limit", "1"])
      try await again.see("> half a thought\n")
      try await again.enter(".")
      try await again.see("  half a thought.\n>\n")
      try await again.press("C-d")
      try await again.see("ended 0\nicanon\necho\n")
      try await again.close()
      #expect(try await home.json("chats", "--account", "alice").allSatisfy { $0["draft"] == nil })
    }
  }

  @Test func aDraftIsSentAsTheReplyThatItIs() async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("plan".utf8).write(to: home.path("plan.txt"))
      try await home.run("account", "use", "alice")
      try await home.run("draft", "set", "bob", "--reply-to", "1", "--attach", "plan.txt", "half")
      // A script does not see it, and leaves it alone.
      #expect(try await home.outcome(["chat", "bob"], input: "from a pipe\n").status == 0)
      #expect(try await home.json("draft", "show", "bob").first?["reply_to"] as? Int == 1)
      let window = try await TerminalWindow(home.program, ["chat", "bob"], rows: 60)
      try await window.see(
        "The draft replies to message 1.\n", "The draft has a file, which stays in it", "> half\n")
      try await window.enter(" a thought")
      try await window.see("  half a thought\n>\n")
      try await window.enter("no reply")
      try await window.see("  no reply\n>\n")
      try await window.press("C-d")
      try await window.see("ended 0\n")
      try await window.close()
      let sent = try await home.json("show", "bob")
      let replies = sent.filter { $0["reply_to"] != nil }.compactMap { $0["body"] as? String }
      #expect(replies == ["half a thought"])
      let left = try #require(try await home.json("draft", "show", "bob").first)
      #expect(left["text"] as? String == "" && left["reply_to"] == nil)
      #expect((left["files"] as? [Any])?.count == 1)
      // The plain interface shows the draft and leaves it as it is.
      try await home.run("draft", "set", "bob", "kept")
      let plain = try await home.outcome(["ui", "--plain"], input: "/go bob\nhello\n")
      #expect(plain.status == 0 && plain.messages.contains("A draft stays as it is: kept\n"))
      #expect(try await home.json("draft", "show", "bob").first?["text"] as? String == "kept")
    }
  }

  @Test func aDraftThatIsDeletedIsNoReply() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try await home.run("draft", "set", "bob", "--reply-to", "1", "half")
      let window = try await TerminalWindow(home.program, ["chat", "bob"], rows: 60)
      try await window.see("> half\n")
      try await window.press("C-u")
      try await window.enter("something else")
      try await window.see("  something else\n>\n")
      try await window.press("C-d")
      try await window.see("ended 0\n")
      try await window.close()
      #expect(try await home.json("show", "bob").allSatisfy { $0["reply_to"] == nil })
    }
  }

  @Test func noTextLooksLikeTheHeadOfAnotherMessage() async throws {
    try await Household.with { home in
      try await home.friends()
      let head = "alice  1999-01-01 12:30  #9"
      // With the two columns before it each of these is as wide as the terminal where the head begins.
      let texts = [
        String(repeating: "x", count: 57) + " \(head)", String(repeating: "x", count: 58) + head,
        String(repeating: "日", count: 29) + head, "line\n\(head)", String(repeating: "👩‍👩‍👧", count: 30) + head,
      ]
      for text in texts { try await home.run("send", "alice", text, "--account", "bob") }
      try await home.run(
        "profile", "set", "--name", "bob " + String(repeating: "y", count: 55) + " " + head, "--account",
        "bob")
      try await home.run("send", "alice", "renamed", "--account", "bob")
      for words in [["chat"], ["show"]] {
        if words == ["show"] { try await home.run("receive", "--account", "alice") }
        let bob = try #require(
          try await home.json("contacts", "list", "--account", "alice")[0]["id"] as? String)
        let window = try await TerminalWindow(home.program, words + [bob, "--account", "alice"], rows: 80)
        let screen = try await window.see("  renamed\n")
        let forged = screen.split(separator: "\n").filter { $0.hasPrefix("alice") || $0.hasPrefix("1999") }
        #expect(forged.isEmpty, "\(screen)")
        if words == ["chat"] {
          try await window.press("C-d")
          try await window.see("ended 0\n")
        }
        try await window.close()
      }
    }
  }
}
