import SessionCore
import SessionNetworking
import SessionStorage
import TestCommunity
import Testing

@testable import SessionMessaging

@Suite(.timeLimit(.minutes(1))) struct DefaultRoomsTests {
  private func withAlice(_ body: (CommunityWorld, Messenger) async throws -> Void) async throws {
    try await withCommunity { world in
      var environment = world.environment
      environment.defaultCommunity = try CommunityServer(world.link)
      let alice = try await world.world.start(
        Messenger(.generate(), .inMemory(schema: .account), environment))
      try await body(world, alice)
    }
  }

  @Test func theRoomsOfTheDefaultServerAreOfferedAndCanBeJoined() async throws {
    try await withAlice { world, alice in
      world.server.change { $0.addRoom("garden", name: "Garden") }
      let rooms = try await alice.defaultRooms()
      #expect(try await alice.rooms(on: nil).map(\.link) == rooms.map(\.link.description))
      #expect(rooms.map(\.name) == ["Garden", "Lobby"])
      let lobby = try #require(rooms.last)
      #expect(try await alice.joinRoom(lobby.link) == lobby.id && lobby.id == world.conversation)
    }
  }

  /// A world in which no room has been joined yet.
  @Test func theRequestForThemIsAnonymous() async throws {
    try await withAlice { world, alice in
      _ = try await alice.defaultRooms()
      #expect(world.server.change { $0.signers.isEmpty })
    }
  }

  @Test func theListIsAskedForOnceADay() async throws {
    try await withAlice { world, alice in
      for _ in 0..<3 { _ = try await alice.defaultRooms() }
      #expect(world.server.requests.filter { $0 == "POST /sequence" }.count == 1)
      world.world.clock.advance(by: 25 * 3_600_000)
      _ = try await alice.defaultRooms()
      #expect(world.server.requests.filter { $0 == "POST /sequence" }.count == 2)
    }
  }

  @Test func aServerThatIsNoneOfCommunitiesOffersNothing() async throws {
    try await withAlice { world, alice in
      world.server.change { $0.capabilities = ["files"] }
      await #expect { try await alice.defaultRooms() } throws: { MessengerError.Code.serverFailed ~= $0 }
    }
    try await withCommunity { world in
      let alice = try await world.device(of: .generate())
      await #expect { try await alice.defaultRooms() } throws: { MessengerError.Code.noRoom ~= $0 }
    }
  }
}
