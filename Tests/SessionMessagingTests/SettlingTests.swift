import SessionCore
import SessionNetworking
import SessionStorage
import Testing

@testable import SessionMessaging

/// Changes that settle an event of a reader.
@Suite struct SettlingTests {
  @Test func aChangeAcknowledgesItsEvent() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let message = try await bob.last(in: alice.id)
      let changes: [(String, @Sendable () async throws -> Void)] = [
        ("react", { try await bob.react("👍", to: message.id) }),
        ("read", { try await bob.markRead(.person(alice.id)) }),
        ("pin", { try await bob.setPinned(true, .person(alice.id)) }),
        ("nothing", { try await bob.setPinned(true, .person(alice.id)) }),
        ("name", { try await bob.setName("Robert") }),
        ("delete", { try await bob.delete(message.id) }),
      ]
      for (name, change) in changes {
        let event = EventAcknowledgement(try await bob.lastEvent(), by: name)
        try await bob.settling(event) { try await change() }
        #expect(try await bob.cursor(of: name) == event.cursor, "\(name)")
      }
    }
  }

  @Test func aChangeThatFailsAcknowledgesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let event = EventAcknowledgement(try await bob.lastEvent(), by: "bot")
      await #expect(throws: (any Error).self) {
        try await bob.settling(event) { try await bob.react("👍", to: MessageView.ID(rawValue: 9999)) }
      }
      #expect(try await bob.reader("bot") == nil)
    }
  }

  @Test func nothingIsChangedForAnEventThatDoesNotExist() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let message = try await bob.last(in: alice.id)
      let next = MessengerEvent.Cursor(rawValue: try await bob.lastEvent().rawValue + 1)
      await #expect {
        try await bob.settling(EventAcknowledgement(next, by: "bot")) {
          try await bob.react("👍", to: message.id)
        }
      } throws: { ($0 as? MessengerError)?.code == .unknownCursor }
      #expect(try await bob.message(message.id)?.reactions == [])
    }
  }

  @Test func workThatGoesOnAfterTheCallSettlesNothing() async throws {
    try await withAliceAndBob { (world, alice, bob) async throws in
      let settling = Settling(EventAcknowledgement(try await bob.lastEvent(), by: "bot"))
      settling.end()
      try await Settling.$current.withValue(settling) { try await bob.setDraft("x", in: .person(alice.id)) }
      #expect(try await bob.reader("bot") == nil)
    }
  }
}
