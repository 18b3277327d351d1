import Foundation
import Glibc
import Testing

/// `receive --follow --exec`.
@Suite(.timeLimit(.minutes(10))) struct MessageHandlingTests {
  /// Sends a message, and returns when a program has handled it.
  private func handle(_ text: String, _ home: Household) async throws {
    try await home.run("send", "bob", text, "--account", "alice")
    var cursor: Int?
    while cursor == nil {
      let events = try await home.json("receive", "--since", "0", "--account", "bob")
      let event = events.first { ($0["message"] as? [String: Any])?["body"] as? String == text }
      cursor = event?["cursor"] as? Int
    }
    while try await acknowledged(home) ?? 0 < cursor ?? 0 {}
  }

  private func acknowledged(_ home: Household) async throws -> Int? {
    let readers = try await home.json("readers", "list", "--account", "bob")
    return readers.first { $0["name"] as? String == "hook:exec" }?["cursor"] as? Int
  }

  /// It goes on where it ended, through a daemon and without one.
  @Test func aProgramIsRunForEachMessage() async throws {
    try await Household.with { home in
      try await home.friends()
      let words = ["receive", "--follow", "--exec", "/bin/cat", "--account", "bob"]
      var receiving = try ServerProcess(home.program, words)
      _ = try await receiving.line(with: "receiving for the account bob")
      // It hears what comes after its first start.
      while try await acknowledged(home) == nil {}
      try await handle("one", home)
      let daemon = try await DaemonTests.started(home)
      try await handle("two", home)
      receiving.signal(SIGTERM)
      #expect(await receiving.end() == 0)
      receiving = try ServerProcess(home.program, words)
      try await handle("three", home)
      daemon.signal(SIGTERM)
      #expect(await daemon.end() == 0)
      try await handle("four", home)
      receiving.signal(SIGTERM)
      #expect(await receiving.end() == 0)
    }
  }

  @Test func aSecondProcessDoesNotRunTheProgramToo() async throws {
    try await Household.with { home in
      try await home.friends()
      let words = ["receive", "--follow", "--exec", "/bin/cat", "--account", "bob"]
      let receiving = try ServerProcess(home.program, words)
      // The reader is registered under the lock.
      while try await acknowledged(home) == nil {}
      let second = try await home.program.ran(words)
      #expect(second.status == 75)
      #expect(second.messages.contains("the account bob is in use by session receive (process "))
      receiving.signal(SIGTERM)
      #expect(await receiving.end() == 0)
    }
  }

  @Test func optionsThatDoNotBelongTogetherAreRefused() async throws {
    let home = try Program.atHome()
    for words in [
      ["--exec", "/bin/true"], ["--follow", "--exec", "/bin/true", "--json"],
      ["--follow", "--exec", "/bin/true", "--since", "3"],
    ] {
      // An account is needed before its options matter.
      try FileManager.default.createDirectory(
        at: home.path(".local/share/session/accounts/bob"), withIntermediateDirectories: true)
      let outcome = try await home.ran(["receive", "--account", "bob"] + words)
      #expect(outcome.status == 64, "\(words) \(outcome.messages)")
    }
  }
}
