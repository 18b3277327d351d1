import Foundation
import Testing

/// The real program rejects inputs that cannot be read, must not be read, or are malformed.
@Suite struct InputTests {
  /// A file that even root cannot read.
  private static let forbidden = "/proc/sys/net/ipv4/route/flush"

  @Test(
    .enabled(if: FileManager.default.fileExists(atPath: forbidden), "the system has no such file"),
    arguments: [
      ["account", "show", forbidden], ["open", "--as", forbidden], ["inspect", "message", forbidden],
      ["inspect", "config", forbidden], ["inspect", "bt", forbidden],
      ["inspect", "message", "--key", forbidden], ["node", "run", "--config", forbidden],
      ["attachment", "seal", forbidden, "--out", "sealed"],
      ["account", "restore", "alice", "--phrase", forbidden],
    ]) func aFileThatMayNotBeReadEndsWith77(words: [String]) async throws
  {
    let program = try Program.atHome()
    let outcome = try await program.ran(words)
    #expect(outcome.status == 77, "\(outcome.messages)")
    #expect(outcome.messages.contains(Self.forbidden))
  }

  @Test(
    arguments: [
      ["account", "show", "absent"], ["open", "--as", "absent"], ["inspect", "message", "absent"],
      ["inspect", "config", "absent"], ["inspect", "bt", "absent"], ["node", "run", "--config", "absent"],
      ["inspect", "message", "--key", "absent"], ["attachment", "seal", "absent", "--out", "sealed"],
    ]) func aFileThatIsMissingEndsWith66(words: [String]) async throws
  {
    let program = try Program.atHome()
    #expect(try await program.ran(words).status == 66)
  }

  @Test(
    arguments: [
      (["inspect", "bt"], "d1:ai1e"), (["inspect", "bt"], "i1ei2e"), (["inspect", "bt"], "x"),
      (["inspect", "message"], "nothing of that kind"), (["inspect", "config"], "nothing of that kind"),
      (["inspect", "id", "05"], ""),
    ] as [([String], String)]) func invalidInputExitsWith65(words: [String], input: String)
    async throws
  {
    let program = try Program.atHome()
    let outcome = try await program.ran(words, input: input)
    #expect(outcome.status == 65, "\(outcome.output)\(outcome.messages)")
  }

  @Test func validInputIsInspectedSuccessfully() async throws {
    let program = try Program.atHome()
    #expect(try await program.ran(["inspect", "bt"], input: "d1:ai1ee").status == 0)
  }

  @Test func anArgumentThatIsNoTextIsRefused() async throws {
    let program = try Program.atHome()
    let folder = try #require(program.executables).path
    let outcome = try await program.ranOther(
      "/bin/sh", ["-c", "exec \"$0/session\" send bob \"$(printf 'caf\\351')\"", folder],
      with: ["HOME": program.folder.path])
    #expect(outcome.status == 65)
    #expect(outcome.messages.contains("argument 3 is not UTF-8"), "\(outcome.messages)")
  }
}
