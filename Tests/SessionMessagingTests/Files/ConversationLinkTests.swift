import SessionCore
import Testing

@testable import SessionMessaging

/// Lists of links and files of conversations.
@Suite struct ConversationLinkTests {
  @Test func linksAreListedNewestFirst() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      for name in ["one", "two"] {
        let url = "https://example.org/\(name)"
        let preview = OutgoingText.Preview(url: url, title: name)
        try await alice.send(OutgoingText("see \(url)", preview: preview), to: bob.id)
        try await world.settle(rounds: 1)
      }
      try await world.settle()
      var filter = FileFilter()
      filter.conversation = .person(alice.id)
      let links = try await bob.links(filter)
      #expect(links.map(\.title) == ["two", "one"] && links.map(\.author) == [alice.id, alice.id])
      #expect(try await bob.links(filter, limit: 1).map(\.title) == ["two"])
      filter.before = links[0].message
      #expect(try await bob.links(filter).map(\.url) == ["https://example.org/one"])
      filter.author = bob.id
      #expect(try await bob.links(filter).isEmpty)
      #expect(try await alice.links(FileFilter()).count == 2)
    }
  }

  @Test func aPageOfFilesMayEndWithinAMessage() async throws {
    try await withAliceAndBob { (_, alice, bob) async throws in
      for message in 0..<2 {
        let files = (0..<5).map { OutgoingFile(.bytes([1]), name: "\(message)\($0)") }
        try await alice.send(OutgoingText(""), attachments: files, to: .person(bob.id))
      }
      var (filter, names) = (FileFilter(), [String?]())
      filter.conversation = .person(bob.id)
      while true {
        let page = try await alice.files(filter, limit: 3)
        guard let last = page.last else { break }
        names += page.map(\.file.name)
        (filter.before, filter.behind) = (last.message, last.number)
      }
      #expect(names == (0..<5).map { "1\($0)" } + (0..<5).map { "0\($0)" })
    }
  }
}
