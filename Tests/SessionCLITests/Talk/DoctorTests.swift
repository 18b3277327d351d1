import Foundation
import Testing

/// `doctor` checks real accounts, some of them broken on purpose.
@Suite(.timeLimit(.minutes(10))) struct DoctorTests {
  private func states(_ home: Household, _ words: [String] = []) async throws -> (Int32, [String: String]) {
    let outcome = try await home.outcome(["doctor", "--json", "--timeout", "5s"] + words)
    let lines = try outcome.output.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }
    var states: [String: String] = [:]
    for line in lines {
      #expect(line["v"] as? Int == 1)
      let (check, state) = (try #require(line["check"] as? String), try #require(line["state"] as? String))
      #expect((line["advice"] == nil) == (state == "ok"), "\(line)")
      states[check] = state
    }
    return (outcome.status, states)
  }

  @Test func aSoundAccountIsSound() async throws {
    try await Household.with { home in
      let first = try await states(home)
      #expect(first.0 == 0)
      #expect(first.1["account"] == "warning")

      _ = try await home.account("alice")
      let (status, all) = try await states(home)
      #expect(status == 0)
      #expect(
        Set(all.keys) == [
          "folders", "space", "clock", "config", "account", "use", "key", "database", "security", "jobs",
          "groups",
          "rooms",
          "readers",
          "settings",
          "network",
          "time",
          "swarm",
        ])
      #expect(all.filter { $0.value != "ok" && $0.key != "space" }.isEmpty)
      let offline = try await states(home, ["--offline"]).1
      #expect(Set(all.keys).subtracting(offline.keys) == ["network", "time", "swarm"])
      let shown = try await home.run("doctor", "--offline")
      #expect(shown.contains("ok       account       alice, for its owner alone\n"))
      #expect(try await home.outcome(["doctor", "--account", "bob"]).status == 78)
    }
  }

  @Test func brokenPartsAreNamed() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let account = home.path(".local/share/session/accounts/alice")
      func change(_ path: URL, to mode: Int) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.path)
      }
      // Others may look into the account.
      try change(account, to: 0o755)
      #expect(try await states(home, ["--offline"]).0 == 78)
      try change(account, to: 0o700)

      // Others may write where the settings are.
      try change(home.path(".config/session"), to: 0o777)
      let exposed = try await states(home, ["--offline"])
      #expect(exposed.0 == 73 && exposed.1["folders"] == "failed")
      try change(home.path(".config/session"), to: 0o700)

      // The settings are not what they should be.
      let settings = home.path(".config/session/accounts/alice.toml")
      let text = try String(contentsOf: settings, encoding: .utf8)
      try Data("network = 7\n".utf8).write(to: settings)
      let unreadable = try await states(home)
      #expect(unreadable.0 == 65 && unreadable.1["settings"] == "failed" && unreadable.1["network"] == nil)
      try Data(text.utf8).write(to: settings)

      // There is no way into the network.
      try await home.run("devnet", "loss", "100")
      let lost = try await states(home)
      #expect(lost.0 == 69 && lost.1["network"] == "failed" && lost.1["database"] == "ok")
      try await home.run("devnet", "loss", "0")

      // The database is damaged.
      let database = account.appending(path: "messages.db")
      let file = try FileHandle(forUpdating: database)
      let end = try file.seekToEnd()
      try file.seek(toOffset: end - 2048)
      try file.write(contentsOf: Data(repeating: 0x55, count: 512))
      try file.close()
      let damaged = try await states(home, ["--offline"])
      #expect(damaged.0 == 65 && damaged.1["database"] == "failed")
    }
  }

  @Test func theNetworkIsLearntAnew() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      try await home.run("receive")
      let cache = home.path(".cache/session/accounts/alice").path
      #expect(try !FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
      try await home.run("net", "reset")
      #expect(try FileManager.default.contentsOfDirectory(atPath: cache).isEmpty)
      let reader = try home.start("receive", "--follow", "--all")
      _ = try await reader.line(with: "profileChanged")
      #expect(try await home.outcome(["net", "reset"]).status == 75)
      let (status, all) = try await states(home)
      #expect(status == 0 && all["use"] == "ok")
      reader.signal(SIGINT)
      #expect(await reader.end() == 130)
    }
  }

  @Test func guardsAreReplacedOnlyIfThereAreOthers() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let refusal = try await home.outcome(["net", "guards", "forget"])
      #expect(refusal.status == 69 && refusal.messages.contains("the guards are unchanged"), "\(refusal)")
      try await home.run("receive")
      let before = try await home.json("net", "guards", "list").count
      #expect(before > 0)
      // Another program uses the account meanwhile.
      let reader = try home.start("receive", "--follow", "--all")
      _ = try await reader.line(with: "profileChanged")
      let outcome = try await home.outcome(["net", "guards", "forget"])
      #expect(outcome.status == 0 && outcome.messages.contains("Guards replaced."), "\(outcome)")
      reader.signal(SIGINT)
      #expect(await reader.end() == 130)
      #expect(try await home.json("net", "guards", "list").count == before)
    }
  }
}
