import Foundation
import Testing

@testable import SessionCLI

/// Tags from the command line.
@Suite(.timeLimit(.minutes(10))) struct TagCommandTests {
  @Test(arguments: [false, true]) func conversationsAreTaggedAndFound(hasDaemon: Bool) async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try await home.with(daemon: hasDaemon, serving: "alice") {
        try await home.run("send", "me", "Hello myself")
        try await home.run("tag", "add", "bob", "work", "berlin")
        let tags = try await home.json("tag", "list")
        #expect(tags.map { $0["name"] as? String } == ["work", "berlin"])
        #expect((tags[0]["conversations"] as? [String])?.count == 1)
        try await home.run("tag", "rename", "work", "Office", "--emoji", "🏢")
        #expect(try await home.run("tag", "list").contains("🏢"))
        let chats = try await home.json("chats", "--tag", "office")
        #expect(chats.count == 1 && chats[0]["tags"] as? [String] == ["Office", "berlin"])
        #expect(try await home.json("chats", "--tag", "groups").isEmpty)
        let found = try await home.json("search", "Hello", "--tag", "office")
        #expect(found.map { $0["body"] as? String } == ["Hello"])
        // That bob accepted the request is unread.
        #expect(try await home.run("read", "--all", "--tag", "groups") == "0\n")
        #expect(try await home.run("read", "--all", "--tag", "office") == "1\n")
        #expect(try await home.run("read", "--all", "--tag", "office") == "0\n")
        try await home.run("tag", "remove", "bob", "berlin")
        try await home.run("tag", "delete", "office")
        #expect(try await home.json("tag", "list").map { $0["name"] as? String } == ["berlin"])
        for words in [
          ["tag", "delete", "office"], ["tag", "add", "bob", "unread"], ["tag", "remove", "bob", "berlin"],
          ["chats", "--tag", "office"], ["search", "Hello", "--tag", "office"],
        ] {
          #expect(try await home.outcome(words).status == 65, "\(words)")
        }
        #expect(try await home.outcome(["tag", "add", "bob"]).status == 64)
        #expect(try await home.outcome(["read", "bob", "--tag", "berlin"]).status == 64)
      }
    }
  }
}
