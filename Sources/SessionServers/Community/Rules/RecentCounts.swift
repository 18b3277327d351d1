import Synchronization

/// What each person has uploaded or sent within a span, in memory. Deletions take nothing off it.
final class RecentCounts: Sendable {
  /// People in memory.
  static let maxPeople = 100_000

  struct Count: Hashable, Sendable {
    let items, bytes: Int
  }

  private struct Entry: Hashable {
    let time: Int64
    let bytes: Int
  }

  /// Milliseconds.
  private let span: Int64
  private let state = Mutex<[Int64: [Entry]]>([:])

  init(span: Int64) { self.span = span }

  /// What a person has done within the span before `now`, which is in milliseconds.
  func count(of person: Int64, now: Int64) -> Count {
    let entries = state.withLock { $0[person] ?? [] }.filter { now - $0.time < span }
    return Count(items: entries.count, bytes: entries.reduce(0) { $0 + $1.bytes })
  }

  func add(_ bytes: Int, of person: Int64, now: Int64) {
    state.withLock { state in
      if state[person] == nil, state.count >= Self.maxPeople { state.removeAll() }
      var entries = (state[person] ?? []).filter { now - $0.time < span }
      entries.append(Entry(time: now, bytes: bytes))
      state[person] = entries
    }
  }

  /// Takes back what was not done after all.
  func remove(_ bytes: Int, of person: Int64, now: Int64) {
    state.withLock { state in
      guard let index = state[person]?.firstIndex(of: Entry(time: now, bytes: bytes)) else { return }
      state[person]?.remove(at: index)
    }
  }
}
