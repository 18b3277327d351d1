import SessionBase
import SessionJobs
import SessionStorage
import Synchronization

/// Tells the supervisor what to poll, at the start and after each change of memberships.
///
/// If that cannot be read, the supervisor polls as before, and this retries until it succeeds: otherwise a new group
/// would not be polled until the next change.
final class FeedUpdates: Sendable {
  /// The delay before the first retry, doubled with each one, in milliseconds.
  static let firstDelay: Int64 = 1000
  static let longestDelay: Int64 = 60_000

  private struct State {
    var retrying: Task<Void, Never>?
    var isStopped = false
  }

  private let context: AccountContext
  private let supervisor: PollSupervisor
  /// Reads what to poll.
  private let read: @Sendable () throws -> WantedFeeds
  private let state = Mutex(State())

  init(
    _ context: AccountContext, _ supervisor: PollSupervisor,
    read: @escaping @Sendable () throws -> WantedFeeds
  ) {
    self.context = context
    self.supervisor = supervisor
    self.read = read
  }

  /// Reads what to poll on the worker queue, so that later changes are not undone.
  func start() async throws {
    try await context.queue.run { [self] in supervisor.reconcile(try read()) }
  }

  func stop() {
    let retrying = state.withLock { state in
      state.isStopped = true
      return state.retrying.take()
    }
    retrying?.cancel()
  }

  /// Applies a change of memberships. Runs on the worker queue's own thread.
  func apply() {
    do {
      supervisor.reconcile(try read())
    } catch {
      guard !isClosed(error) else { return }
      context.environment.log(.error, .poller, "feeds-unreadable", .error(error))
      state.withLock { state in
        guard state.retrying == nil, !state.isStopped else { return }
        state.retrying = Task { [weak self, clock = context.environment.clock] in
          var delay = Self.firstDelay
          repeat {
            await clock.sleep(until: clock.now.saturatingAdd(delay))
            delay = min(delay * 2, Self.longestDelay)
          } while await self?.retry() == false
        }
      }
    }
  }

  /// True if no retry is needed any more.
  private func retry() async -> Bool {
    await context.queue.run { [self] in
      guard !state.withLock({ $0.isStopped }) else { return true }
      do {
        supervisor.reconcile(try read())
      } catch {
        guard isClosed(error) else { return false }
      }
      state.withLock { $0.retrying = nil }
      return true
    }
  }

  private func isClosed(_ error: any Error) -> Bool { (error as? StorageError)?.code == .closed }
}
