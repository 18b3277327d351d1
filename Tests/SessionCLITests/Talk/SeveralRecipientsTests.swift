import Foundation
import Testing

@testable import SessionCLI

/// One call of `send` to several recipients.
@Suite(.timeLimit(.minutes(10))) struct SeveralRecipientsTests {
  @Test(arguments: [false, true]) func eachGetsAMessageOfItsOwn(hasDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try await home.with(daemon: hasDaemon, serving: "alice") {
        let output = try await home.run("send", "bob", "--also", "me", "--key", "k", "To both")
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 && lines[0].hasSuffix("  bob") && lines[1].hasSuffix("  me"))
        // The same call sends nothing again.
        #expect(try await home.run("send", "bob", "--also", "me", "--key", "k", "To both") == output)
        let mixed = try await home.outcome([
          "send", "bob", "--also", "stranger", "--also", "me", "--json", "Mixed",
        ])
        #expect(mixed.status == 67)
        let objects = try expectForms(inLines: mixed.output, writtenBy: ["send"])
        #expect(objects.map { $0["type"] as? String } == ["message", "send-failure", "message"])
        #expect(objects[1]["to"] as? String == "stranger" && objects[1]["status"] as? Int == 67)
        let later = try await home.run("send", "bob", "--also", "me", "--in", "1h", "Later")
        #expect(later == "1  bob\n2  me\n")
      }
      for words in [
        ["--also", "bob"], ["--also", "me", "--reply-to", "1"], ["--also", "me", "--draft"],
        ["--also", "me", "--key", String(repeating: "k", count: 127)],
      ] {
        #expect(try await home.outcome(["send", "bob", "x"] + words).status == 64, "\(words)")
      }
      try await home.run("receive", "--ack", "--account", "bob")
      let got = try await home.json("show", "alice", "--account", "bob").compactMap { $0["body"] as? String }
      #expect(got.suffix(2) == ["To both", "Mixed"])
      let notes = try await home.json("show", "me").compactMap { $0["body"] as? String }
      #expect(notes == ["To both", "Mixed"])
    }
  }

  /// Who interrupts the command wants no more of them sent.
  @Test func anInterruptionKeepsTheOthersFromBeingSent() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      home.cutNetwork()
      let sender = try home.start("send", "bob", "--also", "me", "First only", "--timeout", "10m")
      while try await !home.json("show", "bob").contains(where: { $0["body"] as? String == "First only" }) {}
      sender.signal(SIGINT)
      #expect(await sender.end() == 130)
      home.restoreNetwork()
      try await home.run("receive", "--ack")
      // There is no such conversation.
      #expect(try await home.outcome(["show", "me"]).status == 65)
    }
  }
}
