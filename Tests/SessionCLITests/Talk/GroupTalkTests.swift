import Foundation
import Testing

@testable import SessionCLI

/// A group of three accounts over a private network.
@Suite struct GroupTalkTests {
  @Test func aRemovedMemberReadsNothingWrittenAfterwards() async throws {
    try await Household.with { home in
      try await home.friends()
      let carol = try await home.account("carol")
      let group = try await home.run("group", "create", "Trip", "bob", carol, "--account", "alice")
        .trimmingCharacters(in: .newlines)

      // Bob has accepted Alice and joins at once; Carol gets a request.
      #expect(try await home.run("receive", "--account", "bob").contains("alice in Trip  "))
      let invited = try await home.outcome(["receive", "--ack", "--account", "carol"])
      #expect(invited.output.contains(" invited you to Trip.)"))
      #expect(invited.messages.contains("session group accept \(group)"))
      #expect(try await home.run("requests", "list", "--account", "carol").contains("(alice ("))
      #expect(try await !home.run("group", "show", group, "--account", "carol").contains("members"))
      let refused = try await home.outcome(["requests", "accept", group, "--account", "carol"])
      #expect(refused.status == 65)
      #expect(refused.messages.contains("session group accept"))
      try await home.run("group", "accept", group, "--account", "carol")

      for (name, text) in [("alice", "at nine"), ("bob", "with coffee"), ("carol", "with cake")] {
        try await home.run("send", "Trip", text, "--account", name)
      }
      for name in ["alice", "bob", "carol"] {
        try await home.run("receive", "--ack", "--account", name)
        let bodies = try await home.json("show", "Trip", "--account", name).compactMap {
          $0["body"] as? String
        }
        #expect(Set(bodies).isSuperset(of: ["at nine", "with coffee", "with cake"]), "\(name): \(bodies)")
      }
      #expect(try await home.run("search", "cake", "--account", "alice").contains(") in Trip  "))

      try await home.run("group", "remove", "Trip", carol, "--account", "alice")
      try await home.run("send", "Trip", "at ten", "--account", "alice")
      #expect(try await home.run("receive", "--ack", "--account", "bob").contains("at ten"))
      let removed = try await home.run("receive", "--ack", "--account", "carol")
      #expect(removed.contains("(You were removed from this group.)"))
      #expect(!removed.contains("at ten"))
      #expect(try await home.json("show", group, "--account", "carol").isEmpty)
      #expect(try await !home.run("group", "members", "Trip", "--account", "bob").contains(carol))
      #expect(try await home.outcome(["send", group, "still here", "--account", "carol"]).status == 65)
    }
  }
}
