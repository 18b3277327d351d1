import SessionStorage
import Synchronization

/// The times of people's edits in rooms, which count as posts for limits; the rows keep only the last one of a message.
final class RecentEdits: Sendable {
  /// Milliseconds that an edit is remembered: longer than any limit looks back.
  private static let span: Int64 = 86_400_000
  /// Edits of a person in a room in memory; limits look at fewer.
  private static let maxTimes = 100

  private let state = Mutex<[RoomVisits.Place: [Int64]]>([:])

  /// The edits of a person in a room within a time, the latest first.
  func times(of person: Int64, in room: Int64, after start: Int64, upTo end: Int64) -> [Int64] {
    let times = state.withLock { $0[RoomVisits.Place(room: room, person: person)] ?? [] }
    return times.filter { $0 > start && $0 <= end }.sorted(by: >)
  }

  /// Counts an edit, unless the transaction fails.
  func note(_ person: Int64, in room: Int64, _ transaction: borrowing WriteTransaction, now: Int64) {
    let place = RoomVisits.Place(room: room, person: person)
    state.withLock { state in
      if state[place] == nil, state.count >= RecentCounts.maxPeople {
        state = state.filter { $0.value.contains { $0 > now - Self.span } }
        if state.count >= RecentCounts.maxPeople { state.removeAll() }
      }
      state[place] = Array((state[place] ?? []).suffix(Self.maxTimes - 1)) + [now]
    }
    transaction.onRollback { [self] in
      state.withLock { state in
        if let index = state[place]?.lastIndex(of: now) { state[place]?.remove(at: index) }
      }
    }
  }
}
