import SessionCore
import SessionNetworking
import SessionStorage

@testable import SessionMessaging

/// The feed of a server in memory. The cursor of a room is the number of its last message.
struct RoomFeed: ServerFeed {
  let inbox: RoomInbox
  let servers: MemoryServers

  func poll() async throws -> ServerPollResult {
    let rooms = try await inbox.rooms()
    let pages = try servers.poll(inbox.server, after: rooms)
    var result = ServerPollResult()
    var failures: [MemoryServers.Failure] = []
    for (room, page) in pages {
      switch page {
      case .success(let page):
        if let last = page.posts.last {
          try await inbox.keep(page.posts, of: room, upTo: last.number)
        }
        result.hasMore = result.hasMore || page.hasMore
      case .failure(let failure): failures.append(failure)
      }
    }
    if let failure = failures.first, failures.count == rooms.count { throw failure }
    return result
  }

  func delay(after outcome: PollOutcome) async -> Duration {
    switch outcome {
    case .failed(let count): .seconds(3 + (1 << min(count, 10)))
    case .done, .deferred: .seconds(10)
    }
  }
}

/// What the rooms of the tests bring: texts alone.
extension RoomInbox {
  /// Returns the rooms to poll, and the cursor of each.
  func rooms() async throws -> [Community.Place: Int64] {
    try await context.database.read { [server] transaction in
      var rooms: [Community.Place: Int64] = [:]
      for record in try transaction.communities(on: server) where record.isPolled {
        let room = try Community.Place(server: server, room: record.room)
        // Names that differ only in case are one room, whose conversation has one row.
        guard try transaction.thread(at: Conversation.ID.room(room).address)?.id == record.threadID else {
          continue
        }
        rooms[room] = record.sequenceNumber
      }
      return rooms
    }
  }

  /// Stores a page of a room, and the cursor behind it, in one transaction. A room that we have left stays as it is.
  func keep(_ posts: [ServerPost], of room: Community.Place, upTo cursor: Int64) async throws {
    let conversation = Conversation.ID.room(room)
    let arrivals = posts.sorted { $0.number < $1.number }.map { post in
      Arrival(
        post, as: .number(post.number), in: conversation,
        from: .community(sender: post.author, postedAt: post.postedAt), for: context.account)
    }
    try await write(from: .room(room), readingBlocked: !arrivals.isEmpty) { receiver, transaction in
      guard let thread = try transaction.thread(at: conversation.address),
        var record = try transaction.community(thread.id)
      else { return }
      record.sequenceNumber = max(record.sequenceNumber, cursor)
      try transaction.put(record)
      for arrival in arrivals { try receiver.receive(arrival, in: transaction) }
    }
  }
}
