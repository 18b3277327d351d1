import SessionCore

/// A call about a room of a community.
package enum RoomCall: Codable, Hashable, Sendable {
  /// The text of a link.
  case join(String)
  case leave(Conversation.ID)
}

extension RoomCall {
  /// Joining again shows the room, and leaving again finds none.
  var isRepeatable: Bool {
    switch self {
    case .join: true
    case .leave: false
    }
  }
}

extension Messenger {
  nonisolated func carryOut(_ call: RoomCall) async throws -> MessengerReply {
    switch call {
    case .join(let link): return .conversation(try await communities.join(CommunityLink(parsing: link)))
    case .leave(let room): try await communities.leave(room.requireRoom())
    }
    return .done
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
