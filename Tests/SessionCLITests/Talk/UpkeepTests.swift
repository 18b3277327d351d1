import Foundation
import Testing

/// The real program maintains an account.
@Suite(.timeLimit(.minutes(10))) struct UpkeepTests {
  @Test func workIsShownTakenBackAndTriedAgain() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      let bob = try await home.account("bob")
      try await home.run("send", alice, "Hello", "--account", "bob")
      try await home.run("account", "use", "alice")
      try await home.run("receive", "--account", "alice")

      try await home.run("devnet", "loss", "100")
      for text in ["one", "two"] {
        let sent = try await home.outcome(["send", bob, text, "--timeout", "1s"])
        #expect(sent.status == 80)
      }
      let jobs = try await home.json("jobs", "list").filter { $0["kind"] as? String == "delivery" }
      #expect(jobs.map { $0["state"] as? String } == ["waiting", "waiting"])
      #expect(jobs.map { $0["message"] as? Int } == [2, 3])
      #expect(jobs.map { $0["conversation"] as? String } == [bob, bob])
      #expect(try await home.run("jobs", "list").contains("delivery"))
      #expect(try await home.outcome(["jobs", "list", "--failed"]).messages == "Nothing has failed.\n")
      try await home.run("jobs", "cancel", "\(try #require(jobs[0]["id"] as? Int))")
      let shown = try await home.json("show", bob)
      #expect(shown.map { $0["state"] as? String } == ["received", "failed", "sending"])
      #expect(shown[1]["failure"] as? String == "it was cancelled")

      try await home.run("devnet", "loss", "0")
      try await home.run("jobs", "retry", "all")
      #expect(
        try await home.json("show", bob).map { $0["state"] as? String } == ["received", "failed", "sent"])
      let upkeep = try #require(
        try await home.json("jobs", "list").first { $0["kind"] as? String == "upkeep" }?["id"] as? Int)
      let refusal = try await home.outcome(["jobs", "cancel", "\(upkeep)"])
      #expect(refusal.status == 65 && refusal.messages.contains("'upkeep' cannot be cancelled"))
      #expect(try await home.outcome(["jobs", "cancel", "999"]).status == 65)
      #expect(try await home.outcome(["jobs", "retry", "999"]).status == 65)
      #expect(try await home.outcome(["jobs", "cancel", "all"]).status == 64)
      #expect(try await home.outcome(["jobs", "retry", "some"]).status == 64)
    }
  }

  @Test func aPassphraseIsSetChangedAndRemoved() async throws {
    try await Household.with { home in
      // The kernel keeps keys by the names of accounts.
      let name = "vault-\(UInt32.random(in: 0...UInt32.max))"
      _ = try await home.account(name)
      for (file, text) in [("one", "first\n"), ("two", "second"), ("none", "\n")] {
        try home.program.writeSecret(text, to: file)
      }
      func outcome(_ words: String..., knowing file: String? = nil) async throws -> Int32 {
        try await home.outcome(words, with: file.map { ["SESSION_PASSPHRASE_FILE": $0] } ?? [:]).status
      }
      #expect(try await outcome("db", "passphrase", "change", "--new", "one", knowing: "one") == 65)
      #expect(try await outcome("db", "passphrase", "set") == 64)
      #expect(try await outcome("db", "passphrase", "set", "--new", "none") == 65)
      #expect(try await outcome("db", "passphrase", "set", "--new", "one") == 0)
      #expect(try await outcome("db", "passphrase", "set", "--new", "two") == 65)
      #expect(try await outcome("db", "passphrase", "change", "--new", "two", knowing: "two") == 78)
      #expect(try await outcome("db", "passphrase", "change", "--new", "two", knowing: "one") == 0)
      #expect(try await outcome("db", "check") == 78)
      #expect(try await outcome("db", "check", knowing: "one") == 78)
      #expect(try await outcome("db", "check", knowing: "two") == 0)
      #expect(try await outcome("db", "passphrase", "remove", "--new", "two", knowing: "two") == 64)
      #expect(try await outcome("db", "passphrase", "remove", knowing: "one") == 78)
      #expect(try await outcome("db", "passphrase", "remove", knowing: "two") == 0)
      #expect(try await outcome("db", "passphrase", "forget") == 64)
      #expect(try await home.run("profile", "show").contains(name))
    }
  }

  @Test func aDatabaseIsCheckedCompactedAndSalvaged() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      try await home.run("send", "me", "to be kept")
      #expect(try await home.run("db", "check") == "The database is undamaged.\n")
      #expect(try await home.json("db", "check").map { $0["sound"] as? Bool } == [true])
      let sizes = try await home.json("db", "compact")[0]
      // Nothing was deleted yet, and the rows of a new database may need another page when they are written in order.
      let (before, after) = (sizes["bytes_before"] as? Int, sizes["bytes_after"] as? Int)
      #expect(try #require(after) <= #require(before) + 4096)
      #expect(try await home.run("db", "compact").hasSuffix(" now\n"))

      #expect(try await home.outcome(["db", "salvage"]).status == 64)
      let copy = try await home.json("db", "salvage", "--to", "copy.db")[0]
      #expect(copy["whole"] as? Bool == true)
      #expect(copy["path"] as? String == "copy.db")
      #expect(try await home.outcome(["db", "salvage", "--to", "copy.db"]).status == 73)

      // The last page of the file is damaged.
      let database = home.path(".local/share/session/accounts/alice/messages.db")
      let file = try FileHandle(forUpdating: database)
      let end = try file.seekToEnd()
      try file.seek(toOffset: end - 2048)
      try file.write(contentsOf: Data(repeating: 0x55, count: 512))
      try file.close()
      let checked = try await home.outcome(["db", "check"])
      #expect(checked.status == 65)
      #expect(checked.output.hasPrefix("damage: "))
      #expect(checked.messages == "To recover it, run: session db salvage\n")
      #expect(try await home.run("db", "salvage", "--replace").contains(" rows were recovered."))
      #expect(try await home.run("db", "check") == "The database is undamaged.\n")
      #expect(FileManager.default.fileExists(atPath: database.path + ".damaged"))
      #expect(try await home.json("show", alice).map { $0["body"] as? String } == ["to be kept"])
      let again = try await home.outcome(["db", "salvage", "--replace"])
      #expect(again.status == 65)
      #expect(again.messages.contains("move it away first"))

      // Its earlier events are not told again.
      let reader = try home.start("receive", "--follow", "--all")
      try await home.run("send", "me", "kept, too")
      _ = try await reader.line(with: "messageSent")
      #expect(try await home.outcome(["db", "compact"]).status == 75)
      let busy = try await home.outcome(["db", "salvage", "--replace"])
      #expect(busy.status == 75 && busy.messages.contains("in use"))
      #expect(try await home.run("db", "check") == "The database is undamaged.\n")
      reader.signal(SIGINT)
      #expect(await reader.end() == 130)
    }
  }
}
