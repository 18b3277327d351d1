internal import CSessionCore
import Synchronization

/// Work that waits for a thread of the core, in order.
///
/// One command of the core stands for all that waits, so that the core's own queue cannot be full of them.
final class WorkQueue<Work: Sendable>: Sendable {
  private struct State {
    var work: [Work] = []
    var isPosted = false
  }

  private let state = Mutex(State())

  /// Adds work, which will be taken exactly once unless this throws: `runtimeBusy` when `limit` is reached, and what
  /// `post` fails with, which makes the core call the worker.
  func add(_ work: Work, limit: Int, post: () -> sc_status) throws(SessionError) {
    let status = state.withLock { state in
      guard state.work.count < limit else { return SC_ERR_RUNTIME_BUSY }
      if !state.isPosted {
        let status = post()
        guard status == SC_OK else { return status }
        state.isPosted = true
      }
      state.work.append(work)
      return SC_OK
    }
    try SessionError.check(status)
  }

  /// All that waits; what comes later is posted anew.
  func takeAll() -> [Work] {
    state.withLock { state in
      defer { state = State() }
      return state.work
    }
  }
}
