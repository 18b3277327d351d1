import Testing

/// Commands for rooms in the real program. Nothing here needs a network.
@Suite struct CommunityCommandTests {
  private let program: Program

  init() throws { program = try .atHome() }

  private func run(_ words: String...) async throws -> Program.Outcome { try await program.ran(words) }

  @Test(arguments: ["lobby", "https://chat.example.org/lobby", "https://chat.example.org/lobby?public_key=5"])
  func aTextThatIsNoLinkIsRefused(text: String) async throws {
    let outcome = try await run("community", "join", text)
    #expect(outcome.status == 64)
    #expect(outcome.messages.contains("'\(text)' is not the link of a room"))
    #expect(outcome.messages.contains("?public_key="))
  }

  @Test func roomsAreLeftByTheirAddress() async throws {
    #expect(try await run("account", "new", "alice").status == 0)
    let none = try await run("community", "list")
    #expect(none.status == 0 && none.output.isEmpty && none.messages.contains("No rooms."))
    let noAddress = try await run("community", "leave", "lobby")
    #expect(noAddress.status == 64 && noAddress.messages.contains("session community list"))
  }
}
