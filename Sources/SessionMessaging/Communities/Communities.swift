import SessionBase
import SessionCore
import SessionJobs
import SessionNetworking
import SessionStorage
import Synchronization

/// Joins and leaves the rooms of communities.
final class Communities: AccountPart {
  let context: AccountContext
  let defaultRooms: DefaultRooms
  let author: ConfigAuthor
  let typists: Typists

  init(_ context: AccountContext, _ author: ConfigAuthor, _ typists: Typists) {
    self.context = context
    self.author = author
    self.typists = typists
    defaultRooms = DefaultRooms(context)
  }

  var handlers: [JobHandler] { [makeJoining()] }

  /// The conversation of a room that we are in, under either scheme of its address. Throws `keyDiffers` if its server is
  /// known with another key.
  func conversation(
    of place: Community.Place, with key: [UInt8]
  ) async throws -> Conversation.ID? {
    try await database.read { transaction in
      for place in try [place, place.withOtherScheme] {
        if let server = try transaction.communityServer(place.server), server.publicKey != key,
          try !transaction.isUnproven(server.url)
        {
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

  /// Leaves a room on all devices, and deletes its conversation. The server is not told: it has no list of members. Gives
  /// up joining a room whose server has not answered yet.
  func leave(_ place: Community.Place) async throws {
    guard try await !abandon(place) else { return }
    try await author.edit { configs, _ in
      guard try configs.groups.remove(place) else {
        throw MessengerError(.noConversation, "you are not in this room")
      }
      try configs.conversations.remove(.community(place))
    } writing: { _, _, _ in
    }
    // Under the other scheme it may be there, too. The room is left even if that cannot be stored.
    try await author.act { [author] in
      do { try author.showRooms() } catch { author.owesSettling.withLock { $0 = true } }
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
