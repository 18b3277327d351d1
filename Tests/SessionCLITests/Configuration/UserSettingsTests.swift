import Foundation
import Testing

/// A person's settings, as the real program has them. Nothing here needs a network.
@Suite struct UserSettingsTests {
  private let program: Program

  init() throws { program = try .atHome() }

  private func run(_ words: String...) async throws -> Program.Outcome { try await program.ran(words) }
  private var file: URL { program.path(".config/session/session.toml") }

  private func json(_ words: String...) async throws -> [[String: Any]] {
    let outcome = try await program.ran(words + ["--json"])
    #expect(outcome.status == 0, "\(outcome.messages)")
    return try expectForms(inLines: outcome.output, writtenBy: words)
  }

  @Test func aProxyThatLeaksNamesOrPasswordsIsRefused() async throws {
    for proxy in ["socks5h://127.0.0.1:9050", "http://proxy.example:3128", "environment"] {
      #expect(try await run("config", "set", "proxy", proxy).status == 0)
      #expect(try await run("config", "get", "proxy").output == proxy + "\n")
    }
    for (proxy, words) in [
      ("socks5://127.0.0.1:9050", "would look names up where others see them"),
      ("http://me:secret@127.0.0.1:80", "the file proxy-auth beside it has them"),
      ("https://127.0.0.1:80", "socks5h://HOST:PORT"), ("127.0.0.1", "socks5h://HOST:PORT"),
    ] {
      let refused = try await run("config", "set", "proxy", proxy)
      #expect(refused.status != 0 && refused.messages.contains(words), "\(refused.messages)")
      #expect(!refused.messages.contains("secret"))
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "proxy = \"environment\"\n")
  }

  @Test func aBlockedSiteThatIsNoneIsRefused() async throws {
    #expect(try await run("config", "set", "preview_blocked", "example.org .B\u{FC}cher.example").status == 0)
    let refused = try await run("config", "set", "preview_blocked", "https://example.org")
    #expect(refused.status != 0 && refused.messages.contains("preview_blocked is a list of names of sites"))
    #expect(try await run("config", "get", "preview_blocked").output == "example.org .B\u{FC}cher.example\n")
  }

  @Test func aDirectServerThatIsNoneIsRefused() async throws {
    #expect(
      try await run("config", "set", "direct_servers", "https://example.org https://B.example:8443").status
        == 0)
    for server in ["http://example.org", "example.org", "https://example.org/lobby", "https://"] {
      let refused = try await run("config", "set", "direct_servers", server)
      #expect(
        refused.status != 0
          && refused.messages.contains("addresses of servers such as https://example.org"), "\(server)")
    }
    #expect(
      try await run("config", "get", "direct_servers").output
        == "https://example.org https://B.example:8443\n")
  }

  @Test func settingsAreChangedAndTold() async throws {
    #expect(try await run("config", "path").output == file.path + "\n")
    #expect(try await json("config", "path").map { $0["path"] as? String } == [file.path])
    #expect(try await run("config", "get", "colour").output == "auto\n")
    #expect(try await run("config", "set", "colour", "never").status == 0)
    #expect(try String(contentsOf: file, encoding: .utf8) == "colour = \"never\"\n")
    let modes = try FileManager.default.attributesOfItem(atPath: file.path)
    #expect(modes[.posixPermissions] as? Int == 0o600)
    let listed = try await json("config", "list")
    #expect(
      listed.map { $0["name"] as? String } == [
        "account", "network", "colour", "times", "recipients", "key_store", "key_commands", "dnd_schedule",
        "lock_on_screen_lock", "terminal", "audio_converter", "audio_recorder", "audio_player", "proxy",
        "preview_blocked", "direct_servers",
      ])
    let values = [
      "network": "main", "colour": "never", "times": "local", "recipients": "names",
      "lock_on_screen_lock": "off",
    ]
    for setting in listed {
      let name = try #require(setting["name"] as? String)
      #expect(setting["value"] as? String == values[name], "\(name)")
      #expect(setting["set"] as? Bool == (name == "colour"), "\(name)")
    }
    #expect(try await run("config", "list").output.firstMatch(of: /colour +never +set/) != nil)
    #expect(try await json("config", "get", "colour").map { $0["value"] as? String } == ["never"])
    #expect(try await json("config", "set", "colour").map { $0["type"] as? String } == ["done"])
    #expect(try String(contentsOf: file, encoding: .utf8) == "")

    let unknown = try await run("config", "set", "color", "never")
    #expect(unknown.status == 64)
    #expect(unknown.messages.contains("there is no setting color; did you mean colour?"))
    let wrong = try await run("config", "set", "colour", "red")
    #expect(wrong.status == 64)
    #expect(wrong.messages.contains("colour is one of \"auto\", \"always\", \"never\", not red"))
    #expect(try await run("config", "set", "account", "nobody").status == 78)
    #expect(try await run("config", "set", "network", "absent.json").status == 66)
  }

  @Test func aFileThatIsKeptElsewhereStaysThere() async throws {
    let kept = program.path("dotfiles/session.toml")
    for folder in [kept, file].map({ $0.deletingLastPathComponent() }) {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    // By a path from the folder of the link.
    try FileManager.default.createSymbolicLink(
      atPath: file.path, withDestinationPath: "../../dotfiles/session.toml")
    let nowhere = try await run("config", "set", "colour", "never")
    #expect(nowhere.status == 73)
    #expect(nowhere.messages.contains("\(file.path) is a broken symbolic link\n"))

    try Data("# mine\n".utf8).write(to: kept)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: kept.path)
    #expect(try await run("config", "set", "colour", "never").status == 0)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == "../../dotfiles/session.toml")
    #expect(try String(contentsOf: kept, encoding: .utf8) == "# mine\ncolour = \"never\"\n")
    #expect(try await run("config", "get", "colour").output == "never\n")
  }

  @Test func commandsDoAsIsSet() async throws {
    for name in ["alice", "bob"] { #expect(try await run("account", "new", name).status == 0) }
    #expect(try await run("profile", "show").status == 64)
    #expect(try await run("account", "use", "bob").status == 0)
    #expect(try await run("config", "get", "account").output == "bob\n")
    #expect(try await run("profile", "show").output.contains("name  bob\n"))
    #expect(try await run("profile", "show", "--account", "alice").output.contains("name  alice\n"))
    #expect(try await run("config", "set", "account", "alice").status == 0)
    #expect(try await run("profile", "show").output.contains("name  alice\n"))
    #expect(try await run("account", "delete", "alice", "--yes").status == 0)
    #expect(try await run("config", "get", "account").output == "\n")

    #expect(try await run("config", "set", "colour", "always").status == 0)
    #expect(try await run("account", "list").output.contains("\u{1B}[1m"))
    #expect(try await run("config", "set", "network", "test").status == 0)
    #expect(try await run("account", "new", "carol").status == 78)
    #expect(try await run("account", "new", "carol", "--network", "main").status == 0)
  }

  @Test func aMistakeIsNamedByAllButWhatMendsIt() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    try Data("# mine\ncolour = \"red\"\n".utf8).write(to: file)
    let chats = try await run("chats")
    #expect(chats.status == 65)
    #expect(
      chats.messages.contains("\(file.path), line 2: colour is one of \"auto\", \"always\", \"never\"\n"))
    #expect(chats.messages.contains("'session help configuration' explains the settings."))
    #expect(try await run("help").status == 0)
    #expect(try await run("--version").status == 0)
    #expect(try await run("config", "path").status == 0)
    #expect(try await run("config", "list").status == 65)
    for words in [
      ["config", "list"], ["config", "get", "times"], ["config", "set", "times", "local"],
      ["account", "use", "alice"],
    ] {
      let refused = try await program.ran(words)
      #expect(refused.status == 65)
      #expect(refused.messages.contains("\(file.path), line 2: colour is one of "), "\(words)")
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == "# mine\ncolour = \"red\"\n")
    for words in [["manual"], ["completion", "bash"], ["help", "configuration"]] {
      #expect(try await program.ran(words).status == 0, "\(words)")
    }
    let doctor = try await run("doctor", "--offline")
    #expect(doctor.status == 65)
    #expect(doctor.output.contains("failed   config "))

    #expect(try await run("config", "set", "colour", "never").status == 0)
    #expect(try String(contentsOf: file, encoding: .utf8) == "# mine\ncolour = \"never\"\n")
    #expect(try await run("config", "list").status == 0)
    try Data("colour = never\n".utf8).write(to: file)
    let unreadable = try await run("config", "set", "colour", "never")
    #expect(unreadable.status == 65)
    #expect(unreadable.messages.contains("\(file.path), line 1: 'never' is not a value"))

    try Data("colour = \"never\"\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path)
    let exposed = try await run("chats")
    #expect(exposed.status == 78)
    #expect(exposed.messages.contains("others can write to \(file.path)\nrun: chmod go-w "))
    #expect(try await run("help").status == 0)
  }
}
