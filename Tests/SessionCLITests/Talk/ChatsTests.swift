import Testing

/// The notes below the list of conversations.
@Suite(.timeLimit(.minutes(10))) struct ChatsTests {
  @Test func hiddenConversationsAreListedOnRequest() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      #expect(try await home.json("chats", "--hidden").isEmpty)
      try await home.run("hide", "bob")
      #expect(try await home.json("chats").isEmpty)
      let hidden = try await home.json("chats", "--hidden")
      #expect(hidden.map { $0["name"] as? String } == ["bob"])
      #expect(hidden.map { $0["hidden"] as? Bool } == [true])
      #expect(try await home.run("chats", "--hidden").contains("bob"))
      let told = try await home.outcome(["chats"]).messages
      #expect(told.contains("One conversation is hidden: 'session chats --hidden' lists it."))
      try await home.run("unhide", "bob")
      #expect(try await home.json("chats", "--hidden").isEmpty)
      #expect(try await home.json("chats").map { $0["hidden"] as? Bool } == [false])
    }
  }

  @Test func aStrangersRequestIsNoHiddenConversation() async throws {
    try await Household.with { home in
      let bob = try await home.account("bob")
      _ = try await home.account("alice")
      try await home.run("send", bob, "Hello", "--account", "alice")
      try await home.run("receive", "--account", "bob")
      try await home.run("requests", "decline", "alice", "--account", "bob")
      #expect(try await home.json("chats", "--hidden", "--account", "bob").isEmpty)
    }
  }

  @Test func theChatsCommandMentionsMessageRequests() async throws {
    try await Household.with { home in
      let bob = try await home.account("bob")
      let none = "No conversations yet.\n"
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
