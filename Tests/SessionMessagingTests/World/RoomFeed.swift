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
