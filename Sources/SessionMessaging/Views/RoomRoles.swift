public import SessionCore
public import SessionNetworking
import SessionStorage

/// Who moderates a room, under whichever of their ids they write there.
public struct RoomRoles: Sendable {
  private let server: [UInt8]
  private let roles: [CommunityPerson: CommunityRole]

  /// `server` is the key of the room's server. Ids that belong to no person have no role.
  public init(_ moderators: [RoomDetails.Moderator], onServer server: [UInt8]) {
    self.server = server
    let known = moderators.compactMap { moderator in
      (try? CommunityPerson(of: moderator.id, on: server)).map {
        ($0, moderator.isAdmin ? CommunityRole.admin : .moderator)
      }
    }
    // A server may list one person under two ids.
    roles = Dictionary(known) { $0 == .admin ? $0 : $1 }
  }

  public func role(of author: SessionID) -> CommunityRole {
    guard !roles.isEmpty, let person = try? CommunityPerson(of: author, on: server) else { return .member }
    return roles[person] ?? .member
  }
}

extension ConversationList {
  /// Who moderates a room; nil if we are not in it.
  func roles(in room: Conversation.ID) async throws -> RoomRoles? {
    try await database.read { transaction in
      guard let thread = try transaction.thread(at: room.address),
        let record = try transaction.community(thread.id),
        let server = try transaction.communityServer(record.server)
      else { return nil }
      return RoomRoles(try transaction.roomModerators(of: thread.id), onServer: server.publicKey)
    }
  }
}

extension Reading where Self: ~Copyable {
  /// The moderators of a room whose ids can be read.
  func roomModerators(of room: ThreadRecord.ID) throws -> [RoomDetails.Moderator] {
    try moderators(of: room).compactMap { moderator in
      SessionID(moderator.person).map {
        RoomDetails.Moderator(id: $0, isAdmin: moderator.isAdmin, isHidden: moderator.isHidden)
      }
    }
  }
}
