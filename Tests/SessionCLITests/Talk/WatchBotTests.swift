import Foundation
import Glibc
import Testing

@testable import SessionCLI

/// `examples/bots/watch.sh`.
@Suite(.timeLimit(.minutes(10))) struct WatchBotTests {
  private static let script = URL(filePath: #filePath).appending(path: "../../../../examples/bots/watch.sh")
    .standardizedFileURL.path

  /// The texts that bob's bot wrote to alice: warnings and states of disks, and the others.
  private func written(_ home: Household) async throws -> (disks: [String], others: [String]) {
    try await home.run("receive", "--account", "alice")
    let texts = try await home.json("show", "bob", "--account", "alice", "--limit", "50")
      .filter { $0["outgoing"] as? Bool == false }.compactMap { $0["body"] as? String }
    return (texts.filter { $0.hasPrefix("/: ") }, texts.filter { !$0.hasPrefix("/: ") })
  }

  /// Killed again and again, it answers friends once, and whatever they write stays a text.
  @Test func itAnswersFriendsAloneAndWarnsOnce() async throws {
    try await Household.with { home in
      try await home.friends()
      let alice = try #require(try await home.json("contacts", "list", "--account", "bob").first)
      try Data("\(try #require(alice["id"] as? String))\n".utf8).write(to: home.path("friends"))
      let daemon = try ServerProcess(home.program, ["daemon", "--account", "bob"])
      _ = try await daemon.line(with: "accounts are open")
      let program = try #require(home.program.executables).appending(path: "session").path
      func start() throws -> Bot {
        try Bot(
          home, running: "/bin/bash", Self.script, "bob", home.path("friends").path, "/",
          with: ["SESSION": program, "WATCH_LIMIT": "0"])
      }
      let before = try await written(home).others.count
      var bot = try start()
      while try await written(home).disks.isEmpty {}
      let texts = ["help", "mute 2h", "$(touch \(home.path("gone").path)); `id` '\"\u{1B}[2J", "mute 2h; id"]
      for (number, text) in texts.enumerated() {
        try await home.run("send", "bob", text, "--account", "alice")
        while try await written(home).others.count < before + 1 + number {}
        await bot.killed()
        bot = try start()
      }
      let all = try await written(home)
      #expect(all.others.count == before + texts.count)
      #expect(all.others.filter { $0.hasPrefix("status: ") }.count == 3)
      #expect(all.others.filter { $0 == "no warnings for 2 hours" }.count == 1)
      // One for each hour.
      #expect((1...2).contains(all.disks.count))
      #expect(!FileManager.default.fileExists(atPath: home.path("gone").path))
      try await home.run("send", "bob", "status", "--account", "alice")
      while try await written(home).disks.count == all.disks.count {}
      await bot.killed()
      daemon.signal(SIGTERM)
      _ = await daemon.end()
    }
  }
}
