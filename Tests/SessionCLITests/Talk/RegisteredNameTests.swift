import SessionCore
import SessionMessaging
import Testing

@testable import SessionCLI
@testable import SessionMessaging

@Suite(.timeLimit(.minutes(10))) struct RegisteredNameTests {
  @Test func onlyAPrefixMakesAWordARegisteredName() {
    #expect(RegisteredNames.name(in: "ons:Alice") == "alice" && RegisteredNames.name(in: "ONS:a") == "a")
    for word in ["alice", "ons", "onsalice", "nick:alice"] { #expect(RegisteredNames.name(in: word) == nil) }
  }

  @Test func aResolvedNameMeansItsAccountAndNoContact() throws {
    let own = try SessionID(parsing: Example.aliceID)
    let other = try SessionID(parsing: Example.bobID)
    let directory = Directory(own: own, [])
    var io = MemoryIO().io()
    #expect(throws: CommandFailure.self) { try directory.conversation("ons:bob", io) }
    io.names = RegisteredNames(knowing: ["bob": other])
    #expect(try directory.conversation("ons:Bob", io) == .person(other))
    #expect(try directory.person("ons:bob", io) == other)
    #expect(throws: CommandFailure.self) { try directory.conversation("bob", io) }
    #expect(throws: CommandFailure.self) { try directory.group("ons:bob", io) }
    // Scripts that give ids alone can give one, too: it is no name that somebody chose for this device.
    io.settings.recipients = .ids
    #expect(try directory.conversation("ons:bob", io) == .person(other))
  }

  /// A private network registers no names.
  @Test func anUnregisteredNameReachesNoOne() async throws {
    try await Household.with { home in
      _ = try await home.account("alice")
      for words in [
        ["send", "ons:bob", "Hello"], ["send", "me", "Hello", "--also", "ons:bob"], ["show", "ons:bob"],
        ["draft", "set", "ons:bob", "Hello"], ["contacts", "block", "ons:bob"], ["net", "name", "bob"],
      ] {
        let outcome = try await home.outcome(words)
        #expect(outcome.status == 67, "\(words)")
        #expect(outcome.messages.contains("no one has registered the name 'bob'"), "\(outcome.messages)")
      }
      #expect(try await home.json("chats").isEmpty)
      for name in ["ons:", "ons:-bob", "ons:b.ob", "ons:" + String(repeating: "a", count: 65)] {
        #expect(try await home.outcome(["send", name, "Hello"]).status == 65, "\(name)")
      }
      // In a text it is a word like others.
      try await home.run("send", "me", "ons:bob", "is a name")
    }
  }
}
