import SessionCore
import SessionStorage
import Testing

@testable import SessionMessaging

/// Tags of conversations.
@Suite struct TagTests {
  private func code(
    _ body: () async throws -> Void, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> MessengerError.Code? {
    let error = await #expect(throws: MessengerError.self, sourceLocation: sourceLocation) {
      try await body()
    }
    return error?.code
  }

  @Test func tagsAreGivenListedRenamedAndDeleted() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      try await alice.send("note", to: alice.id)
      try await alice.addTags(["  Work ", "Berlin"], to: person)
      // The same name in other letters is the same tag.
      try await alice.addTags(["WORK"], to: .person(alice.id))
      #expect(try await alice.tags().map(\.name) == ["Work", "Berlin"])
      #expect(try await alice.tags()[0].conversations.count == 2)
      #expect(try await alice.conversation(person)?.tags == ["Work", "Berlin"])
      try await alice.renameTag("work", to: "Office", emoji: "🏢")
      #expect(try await alice.tags()[0].emoji == "🏢")
      #expect(try await alice.conversations(tagged: "office") == [person, .person(alice.id)])
      try await alice.renameTag("office", to: "OFFICE", emoji: "")
      let renamed = try await alice.tags()[0]
      #expect(renamed.emoji == nil && renamed.name == "OFFICE")
      try await alice.removeTags(["office"], from: person)
      #expect(try await alice.conversation(person)?.tags == ["Berlin"])
      try await alice.deleteTag("berlin")
      #expect(try await alice.tags().map(\.name) == ["OFFICE"])
      let told = try await alice.events(limit: 1000).filter { $0.kind == .tagChanged }
      #expect(told.count == 6 && told[0].conversation == person)
    }
  }

  @Test(arguments: [
    "", "   ", String(repeating: "x", count: 33), "a\u{202E}b", "a\nb", "unread", "Muted", "\u{200B}",
    "e" + String(repeating: "\u{301}", count: 300),
  ])
  func namesThatCannotNameATagAreRefused(name: String) async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      #expect(await code { try await alice.addTags([name], to: .person(bob.id)) } == .invalidName)
      #expect(try await alice.tags().isEmpty)
    }
  }

  @Test func theLongestNameIsTaken() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      try await alice.addTags([String(repeating: "ä", count: 32), "日本"], to: .person(bob.id))
      #expect(try await alice.tags().count == 2)
    }
  }

  @Test func tagsHaveLimits() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      try await alice.send("note", to: alice.id)
      try await alice.addTags((0..<16).map { "tag \($0)" }, to: person)
      // All of a call, or nothing.
      #expect(await code { try await alice.addTags(["one more"], to: person) } == .notAllowed)
      #expect(try await alice.tags().count == 16)
      for start in stride(from: 16, to: 64, by: 16) {
        let tags = try #require(try await alice.conversation(person)).tags
        try await alice.removeTags(tags, from: person)
        try await alice.addTags((start..<start + 16).map { "tag \($0)" }, to: person)
      }
      #expect(
        await code { try await alice.addTags(["the 65th"], to: .person(alice.id)) } == .notAllowed)
      #expect(try await alice.tags().count == 64)
    }
  }

  @Test func unknownTagsAreRefused() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      let stranger = Conversation.ID.person(try Account.generate().id)
      try await alice.addTags(["a", "b"], to: person)
      #expect(await code { try await alice.addTags(["a"], to: stranger) } == .noConversation)
      #expect(await code { try await alice.removeTags(["a"], from: stranger) } == .notAllowed)
      #expect(await code { try await alice.removeTags(["c"], from: person) } == .notAllowed)
      #expect(await code { try await alice.renameTag("a", to: "B") } == .notAllowed)
      #expect(await code { try await alice.renameTag("c", to: "d") } == .notAllowed)
      #expect(await code { try await alice.renameTag("a", to: "d", emoji: "two") } == .invalidName)
      #expect(await code { try await alice.deleteTag("c") } == .notAllowed)
      #expect(await code { _ = try await alice.conversations(tagged: "c") } == .notAllowed)
    }
  }

  @Test func builtInNamesMeanConversations() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      #expect(try await alice.conversations(tagged: "unread") == [person])
      try await alice.markRead(person)
      #expect(try await alice.conversations(tagged: "unread").isEmpty)
      try await alice.setMuted(until: world.clock.now + 1000, person)
      #expect(try await alice.conversations(tagged: "muted") == [person])
      let group = try await alice.createGroup(GroupDraft(name: "Trip"))
      #expect(try await alice.conversations(tagged: "groups") == [group])
      #expect(try await alice.conversations(tagged: "rooms").isEmpty)
      let carol = try await world.device(of: .generate())
      try await carol.send("May I?", to: alice.id)
      try await world.settle()
      #expect(try await alice.conversations(tagged: "requests") == [.person(carol.id)])
    }
  }

  @Test func aConversationThatComesBackHasItsTags() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let person = Conversation.ID.person(bob.id)
      try await alice.addTags(["work"], to: person)
      try await alice.deleteConversation(person)
      world.clock.advance(by: 60_000)
      try await bob.send("still here", to: alice.id)
      try await world.settle()
      #expect(try await alice.conversation(person)?.tags == ["work"])
    }
  }

  @Test func searchesAreOfTaggedConversations() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      try await alice.send("Hello me", to: alice.id)
      try await alice.addTags(["own"], to: .person(alice.id))
      var filter = MessageSearchFilter()
      filter.conversations = try await alice.conversations(tagged: "own")
      #expect(try await alice.search("hello", filter: filter).messages.map(\.body) == ["Hello me"])
      filter.conversations = []
      #expect(try await alice.search("hello", filter: filter).messages.isEmpty)
    }
  }
}
