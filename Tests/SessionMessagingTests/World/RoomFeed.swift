import SessionCore
import SessionNetworking
import SessionStorage

@testable import SessionMessaging

/// The feed of a server in memory. It stores plain texts; the cursor of a room is the number of its last message.
struct RoomFeed: ServerFeed {
  let url: String
  let context: AccountContext
  let servers: MemoryServers

  func poll() async throws -> ServerGain {
    let rooms = try await context.database.read { [url] transaction in
      try transaction.communities(on: url).filter(\.isPolled)
    }
    let places = try rooms.map { try Community.Place(server: url, room: $0.room) }
    let cursors = Dictionary(uniqueKeysWithValues: zip(places, rooms.map(\.sequenceNumber)))
    let pages = try servers.poll(url, after: cursors)
    var gain = ServerGain()
    var failures: [MemoryServers.Failure] = []
    for (place, room) in zip(places, rooms) {
      switch pages[place] {
      case .success(let page)?:
        if !page.messages.isEmpty { try await keep(page, in: room.threadID) }
        gain.hasMore = gain.hasMore || page.hasMore
      case .failure(let failure)?: failures.append(failure)
      case nil: break
      }
    }
    if let failure = failures.first, failures.count == rooms.count { throw failure }
    return gain
  }

  /// Stores a page and the cursor behind it in one transaction.
  private func keep(_ page: MemoryServers.Page, in thread: ThreadRecord.ID) async throws {
    try await context.write { transaction, now in
      guard let conversation = try transaction.thread(thread), var room = try transaction.community(thread)
      else { return }
      for message in page.messages {
        var row = InteractionRecord(
          in: thread, by: message.author.address, .incoming, body: message.text, sentAt: message.time,
          receivedAt: now.stored, state: .received)
        row.serverID = message.number
        let kept = try transaction.insert(row)
        try transaction.tell(
          .messageReceived, MessengerEvent.Content(in: conversation, person: message.author), thread: thread,
          message: kept.id, at: now)
        room.sequenceNumber = message.number
      }
      try transaction.put(room)
    }
  }

  func rest(after outcome: PollOutcome) async -> Duration {
    switch outcome {
    case .failed(let count): .seconds(3 + (1 << min(count, 10)))
    case .done, .deferred: .seconds(10)
    }
  }
}
