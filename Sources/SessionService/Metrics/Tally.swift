import Synchronization

/// How often things have happened, by what makes one differ from another. There is nothing of users in it.
package final class Tally<Key: Hashable & Comparable & Sendable>: Sendable {
  private let state = Mutex<[Key: UInt64]>([:])

  package init() {}

  /// Counts one more. Each key makes a series of its own, so there are few.
  package func count(_ key: Key) { state.withLock { $0[key, default: 0] += 1 } }

  /// All counts, in the order of their keys.
  package var counts: [(key: Key, count: UInt64)] {
    state.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  package var total: UInt64 { state.withLock { $0.values.reduce(0, +) } }
}
