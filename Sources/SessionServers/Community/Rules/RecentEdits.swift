import SessionStorage
import Synchronization

/// The times of people's edits in rooms, which count as posts for limits; the rows keep only the last one of a message.
final class RecentEdits: Sendable {
  /// Milliseconds that an edit is remembered: longer than any limit looks back.
  private static let span: Int64 = 86_400_000
  /// Edits of a person in memory.
  private static let maxEdits = 1000

  private struct Edit: Hashable {
    let room, time: Int64
  }

  private let state = Mutex<[Int64: [Edit]]>([:])

  /// The edits of a person in a room, or in all rooms for nil, within a time, the latest first.
  func times(of person: Int64, in room: Int64?, after start: Int64, upTo end: Int64) -> [Int64] {
    let edits = state.withLock { $0[person] ?? [] }
    return edits.filter { (room == nil || $0.room == room) && $0.time > start && $0.time <= end }
      .map(\.time).sorted(by: >)
  }

  /// Counts an edit, unless the transaction fails.
  func note(_ person: Int64, in room: Int64, _ transaction: borrowing WriteTransaction, now: Int64) {
    let edit = Edit(room: room, time: now)
    state.withLock { state in
      if state[person] == nil, state.count >= RecentCounts.maxPeople {
        state = state.filter { $0.value.contains { $0.time > now - Self.span } }
        if state.count >= RecentCounts.maxPeople { state.removeAll() }
      }
      state[person] = Array((state[person] ?? []).suffix(Self.maxEdits - 1)) + [edit]
    }
    transaction.onRollback { [self] in
      state.withLock { state in
        if let index = state[person]?.lastIndex(of: edit) { state[person]?.remove(at: index) }
      }
    }
  }
}
