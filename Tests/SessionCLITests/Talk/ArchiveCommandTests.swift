import Foundation
import SessionCore
import Testing

@testable import SessionCLI
@testable import SessionStorage

/// Archives as the commands make, check and show them.
@Suite(.timeLimit(.minutes(10))) struct ArchiveCommandTests {
  @Test(arguments: [false, true])
  func anAccountIsArchivedAndVerified(withDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("a file".utf8).write(to: home.path("note.txt"))
      try await home.run("send", "bob", "With", "--attach", "note.txt", "--account", "alice")
      try await home.with(daemon: withDaemon) {
        let made = try #require(
          try await home.json("archive", "create", "a.sessionarchive", "--account", "alice").first)
        #expect(made["whole"] as? Bool == true && made["files"] as? Int == 1)
        #expect(made["file_bytes"] as? Int == 6)
        let path = home.path("a.sessionarchive").path
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let read = try #require(
          try await home.json("archive", "verify", "a.sessionarchive", "--account", "alice").first)
        #expect(read["account"] as? String == made["account"] as? String)
        #expect(read["tables"] as? [[String: AnyHashable]] == made["tables"] as? [[String: AnyHashable]])
        let shown = try await home.run(
          "archive", "show", "a.sessionarchive", "--table", "interaction", "--account", "alice")
        #expect(shown.contains("\"body\":\"With\""))
        // The message of the key of the account does not travel twice.
        #expect(!shown.contains("recoveryPhrase"))
      }
    }
  }

  @Test func archivesOpenWithWhatTheyWereMadeFor() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      _ = try await home.account("bob")
      try await home.run("archive", "key", "backup.key")
      try home.program.writeSecret("caf\u{e9}\n", to: "passphrase")
      // The same letter in another form.
      try home.program.writeSecret("cafe\u{301}\n", to: "other-form")
      try home.program.writeSecret("wrong\n", to: "wrong")
      let alice = ["--account", "alice"]
      func outcome(_ words: String...) async throws -> Program.Outcome { try await home.outcome(words) }
      let plain = try await home.outcome(["archive", "create", "plain"] + alice)
      #expect(plain.messages == "Only the recovery phrase of the account opens it.\n")
      try await home.run(
        "archive", "create", "full", "--key", "backup.key", "--passphrase-file", "passphrase", "--account",
        "alice")
      let header = try await home.json("archive", "verify", "full", "--header").first
      #expect(
        (header?["slots"] as? [[String: String]])?.map { $0["kind"] } == [
          "account", "passphrase", "key-file",
        ])
      #expect(try await outcome("archive", "verify", "full", "--key", "backup.key").status == 0)
      #expect(try await outcome("archive", "verify", "full", "--passphrase-file", "other-form").status == 0)
      #expect(try await outcome("archive", "verify", "full", "--passphrase-file", "wrong").status == 78)
      #expect(try await outcome("archive", "verify", "plain", "--passphrase-file", "wrong").status == 78)
      #expect(try await outcome("archive", "verify", "plain", "--account", "bob").status == 78)
      try await home.run("account", "export-phrase", "alice", "--out", "alice.phrase")
      #expect(try await outcome("archive", "verify", "plain", "--phrase", "alice.phrase").status == 0)
      // Without the seed, the recovery phrase is what is kept apart.
      #expect(try await home.outcome(["archive", "create", "apart", "--without-seed"] + alice).status == 64)
      try await home.run(
        "archive", "create", "apart", "--without-seed", "--key", "backup.key", "--account", "alice")
      #expect(try await outcome("archive", "verify", "apart", "--account", "alice").status == 78)
      #expect(
        try await home.json("archive", "verify", "apart", "--key", "backup.key").first?["seed"] as? Bool
          == false)
    }
  }

  @Test(arguments: [false, true])
  func anAccountMovesWithItsHistoryToAnotherHome(withDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try Data("a file".utf8).write(to: home.path("note.txt"))
      try await home.run("send", "bob", "With", "--attach", "note.txt", "--account", "alice")
      try await home.run("settings", "set", "typing", "on", "--account", "alice")
      let shown = try await home.json("show", "bob", "--account", "alice")
      try await home.run("archive", "create", "a.sessionarchive", "--account", "alice")
      try await home.run("account", "export-phrase", "alice", "--out", "alice.phrase")
      let importing = [
        "archive", "import", "a.sessionarchive", "--phrase", "alice.phrase", "--network", "devnet",
      ]
      let twice = try await home.outcome(importing + ["--json"])
      #expect(twice.status == 73 && twice.messages.contains("account-exists"))
      let id = try await home.json("account", "show", "alice").first?["id"] as? String
      try await home.run("account", "delete", "alice", "--yes")
      let taken = try await home.outcome(importing + ["--as", "bob", "--json"])
      #expect(taken.status == 73 && taken.messages.contains("name-taken"))
      let network = Array(importing.dropLast(2))
      #expect(try await home.outcome(network).messages.contains("private network"))
      #expect(try await home.outcome(network + ["--network", "main"]).status == 65)
      #expect(try await home.outcome(importing + ["--resume"]).status == 65)
      try await home.with(daemon: withDaemon) {
        // As a run leaves it that was killed.
        let left = home.path(".local/share/session/accounts/.alice.import")
        try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
        try Data("rows".utf8).write(to: left.appending(path: "messages.db"))
        try await home.run("archive", "discard", "alice")
        #expect(!FileManager.default.fileExists(atPath: left.path))
        #expect(try await home.outcome(["archive", "discard", "alice"]).status == 65)
        let imported = try #require(try await home.json(importing).first)
        #expect(imported["whole"] as? Bool == true && imported["files"] as? Int == 1)
        #expect(try await home.json("account", "show", "alice").first?["id"] as? String == id)
        let again = try await home.json("show", "bob", "--account", "alice")
        #expect(again.map { $0["body"] as? String } == shown.map { $0["body"] as? String })
        #expect(again.map { $0["id"] as? Int } == shown.map { $0["id"] as? Int })
        #expect(try await home.run("settings", "get", "typing", "--account", "alice").contains("on"))
        let number = try #require(again.last?["id"] as? Int)
        try await home.run("attachment", "save", "\(number)", "--to", "saved.txt", "--account", "alice")
        #expect(try String(contentsOf: home.path("saved.txt"), encoding: .utf8) == "a file")
        #expect(try await home.run("db", "check", "--account", "alice").contains("undamaged"))
        // It is a device of the account like any other.
        try await home.run("send", "bob", "from the new home", "--account", "alice")
        let got = try await home.json("receive", "--account", "bob")
        #expect(got.contains { ($0["message"] as? [String: Any])?["body"] as? String == "from the new home" })
      }
    }
  }

  @Test func anArchiveIsAddedToTheAccountOrTakesItsPlace() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("archive", "create", "a.sessionarchive", "--account", "alice")
      try await home.run("account", "export-phrase", "alice", "--out", "alice.phrase")
      try await home.run("send", "bob", "Later", "--account", "alice")
      let importing = ["archive", "import", "a.sessionarchive", "--phrase", "alice.phrase"]
      #expect(try await home.outcome(importing + ["--merge", "--replace"]).status == 64)
      #expect(try await home.outcome(importing + ["--bring-back"]).status == 64)
      #expect(try await home.outcome(importing + ["--merge", "--as", "bob"]).status == 73)
      #expect(try await home.outcome(importing + ["--merge", "--network", "main"]).status == 65)
      func bodies() async throws -> [String?] {
        try await home.json("show", "bob", "--account", "alice").map { $0["body"] as? String }
      }
      let before = try await bodies()
      try await home.with(daemon: true) {
        let merged = try #require(try await home.json(importing + ["--merge"]).first)
        let tables = try #require(merged["merged"] as? [[String: Any]])
        let messages = try #require(tables.first { $0["name"] as? String == "interaction" })
        #expect(messages["added"] as? Int == 0 && (messages["here"] as? Int ?? 0) > 0)
        #expect(try await bodies() == before && before.last == "Later")
        let events = try await home.json("receive", "--all", "--since", "0", "--account", "alice")
        let event = try #require(events.first { $0["event"] as? String == "accountImported" })
        #expect((event["archive"] as? [String: Any])?["problems"] as? Int == 0)
        #expect(try await home.outcome(importing + ["--replace"]).status == 0)
        // What came later may be there again: the network has it.
        let old = Array(before.dropLast())
        #expect(try await Array(bodies().prefix(old.count)) == old)
        let names = try await home.json("account", "list").compactMap { $0["name"] as? String }
        let kept = try #require(names.first { $0.hasPrefix("alice.before-") })
        #expect(names.count == 3)
        try await home.run("account", "delete", kept, "--yes")
        #expect(try await Array(bodies().prefix(old.count)) == old)
      }
    }
  }

  @Test func anArchiveWithoutItsPhraseIsImportedByPrompts() async throws {
    let program = try Program.atHome()
    // The kernel keeps keys by the names of accounts.
    let name = "vault-\(UInt32.random(in: 0...UInt32.max))"
    #expect(try await program.ran("account", "new", name).status == 0)
    try program.writeSecret("secret\n", to: "passphrase")
    let made = try await program.ran(
      "archive", "create", "x", "--without-seed", "--passphrase-file", "passphrase")
    #expect(made.status == 0, "\(made.messages)")
    let phrase = try await program.ran("account", "export-phrase", name).output
    #expect(try await program.ran("account", "delete", name, "--yes").status == 0)
    let window = try await TerminalWindow(
      program, ["archive", "import", "x", "--set-passphrase"], columns: 100)
    try await window.see("Passphrase of the archive:")
    try await window.enter("secret")
    try await window.see("The 13 words of the recovery phrase:")
    try await window.enter(phrase.trimmingCharacters(in: .newlines))
    try await window.see("New passphrase of \(name):")
    try await window.enter("mine")
    try await window.see("Repeat the passphrase:")
    try await window.enter("mine")
    let screen = try await window.see("ended 0\nicanon\necho\n")
    #expect(!screen.contains("secret") && !screen.contains("mine"))
    try await window.close()
    try program.writeSecret("mine\n", to: "own")
    let shown = try await program.ran(
      ["account", "export-phrase", name], with: ["SESSION_PASSPHRASE_FILE": program.path("own").path])
    #expect(shown.output == phrase)
  }

  @Test func anOldDatabaseIsNotMigratedForAnArchive() async throws {
    let program = try Program.atHome()
    #expect(try await program.ran("account", "new", "alice").status == 0)
    let roots = try StorageRoots(environment: ["HOME": program.folder.path])
    let folder = try AccountFolder("alice", in: roots)
    let key = try DatabaseKeys(path: folder.key).load()
    let phrase = try #require(
      try Database.value(of: Setting<SecretText>("recoveryPhrase"), in: folder.database, key: key))
    for ending in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: folder.database + ending)
    }
    let old = Schema.account.version - 1
    let database = try Database.open(folder.database, key: key, schema: .account.upTo(old))
    try await database.write { transaction in try transaction.set(Setting("recoveryPhrase"), to: phrase) }
    try database.close()
    let made = try await program.ran("archive", "create", "x", "--account", "alice")
    #expect(made.status == 78 && made.messages.contains("confirmation"))
    #expect(!FileManager.default.fileExists(atPath: program.path("x").path))
  }

  @Test func brokenArchivesAreRefusedByName() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let alice = ["--account", "alice"]
      try await home.run("archive", "create", "whole", "--account", "alice")
      let bytes = try Data(contentsOf: home.path("whole"))
      #expect(try await home.outcome(["archive", "create", "whole"] + alice).status == 73)
      #expect(try Data(contentsOf: home.path("whole")) == bytes)
      try await home.run("archive", "create", "whole", "--force", "--account", "alice")
      func verify(_ content: Data) async throws -> Program.Outcome {
        try content.write(to: home.path("changed"))
        return try await home.outcome(["archive", "verify", "changed"] + alice)
      }
      let text = try await verify(Data("Dear diary".utf8))
      #expect(text.status == 65 && text.messages.contains("not an archive"))
      let cut = try await verify(bytes.dropLast(10))
      #expect(cut.status == 65 && cut.messages.contains("damaged"))
      var flipped = bytes
      flipped[flipped.count - 1] ^= 1
      #expect(try await verify(flipped).status == 65)
      #expect(try await home.outcome(["archive", "verify", "nowhere"] + alice).status == 66)
      #expect(try await home.outcome(["archive", "verify", home.program.folder.path] + alice).status == 66)
      #expect(
        try await home.outcome(["archive", "show", "whole", "--table", "threat"] + alice).messages.contains(
          "thread?"))
      #expect(try await home.outcome(["archive", "create", "x", "--files", "some"] + alice).status == 64)
      #expect(try await home.outcome(["archive", "create", "nowhere/x"] + alice).status == 73)
      // Nothing unfinished is left.
      let left = try FileManager.default.contentsOfDirectory(atPath: home.program.folder.path)
      #expect(left.filter { $0.contains("whole") || $0.hasPrefix(".x") } == ["whole"])
    }
  }
}
