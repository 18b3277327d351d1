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

  /// Milliseconds between two times of writing.
  private static let interval: Int64 = 60_000

  private struct State {
    /// Those that are not written yet.
    var visits: [Place: Visit] = [:]
    /// When the latest ones were written that are.
    var written: [Place: Int64] = [:]
    /// When they were taken for writing last.
    var taken: Int64 = 0
  }

  private let state = Mutex(State())

  func note(_ person: Int64, in room: Int64, now: Int64) {
    state.withLock { state in
      let place = Place(room: room, person: person)
      if let written = state.written[place], Self.isRecent(written, now: now) { return }
      if state.visits[place] == nil, state.visits.count >= Self.maxCount { return }
      state.visits[place, default: Visit(first: now, last: now)].last = now
    }
  }

  /// True if a visit need not be written anew. A time to come is that of a clock which was set back.
  private static func isRecent(_ written: Int64, now: Int64) -> Bool {
    now >= written && now - written < precision
  }

  /// When a person came to a room, as far as that is not written yet.
  func first(of person: Int64, in room: Int64) -> Int64? {
    state.withLock { $0.visits[Place(room: room, person: person)]?.first }
  }

  /// The visits that are to be written now; they stay until `noteWritten`. Nil if it is too early, unless `always`.
  func due(now: Int64, always: Bool) -> [Place: Visit]? {
    state.withLock { state in
      guard always || now < state.taken || now - state.taken >= Self.interval else { return nil }
      state.taken = now
      state.written = state.written.filter { Self.isRecent($0.value, now: now) }
      return state.visits
    }
  }

  /// Notes that visits are written. They are not written anew before `precision` is over.
  func noteWritten(_ visits: some Sequence<(key: Place, value: Visit)>) {
    state.withLock { state in
      for (place, visit) in visits {
        state.visits[place] = nil
        if state.written.count < Self.maxCount { state.written[place] = visit.last }
      }
    }
  }

  /// Forgets a person whose row of a room is removed.
  func forget(_ person: Int64, in room: Int64) {
    state.withLock { state in
      let place = Place(room: room, person: person)
      state.visits[place] = nil
      state.written[place] = nil
    }
  }
}
