import SessionCore
import SessionNetworking
import SessionStorage

extension Communities {
  /// Does something as a moderator of a room. Only the next poll shows what it changed.
  func act(_ action: RoomAction, in room: Community.Place) async throws {
    await context.learnTime()
    let number = try await database.read { transaction -> Int64? in
      try transaction.requirePermission(action.permission, in: room)
      switch action {
      case .pin(let id), .unpin(let id?), .clearReactions(let id, _):
        let (row, _) = try transaction.message(id, in: .room(room))
        guard let number = row.serverID, !row.isDeleted, !row.isWhisper else {
          throw MessengerError(
            .notAllowed, "not everyone in the room sees this message, and moderators act only on those"
          )
        }
        return number
      default: return nil
      }
    }
    let connection = try await connection(to: room.server)
    try await Self.telling {
      let requests = try action.requests(in: room, number: number)
      if case .mute = action {
        let description = try await connection.perform(CommunityCall<CommunityRoom>.room(room))
        // The end would give them a right that they did not have.
        guard description.membersMayWrite != false else {
          throw MessengerError(
            .notAllowed, "members cannot be muted for a time where only some people may write")
        }
      }
      let replies = try await connection.perform(requests, inOrder: true)
      guard let last = replies.last, !last.isSuccess else { return }
      if case .mute = action, replies.count == requests.count {
        throw MessengerError(.serverFailed, "the person is muted without an end: mute them again")
      }
      guard action.mayFindNothing, replies.count == requests.count, last.status == 404 else {
        throw NetworkFailure(communityAnswered: last)
      }
    }
  }

  /// Uploads a picture and gives it to a room, as one of its admins. It is not encrypted.
  func setPicture(_ bytes: [UInt8], of room: Community.Place) async throws {
    let picture = ImageMetadata.removed(from: bytes)
    guard picture.count <= Picture.maxBytes, ImageHeader(picture)?.isReasonable == true else {
      throw MessengerError(
        .fileUnavailable,
        "this is not a picture in a supported format, or has more than \(Picture.maxBytes) bytes")
    }
    await context.learnTime()
    try await database.read { transaction in try transaction.requirePermission(.admin, in: room) }
    let connection = try await connection(to: room.server)
    try await Self.telling {
      let number = try await connection.perform(.upload(picture, name: nil, to: room))
      try await connection.perform(.describe(room, image: number))
    }
  }

  /// Fetches up to a page of older messages, or of those that are missing between others.
  func fetchOlder(in room: Community.Place) async throws -> RoomHistory {
    await context.learnTime()
    try await database.read { transaction in try transaction.requirePermission(.read, in: room) }
    let inbox = RoomInbox(server: room.server, context: context, typists: typists)
    guard let number = try await inbox.placeToContinue(in: room, onlyGaps: false) else {
      return RoomHistory(count: 0, isComplete: true)
    }
    let connection = try await connection(to: room.server)
    let count = try await Self.telling { try await inbox.fetch(before: number, in: room, by: connection) }
    let next = try await inbox.placeToContinue(in: room, onlyGaps: false)
    return RoomHistory(count: count, isComplete: next == nil)
  }

  /// The rooms of a server that we may see. To one that we do not use yet the request is anonymous, with the key of a link.
  func rooms(on server: CommunityServer) async throws -> [RoomListing] {
    await context.learnTime()
    guard let client = environment.communities else { throw MessengerError.noCommunities }
    let rooms: [CommunityRoom] = try await Self.telling {
      if let connection = try await self.context.connection(to: server.url) {
        guard connection.server.key == server.key else {
          throw MessengerError(.keyDiffers, "the key in the link differs from the known key of this server")
        }
        return try await connection.perform(.rooms)
      }
      let call = CommunityCall<[CommunityRoom]>.rooms
      return try call.answer(
        from: try await client.send(call.request, to: server, as: nil, at: try self.time()))
    }
    return rooms.map { room in
      RoomListing(
        link: "\(server.url)/\(room.token)?public_key=\(server.key.hex)", name: room.name,
        description: room.description, userCount: room.activeUsers)
    }
  }

  private func connection(to url: String) async throws -> CommunityConnection {
    guard let connection = try await context.connection(to: url) else {
      throw MessengerError(.noConversation, "you are not in this room")
    }
    return connection
  }

  /// Runs requests, and tells people why one failed.
  private static func telling<R>(_ body: () async throws -> R) async throws -> R {
    do { return try await body() } catch let failure as NetworkFailure {
      throw MessengerError(failure.kind == .unauthorized ? .notAllowed : .serverFailed, failure.message)
    } catch let ban as CommunityBan {
      throw MessengerError(.notAllowed, ban.description)
    }
  }
}
