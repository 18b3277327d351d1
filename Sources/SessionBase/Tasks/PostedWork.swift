import Synchronization

/// Work that waits for another thread, in order.
///
/// One wake-up of that thread serves all waiting work, so wake-ups cannot accumulate.
package final class PostedWork<Work: Sendable>: Sendable {
  private struct State {
    var work: [Work] = []
    var isPosted = false
  }

  private let state = Mutex(State())

  package init() {}

  /// Adds work that will be taken exactly once. Returns false, without adding, if `limit` is reached. `wake` makes
  /// the thread call `takeAll`; if it throws, nothing is added.
  package func add<Failure: Error>(
    _ work: Work, limit: Int, wake: () throws(Failure) -> Void
  ) throws(Failure) -> Bool {
    try state.withLock { (state) throws(Failure) in
      guard state.work.count < limit else { return false }
      if !state.isPosted {
        try wake()
        state.isPosted = true
      }
      state.work.append(work)
      return true
    }
  }

  /// Returns all work that waits; later work wakes the thread again.
  package func takeAll() -> [Work] {
    state.withLock { state in
      defer { state = State() }
      return state.work
    }
  }
}
