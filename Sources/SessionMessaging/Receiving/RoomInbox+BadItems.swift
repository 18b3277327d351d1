import SessionCore
import SessionNetworking
import SessionStorage

// Messages of rooms that could not be read. They hold up nothing, and a newer version of the program asks for them again.

extension RoomInbox {
  /// The messages of a room that an older version of the program could not read.
  func messagesToTryAgain(of room: Community.Place) async throws -> [Int64] {
    try await context.database.read { [server, version = context.environment.programVersion] transaction in
      try transaction.badItems(in: room.room, of: server).filter { $0.programVersion != version }.map(
        \.number)
    }
  }

  /// Receives messages that could not be read before; they are no news. Those that the server did not give us are not asked
  /// for again by this version.
  func takeAgain(_ messages: [CommunityMessage], askedFor numbers: [Int64], of room: Community.Place)
    async throws
  {
    let conversation = Conversation.ID.room(room)
    let posts = try signedPosts(among: messages, in: conversation)
    try await write(from: .room(room), readingBlocked: !posts.isEmpty) { receiver, transaction in
      guard let thread = try transaction.thread(at: conversation.address),
        let record = try transaction.community(thread.id)
      else { return }
      var receiver = receiver
      receiver.news = .none
      _ = try receiver.take(
        posts, and: messages, in: thread, CommunityPermissions(rawValue: record.permissions), transaction)
      for var item in try transaction.badItems(in: room.room, of: server) where numbers.contains(item.number)
      {
        item.programVersion = context.environment.programVersion
        try transaction.put(item)
      }
      try note(messages, posts, of: room, transaction)
    }
  }

  /// Keeps the numbers of messages that cannot be read, and forgets those of messages that can be by now.
  func note(
    _ messages: [CommunityMessage], _ posts: [MessageReceiver.RoomPost], of room: Community.Place,
    _ transaction: borrowing WriteTransaction
  ) throws {
    let readable = Set(posts.filter { $0.arrival.received != nil }.map(\.message.number))
    for item in try transaction.badItems(in: room.room, of: server) where readable.contains(item.number) {
      try transaction.delete(item)
    }
    for message in messages where !readable.contains(message.number) {
      switch message.change {
      case .deletion, .reactions: continue
      default: break
      }
      var item = BadItemRecord(
        message.number, in: room.room, of: server, reason: MessageReceiver.Reason.unreadable.rawValue,
        bytes: nil, programVersion: context.environment.programVersion)
      item.sequence = message.sequence
      try transaction.put(item)
    }
  }
}
