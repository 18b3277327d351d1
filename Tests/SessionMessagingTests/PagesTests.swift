import SessionCore
import Testing

@testable import SessionMessaging

/// Messages around a place, as programs page through them.
@Suite struct PagesTests {
  @Test func pagesLeadInBothDirections() async throws {
    try await withAliceAndBob { world, alice, bob in
      for number in 1...9 { _ = try await alice.send("\(number)", to: .person(bob.id)) }
      try await world.settle()
      let all = try await bob.messages(in: .person(alice.id)).filter { Int($0.body) != nil }
      let place = try #require(all.first { $0.body == "4" }).id
      let later = try await bob.messages(in: .person(alice.id), after: place, limit: 3)
      #expect(later.map(\.body) == ["5", "6", "7"])
      let last = try #require(all.first).id
      #expect(try await bob.messages(in: .person(alice.id), after: last).isEmpty)
      await #expect(throws: MessengerError.self) {
        try await bob.messages(in: .person(alice.id), after: MessageView.ID(rawValue: 99_999))
      }
    }
  }
}
