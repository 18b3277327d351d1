public import SessionCore

extension Messenger {
  /// Joins a room of a community on all devices, and returns its conversation, once the server has let us in. A room that
  /// we are in already is returned as it is. Anyone on the server can compute our account id from our id there.
  ///
  /// Throws `noRoom`, `keyDiffers` and `serverFailed`.
  public nonisolated func joinRoom(_ link: CommunityLink) async throws -> Conversation.ID {
    guard case .conversation(let id) = try await perform(.room(.join(link.description))) else {
      throw MessengerError.unexpectedReply
    }
    return id
  }

  /// Leaves a room on all devices, and deletes its conversation here. Throws `noConversation` if we are not in it.
  public nonisolated func leaveRoom(_ room: Conversation.ID) async throws {
    try await perform(.room(.leave(room.requireValid())))
  }

  /// The rooms that we are in, in the order of the conversations.
  public nonisolated func rooms() async throws -> [RoomView] { try await list.rooms() }
}
