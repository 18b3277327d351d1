import Foundation
import PrivateBuses
import SessionStorage
import Testing

/// The slots of an account's key, with the real program. Nothing here needs a network.
@Suite(.timeLimit(.minutes(10))) struct KeyCommandTests {
  private let program: Program

  init() throws { program = try .atHome() }

  private func run(_ words: String..., with variables: [String: String] = [:]) async throws -> Program.Outcome
  {
    try await program.ran(words, with: variables)
  }

  private var keyFile: URL { program.path(".local/share/session/accounts/alice/db.key") }

  private func states() async throws -> [String] {
    let list = try await run("key", "list", "--json")
    #expect(list.status == 0)
    let slots = try expectForms(inLines: list.output, writtenBy: ["key", "list"])
    return slots.map { "\($0["id"] ?? "") \($0["kind"] ?? "") \($0["state"] ?? "")" }
  }

  /// A program that a slot runs.
  private func writeProgram(_ body: String, to name: String = "keeper") throws -> String {
    let path = program.path(name).path
    try Data("#!/bin/sh\n\(body)\n".utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
    return path
  }

  private static let digits = String(repeating: "5a", count: 32)

  @Test func aForgottenPassphraseIsReplacedWithTheRecoveryPhrase() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    #expect(try await run("account", "export-phrase", "--out", "words").status == 0)
    try program.writeSecret("forgotten\n", to: "old")
    try program.writeSecret("new\n", to: "new")
    let set = try await run("db", "passphrase", "set", "--new", "old")
    #expect(set.messages.hasSuffix("These open the messages without it: recovery.\n"))
    #expect(try await run("profile", "show").status == 78)

    #expect(try await run("account", "new", "other").status == 0)
    #expect(try await run("account", "export-phrase", "other", "--out", "others").status == 0)
    let wrong = try await run("account", "unlock", "alice", "--phrase", "others")
    #expect(wrong.status == 65 && wrong.messages.contains("not the recovery phrase of the account"))
    let unlocked = try await run("account", "unlock", "alice", "--phrase", "words")
    #expect(unlocked.status == 0 && unlocked.messages == "Unlocked alice.\n")
    let removed = try await run("key", "remove", "passphrase", "--account", "alice")
    #expect(removed.status == 64 && removed.messages.contains("without the recovery phrase"))
    #expect(try await run("key", "forget", "--account", "alice").status == 0)
    #expect(try await run("profile", "show", "--account", "alice").status == 78)
    // The new passphrase takes the place of the forgotten one.
    #expect(try await run("key", "remove", "passphrase", "--yes", "--account", "alice").status == 0)
    let moved = try await run(
      "key", "move", "passphrase", "--new", "new", "--phrase", "words", "--account", "alice")
    #expect(moved.status == 0, "\(moved.messages)")
    let shown = try await run(
      "profile", "show", "--account", "alice", with: ["SESSION_PASSPHRASE_FILE": program.path("new").path])
    #expect(shown.status == 0)
  }

  @Test func slotsAreAddedMovedAndRemoved() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    #expect(try await states() == ["1 open works", "2 recovery asks"])
    #expect(try await run("key", "add", "recovery").status == 65)
    let keeper = try writeProgram("echo \(Self.digits)")
    let moved = try await run("key", "move", "command", keeper, "a b", "it's")
    #expect(moved.status == 0, "\(moved.messages)")
    #expect(try await states() == ["2 recovery asks", "3 command works"])
    #expect(
      try await run("config", "get", "key_commands").output == "\(keeper) 'a b' 'it'\\''s'\n")
    #expect(try await run("profile", "show").status == 0)

    let last = try await run("key", "remove", "3")
    #expect(last.status == 64 && last.messages.contains("no other slot would open the messages"))
    let warned = try await run("key", "remove", "recovery")
    #expect(warned.status == 64 && warned.messages.contains("--yes"))
    #expect(try await run("key", "remove", "9").status == 65)
    #expect(try await run("key", "remove", "recovery", "--yes").status == 0)
    #expect(try await run("key", "remove", "command", "--yes").status == 65)
    #expect(try await run("key", "move", "open").status == 0)
    #expect(try await states() == ["1 open works"])
    #expect(try await run("key", "test").status == 0)
  }

  /// A program that breaks is no reason to lose the messages.
  @Test func aSlotThatFailsLeavesTheOthers() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    #expect(try await run("account", "export-phrase", "--out", "words").status == 0)
    let keeper = try writeProgram("echo \(Self.digits)")
    #expect(try await run("key", "move", "command", keeper).status == 0)
    #expect(try await run("key", "forget").status == 0)
    #expect(try await run("profile", "show").status == 0)
    _ = try writeProgram("exit 1")
    #expect(try await run("key", "forget").status == 0)
    let failed = try await run("profile", "show")
    #expect(failed.status == 78)
    #expect(failed.messages.contains("slot 3 (command) fails: \(keeper) exits with 1"))
    #expect(failed.messages.contains("session account unlock alice --phrase FILE"))
    let tested = try await run("key", "test")
    #expect(tested.status == 65 && tested.output.contains("failed"))
    #expect(try await run("account", "unlock", "alice", "--phrase", "words").status == 0)
    #expect(try await run("key", "forget").status == 0)
    // A folder that was copied to other settings runs nothing.
    _ = try writeProgram("touch \(program.path("ran").path); echo \(Self.digits)")
    try FileManager.default.removeItem(at: program.path(".config/session/session.toml"))
    let copied = try await run("profile", "show")
    #expect(
      copied.status == 78 && copied.messages.contains("your settings do not allow \(keeper)"), "\(copied)")
    #expect(!FileManager.default.fileExists(atPath: program.path("ran").path))
  }

  /// What the kernel remembers hides that no slot works.
  @Test func theLastSlotThatWorksStaysEvenIfItsRemovalIsConfirmed() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    let keeper = try writeProgram("echo \(Self.digits)")
    #expect(try await run("key", "move", "command", keeper).status == 0)
    #expect(try await run("profile", "show").status == 0)
    _ = try writeProgram("exit 1")
    let refused = try await run("key", "remove", "recovery", "--yes")
    #expect(refused.status == 65 && refused.messages.contains("nothing else opens the messages"))
    #expect(!refused.messages.contains("--yes"))
    #expect(try await states() == ["2 recovery asks", "3 command failed"])
    // The dead slot may go: the recovery phrase is left.
    let warned = try await run("key", "remove", "command")
    #expect(warned.status == 64 && warned.messages.contains("--yes"))
    #expect(try await run("key", "remove", "command", "--yes").status == 0)
    #expect(try await states() == ["2 recovery asks"])
  }

  @Test func aPassphraseIsRemovedOnlyForASlotThatWorks() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    try program.writeSecret("secret\n", to: "pw")
    let typed = ["SESSION_PASSPHRASE_FILE": program.path("pw").path]
    let keeper = try writeProgram("echo \(Self.digits)")
    #expect(try await run("key", "move", "command", keeper).status == 0)
    #expect(try await run("db", "passphrase", "set", "--new", "pw").status == 0)
    let locked = try await run("account", "lock")
    #expect(locked.messages.hasSuffix("Commands still open it without a person: command.\n"))
    let removed = try await run("db", "passphrase", "remove", with: typed)
    #expect(removed.status == 0 && removed.messages.hasPrefix("Passphrase removed.\n"), "\(removed)")
    #expect(try await states() == ["2 recovery asks", "3 command works"])

    #expect(try await run("db", "passphrase", "set", "--new", "pw").status == 0)
    _ = try writeProgram("exit 1")
    #expect(try await run("account", "lock").messages.contains("prompts for the passphrase"))
    let opened = try await run("db", "passphrase", "remove", with: typed)
    #expect(opened.status == 0 && opened.messages.contains("anyone who can read this disk"), "\(opened)")
    #expect(try await states().sorted() == ["1 open works", "2 recovery asks", "3 command failed"])
    #expect(try await run("key", "forget").messages.contains("without a person: open"))
    #expect(try await run("profile", "show").status == 0)
  }

  @Test(arguments: [
    ("printf %031d 0", "gives 31 bytes"), ("echo \(digits); echo \(digits)", "gives 130 bytes"),
    ("head -c 4096 /dev/zero", "prints more than a key"), ("exit 3", "exits with 3"),
    ("kill -9 $$", "was ended by signal 9"), ("echo \(digits) > /dev/tty", "exits with"),
  ])
  func programsThatPrintNoKeyAddNoSlot(_ body: String, _ reason: String) async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    let before = try Data(contentsOf: keyFile)
    let refused = try await run("key", "move", "command", try writeProgram(body))
    #expect(refused.status == 65 && refused.messages.contains(reason), "\(refused.messages)")
    #expect(try Data(contentsOf: keyFile) == before)
  }

  @Test(arguments: [
    ["key", "add", "command"], ["key", "add", "command", "relative"], ["key", "add", "tpm2"],
    ["key", "add", "open", "/bin/true"], ["key", "move", "recovery"], ["key", "add", "open", "--name", "x"],
    ["key", "add", "recovery", "--new", "x"], ["key", "add", "credential", "--name", "../x", "--new", "x"],
    ["key", "move", "passphrase", "--v1"],
  ])
  func wordsThatNameNoSlotAreMisuse(_ words: [String]) async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    try program.writeSecret("secret\n", to: "x")
    let before = try Data(contentsOf: keyFile)
    #expect(try await program.ran(words).status == 64)
    #expect(try Data(contentsOf: keyFile) == before)
  }

  @Test func theServiceManagerHandsTheKeyOver() async throws {
    let folder = program.path("credentials")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let service = ["CREDENTIALS_DIRECTORY": folder.path]
    try program.writeSecret("short", to: "credentials/session.key")
    #expect(try await run("account", "new", "alice", with: service).status == 65)
    try program.writeSecret(String(repeating: "k", count: 32), to: "credentials/session.key")
    let made = try await run("account", "new", "alice", with: service)
    #expect(made.status == 0 && made.messages.contains("opened by: credential, and the recovery phrase"))
    #expect(try await run("profile", "show", with: service).status == 0)
    // A passphrase is added to what the service manager hands over.
    try program.writeSecret("secret\n", to: "pw")
    let set = try await run("db", "passphrase", "set", "--new", "pw", with: service)
    #expect(set.status == 0 && set.messages.contains("open the messages without it: credential, recovery"))
    #expect(try await run("key", "remove", "passphrase", with: service).status == 0)
    #expect(try await run("key", "forget").status == 0)
    let alone = try await run("profile", "show")
    #expect(alone.status == 78 && alone.messages.contains("there is no credential session.key"))

    // Another account gets the same key from a file.
    #expect(try await run("account", "new", "bob", "--key-store", "open").status == 0)
    let added = try await run(
      "key", "move", "credential", "--new", "credentials/session.key", "--account", "bob")
    #expect(added.status == 0)
    #expect(try await run("profile", "show", "--account", "bob", with: service).status == 0)
    let other = try await run(
      "key", "add", "credential", "--name", "other", "--account", "bob", with: service)
    #expect(other.status == 65 && other.messages.contains("there is no credential other"))
    #expect(try await run("account", "new", "carol", "--key-store", "credential").status == 65)
    #expect(try await run("account", "new", "carol", "--key-store", "tpm2").status == 64)
  }

  @Test func keyFilesOfEarlierVersionsGetSlotsWhenOneIsAdded() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    #expect(try await run("key", "move", "open", "--v1").status == 0)
    let old = try Data(contentsOf: keyFile)
    #expect(old.count == 48)
    #expect(try await run("profile", "show").status == 0)
    #expect(try await run("key", "list").messages.contains("of an earlier version: it is open"))
    #expect(try Data(contentsOf: keyFile) == old)
    let doctor = try await run("doctor", "--offline")
    #expect(doctor.output.contains("run: session key add recovery"))
    #expect(try await run("key", "add", "recovery").status == 0)
    #expect(try await states() == ["1 open works", "2 recovery asks"])
    #expect(try await !run("doctor", "--offline").output.contains("key add recovery"))
  }

  @Test func aNewAccountAsksForAPassphraseOnATerminal() async throws {
    let window = try await TerminalWindow(program, ["account", "new", "alice"], columns: 100)
    try await window.see("Passphrase for the messages on this machine (empty: none):")
    try await window.enter("first")
    try await window.see("Repeat the passphrase:")
    try await window.enter("first")
    try await window.see("ended 0\nicanon\necho\n")
    try await window.close()
    #expect(try await states() == ["1 passphrase asks", "2 recovery asks"])

    let open = try await TerminalWindow(program, ["account", "new", "bob"], columns: 100)
    try await open.see("(empty: none):")
    try await open.enter("")
    try await open.see("ended 0\nicanon\necho\n")
    try await open.close()
    #expect(try await run("profile", "show", "--account", "bob").status == 0)

    let slip = try await TerminalWindow(program, ["account", "new", "carol"], columns: 100)
    try await slip.see("(empty: none):")
    try await slip.enter("one")
    try await slip.see("Repeat the passphrase:")
    try await slip.enter("two")
    try await slip.see("ended 65\nicanon\necho\n")
    try await slip.close()
    #expect(try await run("profile", "show", "--account", "carol").status == 78)
  }

  @Test(.enabled(if: GnomeKeyring.isPossible, "\(GnomeKeyring.reason)"))
  func theKeyringOfTheDesktopKeepsTheKey() async throws {
    let server = try PrivateBus()
    let keyring = try await GnomeKeyring(on: server)
    let desktop = ["DBUS_SESSION_BUS_ADDRESS": server.address]
    let made = try await run("account", "new", "alice", with: desktop)
    #expect(made.status == 0 && made.messages.contains("opened by: secret-service, and the recovery phrase"))
    #expect(try await run("account", "export-phrase", "--out", "words", with: desktop).status == 0)
    func states() async throws -> [String] {
      let list = try await run("key", "list", "--json", with: desktop)
      return try expectForms(inLines: list.output, writtenBy: ["key", "list"])
        .map { "\($0["kind"] ?? "") \($0["state"] ?? "")" }
    }
    #expect(try await states() == ["secret-service works", "recovery asks"])
    #expect(try await run("key", "forget").status == 0)
    #expect(try await run("profile", "show", with: desktop).status == 0)
    #expect(try await run("key", "add", "secret-service", with: desktop).status == 65)

    // There and back.
    #expect(try await run("key", "move", "open", with: desktop).status == 0)
    #expect(try await states() == ["recovery asks", "open works"])
    #expect(try await run("key", "move", "secret-service", with: desktop).status == 0)
    #expect(try await states() == ["recovery asks", "secret-service works"])

    // The recovery phrase opens the account on another desktop, too, or without one.
    #expect(try await run("key", "forget").status == 0)
    keyring.end()
    let lost = try await run("profile", "show", with: desktop)
    #expect(lost.status == 78 && lost.messages.contains("(secret-service) fails"))
    #expect(try await run("account", "unlock", "--phrase", "words").status == 0)
    let refused = try await run("key", "add", "secret-service", with: desktop)
    #expect(refused.status != 0)
  }

  @Test func withoutADesktopTheKeyringIsRefused() async throws {
    let refused = try await run("account", "new", "alice", "--key-store", "secret-service")
    #expect(refused.status == 69 && refused.messages.contains("there is no desktop session"))
    #expect(try await run("account", "list").output.isEmpty)
    #expect(try await run("account", "new", "alice").status == 0)
    let before = try Data(contentsOf: keyFile)
    #expect(try await run("key", "move", "secret-service").status == 69)
    #expect(try Data(contentsOf: keyFile) == before)
  }
}
