import Foundation
import Testing

@testable import SessionCLI

/// A group of three accounts over a private network.
@Suite(.timeLimit(.minutes(10))) struct GroupTalkTests {
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

  /// A picture of one pixel.
  private static let picture =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

  @Test func aSecondAdminChangesTheGroupUntilItIsDeleted() async throws {
    try await Household.with { home in
      try await home.friends()
      let group = try await home.run("group", "create", "Trip", "bob", "--account", "alice")
        .trimmingCharacters(in: .newlines)
      try await home.run("receive", "--ack", "--account", "bob")
      try await home.run("send", "Trip", "with coffee", "--account", "bob")
      try await home.run("receive", "--ack", "--account", "alice")

      #expect(try await home.outcome(["group", "clear", "Trip", "--yes", "--account", "bob"]).status == 77)
      try await home.run("group", "promote", "Trip", "bob", "--account", "alice")
      try await home.run("receive", "--ack", "--account", "bob")
      #expect(try await home.json("group", "show", "Trip", "--account", "bob")[0]["admin"] as? Bool == true)
      #expect(try await home.run("show", "Trip", "--account", "bob").contains("(You are now an admin.)"))

      try Data(base64Encoded: Self.picture)?.write(to: home.path("boat.png"))
      try await home.run("group", "picture", "Trip", "boat.png", "--account", "bob")
      try await home.run("receive", "--ack", "--account", "alice")
      #expect(
        try await home.run("show", "Trip", "--account", "alice").contains(
          "(The group's picture was changed.)"))

      let unconfirmed = try await home.outcome(["group", "clear", "Trip", "--account", "bob"])
      #expect(unconfirmed.status == 64 && unconfirmed.messages.contains("--yes"))
      #expect(try await home.run("show", "Trip", "--account", "alice").contains("with coffee"))
      try await home.run("group", "clear", "Trip", "--yes", "--account", "bob")
      try await home.run("receive", "--ack", "--account", "alice")
      for name in ["alice", "bob"] {
        #expect(try await !home.run("show", "Trip", "--account", name).contains("with coffee"), "\(name)")
      }

      let kept = try await home.outcome(["group", "delete", "Trip", "--account", "alice"])
      #expect(kept.status == 64 && kept.messages.contains("--yes"))
      try await home.run("group", "delete", "Trip", "--yes", "--account", "alice")
      #expect(try await home.json("group", "list", "--account", "alice").isEmpty)
      #expect(
        try await home.run("receive", "--ack", "--account", "bob").contains("(This group was deleted.)"))
      #expect(try await home.outcome(["send", group, "still here", "--account", "bob"]).status == 65)
      // Deleting the rest of the group needs no confirmation.
      try await home.run("group", "delete", group, "--account", "bob")
      #expect(try await home.json("group", "list", "--account", "bob").isEmpty)
    }
  }

  @Test func aDeclinedInvitationIsGone() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      let carol = try await home.account("carol")
      let group = try await home.run("group", "create", "Trip", carol, "--account", "alice")
        .trimmingCharacters(in: .newlines)
      try await home.run("receive", "--ack", "--account", "carol")
      let requests = try await home.json("requests", "list", "--account", "carol")
      #expect(requests.map { $0["conversation"] as? String } == [group])
      try await home.run("group", "decline", group, "--account", "carol")
      try await home.run("send", "Trip", "Are you coming?", "--account", "alice")
      #expect(try await home.run("receive", "--ack", "--account", "carol").isEmpty)
      #expect(try await home.json("requests", "list", "--account", "carol").isEmpty)
      #expect(try await home.json("group", "list", "--account", "carol").isEmpty)
      #expect(try await home.outcome(["group", "accept", group, "--account", "carol"]).status == 67)
    }
  }
}
