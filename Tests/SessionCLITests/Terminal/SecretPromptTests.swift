import Foundation
import Glibc
import Testing

/// The program prompts for secrets at a terminal without showing them.
@Suite(.timeLimit(.minutes(10))) struct SecretPromptTests {
  private let program: Program

  init() throws { program = try .atHome() }

  @Test func ctrlCEndsThePromptAndRestoresEcho() async throws {
    let window = try await TerminalWindow(program, ["account", "restore", "alice"])
    try await window.see("The 13 words of the recovery phrase:")
    try await window.type("abbey")
    try await window.press("C-c")
    let screen = try await window.see("ended 130\nicanon\necho\n")
    #expect(screen.contains("session: interrupted; nothing was written\n"))
    #expect(!screen.contains("abbey"))
    try await window.close()
  }

  @Test func aCommandThatCleansUpAfterItselfEndsAtOnceToo() async throws {
    // The kernel keeps keys by the names of accounts.
    let name = "vault-\(UInt32.random(in: 0...UInt32.max))"
    #expect(try await program.ran("account", "new", name).status == 0)
    #expect(
      try await program.ran(["db", "passphrase", "set", "--new", "-"], input: "first\n").status == 0)
    let window = try await TerminalWindow(program, ["receive"])
    try await window.see("Passphrase of \(name):")
    try await window.press("C-c")
    try await window.see("ended 130\nicanon\necho\n")
    try await window.close()
  }

  @Test func doctorAsksOnce() async throws {
    // The kernel keeps keys by the names of accounts.
    let name = "vault-\(UInt32.random(in: 0...UInt32.max))"
    #expect(try await program.ran("account", "new", name).status == 0)
    #expect(
      try await program.ran(["db", "passphrase", "set", "--new", "-"], input: "first\n").status == 0)
    let window = try await TerminalWindow(program, ["doctor", "--offline"], columns: 100)
    try await window.see("Passphrase of \(name):")
    try await window.enter("first")
    let screen = try await window.see("ended 0\nicanon\necho\n")
    #expect(screen.split(separator: "Passphrase of").count == 2)
    #expect(screen.contains("jobs          nothing has failed\n"))
    try await window.close()
  }

  @Test func theSecondQuestionCanBeLeftLikeTheFirst() async throws {
    #expect(try await program.ran("account", "new", "alice").status == 0)
    let window = try await TerminalWindow(program, ["db", "passphrase", "set"])
    try await window.see("New passphrase of alice:")
    try await window.enter("first")
    try await window.see("Repeat the passphrase:")
    try await window.press("C-c")
    try await window.see("ended 130\nicanon\necho\n")
    try await window.close()
    #expect(try await program.ran("profile", "show").status == 0)
  }

  @Test func neitherStoppingNorLeavingItsMemoryBehindIsPossibleMeanwhile() async throws {
    let window = try await TerminalWindow(program, ["account", "restore", "alice"])
    try await window.see("The 13 words of the recovery phrase:")
    for key in ["C-z", "C-\\\\"] { try await window.press(key) }
    try await window.enter("nonsense")
    try await window.see("ended 65\nicanon\necho\n")
    try await window.close()
  }
}
