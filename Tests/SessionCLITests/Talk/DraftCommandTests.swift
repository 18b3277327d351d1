import Foundation
import SessionStorage
import Testing

@testable import SessionCLI
@testable import SessionDaemon

/// Drafts from the command line.
@Suite(.timeLimit(.minutes(10))) struct DraftCommandTests {
  @Test func draftsAreWrittenShownSentAndCleared() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      try Data("plan".utf8).write(to: home.path("plan.txt"))
      #expect(try await home.outcome(["draft", "show", "bob"]).status == 65)
      #expect(try await home.outcome(["send", "bob", "--draft"]).status == 65)
      try await home.run(
        "draft", "set", "bob", "--reply-to", "1", "--attach", "plan.txt", "--caption", "ours", "The", "plan")
      let draft = try #require(try await home.json("draft", "show", "bob").first)
      #expect(draft["text"] as? String == "The plan" && draft["reply_to"] as? Int == 1)
      let file = try #require((draft["files"] as? [[String: Any]])?.first)
      #expect(file["name"] as? String == "plan.txt" && file["caption"] as? String == "ours")
      let shown = try await home.run("draft", "show", "bob")
      #expect(shown.contains("replies to #1") && shown.contains("The plan") && shown.contains("[plan.txt]"))
      #expect(try await home.run("draft", "list").contains("The plan"))
      for words in [["--attach", "plan.txt"], ["--reply-to", "1"]] {
        #expect(try await home.outcome(["draft", "set", "bob", "x", "--add"] + words).status == 64)
      }
      let long = String(repeating: "x", count: 32_768)
      #expect(try await home.outcome(["draft", "set", "bob", "--add"], input: long).status == 65)
      try await home.run("draft", "set", "bob", "--add", "and", "more")
      let added = try #require(try await home.json("draft", "show", "bob").first)
      #expect(added["text"] as? String == "The plan\nand more" && added["reply_to"] as? Int == 1)
      #expect((added["files"] as? [[String: Any]])?.count == 1)
      // The file may be gone: the draft has a copy.
      try FileManager.default.removeItem(at: home.path("plan.txt"))
      try await home.run("send", "bob", "Something else")
      #expect(try await home.json("draft", "list").count == 1)
      try await home.run("send", "bob", "--draft")
      #expect(try await home.json("draft", "list").isEmpty)
      try await home.run("receive", "--ack", "--account", "bob")
      let got = try #require(try await home.json("show", "alice", "--account", "bob").last)
      #expect(got["body"] as? String == "The plan\nand more")
      #expect((got["attachments"] as? [[String: Any]])?.first?["caption"] as? String == "ours")

      let piped = try await home.outcome(["draft", "set", "bob"], input: "from a pipe\n")
      #expect(piped.status == 0)
      #expect(try await home.run("draft", "show", "bob") == "from a pipe\n")
      for words in [["text"], ["--attach", "x"], ["--reply-to", "1"], ["--key", "k"]] {
        #expect(try await home.outcome(["send", "bob", "--draft"] + words).status == 64, "\(words)")
      }
      try await home.run("draft", "clear", "bob")
      #expect(try await home.outcome(["draft", "show", "bob"]).status == 65)
      #expect(try await home.outcome(["draft", "set", "stranger", "x"]).status == 67)
    }
  }

  /// A daemon with two methods of one name would not start.
  @Test func noMethodIsThereTwice() {
    let methods = CommandMethods.served(MemoryIO().io(), ClientFiles(in: StorageRoots(inside: "/nowhere")))
    let twice = Dictionary(grouping: methods, by: \.name).filter { $0.value.count > 1 }.keys.sorted()
    #expect(twice == [])
    #expect(methods.contains { $0.name == "draft.set" } && methods.contains { $0.name == "scheduled.list" })
  }
}
