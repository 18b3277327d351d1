import Foundation
import SessionBase
import Testing

@testable import SessionDaemon

/// Hooks of a daemon that runs.
@Suite(.timeLimit(.minutes(10))) struct HookMethodsTests {
  private func withClient(_ body: (Household, RPCClient) async throws -> Void) async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try FileManager.default.createDirectory(
        at: home.path(".config/session/hooks.d"), withIntermediateDirectories: true)
      try await home.with(daemon: true) {
        let client = try DaemonTests.client(home)
        try await body(home, client)
        client.close()
      }
    }
  }

  /// Has a hook append a word to a file for each change of the profile.
  private func write(_ word: String, by name: String, _ home: Household) throws {
    let file = home.path("said").path
    try home.program.writeSecret(
      """
      exec = ["/bin/sh", "-c", "echo \(word) >> \(file)"]
      kinds = ["profileChanged"]
      incoming = false
      """, to: ".config/session/hooks.d/\(name).toml")
  }

  private func remove(_ name: String, _ home: Household) throws {
    try FileManager.default.removeItem(at: home.path(".config/session/hooks.d/\(name).toml"))
  }

  private func said(_ home: Household) -> [String] {
    let text = (try? String(contentsOf: home.path("said"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map(String.init)
  }

  private func until(_ isDone: () async throws -> Bool) async throws {
    while try await !isDone() {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  /// Changes the profile once a hook waits for events, and returns when so many words were said.
  private func change(_ client: RPCClient, _ home: Household, for hook: String, count: Int) async throws {
    try await until {
      let readers = try await client.result("readers.list")["items"]?.elements ?? []
      return readers.contains { $0["name"]?.string == "hook:\(hook)" }
    }
    _ = try await client.result("profile.set", ["name": .string("Alice \(count)")])
    try await until { said(home).count >= count }
  }

  @Test(.timeLimit(.minutes(2))) func hooksAreReadAgainWithTheSettings() async throws {
    try await withClient { home, client in
      try write("one", by: "first", home)
      _ = try await client.result("daemon.reload")
      try await change(client, home, for: "first", count: 1)
      // The same hook with another program.
      try write("two", by: "first", home)
      _ = try await client.result("daemon.reload")
      try await change(client, home, for: "first", count: 2)
      #expect(said(home) == ["one", "two"])
      // With a mistake, everything stays as it is.
      try home.program.writeSecret("execute = 1\n", to: ".config/session/hooks.d/broken.toml")
      await #expect { try await client.call("daemon.reload") } throws: { error in
        (error as? RPCError)?.message.contains("broken.toml, line 1") == true
      }
      try await change(client, home, for: "first", count: 3)
      try remove("broken", home)
      try remove("first", home)
      try write("four", by: "second", home)
      _ = try await client.result("daemon.reload")
      try await change(client, home, for: "second", count: 4)
      #expect(said(home) == ["one", "two", "two", "four"])
    }
  }

  @Test func theProgramOfAHookIsTried() async throws {
    try await withClient { home, client in
      func write(_ script: String) throws {
        try home.program.writeSecret(
          "exec = [\"/bin/sh\", \"-c\", \"\(script)\"]\nkinds = [\"profileChanged\"]\nincoming = false\n",
          to: ".config/session/hooks.d/trial.toml")
      }
      func expect(_ kind: String, _ params: JSONValue) async {
        await #expect("\(params)") { try await client.call("hooks.test", params) } throws: {
          ($0 as? RPCError)?.kind == kind
        }
      }
      await expect("no-hook", ["name": "trial"])
      try write("echo tried")
      await expect("no-event", ["name": "trial", "cursor": 1])
      _ = try await client.result("profile.set", ["name": "Alicia"])
      let trial = try await client.result("hooks.test", ["name": "trial"])
      #expect(trial["output"] == "tried\n" && (trial["cursor"]?.integer ?? 0) > 0)
      let again = try await client.result(
        "hooks.test", ["name": "trial", "cursor": trial["cursor"] ?? .null])
      #expect(again == trial)
      try write("exit 3")
      await expect("hook-failed", ["name": "trial"])
      try home.program.writeSecret(
        "exec = [\"/bin/true\"]\nkinds = [\"profileChanged\"]\naccounts = [\"bob\"]\n",
        to: ".config/session/hooks.d/others.toml")
      await expect("no-event", ["name": "others"])
      await expect("invalid-params", [:])
      await expect("invalid-params", ["name": "trial", "cursor": 0])
      let shown = try await home.outcome(["hooks", "test", "trial", "--account", "alice", "--json"])
      #expect(shown.status == 69 && shown.messages.contains("\"hook-failed\""))
    }
  }
}
