import Synchronization

/// Limits how many feeds poll at a time; the others wait in line.
///
/// A permit is held until the results are stored, so memory is bounded by replies, not by feeds. Failing feeds, which
/// may take long, hold at most half of the permits.
final class PollGate: Sendable {
  static let groupPermits = 8
  static let serverPermits = 4

  private struct Waiter {
    let feed: Feed
    let isFailing: Bool
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var free: Int
    /// The permits still available to failing feeds.
    var freeForFailing: Int
    var line: [Waiter] = []

    func admits(isFailing: Bool) -> Bool { free > 0 && (!isFailing || freeForFailing > 0) }

    mutating func take(isFailing: Bool) {
      free -= 1
      if isFailing { freeForFailing -= 1 }
    }

    /// Removes the waiters that may enter from the line.
    mutating func admit() -> [Waiter] {
      var admitted: [Waiter] = []
      while let index = line.firstIndex(where: { admits(isFailing: $0.isFailing) }) {
        let waiter = line.remove(at: index)
        take(isFailing: waiter.isFailing)
        admitted.append(waiter)
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

  /// Waits for a permit; false if the task is cancelled first. An urgent feed goes to the head of the line.
  func enter(_ feed: Feed, isFailing: Bool = false, isUrgent: Bool = false) async -> Bool {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isAdmitted: Bool? = state.withLock { state in
          guard !Task.isCancelled else { return false }
          guard !state.admits(isFailing: isFailing) else {
            state.take(isFailing: isFailing)
            return true
          }
          let waiter = Waiter(feed: feed, isFailing: isFailing, continuation: continuation)
          state.line.insert(waiter, at: isUrgent ? 0 : state.line.count)
          return nil
        }
        if let isAdmitted { continuation.resume(returning: isAdmitted) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.line.firstIndex { $0.feed == feed }.map { state.line.remove(at: $0) }
      }
      waiter?.continuation.resume(returning: false)
    }
  }

  /// Returns a permit; pass `isFailing` as when it was taken.
  func leave(isFailing: Bool = false) {
    let admitted = state.withLock { state in
      state.free += 1
      if isFailing { state.freeForFailing += 1 }
      return state.admit()
    }
    for waiter in admitted { waiter.continuation.resume(returning: true) }
  }

  /// Moves a waiting feed to the head of the line.
  func hurry(_ feed: Feed) {
    state.withLock { state in
      guard let index = state.line.firstIndex(where: { $0.feed == feed }) else { return }
      state.line.insert(state.line.remove(at: index), at: 0)
    }
  }
}
