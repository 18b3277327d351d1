import SessionStorage
import Synchronization

/// Who has read which room: in memory, and written now and then, so that a poll writes nothing.
final class RoomVisits: Sendable {
  struct Place: Hashable, Sendable {
    let room, person: Int64
  }

  struct Visit: Hashable, Sendable {
    var first, last: Int64
  }

  /// Milliseconds after which a visit that is written is written anew.
  static let precision: Int64 = 10 * 60_000
  /// Visits in memory; more are not noted until these are written.
  static let maxCount = 1_000_000

  private let visits = Mutex<[Place: Visit]>([:])

  func note(_ person: Int64, in room: Int64, now: Int64) {
    visits.withLock { visits in
      let place = Place(room: room, person: person)
      if visits[place] == nil, visits.count >= Self.maxCount { return }
      visits[place, default: Visit(first: now, last: now)].last = now
    }
  }

  /// When a person came to a room, as far as that is not written yet.
  func first(of person: Int64, in room: Int64) -> Int64? {
    visits.withLock { $0[Place(room: room, person: person)]?.first }
  }

  /// The visits that are not written yet; they are forgotten.
  func drain() -> [Place: Visit] {
    visits.withLock { visits in
      defer { visits = [:] }
      return visits
    }
  }
}
