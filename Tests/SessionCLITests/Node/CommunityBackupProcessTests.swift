import Foundation
import Glibc
import SessionCore
import Testing

@testable import SessionCLI

/// Backups of a community server, as operators make them while it runs.
@Suite(.timeLimit(.minutes(10))) struct CommunityBackupProcessTests {
  private let config = ["--config", "chat/community-server.toml"]

  private func prepared() async throws -> (Program, key: String) {
    let program = try Program()
    let made = try await program.ran(
      "server", "community", "init", "--dir", "chat", "--listen", "127.0.0.1:0")
    try #require(made.status == 0, "\(made.messages)")
    let added = try await run(program, "room", "add", "lounge", "--name", "The Lounge")
    try #require(added.status == 0, "\(added.messages)")
    return (program, made.output.trimmingCharacters(in: .newlines))
  }

  private func run(_ program: Program, _ words: String...) async throws -> Program.Outcome {
    try await program.ran(["server", "community"] + words + config)
  }

  @Test func aRunningServerIsBackedUpAndRestored() async throws {
    let (program, key) = try await prepared()
    let server = try ServerProcess(program, ["server", "community", "run"] + config)
    _ = try await server.line(with: "community server began")
    let made = try await run(program, "backup", "a.backup", "--plain", "--json")
    #expect(made.status == 0, "\(made.messages)")
    let written = try expectForms(inLines: made.output, writtenBy: ["server", "community", "backup"])
    #expect(written.first?["rooms"] as? Int == 1)
    let again = try await run(program, "backup", "a.backup", "--plain")
    #expect(again.status == 73)
    server.signal(SIGTERM)
    #expect(await server.end() == 0)

    let restored = try await program.ran(
      "server", "community", "restore", "a.backup", "--dir", "new", "--json")
    #expect(restored.status == 0, "\(restored.messages)")
    let state = try expectForms(inLines: restored.output, writtenBy: ["server", "community", "restore"])
    #expect(state.first?["key"] as? String == key)
    // The configuration is written for the folder that is there, and the key stays.
    let made2 = try await program.ran(
      "server", "community", "init", "--dir", "new", "--listen", "127.0.0.1:0")
    #expect(made2.output == key + "\n", "\(made2.messages)")
    let rooms = try await program.ran(
      "server", "community", "room", "show", "lounge", "--config", "new/community-server.toml", "--json")
    let room = try expectForms(inLines: rooms.output, writtenBy: ["server", "community", "room", "show"])
    #expect(room.first?["changes"] as? Int == 1_000_000)
    let bumped = try await program.ran("server", "community", "restore", "--bump-only", "--dir", "new")
    #expect(bumped.status == 0, "\(bumped.messages)")
  }

  @Test func aBackupTakesAPassphraseFromAFile() async throws {
    let (program, _) = try await prepared()
    try program.writeSecret("one two\n", to: "pw")
    #expect(try await run(program, "backup", "a", "--passphrase", "pw", "--plain").status == 64)
    let made = try await run(program, "backup", "a", "--passphrase", "pw")
    #expect(made.status == 0, "\(made.messages)")
    let restore = ["server", "community", "restore"]
    #expect(try await program.ran(restore + ["a", "--dir", "chat", "--passphrase", "pw"]).status == 73)
    #expect(try await program.ran(restore + ["--dir", "b"]).status == 64)
    #expect(try await program.ran(restore + ["pw", "--dir", "b"]).status == 65)
    let restored = try await program.ran(restore + ["a", "--dir", "b", "--passphrase", "pw"])
    #expect(restored.status == 0, "\(restored.messages)")
  }

  @Test func aKilledBackupLeavesTheServerAsItWas() async throws {
    let (program, _) = try await prepared()
    for _ in 0..<3 {
      let backup = try ServerProcess(
        program, ["server", "community", "backup", "killed", "--plain"] + config)
      backup.signal(SIGKILL)
      _ = await backup.end()
    }
    let made = try await run(program, "backup", "whole", "--plain")
    #expect(made.status == 0, "\(made.messages)")
    let restored = try await program.ran("server", "community", "restore", "whole", "--dir", "new")
    #expect(restored.status == 0, "\(restored.messages)")
  }

  @Test func anImportReportsMissingFiles() async throws {
    let program = try Program()
    let missing = try await program.ran("server", "community", "import", "none", "--dir", "chat")
    #expect(missing.status == 66)
    #expect(missing.messages.contains("there is no pysogs server at none"))
  }
}
