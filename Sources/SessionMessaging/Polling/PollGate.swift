import Synchronization

/// Limits how many feeds poll at a time; the others wait in line.
///
/// A permit is held until the results are stored, so memory is bounded by replies, not by feeds. Failing feeds, which
/// may take long, hold at most half of the permits.
final class PollGate: Sendable {
  static let groupPermits = 8
  static let serverPermits = 4

  struct Permit: Sendable {
    fileprivate let isFailing: Bool
  }

  private struct Waiter {
    let feed: Feed
    var isFailing: Bool
    let continuation: CheckedContinuation<Permit?, Never>
  }

  private struct State {
    var free: Int
    /// The permits still available to failing feeds.
    var freeForFailing: Int
    var line: [Waiter] = []

    func admits(isFailing: Bool) -> Bool { free > 0 && (!isFailing || freeForFailing > 0) }

    mutating func take(isFailing: Bool) -> Permit {
      free -= 1
      if isFailing { freeForFailing -= 1 }
      return Permit(isFailing: isFailing)
    }

    /// Removes the waiters that may enter from the line.
    mutating func admit() -> [(Waiter, Permit)] {
      var admitted: [(Waiter, Permit)] = []
      while let index = line.firstIndex(where: { admits(isFailing: $0.isFailing) }) {
        let waiter = line.remove(at: index)
        admitted.append((waiter, take(isFailing: waiter.isFailing)))
      }
      return admitted
    }
  }

  private let state: Mutex<State>

  init(permits: Int) {
    state = Mutex(State(free: permits, freeForFailing: max(1, permits / 2)))
  }

  /// The number of feeds in line.
  var waiting: Int { state.withLock { $0.line.count } }

  /// Waits for a permit; nil if the task is cancelled first. An urgent feed goes to the head of the line, and counts as
  /// one that does not fail.
  func enter(_ feed: Feed, isFailing: Bool = false, isUrgent: Bool = false) async -> Permit? {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isFailing = isFailing && !isUrgent
        let permit: Permit?? = state.withLock { state in
          guard !Task.isCancelled else { return .some(nil) }
          guard !state.admits(isFailing: isFailing) else { return state.take(isFailing: isFailing) }
          let waiter = Waiter(feed: feed, isFailing: isFailing, continuation: continuation)
          state.line.insert(waiter, at: isUrgent ? 0 : state.line.count)
          return nil
        }
        if let permit { continuation.resume(returning: permit) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.line.firstIndex { $0.feed == feed }.map { state.line.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: nil)
    }
  }

  /// Returns a permit.
  func leave(_ permit: Permit) {
    change { state in
      state.free += 1
      if permit.isFailing { state.freeForFailing += 1 }
    }
  }

  /// Makes a waiting feed urgent.
  func hurry(_ feed: Feed) {
    change { state in
      guard let index = state.line.firstIndex(where: { $0.feed == feed }) else { return }
      var waiter = state.line.remove(at: index)
      waiter.isFailing = false
      state.line.insert(waiter, at: 0)
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let admitted = state.withLock { state in
      body(&state)
      return state.admit()
    }
    for (waiter, permit) in admitted { waiter.continuation.resume(returning: permit) }
  }
}
