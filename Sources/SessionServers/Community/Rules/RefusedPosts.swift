import SessionStorage
import Synchronization

/// Those whose posts to a room were refused because of a limit, until it ends: a refused request costs no access to the disk.
final class RefusedPosts: Sendable {
  /// Milliseconds after which the rows are looked at again: rights and limits may have changed.
  private static let maxSpan: Int64 = 60_000

  private struct Place: Hashable {
    let person: Int64
    /// The folded token of the room.
    let room: String
  }

  private struct Refused {
    let since, until: Int64
  }

  private let state = Mutex<[Place: Refused]>([:])

  /// Throws 429 while a limit lasts; `now` is in milliseconds.
  func check(_ person: Int64, in room: String, now: Int64) throws(CommunityRefusal) {
    let refused = state.withLock { $0[Place(person: person, room: RoomRow.folded(room))] }
    // Before the refusal is after a clock was set back.
    guard let refused, now >= refused.since, now < min(refused.until, refused.since + Self.maxSpan) else {
      return
    }
    throw .limited(until: refused.until, now: now)
  }

  func note(_ person: Int64, in room: String, until end: Int64, now: Int64) {
    state.withLock { state in
      if state.count >= RecentCounts.maxPeople {
        state = state.filter { now < min($0.value.until, $0.value.since + Self.maxSpan) }
        if state.count >= RecentCounts.maxPeople { state.removeAll() }
      }
      state[Place(person: person, room: RoomRow.folded(room))] = Refused(since: now, until: end)
    }
  }
}

extension CommunityRefusal {
  /// The refusal of a post while a limit lasts; times are in milliseconds.
  static func limited(until end: Int64, now: Int64) -> CommunityRefusal {
    CommunityRefusal(429, "Rate limited", retryAfter: max((end - now + 999) / 1000, 1))
  }
}
