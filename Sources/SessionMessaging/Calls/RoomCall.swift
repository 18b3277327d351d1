import SessionCore
import SessionNetworking
import SessionStorage

/// A call about a room of a community.
package enum RoomCall: Codable, Hashable, Sendable {
  /// The text of a link.
  case join(String)
  case leave(Conversation.ID)
  case act(RoomAction, Conversation.ID)
  case setPicture(OutgoingFile.Content, of: Conversation.ID)
  /// Fetches older messages.
  case fetch(Conversation.ID)
  /// The rooms of a server, by the link of one of them, or its URL if we use it; nil for those that are offered to everybody.
  case list(String?)
}

extension RoomCall {
  /// Joining again shows the room, and leaving again finds none.
  var isRepeatable: Bool {
    switch self {
    case .join: true
    case .leave: false
    case .act, .setPicture, .fetch, .list: true
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: RoomCall) async throws -> MessengerReply {
    switch call {
    case .join(let link): return .conversation(try await communities.join(CommunityLink(parsing: link)))
    case .leave(let room): try await communities.leave(room.requireRoom())
    case .act(let action, let room):
      let place = try room.requireRoom()
      try await communities.act(action, in: place)
      await supervisor.pollNow(.server(place.server))
    case .setPicture(let picture, let room):
      let place = try room.requireRoom()
      try await communities.setPicture(try await Self.bytes(of: picture) ?? [], of: place)
      await supervisor.pollNow(.server(place.server))
    case .fetch(let room): return .history(try await communities.fetchOlder(in: room.requireRoom()))
    case .list(let text?): return .rooms(try await communities.rooms(on: server(text)))
    case .list(nil): return .rooms(try await communities.defaultRooms.rooms().map(RoomListing.init))
    }
    return .done
  }
}

extension Messenger {
  /// The server of a link, or one that we use.
  private nonisolated func server(_ text: String) async throws -> CommunityServer {
    if let link = try? CommunityLink(parsing: text) { return try CommunityServer(link) }
    let known = try await context.database.read { transaction in
      let url = try? Community.Place(server: text, room: "any").server
      return try url.flatMap { try transaction.communityServer($0) }
    }
    guard let known else {
      throw MessengerError(
        .noRoom,
        "this server is not known: give the link of one of its rooms, which has the key of the server")
    }
    return try CommunityServer(known.url, key: known.publicKey)
  }
}

extension Conversation.ID {
  /// Returns the room. Throws `invalidRecipient` for a conversation of another kind.
  fileprivate func requireRoom() throws(MessengerError) -> Community.Place {
    guard case .room(let place) = self else {
      throw MessengerError(.invalidRecipient, "this works only in the rooms of communities")
    }
    return place
  }
}
