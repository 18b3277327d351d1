import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage

/// Joins and leaves the rooms of communities.
final class Communities: AccountPart {
  let context: AccountContext
  let defaultRooms: DefaultRooms
  private let author: ConfigAuthor
  let typists: Typists

  init(_ context: AccountContext, _ author: ConfigAuthor, _ typists: Typists) {
    self.context = context
    self.author = author
    self.typists = typists
    defaultRooms = DefaultRooms(context)
  }

  /// Joins a room, on all devices, once its server has let us in. Returns its conversation. The server is not asked
  /// for a room that we are in already, unless we could not read that any more.
  func join(_ link: CommunityLink) async throws -> Conversation.ID {
    let place = try Community.Place(server: link.server, room: link.room)
    if let known = try await conversation(of: place, with: link.serverKey) { return known }
    guard let client = environment.communities else { throw MessengerError.noCommunities }
    await context.learnTime()
    let connection = CommunityConnection(
      server: try CommunityServer(place.server, key: link.serverKey), context: context, client: client)
    let (capabilities, room) = try await enter(place, connection)
    return try await author.edit { configs, now in
      do throws(SessionError) {
        try configs.groups.update(link) { membership in
          if membership.priority == .hidden { membership.priority = .normal }
          membership.joinedAtSeconds = Int64(now.seconds)
        }
      } catch {
        guard error.code == .keyMismatch else { throw error }
        throw MessengerError.keyDiffers
      }
    } writing: { [context] _, transaction, now in
      let scheme: CommunityIdentity.Scheme? =
        connection.lastScheme.value == .blinded25 ? .blinded25 : nil
      try transaction.take(capabilities, of: place.server, as: scheme)
      try transaction.take(room, of: place, at: now, context)
      return .room(place)
    }
  }

  /// Asks a server what it can do, and for a room.
  private func enter(
    _ place: Community.Place, _ connection: CommunityConnection
  ) async throws -> (CommunityCapabilities, CommunityRoom) {
    let capabilitiesCall = CommunityCall<CommunityCapabilities>.capabilities
    let roomCall = CommunityCall<CommunityRoom>.room(place)
    do {
      let replies = try await connection.perform([capabilitiesCall.request, roomCall.request], inOrder: true)
      let capabilities = try capabilitiesCall.answer(from: replies[0])
      guard capabilities.has(CommunityCapabilities.community) else {
        throw MessengerError(.noRoom, "there is no community server at \(place.server)")
      }
      guard ![403, 404].contains(replies[1].status) else {
        throw MessengerError(.noRoom, "there is no such room on this server, or you may not enter it")
      }
      return (capabilities, try roomCall.answer(from: replies[1]))
    } catch let failure as NetworkFailure {
      throw MessengerError(.serverFailed, failure.message)
    } catch let ban as CommunityBan {
      throw MessengerError(.noRoom, ban.description)
    }
  }

  /// The conversation of a room that we are in, under either scheme of its address. Throws `keyDiffers` if its server is
  /// known with another key.
  private func conversation(
    of place: Community.Place, with key: [UInt8]
  ) async throws -> Conversation.ID? {
    try await database.read { transaction in
      for place in try [place, place.withOtherScheme] {
        if let server = try transaction.communityServer(place.server), server.publicKey != key {
          throw MessengerError.keyDiffers
        }
        let id = Conversation.ID.room(place)
        if let thread = try transaction.thread(at: id.address), thread.isVisible,
          try transaction.community(thread.id)?.state == .joined
        {
          return id
        }
      }
      return nil
    }
  }

  /// Leaves a room on all devices, and deletes its conversation. The server is not told: it has no list of members.
  func leave(_ place: Community.Place) async throws {
    try await author.edit { configs, _ in
      guard try configs.groups.remove(place) else {
        throw MessengerError(.noConversation, "you are not in this room")
      }
      try configs.conversations.remove(.community(place))
    } writing: { _, _, _ in
    }
  }
}

extension Community.Place {
  /// The same room on the same server, reached the other way.
  var withOtherScheme: Community.Place {
    get throws {
      let rest = server.split(separator: ":", maxSplits: 1)
      return try Community.Place(
        server: "\(rest[0] == "https" ? "http" : "https"):\(rest[1])", room: room)
    }
  }
}

extension MessengerError {
  static let noCommunities = MessengerError(.noRoom, "this program does not use communities")
  static let keyDiffers = MessengerError(
    .keyDiffers, "you know this server with another key: one of the two links is wrong")
}
