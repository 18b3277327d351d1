import Foundation
import Testing

/// `session daemon token`.
@Suite struct TokenCommandTests {
  private let program: Program

  init() throws { program = try .atHome() }

  private func run(_ words: String...) async throws -> Program.Outcome {
    try await program.ran(["daemon", "token"] + words)
  }

  private func json(_ words: String...) async throws -> [[String: Any]] {
    let outcome = try await program.ran(["daemon", "token"] + words + ["--json"])
    #expect(outcome.status == 0, "\(outcome.messages)")
    return try expectForms(inLines: outcome.output, writtenBy: ["daemon", "token"] + words)
  }

  @Test func tokensAreMadeListedAndRevoked() async throws {
    #expect(try await run("list").output == "")
    #expect(try await program.ran(["account", "new", "alice"]).status == 0)
    let secret = try await run("new", "bot").output
    #expect(secret.utf8.count == 44 && secret.hasSuffix("\n"))
    let made = try await json("new", "other", "--scope", "admin", "--account", "alice", "--expires", "1d")
    #expect(made.first?["name"] as? String == "other" && made.first?["token"] as? String != nil)
    let listed = try await json("list")
    #expect(listed.map { $0["name"] as? String } == ["bot", "other"])
    #expect(listed.map { $0["scopes"] as? [String] } == [["read", "send"], ["admin"]])
    #expect(listed.map { $0["accounts"] as? [String] } == [nil, ["alice"]])
    #expect(listed[0]["expires"] == nil)
    let times = ["expires", "created"].compactMap { listed[1][$0] as? Int64 }
    #expect(times.count == 2 && times[0] - times[1] == 86_400_000)
    let table = try await run("list").output
    #expect(table.contains("bot") && !table.contains(secret.prefix(43)))
    #expect(try await run("revoke", "bot").status == 0)
    #expect(try await json("list").map { $0["name"] as? String } == ["other"])
  }

  @Test(
    arguments: [
      (["new", "Bot"], 64), (["new", "bot", "--scope", "secrets"], 64),
      (["new", "bot", "--scope", "reed"], 64),
      (["new", "bot", "--expires", "soon"], 64), (["new", "bot", "--expires", "0s"], 64),
      (["new", "bot", "--account", "unknown"], 78), (["revoke", "bot"], 78), (["new"], 64),
    ] as [([String], Int32)])
  func mistakesAreNamed(_ words: [String], _ status: Int32) async throws {
    #expect(try await program.ran(["daemon", "token"] + words).status == status)
    #expect(try await run("list").output == "")
  }

  @Test func aNameIsGivenOnce() async throws {
    let first = try await run("new", "bot")
    #expect(first.status == 0)
    let second = try await run("new", "bot")
    #expect(second.status == 73 && second.messages.contains("there is a token bot already"))
  }
}
