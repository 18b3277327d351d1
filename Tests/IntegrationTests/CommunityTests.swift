import SessionCore
import SessionMessaging
import SessionNetworking
import SessionNode
import SessionServers
import SessionService
import Testing

/// A room of a real server, reached through a real network.
@Suite(.serialized, .timeLimit(.minutes(5))) struct CommunityTests {
  private func lobby(_ town: Town) throws -> (CommunityLink, Conversation.ID) {
    let service = try #require(town.net.file.services[NetworkService.community])
    let link = try CommunityLink(
      parsing: "\(service.url)/lobby?public_key=\(try service.exchangeKey.hex)")
    return (link, .room(try Community.Place(server: service.url, room: "lobby")))
  }

  private func texts(_ messenger: Messenger, _ room: Conversation.ID) async throws -> [String] {
    try await messenger.messages(in: room).filter { $0.kind == .message }.map(\.body).reversed()
  }

  @Test func peopleTalkInARoom() async throws {
    try await withTown(servers: [.fileServer, .community]) { (town) async throws in
      let (link, room) = try lobby(town)
      let (alice, bob) = (
        try await town.device(of: .generate(), name: "Alice"),
        try await town.device(of: .generate(), name: "Bob")
      )
      for device in [alice, bob] { _ = try await device.joinRoom(link) }
      let sent = try await alice.send("hello room", to: room)
      try await alice.wait { try await $0.message(sent)?.state == .sent }
      try await bob.wait { try await texts($0, room).contains("hello room") }
      let seen = try #require(try await bob.messages(in: room).first { $0.body == "hello room" })
      #expect(!seen.isOutgoing)
      #expect(seen.author.kind == .blinded15)
      _ = try await bob.send("hello Alice", to: room)
      try await alice.wait { try await texts($0, room) == ["hello room", "hello Alice"] }
    }
  }
}
