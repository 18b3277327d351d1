package import SessionCore
package import SessionNetworking

/// What moderators do in a room.
package enum RoomAction: Codable, Hashable, Sendable {
  case pin(MessageView.ID)
  /// Nil for all messages.
  case unpin(MessageView.ID?)
  /// Removes everybody's reactions from a message, or those with one emoji.
  case clearReactions(MessageView.ID, emoji: String?)
  /// Bans a person from the room or its server, for some seconds or without an end.
  case ban(SessionID, onServer: Bool, seconds: Int64?, deletesAll: Bool)
  case unban(SessionID, onServer: Bool)
  /// Lets a person write again after some seconds.
  case mute(SessionID, seconds: Int64)
  case unmute(SessionID)
  case deleteAll(SessionID, onServer: Bool)
  case appoint(SessionID, CommunityRole)
  case describe(name: String?, description: String?)
}

extension RoomAction {
  /// What we need to be in the room.
  var permission: CommunityPermissions {
    switch self {
    case .pin, .unpin, .appoint, .describe: .admin
    case .mute, .unmute, .clearReactions: .moderator
    case .ban(_, let onServer, _, _), .unban(_, let onServer), .deleteAll(_, let onServer):
      onServer ? .globalModerator : .moderator
    }
  }

  /// True if the last of its requests may find nothing to do.
  var mayFindNothing: Bool {
    switch self {
    case .ban(_, _, _, let deletesAll): deletesAll
    case .deleteAll: true
    default: false
    }
  }

  /// The requests that carry it out, in their order. `number` is that of the message in the room.
  /// Throws for an emoji that no server takes.
  func requests(in room: Community.Place, number: Int64?) throws(NetworkFailure) -> [CommunityRequest] {
    if case .clearReactions(_, let emoji) = self {
      guard let number else { return [] }
      return [try CommunityCall.removeAllReactions(emoji, from: number, in: room).request]
    }
    func scope(_ onServer: Bool) -> CommunityScope { onServer ? .server : .room(room) }
    let calls: [CommunityCall<Void>] =
      switch self {
      case .pin: [number.map { .pin($0, in: room) }].compactMap(\.self)
      case .clearReactions: []
      case .unpin(nil): [.unpinAll(in: room)]
      case .unpin: [number.map { .unpin($0, in: room) }].compactMap(\.self)
      case .ban(let person, let onServer, let seconds, let deletesAll):
        [.ban(person, from: scope(onServer), for: seconds.map { .seconds($0) })]
          + (deletesAll ? [.deleteAll(by: person, in: scope(onServer))] : [])
      case .unban(let person, let onServer): [.unban(person, from: scope(onServer))]
      case .mute(let person, let seconds):
        [
          .setWriting(false, person, in: room),
          .setWriting(true, person, in: room, after: .seconds(seconds)),
        ]
      case .unmute(let person): [.resetWriting(person, in: room)]
      case .deleteAll(let person, let onServer): [.deleteAll(by: person, in: scope(onServer))]
      case .appoint(let person, let role): [.appoint(person, role, in: .room(room))]
      case .describe(let name, let description): [.describe(room, name: name, description: description)]
      }
    return calls.map(\.request)
  }
}
