import Foundation
import Glibc
import SessionBase
import Synchronization
import Testing

@testable import SessionDaemon

/// `session daemon`, the commands that it serves, and bots.
@Suite(.timeLimit(.minutes(10))) struct DaemonTests {
  /// The daemon of a household, which serves all of its accounts.
  static func started(_ home: Household) async throws -> ServerProcess {
    let daemon = try ServerProcess(home.program, ["daemon"])
    _ = try await daemon.line(with: "accounts are open")
    return daemon
  }

  static func client(
    _ home: Household, hear: @escaping @Sendable (String, JSONValue) -> Void = { _, _ in }
  ) throws -> RPCClient {
    try RPCClient(to: home.path(".local/state/session/run/daemon.sock").path, hear: hear)
  }

  @Test func commandsUseTheDaemonWithoutBeingTold() async throws {
    try await Household.with { home in
      try await home.friends()
      #expect(try await home.outcome(["daemon", "status"]).status == 69)
      let daemon = try await Self.started(home)
      #expect(try await home.outcome(["daemon"]).status == 75)
      let status = try await home.json("daemon", "status")
      #expect(
        (status.first?["accounts"] as? [[String: Any]])?.compactMap { $0["state"] as? String } == [
          "running", "running",
        ])
      try await home.run("send", "bob", "Hi", "--account", "alice")
      let got = try await home.json("receive", "--account", "bob")
      #expect(got.contains { ($0["message"] as? [String: Any])?["body"] as? String == "Hi" })
      try await home.run("profile", "set", "--name", "Alicia", "--account", "alice")
      // An account that is made meanwhile is served, too.
      let carol = try await home.account("carol")
      try await home.run("send", carol, "Welcome", "--account", "alice")
      try await home.run("daemon", "stop")
      #expect(await daemon.end() == 0)
      #expect(try await home.run("profile", "show", "--account", "alice").contains("Alicia"))
    }
  }

  @Test func methodsHaveTheNamesParametersAndResultsOfCommands() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      let daemon = try await Self.started(home)
      let client = try Self.client(home)
      await #expect { try await client.result("chats") } throws: {
        ($0 as? RPCError)?.kind == "account-required"
      }
      let hello = try await client.result("hello", ["client": "test", "account": "alice"])
      #expect(hello["protocol"] == 1)
      #expect(hello["scopes"] == ["read", "send", "manage", "admin", "secrets"])
      let sent = try await client.result("send", ["to": .string(bob), "text": "By RPC", "key": "k:1"])
      #expect(sent["body"] == "By RPC")
      let again = try await client.result("send", ["to": .string(bob), "text": "By RPC", "key": "k:1"])
      #expect(again["id"] == sent["id"] && again["repeated"] == true)
      guard case .array(let chats)? = try await client.result("chats")["items"] else {
        Issue.record("no list of chats")
        return
      }
      #expect(chats.contains { $0["conversation"]?.string == bob })
      #expect(try await client.result("pin", ["chat": .string(bob)])["type"] == "done")
      for (method, params, kind) in [
        ("send", ["to": "Bob", "text": "x"], "unknown-person"), ("send", ["text": "x"], "invalid-params"),
        ("send", ["to": .string(bob), "txt": "x"], "invalid-params"), ("delete", ["id": 9999], "no-message"),
        ("receive", [:], "no-method"), ("chats", ["account": "stranger"], "no-account"),
        ("events.subscribe", ["reader": "Bot"], "invalid-params"),
        ("events.subscribe", ["reader": "receive"], "invalid-params"),
        ("events.subscribe", ["reader": "bot", "window": 0], "invalid-params"),
        ("events.subscribe", ["reader": "bot", "window": 1001], "invalid-params"),
        ("events.subscribe", ["reader": "bot", "kinds": "messageRecieved"], "invalid-params"),
        ("events.subscribe", ["reader": "bot", "chats": "bob"], "invalid-params"),
        ("events.subscribe", ["reader": "bot", "from": -1], "invalid-params"),
        ("events.ack", ["reader": "bot", "cursor": -1], "invalid-params"),
        ("events.next", ["reader": "bot", "wait_ms": 1_000_000_000], "invalid-params"),
        ("send", ["to": .string(bob), "text": "x", "attach": "note.txt"], "invalid-params"),
        ("x.call", ["call": [:]], "version"),
      ] as [(String, JSONValue, String)] {
        await #expect("\(method) \(params)") { try await client.result(method, params) } throws: { error in
          (error as? RPCError)?.kind == kind
        }
      }
      client.close()
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  /// A chat that holds the account hands it over to the daemon, and continues through it.
  @Test func theDaemonTakesAccountsOverFromProgramsThatStay() async throws {
    try await Household.with { home in
      try await home.friends()
      let window = try await TerminalWindow(home.program, ["chat", "bob", "--account", "alice"])
      try await window.see("This is your conversation with bob")
      let daemon = try await Self.started(home)
      let client = try Self.client(home)
      // It waits until the account is open.
      _ = try await client.result("chats", ["account": "alice"])
      try await window.enter("over the daemon")
      try await window.see("over the daemon")
      try await home.run("send", "alice", "to the chat", "--account", "bob")
      try await window.see("to the chat")
      // The daemon ends, and the chat holds the account again.
      client.close()
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      try await home.run("send", "alice", "once more", "--account", "bob")
      try await window.see("once more")
      try await window.press("C-d")
      try await window.see("ended 0\n")
      try await window.close()
    }
  }

  @Test func receivingContinuesThroughTheDaemonAndAfterIt() async throws {
    try await Household.with { home in
      try await home.friends()
      let reader = try home.start("receive", "--follow", "--json", "--account", "alice")
      try await home.run("send", "alice", "before", "--account", "bob")
      _ = try await reader.line(with: #""body":"before""#)
      let daemon = try await Self.started(home)
      try await home.run("send", "alice", "during", "--account", "bob")
      _ = try await reader.line(with: #""body":"during""#)
      daemon.signal(SIGKILL)
      _ = await daemon.end()
      try await home.run("send", "alice", "after", "--account", "bob")
      _ = try await reader.line(with: #""body":"after""#)
      reader.signal(SIGTERM)
      #expect(await reader.end() == 0)
    }
  }

  @Test func accountsAreClosedForCommandsThatNeedThemAlone() async throws {
    try await Household.with { home in
      try await home.friends()
      let daemon = try await Self.started(home)
      try await home.run("db", "compact", "--account", "alice")
      try await home.run("net", "reset", "--account", "alice")
      try await home.run("send", "bob", "afterwards", "--account", "alice")
      try home.program.writeSecret("secret words\n", to: "passphrase")
      let variables = ["SESSION_PASSPHRASE_FILE": home.path("passphrase").path]
      let set = try await home.outcome(
        ["db", "passphrase", "set", "--new", home.path("passphrase").path, "--account", "bob"],
        with: variables)
      #expect(set.status == 0, "\(set.messages)")
      // The command that knew the passphrase unlocked the account.
      let client = try Self.client(home)
      _ = try await client.result("chats", ["account": "bob"])
      client.close()
      let unlocked = try await home.outcome(["account", "unlock", "bob"], with: variables)
      #expect(unlocked.status == 0, "\(unlocked.messages)")
      // The recovery phrase opens what the daemon has locked, and the daemon gets the key.
      let exported = try await home.outcome(
        ["account", "export-phrase", "bob", "--out", "words"], with: variables)
      #expect(exported.status == 0, "\(exported.messages)")
      try await home.run("account", "lock", "bob")
      let locked = try Self.client(home)
      await #expect(throws: RPCError.self) { try await locked.result("chats", ["account": "bob"]) }
      try await home.run("account", "unlock", "bob", "--phrase", "words")
      _ = try await locked.result("chats", ["account": "bob"])
      locked.close()
      try await home.run("account", "delete", "bob", "--yes")
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  @Test func readersContinueBehindTheirLastAcknowledgement() async throws {
    try await Household.with { home in
      try await home.friends()
      var daemon = try await Self.started(home)
      let subscribing: JSONValue = [
        "account": "bob", "reader": "bot", "kinds": .array(["messageReceived"]), "incoming": true,
        "window": 2,
      ]
      // The reader is known from its first subscription on.
      let first = try Self.client(home)
      _ = try await first.result("events.subscribe", subscribing)
      await #expect { try await Self.client(home).call("events.subscribe", subscribing) } throws: { error in
        (error as? RPCError)?.kind == "reader-busy"
      }
      for number in 0..<4 { try await home.run("send", "bob", "m\(number)", "--account", "alice") }
      daemon.signal(SIGKILL)
      _ = await daemon.end()
      daemon = try await Self.started(home)
      let (events, telling) = AsyncStream.makeStream(of: JSONValue.self)
      let client = try Self.client(home) { method, params in
        if method == "event" { telling.yield(params["event"] ?? .null) }
      }
      _ = try await client.result("events.subscribe", subscribing)
      var bodies: [String] = []
      for await event in events {
        bodies.append(event["message"]?["body"]?.string ?? "")
        let cursor = try #require(event["cursor"])
        _ = try await client.result("events.ack", ["account": "bob", "reader": "bot", "cursor": cursor])
        if bodies.count == 4 { break }
      }
      #expect(bodies == ["m0", "m1", "m2", "m3"])
      let next = try await client.result("events.next", ["account": "bob", "reader": "bot"])
      #expect(next["items"] == [])
      await #expect {
        try await client.result(
          "events.ack", ["account": "bob", "reader": "bot", "cursor": 9_007_199_254_740_991])
      } throws: { ($0 as? RPCError)?.kind == "invalid-params" }
      client.close()
      daemon.signal(SIGTERM)
      _ = await daemon.end()
    }
  }

  @Test func eventsThatABotRefusesAreListedAndDeliveredAgain() async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      let daemon = try await Self.started(home)
      let (told, telling) = AsyncStream.makeStream(of: JSONValue.self)
      let client = try Self.client(home) { _, params in telling.yield(params) }
      var heard = told.makeAsyncIterator()
      _ = try await client.call("hello", ["client": "test", "account": "bob"])
      _ = try await client.call(
        "events.subscribe",
        ["reader": "bot", "kinds": "messageReceived", "incoming": true, "max_tries": 1])
      try await home.run("send", "bob", "poison", "--account", "alice")
      let event = try #require(await heard.next()?["event"])
      #expect(event["tries"] == 1 && event["account"] == "bob")
      let cursor = try #require(event["cursor"]?.integer)
      _ = try await client.call(
        "events.nack", ["reader": "bot", "cursor": .integer(cursor), "reason": "too hard"])
      #expect(await heard.next()?["kind"] == "dead")
      let readers = try await home.json("readers", "list", "--account", "bob")
      #expect(readers.first?["name"] as? String == "bot" && readers.first?["dead"] as? Int == 1)
      let dead = try await home.json("readers", "dead", "bot", "--account", "bob")
      #expect(dead.first?["reason"] as? String == "too hard" && dead.count == 1)
      #expect(try await home.run("doctor", "--offline", "--account", "bob").contains("bot could not handle"))
      try await home.run("readers", "retry", "bot", "\(cursor)", "--account", "bob")
      #expect(await heard.next()?["event"]?["cursor"] == .integer(cursor))
      let several = await #expect(throws: RPCError.self) {
        try await client.call(
          "send",
          [
            "to": .string(bob), "also": ["me"], "text": "done",
            "ack": ["reader": "bot", "cursor": .integer(cursor)],
          ])
      }
      #expect(several?.message.contains("one recipient") == true)
      #expect(try await home.outcome(["show", "me", "--account", "bob"]).status == 65)
      let sent = try await client.call(
        "send",
        ["to": .string(bob), "text": "done", "ack": ["reader": "bot", "cursor": .integer(cursor)]])
      #expect(sent["body"] == "done")
      #expect(try await home.json("readers", "dead", "--account", "bob").isEmpty)
      try await home.run("readers", "forget", "bot", "--account", "bob")
      #expect(try await home.outcome(["readers", "forget", "bot", "--account", "bob"]).status == 65)
      #expect(try await home.outcome(["readers", "retry", "bot", "all", "--account", "bob"]).status == 65)
      client.close()
      daemon.signal(SIGTERM)
      _ = await daemon.end()
    }
  }

  /// The numbers of events of a new account begin above all that an earlier one of that name had.
  @Test func aCursorOfAnotherDatabaseIsAGap() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let words = ["receive", "--since", "7", "--account", "alice"]
      let refused = try await home.outcome(words)
      #expect(refused.status == 65)
      #expect(refused.messages.contains("are no longer kept"))
      #expect(try await home.outcome(words + ["--allow-gap"]).status == 0)
    }
  }

  @Test func aHookAnswersMessages() async throws {
    try await Household.with { home in
      try await home.friends()
      let folder = home.path(".config/session/hooks.d")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appending(path: "answer.toml")
      try Data(
        """
        exec = ["/bin/sh", "-c", "echo \\"answer $SESSION_ACCOUNT\\""]
        accounts = ["bob"]
        reply = true

        """.utf8
      ).write(to: file)
      chmod(file.path, 0o600)
      #expect(try await home.json("hooks", "list").first?["name"] as? String == "answer")
      let daemon = try await Self.started(home)
      // The hook hears what comes after it began.
      while try await home.json("readers", "list", "--account", "bob").isEmpty {}
      try await home.run("send", "bob", "a question", "--account", "alice")
      func answers() async throws -> [String] {
        try await home.json("show", "bob", "--account", "alice").filter { $0["outgoing"] as? Bool == false }
          .compactMap { $0["body"] as? String }.filter { $0.hasPrefix("answer") }
      }
      while try await answers().isEmpty { try await home.run("receive", "--account", "alice") }
      #expect(try await answers() == ["answer bob"])
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      #expect(try await home.run("hooks", "test", "answer", "--account", "bob") == "answer bob\n")
      #expect(try await home.outcome(["hooks", "test", "other", "--account", "bob"]).status == 66)
    }
  }

  /// The bot and the daemon are killed again and again: each message is answered once, in order.
  @Test func aBotThatIsKilledAnswersEachMessageOnce() async throws {
    try await Household.with { home in
      try await home.friends()
      var daemon = try await Self.started(home)
      let script = URL(filePath: #filePath).appending(path: "../../../../examples/bots/echo.py")
        .standardizedFileURL.path
      var running = try Bot(home, script, "bob")
      for number in 0..<8 {
        try await home.run("send", "bob", "m\(number)", "--account", "alice")
        if number % 3 == 1 {
          await running.killed()
          running = try Bot(home, script, "bob")
        }
        if number == 4 {
          daemon.signal(SIGKILL)
          _ = await daemon.end()
          daemon = try await Self.started(home)
        }
      }
      func answers() async throws -> [String] {
        try await home.run("receive", "--account", "alice")
        return try await home.json("show", "bob", "--account", "alice", "--limit", "50")
          .filter { $0["outgoing"] as? Bool == false }.compactMap { $0["body"] as? String }
          .filter { $0.hasPrefix("m") }
      }
      while try await answers().count < 8 {}
      #expect(try await answers() == (0..<8).map { "m\($0)" })
      await running.killed()
      daemon.signal(SIGTERM)
      _ = await daemon.end()
    }
  }
}
