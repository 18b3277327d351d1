import Synchronization

/// Tells work on another thread that the task which awaits it was cancelled.
final class StopFlag: Sendable {
  private let isRaised = Atomic(false)

  func raise() { isRaised.store(true, ordering: .relaxed) }

  /// Throws `CancellationError` once the flag is raised.
  func check() throws {
    if isRaised.load(ordering: .relaxed) { throw CancellationError() }
  }
}
