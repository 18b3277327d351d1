import Foundation
import Testing

/// Accounts of the real program, in a home of its own. Nothing here needs a network.
@Suite struct AccountCommandTests {
  private let program: Program

  init() throws { program = try .atHome() }

  private func run(_ words: String...) async throws -> Program.Outcome { try await program.ran(words) }

  @Test func theFirstRunSaysHowToBegin() async throws {
    let chats = try await run("chats")
    #expect(chats.status == 78)
    #expect(chats.messages.contains("Create one with 'session account new NAME'"))
    let list = try await run("account", "list")
    #expect(list.status == 0)
    #expect(list.output.isEmpty)
  }

  @Test func accountsLiveSideBySide() async throws {
    for name in ["alice", "bob"] { #expect(try await run("account", "new", name).status == 0) }
    #expect(try await run("account", "list").output == "  name   network\n  alice  main\n  bob    main\n")
    let several = try await run("chats")
    #expect(several.status == 64)
    #expect(several.messages.contains("alice, bob"))
    #expect(try await run("account", "use", "bob").status == 0)
    #expect(try await run("account", "list").output == "   name   network\n   alice  main\n*  bob    main\n")
    #expect(try await run("chats").status == 0)
    #expect(try await run("chats", "--account", "carol").status == 78)
    #expect(try await run("chats", "--account", "alic").messages.contains("did you mean alice?"))

    #expect(try await run("account", "new", "bob").status == 78)
    #expect(try await run("account", "new", "../bob").status == 64)
    #expect(try await run("account", "new", "carol", "--network", "no/such/file").status == 66)
    #expect(try await run("account", "new", "carol", "--network", "devnet").status == 69)
    #expect(try await run("account", "list").output.split(separator: "\n").count == 3)

    let refused = try await run("account", "delete", "bob")
    #expect(refused.status == 64)
    #expect(refused.messages.contains("--yes"))
    #expect(try await run("account", "delete", "bob", "--yes").status == 0)
    #expect(try await run("account", "list").output == "   name   network\n*  alice  main\n")
    let left = FileManager.default.enumerator(atPath: program.folder.path)?.compactMap { $0 as? String } ?? []
    #expect(!left.contains { $0.contains("bob") })
  }

  @Test func onlyTheOwnerMayLookIntoAnAccount() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    let folder = program.folder.path + "/.local/share/session/accounts/alice"
    let modes = try [folder, folder + "/messages.db", folder + "/db.key"].map { path in
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(modes == [0o700, 0o600, 0o600])
  }

  @Test func theWordsOfAnAccountMakeItAgain() async throws {
    let made = try await run("account", "new", "alice")
    #expect(try await run("account", "export-phrase", "--out", "words").status == 0)
    #expect(try await run("account", "show", "words").output == made.output)
    #expect(try await run("account", "show").output == made.output)
    #expect(try await run("account", "show", "alice").output == made.output)
    let drawn = try await run("account", "show", "--qr").output
    #expect(drawn.hasPrefix(made.output + "\n█"))
    #expect(try await run("account", "restore", "again").status == 64)
    #expect(try await run("account", "restore", "again", "--phrase", "words").output == made.output)
  }

  @Test func aFailedAccountCreationLeavesNothing() async throws {
    // A file blocks the folder for the settings.
    try FileManager.default.createDirectory(
      at: program.path(".config/session"), withIntermediateDirectories: true)
    try Data().write(to: program.path(".config/session/accounts"))
    let failed = try await run("account", "new", "alice")
    #expect(failed.status == 73)
    #expect(failed.output == "")
    #expect(
      failed.messages.contains("cannot write \(program.folder.path)/.config/session/accounts/alice.toml\n"))
    #expect(try await run("account", "list").output.isEmpty)
    try FileManager.default.removeItem(at: program.path(".config/session/accounts"))
    #expect(try await run("account", "new", "alice").status == 0)
  }

  @Test func withoutAHomeItIsSaidWhatToSet() async throws {
    let homeless = try Program { _ in ["TZ": "UTC"] }
    for words in [["chats"], ["account", "new", "alice"], ["config", "path"]] {
      let outcome = try await homeless.ran(words)
      #expect(outcome.status == 73)
      #expect(outcome.output == "")
      #expect(
        outcome.messages.hasPrefix(
          "session: no folder for data: HOME is not set, or is not an absolute path\nSet HOME, or")
      )
    }
    let doctor = try await homeless.ran("doctor", "--offline")
    #expect(doctor.status == 73)
    #expect(
      doctor.output.hasPrefix("failed   folders       no folder for data: HOME is not set"))
    // A command that stores nothing needs no HOME.
    #expect(try await homeless.ran("account", "new").status == 0)
  }

  @Test func aHomeThatCannotBeUsedIsNamed() async throws {
    let file = program.path("file")
    try Data().write(to: file)
    let lost = try Program { _ in ["HOME": file.path, "XDG_CONFIG_HOME": "/nonexistent", "TZ": "UTC"] }
    let outcome = try await lost.ran("account", "new", "alice")
    #expect(outcome.status == 73)
    #expect(
      outcome.messages == """
        session: cannot create the folder \(file.path)/.local/state/session/accounts/alice: Not a directory
        Check that it belongs to you, and that you may read and write it and its folder.

        """)
  }

  @Test func newAccountsInTheMainNetworkHaveForwardSecrecyOnlyIfItIsAskedFor() async throws {
    let plain = try await run("account", "new", "alice")
    #expect(plain.messages.contains("session security enable --account alice"))
    #expect(try await run("account", "new", "bob", "--forward-secrecy").status == 0)
    for (name, setting) in [("alice", "off"), ("bob", "auto")] {
      let shown = try await run("security", "show", "--json", "--account", name).output
      #expect(shown.contains("\"setting\":\"\(setting)\""), "\(name)")
    }
    let both = try await run("account", "new", "carol", "--forward-secrecy", "--no-forward-secrecy")
    #expect(both.status == 64)
    #expect(both.messages.contains("give --forward-secrecy or --no-forward-secrecy, not both"))
    #expect(try await !run("account", "list").output.contains("carol"))
  }

  @Test func doctorGoesOnWhereItIsNotSaidWhichAccountIsMeant() async throws {
    for name in ["alice", "bob"] { #expect(try await run("account", "new", name).status == 0) }
    let doctor = try await run("doctor", "--offline")
    #expect(doctor.status == 64)
    #expect(doctor.output.contains("failed   account       there are several accounts: alice, bob\n"))
    #expect(doctor.messages == "")
  }

  @Test func aNetworkFileWhoseNameBreaksALineIsRefused() async throws {
    let name = "two\nlines"
    try Data("{}".utf8).write(to: program.path(name))
    let refused = try await run("account", "new", "alice", "--network", name)
    #expect(refused.status == 64)
    #expect(refused.messages.contains("the path of the network file contains a control character"))
    #expect(refused.messages.split(separator: "\n").count == 2)
    #expect(try await run("account", "list").output.isEmpty)
    #expect(try await run("config", "set", "network", name).status == 64)
  }

  @Test func aNetworkThatIsNearlyAWordIsTakenForASlip() async throws {
    let slip = try await run("account", "new", "alice", "--network", "devnt")
    #expect(slip.status == 66)
    #expect(slip.messages.contains("Did you mean 'devnet'?"))
    #expect(
      try await !run("account", "new", "alice", "--network", "net.json").messages.contains("Did you mean"))
  }

  @Test func aPassphraseThatOthersMayReadIsRefused() async throws {
    // The kernel keeps keys by the names of accounts.
    let name = "vault-\(UInt32.random(in: 0...UInt32.max))"
    #expect(try await run("account", "new", name).status == 0)
    try Data("first\n".utf8).write(to: program.path("open"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: program.path("open").path)
    let refused = try await run("db", "passphrase", "set", "--new", "open")
    #expect(refused.status == 78)
    #expect(refused.messages.contains("run: chmod 600 'open'\n"))
    try program.writeSecret("first\n", to: "closed")
    #expect(try await run("db", "passphrase", "set", "--new", "closed").status == 0)
    func shown(knowing file: String) async throws -> Int32 {
      try await program.ran(["profile", "show"], with: ["SESSION_PASSPHRASE_FILE": file]).status
    }
    #expect(try await shown(knowing: "open") == 78)
    #expect(try await shown(knowing: "closed") == 0)
  }

  @Test func invalidSettingsAreReportedWithTheirLine() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    let file = program.folder.path + "/.config/session/accounts/alice.toml"
    try Data("\nnetwrk = \"main\"\n".utf8).write(to: URL(filePath: file))
    let outcome = try await run("account", "list")
    #expect(outcome.status == 65)
    #expect(outcome.messages.contains("line 2"))
    #expect(outcome.messages.contains("did you mean network?"))
  }
}
