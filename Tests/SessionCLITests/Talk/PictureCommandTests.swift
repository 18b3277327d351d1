import Foundation
import Testing

@testable import SessionCLI

/// Pictures of profiles from the command line.
@Suite(.timeLimit(.minutes(10))) struct PictureCommandTests {
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
  )

  @Test func picturesAreSetSavedAndRemoved() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try #require(Self.picture).write(to: home.path("me.png"))
      try Data("no picture".utf8).write(to: home.path("text.png"))
      #expect(try await home.outcome(["profile", "picture", "save", "out.png"]).status == 65)
      #expect(try await home.outcome(["profile", "picture", "set", "text.png"]).status == 65)
      #expect(try await home.outcome(["profile", "picture", "set", "missing.png"]).status == 66)
      try await home.run("profile", "picture", "set", "me.png")
      try await home.run("profile", "picture", "save", "out.png")
      #expect(try Data(contentsOf: home.path("out.png")).starts(with: [0x89, 0x50, 0x4E, 0x47]))
      // What is there is not replaced.
      #expect(try await home.outcome(["profile", "picture", "save", "out.png"]).status == 73)
      try await home.run("send", "bob", "Look at me")
      try await home.run("receive", "--ack", "--account", "bob")
      // It ends with the messages; a command that changes something also waits for the download of the picture.
      try await home.run("read", "alice", "--account", "bob")
      try await home.run("profile", "picture", "save", "alice.png", "--of", "alice", "--account", "bob")
      #expect(
        try Data(contentsOf: home.path("alice.png")) == Data(contentsOf: home.path("out.png")))
      try await home.run("profile", "picture", "clear")
      #expect(try await home.outcome(["profile", "picture", "save", "gone.png"]).status == 65)
      #expect(!FileManager.default.fileExists(atPath: home.path("gone.png").path))
    }
  }
}
