import SessionCore
import Synchronization

@testable import SessionMessaging

/// Community servers in memory. Each numbers the messages of all its rooms in the order in which it takes them.
final class MemoryServers: Sendable {
  struct Page: Sendable {
    let posts: [ServerPost]
    let hasMore: Bool
  }

  /// The result of a poll.
  enum Fate: Hashable, Sendable {
    case done
    /// The server refuses it with an HTTP status.
    case refused(Int)
    /// The server answers, but the reply is lost.
    case lost
  }

  struct Failure: Error, Hashable, Sendable {
    /// Nil if the reply was lost.
    let status: Int?
  }

  private struct State {
    var rooms: [Community.Place: [ServerPost]] = [:]
    var numbers: [String: Int64] = [:]
    var fate: @Sendable (String) -> Fate = { _ in .done }
    var failingRooms: Set<Community.Place> = []
    var polls: [String: Int] = [:]
    var failedPolls = 0
  }

  private let clock: VirtualClock
  private let pageSize: Int
  private let state = Mutex(State())

  init(_ clock: VirtualClock, pageSize: Int = 3) {
    self.clock = clock
    self.pageSize = pageSize
  }

  /// Decides the result of each poll of a server.
  func decide(_ fate: @escaping @Sendable (String) -> Fate) { state.withLock { $0.fate = fate } }

  /// Makes servers answer 500 for some rooms, and as usual for the others.
  func failRooms(_ rooms: Set<Community.Place>) { state.withLock { $0.failingRooms = rooms } }

  var failedPolls: Int { state.withLock { $0.failedPolls } }

  func polls(of server: String) -> Int { state.withLock { $0.polls[server] ?? 0 } }

  func posts(in room: Community.Place) -> [ServerPost] { state.withLock { $0.rooms[room] ?? [] } }

  /// Posts the bytes of a message under an id, without looking at them.
  func post(_ data: [UInt8], by author: SessionID, in room: Community.Place) throws {
    let now = try MessageTime(milliseconds: UInt64(clock.now))
    state.withLock { state in
      state.numbers[room.server, default: 0] += 1
      let number = state.numbers[room.server, default: 0]
      state.rooms[room, default: []].append(
        ServerPost(number: number, author: author, postedAt: now, data: data))
    }
  }

  /// Returns a page of each room after a number.
  func poll(
    _ server: String, after numbers: [Community.Place: Int64]
  ) throws(Failure) -> [Community.Place: Result<Page, Failure>] {
    let fate = state.withLock { $0.fate }(server)
    let pages = state.withLock { state in
      state.polls[server, default: 0] += 1
      if fate != .done { state.failedPolls += 1 }
      return numbers.reduce(into: [Community.Place: Result<Page, Failure>]()) { pages, asked in
        let (room, number) = asked
        guard !state.failingRooms.contains(room) else {
          pages[room] = .failure(Failure(status: 500))
          return
        }
        let left = (state.rooms[room] ?? []).filter { $0.number > number }
        pages[room] = .success(
          Page(posts: Array(left.prefix(pageSize)), hasMore: left.count > pageSize))
      }
    }
    switch fate {
    case .done: return pages
    case .refused(let status): throw Failure(status: status)
    case .lost: throw Failure(status: nil)
    }
  }
}
