import Foundation
import Glibc
import Testing

/// People who talk with the real program, over a real network.
@Suite(.timeLimit(.minutes(10))) struct TalkTests {
  @Test func strangersBecomeContactsAndTalk() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      let bob = try await home.account("bob")
      try await home.run("account", "use", "alice")

      let sent = try await home.run("send", bob, "Hello", "Bob")
      #expect(sent == "1\n")
      let asked = try await home.json("receive", "--account", "bob", "--all")
      #expect(
        asked.contains { $0["event"] as? String == "requestReceived" && $0["chat"] as? String == alice })
      let requests = try await home.json("requests", "list", "--account", "bob")
      #expect(requests.map { $0["name"] as? String } == ["alice"])
      #expect(try await home.json("chats", "--account", "bob").isEmpty)

      try await home.run("requests", "accept", "alice", "--account", "bob")
      try await home.run(
        "send", "alice", "--account", "bob", "--reply-to", "1", "--wait", "sent", "Hi \u{1B}[2JAlice")
      let received = try await home.json("receive", "--ack")
      let texts = received.compactMap { ($0["message"] as? [String: Any])?["body"] as? String }
      #expect(texts == ["", "Hi \u{1B}[2JAlice"])
      #expect(try await home.json("receive", "--ack").isEmpty)

      let shown = try await home.run("show", "bob")
      #expect(shown.contains("Hi \u{FFFD}[2JAlice\n"))
      #expect(shown.contains("> me: Hello Bob\n"))
      #expect(!shown.contains("\u{1B}"))
      let page = try await home.json("show", "bob", "--limit", "1")
      #expect(page.count == 1)
      #expect((page[0]["reply_to"] as? [String: Any])?["body"] as? String == "Hello Bob")

      try await home.run("react", "3", "👍")
      try await home.run("receive", "--account", "bob")
      let reacted = try await home.json("show", "alice", "--account", "bob")
      let reactions = reacted.compactMap { $0["reactions"] as? [[String: Any]] }
      #expect(reactions.map { $0.map { $0["emoji"] as? String } } == [["👍"]])

      #expect(
        try await home.json("search", "hel", "--in", "bob").map { $0["body"] as? String } == ["Hello Bob"])
      let chats = try await home.json("chats")
      #expect(chats.map { $0["unread"] as? Int } == [2])
      try await home.run("read", "bob")
      #expect(try await home.json("chats").map { $0["unread"] as? Int } == [0])

      try await home.run("timer", "bob", "after-send", "1d")
      let timer = try #require(try await home.json("chats")[0]["timer"] as? [String: Any])
      #expect(timer["mode"] as? String == "after-send")
      #expect(timer["seconds"] as? Int == 86_400)

      try await home.run("delete", "1", "--for-everyone")
      try await home.run("receive", "--account", "bob")
      let left = try await home.json("show", "alice", "--account", "bob")
      #expect(left.first?["kind"] as? String == "deleted")
    }
  }

  @Test func messagesAreShownAtOnceAndNoneAreLostBetweenReaders() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      _ = try await home.account("bob")
      let reader = try home.start("receive", "--follow", "--ack", "--account", "alice", "--json")
      try await home.run("send", alice, "one", "--account", "bob")
      let line = try await reader.line(with: #""event":"messageReceived""#)
      #expect(line.contains(#""body":"one""#))

      // Others use the account meanwhile.
      let second = try await home.json("receive", "--since", "0", "--account", "alice")
      #expect(second.compactMap { ($0["message"] as? [String: Any])?["body"] as? String } == ["one"])
      #expect(try await home.json("requests", "list", "--account", "alice").count == 1)

      reader.signal(SIGINT)
      #expect(await reader.end() == 130)
      try await home.run("send", alice, "two", "--account", "bob")
      let next = try await home.json("receive", "--ack", "--account", "alice")
      #expect(next.compactMap { ($0["message"] as? [String: Any])?["body"] as? String } == ["two"])
    }
  }

  @Test func receiveShowsStoredMessagesAndTimesOutWithoutANetwork() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("send", "bob", "stored", "--account", "alice")
      try await home.run("receive", "--account", "bob")
      // The limit does not include the time of opening and closing.
      let usual = try await Self.time { try await home.run("receive", "--account", "bob") }.time
      home.cutNetwork()
      let (late, time) = try await Self.time {
        try await home.outcome(["receive", "--account", "bob", "--timeout", "1s", "--ack"])
      }
      print("receive: ends \(time - .seconds(1)) behind its limit; with a network it takes \(usual)")
      #expect(time < .seconds(2) + usual)
      #expect(late.status == 75)
      #expect(late.output.contains("  stored\n"))

      // Stored messages are shown before anything is fetched, and Ctrl-C ends the command at once.
      for options in [[], ["--follow"]] {
        let reader = try home.start(
          words: ["receive", "--account", "bob", "--since", "0", "--timeout", "10m"] + options)
        _ = try await reader.line(with: "  stored")
        let (status, time) = try await Self.time {
          reader.signal(SIGINT)
          return await reader.end()
        }
        print("receive \(options.joined()): ends \(time) behind Ctrl-C")
        #expect(status == 130)
        #expect(time < .seconds(1))
      }
      // The network goes while a poll may be under way.
      home.restoreNetwork()
      let follower = try home.start("receive", "--account", "bob", "--follow", "--all", "--json")
      try await home.run("send", "bob", "seen", "--account", "alice")
      _ = try await follower.line(with: #""body":"seen""#)
      home.cutNetwork()
      try await Task.sleep(for: .seconds(2))
      let (status, ended) = try await Self.time {
        follower.signal(SIGINT)
        return await follower.end()
      }
      print("receive --follow: ends \(ended) behind Ctrl-C once the network has gone")
      #expect(status == 130)
      #expect(ended < .seconds(1))
    }
  }

  private static func time<R>(_ work: () async throws -> R) async throws -> (R, time: Duration) {
    let start = ContinuousClock.now
    return (try await work(), start.duration(to: .now))
  }

  /// Messages are shown while the rest are still being fetched.
  @Test func arrivalsAreShownBeforeAllOfThemAreFetched() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      _ = try await home.account("bob")
      let lines = (1...300).map { "line \($0)\n" }.joined()
      #expect(try await home.outcome(["chat", alice, "--account", "bob"], input: lines).status == 0)
      for options in [[], ["--follow"]] {
        let reader = try home.start(
          words: ["receive", "--account", "alice", "--since", "0", "--json"] + options)
        _ = try await reader.line(with: #""body":"line 1""#)
        _ = try await reader.line(with: #""body":"line 300""#)
        if !options.isEmpty { reader.signal(SIGTERM) }
        #expect(await reader.end() == 0)
      }
    }
  }

  @Test func howFarReceivingIsIsDrawnForEyesAlone() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      _ = try await home.account("bob")
      let lines = (1...120).map { "line \($0)\n" }.joined()
      #expect(try await home.outcome(["chat", alice, "--account", "bob"], input: lines).status == 0)
      let received = try await home.outcomeOnTerminal("receive", "--account", "alice")
      #expect(received.status == 0)
      #expect(received.drawn.hasPrefix("\rfetching new messages\u{1B}[K"))
      #expect(received.drawn.contains("\rreceiving ["))
      #expect(received.drawn.contains("] 100%  120 of 120"))
      // Nothing of it is left when the command goes on.
      #expect(received.drawn.hasSuffix("\r\u{1B}[K"))
      let again = try await home.outcome(["receive", "--account", "alice", "--ack"])
      #expect(again.messages == "")
      #expect(again.output.contains("  line 120\n"))
    }
  }

  @Test func nohupProcessOutlivesItsTerminal() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      _ = try await home.account("bob")
      let reader = try home.start(
        "receive", "--follow", "--account", "alice", "--json", startedBy: "/usr/bin/nohup")
      try await home.run("send", alice, "one", "--account", "bob")
      _ = try await reader.line(with: #""body":"one""#)
      reader.signal(SIGHUP)
      try await home.run("send", alice, "two", "--account", "bob")
      _ = try await reader.line(with: #""body":"two""#)
      reader.signal(SIGTERM)
      #expect(await reader.end() == 0)

      let other = try home.start("receive", "--follow", "--account", "alice", "--json")
      _ = try await other.line(with: #""body":"two""#)
      other.signal(SIGHUP)
      #expect(await other.end() == 0)
    }
  }

  @Test func anAccountIsRestoredFromItsWords() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      let bob = try await home.account("bob")
      try await home.run("profile", "set", "--name", "Alice Liddell", "--account", "alice")
      try await home.run("send", bob, "Hello", "--account", "alice", "--wait", "sent")
      try await home.run("contacts", "nickname", bob, "Bobby", "--account", "alice")
      try await home.run("account", "export-phrase", "alice", "--out", "words")

      let restored = try await home.run(
        "account", "restore", "again", "--phrase", "words", "--network", "devnet")
      #expect(restored == alice + "\n")
      try await home.run("receive", "--account", "again")
      let profile = try await home.json("profile", "show", "--account", "again")
      #expect(profile.map { $0["name"] as? String } == ["Alice Liddell"])
      let contacts = try await home.json("contacts", "list", "--account", "again")
      #expect(contacts.map { $0["nickname"] as? String } == ["Bobby"])
      #expect(
        try await home.json("show", "Bobby", "--account", "again").map { $0["body"] as? String } == ["Hello"])
    }
  }

  @Test func theWayThroughTheNetworkIsShown() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let status = try await home.json("net", "status")
      #expect(status.map { $0["state"] as? String } == ["connected"])
      #expect(status.map { $0["nodes"] as? Int } == [12])
      #expect((status.first?["guards_in_use"] as? Int ?? 0) > 0)
      let paths = try await home.json("net", "path")
      #expect(paths.allSatisfy { $0["target"] as? String == "network" })
      #expect(paths.allSatisfy { ($0["nodes"] as? [Any])?.count == 3 })
      #expect(paths.contains { $0["category"] as? String == "standard" })
    }
  }
}
