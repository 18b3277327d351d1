import SessionCore
import SessionMessaging
import SessionNetworking
import SessionServers
import TestCommunity
import Testing

/// Rooms, and messages to the people in them, through the paths of a real network.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CommunityTalkTests {
  /// Polls until something is so.
  private func poll(_ device: Messenger, until isSo: (Messenger) async throws -> Bool) async throws {
    while try await !isSo(device) {
      try Task.checkCancellation()
      await device.poll()
    }
  }

  private func texts(_ room: Conversation.ID, _ device: Messenger) async throws -> [String] {
    try await device.messages(in: room).reversed().filter { $0.kind == .message }.map(\.body)
  }

  @Test func roomsAndPeopleOfACommunityAreReachedThroughPaths() async throws {
    let place = CommunitySite.Place()
    try await withTown(servers: [.fileServer, place.kind]) { (town) async throws in
      let site = try #require(place.started)
      let alice = try await town.device(of: .generate(), name: "Alice")
      let bob = try await town.device(of: .generate(), name: "Bob")
      let room = try await alice.joinRoom(site.link)
      #expect(try await bob.joinRoom(site.link) == room)
      try await bob.send("I am Bob", to: room)
      try await poll(alice) { try await texts(room, $0) == ["I am Bob"] }
      let id = try #require(try await alice.messages(in: room).first).author
      #expect(id.kind == .blinded15)
      try await alice.send("Only for you", to: id)
      try await poll(bob) { try await $0.requests().map(\.id) == [.person(alice.id)] }
      #expect(try await bob.bodies(in: alice.id) == ["Only for you"])
      try await bob.acceptRequest(.person(alice.id))
      // The answer comes from the account of Bob, which proves who he is.
      try await poll(alice) { try await $0.conversation(.person(bob.id))?.isAccepted == true }
      #expect(try await alice.conversation(.person(id)) == nil)
      #expect(try await alice.bodies(in: bob.id) == ["Only for you"])
      try await alice.send("Through the swarm", to: bob.id)
      _ = try await bob.message("Through the swarm", in: alice.id)
      // Nothing but the last hop of a path has reached the server.
      #expect(site.community.requests.contains { $0.contains("POST /inbox/") })
    }
  }
}
