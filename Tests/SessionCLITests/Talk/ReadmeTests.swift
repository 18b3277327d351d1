import Foundation
import Testing

@testable import SessionCLI

/// The commands that the README shows to new users work.
@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
  private let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// The commands of the first conversation, as they are typed.
  private func conversation() throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    let blocks = text.components(separatedBy: "```\n")
    let block = try #require(blocks.first { $0.hasPrefix("$ session devnet up") })
    return block.split(separator: "\n").filter { $0.hasPrefix("$ ") }.map { String($0.dropFirst(2)) }
  }

  @Test func theHelpShowsTheSameConversation() throws {
    let lines = try conversation().map { line in
      String(line.split(separator: "#", maxSplits: 1)[0]).trimmingCharacters(in: .whitespaces)
    }
    #expect(Topic.start.examples.map(\.line) == lines)
  }

  @Test func theFirstConversationGoesAsItIsWritten() async throws {
    let lines = try conversation()
    #expect(lines.first?.hasPrefix("session devnet up") == true)
    #expect(lines.last?.hasPrefix("session devnet down") == true)
    try await Household.with { home in
      let program = home.program
      try FileManager.default.copyItem(at: root.appending(path: "LICENSE"), to: program.path("LICENSE"))
      let script = lines.dropFirst().dropLast().joined(separator: "\n")
      let folder = try #require(program.executables).path
      let outcome = try await program.ranOther(
        "/bin/bash", ["-euc", script],
        with: [
          "HOME": program.folder.path, "XDG_RUNTIME_DIR": program.folder.path,
          "PATH": folder + ":/usr/bin:/bin",
        ])
      #expect(outcome.status == 0, "\(outcome.messages)")
      for text in ["Shall we meet?", "Yes.", "The rules", "LICENSE"] {
        #expect(outcome.output.contains(text), "\(outcome.output)")
      }
    }
  }
}
