import Synchronization

/// Decides when a database gives back the memory that it keeps for speed: once a burst of commits is over. Otherwise a
/// program that has caught up would keep for days what the catching up took.
final class MemoryRelease: Sendable {
  /// The commits after which it is worthwhile.
  static let burst = 100
  /// A burst is over when this time has brought fewer commits.
  static let delay = Duration.seconds(10)

  private struct State {
    var commits = 0
    var isWaiting = false
  }

  private let sleep: @Sendable (Duration) async -> Void
  private let state = Mutex(State())

  init(sleep: @escaping @Sendable (Duration) async -> Void = { try? await Task.sleep(for: $0) }) {
    self.sleep = sleep
  }

  /// Takes note of a commit. Calls `release` later, once for each burst.
  func noteCommit(_ release: @escaping @Sendable () -> Void) {
    let isBurst = state.withLock { state in
      state.commits += 1
      guard !state.isWaiting, state.commits >= Self.burst else { return false }
      (state.commits, state.isWaiting) = (0, true)
      return true
    }
    guard isBurst else { return }
    Task.detached { [self] in
      repeat { await sleep(Self.delay) } while goesOn()
      release()
    }
  }

  private func goesOn() -> Bool {
    state.withLock { state in
      state.isWaiting = state.commits >= Self.burst
      state.commits = 0
      return state.isWaiting
    }
  }
}
