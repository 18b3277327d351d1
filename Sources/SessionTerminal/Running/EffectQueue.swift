import SessionBase
import Synchronization

/// What the interface wants done, in order, until somebody does it. A reader that is cancelled leaves the rest to the next
/// one.
package final class EffectQueue: Sendable {
  /// An effect with a number of its own, so that it can be repeated without being done twice.
  package struct Entry: Hashable, Sendable {
    package let number: Int
    package let effect: UIEffect
  }

  private struct State {
    var entries: [Entry] = []
    var last = 0
    /// Those that were taken and are not done yet.
    var taken = 0
    var isOver = false
    var change = Latch()
  }

  private let state = Mutex(State())

  /// The most effects that wait; what comes then is not done.
  package static let limit = 1000

  package init() {}

  /// Adds an effect; false if too many are waiting.
  @discardableResult
  package func add(_ effect: UIEffect) -> Bool {
    var isAdded = false
    change { state in
      // A newer draft replaces the one that waits.
      if case .draft(let id, _) = effect {
        state.entries.removeAll { if case .draft(id, _) = $0.effect { true } else { false } }
      }
      guard state.entries.count + state.taken < Self.limit else { return }
      state.last += 1
      state.entries.append(Entry(number: state.last, effect: effect))
      isAdded = true
    }
    return isAdded
  }

  /// Nothing more is added.
  package func finish() { change { $0.isOver = true } }

  /// Gives an entry that was taken to the next reader, in its place.
  package func putBack(_ entry: Entry) {
    change { state in
      state.taken -= 1
      let place = state.entries.firstIndex { $0.number > entry.number } ?? state.entries.count
      state.entries.insert(entry, at: place)
    }
  }

  /// An entry that was taken is done, or given up.
  package func finish(_: Entry) { state.withLock { $0.taken -= 1 } }

  /// The effects that are waiting or being done.
  package var unfinished: Int { state.withLock { $0.entries.count + $0.taken } }

  /// The next effect; nil at the end, and when the task is cancelled.
  package func next() async -> Entry? {
    while !Task.isCancelled {
      let (entry, isOver, change) = state.withLock { state in
        if !state.entries.isEmpty { state.taken += 1 }
        return (state.entries.isEmpty ? nil : state.entries.removeFirst(), state.isOver, state.change)
      }
      if let entry { return entry }
      guard !isOver else { return nil }
      await change.wait()
    }
    return nil
  }

  private func change(_ body: (inout State) -> Void) {
    let before = state.withLock { state in
      body(&state)
      defer { state.change = Latch() }
      return state.change
    }
    before.open()
  }
}
