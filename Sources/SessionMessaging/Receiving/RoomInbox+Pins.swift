import SessionCore
import SessionNetworking
import SessionStorage

// Pinned messages that are older than those that are here. They are shown with the room, and are not among its messages.

extension RoomInbox {
  /// The pinned messages of a room that are not here.
  func missingPins(of room: Community.Place) async throws -> [Int64] {
    try await context.database.read { transaction in
      guard let thread = try transaction.thread(at: Conversation.ID.room(room).address) else { return [] }
      return try transaction.pins(of: thread.id).filter { pin in
        try pin.copy == nil && transaction.interaction(in: thread.id, serverID: pin.serverID) == nil
      }.map(\.serverID)
    }
  }

  /// Keeps copies of pinned messages. There are none of whispers, and of what blocked people wrote.
  func keepPins(_ messages: [CommunityMessage], of room: Community.Place) async throws {
    let conversation = Conversation.ID.room(room)
    let posts = try signedPosts(among: messages, in: conversation)
    try await write(from: .room(room), readingBlocked: !posts.isEmpty) { receiver, transaction in
      guard let thread = try transaction.thread(at: conversation.address) else { return }
      let pins = try transaction.pins(of: thread.id)
      let copied = try pins.map { pin in
        guard let (_, post, arrival) = posts.first(where: { $0.message.number == pin.serverID }),
          post.whisper == nil, try !receiver.isBlocked(post.author, transaction),
          case .visible(let visible)? = arrival.received?.message.content
        else { return pin }
        var pin = pin
        pin.copy = RoomPinRecord.Copy(
          by: post.author.address, at: post.postedAt.stored, visible.body.shown)
        return pin
      }
      if copied != pins { try transaction.setPins(copied, of: thread.id) }
    }
  }
}
