import Foundation
import Testing

/// Which person a command means by a name, with people about who choose their names to be taken for another.
@Suite(.timeLimit(.minutes(10))) struct RecipientTests {
  /// The names that strangers give themselves, all of which have something of `bob` or `me`.
  private static let names = [
    "bob", "Bob", "BOB ", " bob", "bobby", "bob\u{200B}", "\u{200F}bob", "b\u{43E}b", "ｂｏｂ", "bo\u{301}b",
    "bo\tb", "me", "ME", "m\u{435}", "me\u{200D}",
  ]
  /// Names that the owner of the account types.
  private static let words = ["bob", "Bob", "bobby", "b", "bo", "ｂｏｂ"]
  /// Every command that takes a person, without the person.
  private static let commands: [([String], [String])] = [
    (["send"], ["Hello"]), (["chat"], []), (["show"], []), (["search", "hello", "--in"], []), (["read"], []),
    (["timer"], ["off"]), (["pin"], []), (["unpin"], []), (["mute"], []), (["unmute"], []), (["unread"], []),
    (["hide"], []), (["unhide"], []), (["attachment", "list"], []), (["contacts", "nickname"], ["x"]),
    (["contacts", "block"], []), (["contacts", "unblock"], []), (["contacts", "delete"], []),
    (["contacts", "downloads"], ["on"]),
  ]

  @Test func noStrangerIsMeantByTheNameOfAnother() async throws {
    try await Household.with { home in
      let alice = try await home.account("alice")
      for (number, name) in Self.names.enumerated() {
        try await home.run(
          "account", "new", "s\(number)", "--network", "devnet", "--display-name", name)
        try await home.run("send", alice, "I am \(name)", "--account", "s\(number)")
      }
      try await home.run("account", "use", "alice")
      try await home.run("receive", "--ack")
      let before = try await home.json("contacts", "list").map { $0["approved"] as? Bool }
      #expect(before == Self.names.map { _ in false })

      for (command, rest) in Self.commands {
        let typed = command == ["send"] ? Self.words : ["bob"]
        for word in typed {
          let outcome = try await home.outcome(command + [word] + rest, input: "Hello\n")
          #expect(outcome.status == 67, "\(command) \(word): \(outcome.messages)")
        }
      }
      #expect(try await home.json("contacts", "list").map { $0["approved"] as? Bool } == before)
      #expect(try await home.json("contacts", "list").map { $0["blocked"] as? Bool } == before)

      // The real one is meant as soon as there is one, whatever strangers call themselves.
      let bob = try await home.account("bob")
      #expect(try await home.outcome(["send", bob, "Hello"]).messages.contains("message request"))
      try await home.run("receive", "--account", "bob")
      try await home.run("requests", "accept", "alice", "--account", "bob")
      try await home.run("receive", "--ack")
      for word in ["bob", "BOB", "b", "bo", "ｂｏｂ"] {
        let sent = try await home.json("send", word, "Again")
        #expect(sent.map { $0["chat"] as? String } == [bob], "\(word)")
      }
      #expect(try await home.json("send", "me", "a note").map { $0["chat"] as? String } == [alice])

      // A person with the owner's name is shown differently.
      let shown = try await home.run("receive", "--since", "0")
      let heads = shown.split(separator: "\n").filter { $0.contains("#") && !$0.hasPrefix(" ") }
      #expect(heads.count > Self.names.count)
      #expect(heads.filter { $0.hasPrefix("me ") }.isEmpty)

      // Requests are answered by name where it is the name of one request alone.
      #expect(try await home.outcome(["requests", "accept", "bob"]).status == 67)
      try await home.run("requests", "decline", "bobby")
    }
  }

  @Test func namesMayBeSwitchedOffForScripts() async throws {
    try await Household.with { home in
      try await home.friends()
      try await home.run("account", "use", "alice")
      let bob = try #require(try await home.json("contacts", "list")[0]["id"] as? String)
      try await home.run("config", "set", "recipients", "ids")
      let refused = try await home.outcome(["send", "bob", "Hello"])
      #expect(refused.status == 67)
      try await home.run("send", bob, "Hello")
      try await home.run("send", "me", "Hello")
      // A slip in an id shows where it is close to one that is known.
      let last = bob.last == "0" ? "1" : "0"
      let slip = try await home.outcome(["send", bob.dropLast() + last, "Hello"])
      #expect(slip.status == 67)
      #expect(slip.messages.contains("differs from the id of bob"))
    }
  }
}
