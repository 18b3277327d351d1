public import SessionCore
public import SessionNetworking

extension Messenger {
  /// Joins a room of a community on all devices, and returns its conversation. A room that we are in already is returned as
  /// it is. If the server does not answer, the room is ``RoomView/State/joining`` and a job goes on asking; a room that is
  /// not let in is removed again. Anyone on the server can compute our account id from our id there.
  ///
  /// Throws `noRoom`, `keyDiffers`, and `serverFailed` if the server answers what no server should.
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

  /// How polling goes of the servers of our rooms, by their URLs. Empty in a program that another one serves.
  public func serverConditions() async -> [String: PollCondition] {
    var conditions: [String: PollCondition] = [:]
    for case (.server(let url), let condition) in await supervisor.conditions() {
      conditions[url] = condition
    }
    return conditions
  }

  /// A room with its moderators and pins; nil if we are not in it.
  public nonisolated func room(_ id: Conversation.ID) async throws -> RoomDetails? {
    try await list.roomDetails(id)
  }

  /// Who moderates a room; nil if we are not in it.
  public nonisolated func roles(inRoom id: Conversation.ID) async throws -> RoomRoles? {
    try await list.roles(in: id)
  }

  /// The picture of a room, if it was downloaded.
  public nonisolated func picture(ofRoom id: Conversation.ID) async throws -> [UInt8]? {
    guard case .room(let place) = id else { return nil }
    return try await files.picture(ofRoom: place)
  }

  /// Gives a room another picture, as one of its admins. Everyone who sees the room may see it.
  public nonisolated func setPicture(_ picture: [UInt8], ofRoom room: Conversation.ID) async throws {
    try await perform(.room(.setPicture(.bytes(picture), of: room.requireValid())))
  }

  /// The rooms of a server, by the link of one of its rooms, or by its URL if we are in one of them; without a server those
  /// that the network offers to everybody.
  public nonisolated func rooms(on server: String?) async throws -> [RoomListing] {
    guard case .rooms(let rooms) = try await perform(.room(.list(server))) else {
      throw MessengerError.unexpectedReply
    }
    return rooms
  }

  /// Fetches up to 100 older messages of a room, first those that are missing between others. They are no news.
  public nonisolated func fetchOlder(in room: Conversation.ID) async throws -> RoomHistory {
    guard case .history(let history) = try await perform(.room(.fetch(room.requireValid()))) else {
      throw MessengerError.unexpectedReply
    }
    return history
  }

  /// Does something as a moderator of a room. Throws `notAllowed` if the server does not allow that.
  package nonisolated func act(_ action: RoomAction, in room: Conversation.ID) async throws {
    try await perform(.room(.act(action, room.requireValid())))
  }

  /// The link with which others join a room; nil if we are not in it.
  public nonisolated func link(of room: Conversation.ID) async throws -> CommunityLink? {
    guard case .room(let place) = try room.requireValid() else { return nil }
    return try await context.act { [author] in
      try author.configs.read { configs in try configs.groups[place]?.link }
    }
  }

  /// The rooms that the default server of the network offers. The list is fetched once a day. Throws `noRoom` if there is no
  /// such server, and `serverFailed`.
  public nonisolated func defaultRooms() async throws -> [OfferedRoom] {
    try await communities.defaultRooms.rooms()
  }
}
