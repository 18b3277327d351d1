import Synchronization

/// Counts events by key, without user data.
package final class Tally<Key: Hashable & Comparable & Sendable>: Sendable {
  private let state = Mutex<[Key: UInt64]>([:])

  package init() {}

  /// Counts one event. Each key is a separate series, so there must be few.
  package func count(_ key: Key) { state.withLock { $0[key, default: 0] += 1 } }

  /// All counts, in the order of their keys.
  package var counts: [(key: Key, count: UInt64)] {
    state.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  package var total: UInt64 { state.withLock { $0.values.reduce(0, +) } }
}
