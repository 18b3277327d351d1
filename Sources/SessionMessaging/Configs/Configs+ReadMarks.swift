import SessionCore

extension Configs {
  /// Changes the read position of a conversation, or adds one. Does nothing for a room that we are not in.
  mutating func updateReadMark(
    _ place: ReadMark.Place, at now: MessageTime, _ change: (inout ReadMark) -> Void
  ) throws(SessionError) {
    guard case .community(let room) = place else {
      return try conversations.update(place, at: now, change)
    }
    guard let community = try groups[room] else { return }
    try conversations.update(community.link, at: now, change)
  }
}
