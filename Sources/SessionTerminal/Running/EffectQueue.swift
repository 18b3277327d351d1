import SessionBase
import Synchronization

/// What the interface wants done, in order, until somebody does it. A reader that is cancelled leaves the rest to the next
/// one.
package final class EffectQueue: Sendable {
  /// An effect with a number of its own, so that it can be repeated without being done twice.
  package struct Entry: Hashable, Sendable {
    package let number: Int
    package let effect: UIEffect
    /// True if an earlier reader was interrupted while it did it: it may have been done.
    package fileprivate(set) var isBegun = false
  }

  private struct State {
    var entries: [Entry] = []
    var last = 0
    /// Those that were taken and are not done yet, by their numbers.
    var taken: [Int: UIEffect] = [:]
    var givenUp = 0
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
      guard state.entries.count + state.taken.count < Self.limit else { return }
      state.last += 1
      state.entries.append(Entry(number: state.last, effect: effect))
      isAdded = true
    }
    return isAdded
  }

  /// Nothing more is added.
  package func finish() { change { $0.isOver = true } }

  /// Gives an entry that was taken to the next reader, in its place.
  package func putBack(_ entry: Entry, isBegun: Bool = false) {
    var kept = entry
    if isBegun { kept.isBegun = true }
    change { state in
      state.taken[kept.number] = nil
      let place = state.entries.firstIndex { $0.number > kept.number } ?? state.entries.count
      state.entries.insert(kept, at: place)
    }
  }

  /// An entry that was taken is done, or could not be done.
  package func finish(_ entry: Entry) { state.withLock { $0.taken[entry.number] = nil } }

  /// An entry that was taken is not tried again; it stays unfinished.
  package func giveUp(_ entry: Entry) {
    state.withLock { state in
      state.taken[entry.number] = nil
      state.givenUp += 1
    }
  }

  /// The number of effects that are waiting, being done or given up. Typing indicators do not count: they soon mean nothing.
  package var unfinished: Int {
    state.withLock { state in
      let effects = state.entries.map(\.effect) + state.taken.values
      return state.givenUp + effects.count { if case .typing = $0 { false } else { true } }
    }
  }

  /// The next effect; nil at the end, and when the task is cancelled.
  package func next() async -> Entry? {
    while !Task.isCancelled {
      let (entry, isOver, change) = state.withLock { state in
        let entry = state.entries.isEmpty ? nil : state.entries.removeFirst()
        if let entry { state.taken[entry.number] = entry.effect }
        return (entry, state.isOver, state.change)
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
