import Testing

/// What the list of conversations tells beside them.
@Suite struct ChatsTests {
  @Test func whoAsksToTalkIsNotForgotten() async throws {
    try await Household.with { home in
      let bob = try await home.account("bob")
      let none = "There is no conversation yet.\n"
      #expect(try await home.outcome(["chats", "--account", "bob"]).messages == none)
      for name in ["alice", "carol"] {
        _ = try await home.account(name)
        try await home.run("send", bob, "Hello", "--account", name)
        try await home.run("receive", "--account", "bob")
        let told = try await home.outcome(["chats", "--account", "bob"]).messages
        let who = name == "alice" ? "One person asks" : "2 people ask"
        #expect(told == none + "\(who) to talk: 'session requests list' shows who.\n")
      }
      #expect(try await home.outcome(["chats", "--account", "bob", "--json"]).messages == "")
      try await home.run("requests", "accept", "alice", "--account", "bob")
      let accepted = try await home.outcome(["chats", "--account", "bob"])
      #expect(accepted.output.contains("alice"))
      #expect(accepted.messages == "One person asks to talk: 'session requests list' shows who.\n")
    }
  }
}
