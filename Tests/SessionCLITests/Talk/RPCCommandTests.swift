import Foundation
import Glibc
import SessionBase
import Spawning
import Testing

@testable import SessionCLI

/// `session rpc`, with a daemon and without.
@Suite(.timeLimit(.minutes(10))) struct RPCCommandTests {
  @Test(arguments: [false, true]) func oneCallPrintsItsResult(withDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      let bob = try #require(try await home.json("account", "show", "bob").first?["id"] as? String)
      try await home.with(daemon: withDaemon) {
        let sent = try Self.object(
          try await home.run("rpc", "send", "to=\(bob)", "text=By rpc", "key=k:1", "--account", "alice"))
        #expect(sent["body"]?.string == "By rpc")
        let again = try await home.outcome(
          ["rpc", "send", "-", "--account", "alice"],
          input: "{\"to\":\"\(bob)\",\"text\":\"By rpc\",\"key\":\"k:1\"}")
        #expect(try Self.object(again.output)["id"] == sent["id"])
        let shown = try Self.object(
          try await home.run("rpc", "show", #"{"chat":"\#(bob)","limit":1}"#, "--account", "alice"))
        #expect(shown["items"].map { "\($0)" }?.contains(#""body":"By rpc""#) == true)
        let cases: [(words: [String], status: Int32, message: String)] = [
          (["show", "chat=Bob"], 67, "Bob"), (["shwo"], 64, "no-method\nDid you mean show?"),
          (["show", "chta=\(bob)"], 64, "chta"), (["delete", "id:=9999"], 65, ""),
          (["x.news"], 75, "programs of one version"),
        ]
        for (words, status, message) in cases {
          let outcome = try await home.outcome(["rpc"] + words + ["--account", "alice"])
          #expect(outcome.status == status, "\(words): \(outcome.messages)")
          #expect(outcome.output == "")
          for text in message.split(separator: "\n") where text != "no-method" {
            #expect(outcome.messages.contains(text), "\(words): \(outcome.messages)")
          }
        }
      }
      // It reached the network before the program ended, also without a daemon.
      let received = try await home.json("receive", "--account", "bob")
      #expect(received.count { ($0["message"] as? [String: Any])?["body"] as? String == "By rpc" } == 1)
    }
  }

  @Test(arguments: [false, true]) func linesArePassedUntilTheInputEnds(withDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.with(daemon: withDaemon) {
        let outcome = try await home.outcome(
          ["rpc", "--account", "alice"],
          input: """
            {"jsonrpc":"2.0","id":1,"method":"chats"}
            {"jsonrpc":"2.0","id":"two","method":"nonsense"}
            nonsense
            {"jsonrpc":"2.0","id":3,"method":"daemon.ping"}
            """)
        #expect(outcome.status == 0, "\(outcome.messages)")
        let replies = try outcome.output.split(separator: "\n").map { try Self.object(String($0)) }
        #expect(Set(replies.map { $0["id"] }) == [1, "two", .null, 3])
        #expect(replies.first { $0["id"] == 1 }?["result"]?["items"] != nil)
        #expect(replies.first { $0["id"] == "two" }?["error"]?["code"] == -32601)
      }
    }
  }

  /// A bot that reads from a program which holds the account goes on through the daemon, and after it.
  @Test func itOutlivesTheProgramThatHoldsTheAccount() async throws {
    try await Household.with { home in
      try await home.friends()
      let input = Pipe.closedOnExec()
      let bot = try ServerProcess(home.program, ["rpc", "--account", "bob"], reading: .output, input: input)
      try input.write(#"{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"reader":"bot"}}"#)
      _ = try await bot.line(with: #""subscription""#)
      try await home.run("send", "bob", "before", "--account", "alice")
      _ = try await bot.line(with: #""body":"before""#)
      try await home.with(daemon: true) {
        try await home.run("send", "bob", "during", "--account", "alice")
        _ = try await bot.line(with: #""body":"during""#)
      }
      try await home.run("send", "bob", "after", "--account", "alice")
      _ = try await bot.line(with: #""body":"after""#)
      try input.fileHandleForWriting.close()
      #expect(await bot.end() == 0)
    }
  }

  @Test func theEndOfTheDaemonEndsIt() async throws {
    try await Household.with { home in
      try await home.friends()
      let input = Pipe.closedOnExec()
      var bot: ServerProcess?
      try await home.with(daemon: true) {
        bot = try ServerProcess(home.program, ["rpc"], reading: .output, input: input)
        try input.write(#"{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}"#)
        _ = try await bot?.line(with: #""at""#)
      }
      #expect(await bot?.end() == 75)
    }
  }

  @Test func aSocketCanBeNamed() async throws {
    try await Household.with { home in
      try await home.friends()
      let nowhere = home.path("nowhere.sock").path
      let missing = try await home.outcome(["rpc", "daemon.ping", "--socket", nowhere])
      #expect(missing.status == 69)
      #expect(missing.messages.contains("no program listens at \(nowhere)"))
      try await home.with(daemon: true) {
        let socket = home.path(".local/state/session/run/daemon.sock").path
        #expect(try await home.run("rpc", "daemon.ping", "--socket", socket).hasPrefix(#"{"at":"#))
        let named = try await home.outcome(["rpc", "daemon.ping"], with: ["SESSION_SOCKET": nowhere])
        #expect(named.status == 69)
      }
    }
  }

  /// Whom a bot writes as must not depend on what a person chose.
  @Test(arguments: [false, true]) func aChosenAccountIsNotUsed(withDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try await home.with(daemon: withDaemon) {
        let outcome = try await home.outcome(["rpc", "chats"], with: ["SESSION_ACCOUNT": "alice"])
        #expect(outcome.status != 0)
        #expect(outcome.messages.contains("alice, bob"))
      }
    }
  }

  @Test(arguments: [
    (["chats", "limit"], ExitCode.usage), (["chats", "a=1", "a=2"], .usage),
    (["chats", "{}", "a=1"], .usage),
    (["chats", "{"], .data), (["chats", "a:=nonsense"], .data), (["chats", "-"], .data),
    (["chats", "{\"a\":1,\"a\":2}"], .data),
  ])
  func parametersThatAreNoneAreRefused(words: [String], status: ExitCode) async {
    #expect(await MemoryIO(input: "[1]").run(["rpc"] + words) == status)
  }

  @Test func parametersAreTextsOrJSON() throws {
    let invocation = try Invocation(
      of: .rpc, from: ["send", "to=05", "text=a=b\u{0338} 1", "limit:=5", "attach:=[\"/a\"]", "key="])
    let call = try #require(try RPCWords(invocation, MemoryIO().io()))
    #expect(
      call.params == [
        "to": "05", "text": "a=b\u{0338} 1", "limit": 5, "attach": .array(["/a"]), "key": "",
      ])
  }

  private static func object(_ text: String) throws -> JSONValue {
    try JSONReader.value(of: Array(text.trimmingCharacters(in: .newlines).utf8))
  }
}

extension Pipe {
  fileprivate func write(_ line: String) throws {
    try fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }
}
