package import SessionStorage
import Synchronization

/// Commits concurrent writes with one sync, and reports success only after that sync.
///
/// While one group is being committed, the next one gathers.
package final class CommitGroup: Sendable {
  /// The number of waiting writes.
  static let maxWaiting = 8192
  /// The number of writes in one commit, so that no commit takes long.
  static let maxTogether = 512

  private struct State {
    var waiting: [any GroupedWork] = []
    var isRunning = false
    package var commits: UInt64 = 0
  }

  private let database: Database
  private let state = Mutex(State())

  package init(_ database: Database) { self.database = database }

  /// Commits that were made so far.
  package var commits: UInt64 { state.withLock { $0.commits } }

  /// Runs the work in a transaction shared with others. If it throws, only its own writes are rolled back; if the
  /// commit fails, all of them fail.
  @discardableResult
  package func perform<R: Sendable>(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { waiting in
      let work = Work(body, waiting)
      let begins = state.withLock { state -> Bool? in
        guard state.waiting.count < Self.maxWaiting else { return nil }
        state.waiting.append(work)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard let begins else { return work.end(with: ServiceFailure.overloaded) }
      if begins { Task { await workOff() } }
    }
  }

  private func workOff() async {
    while let group = next() {
      do {
        try await database.write { transaction in
          for work in group { work.begin(in: transaction) }
        }
        for work in group { work.end(with: nil) }
      } catch {
        for work in group { work.end(with: error) }
      }
    }
  }

  private func next() -> [any GroupedWork]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isRunning = false
        return nil
      }
      state.commits += 1
      let group = Array(state.waiting.prefix(Self.maxTogether))
      state.waiting.removeFirst(group.count)
      return group
    }
  }
}

/// One part of a shared commit.
private protocol GroupedWork: Sendable {
  func begin(in transaction: borrowing WriteTransaction)
  func end(with failure: (any Error)?)
}

// Sendable without the compiler's check: the group begins it and then ends it, each once.
private final class Work<R: Sendable>: GroupedWork, @unchecked Sendable {
  private let body: @Sendable (borrowing WriteTransaction) throws -> R
  private let waiting: CheckedContinuation<R, any Error>
  private var result: Result<R, any Error>?

  init(
    _ body: @escaping @Sendable (borrowing WriteTransaction) throws -> R,
    _ waiting: CheckedContinuation<R, any Error>
  ) {
    self.body = body
    self.waiting = waiting
  }

  func begin(in transaction: borrowing WriteTransaction) {
    do {
      result = .success(try transaction.savepoint(body))
    } catch {
      result = .failure(error)
    }
  }

  func end(with failure: (any Error)?) {
    if let failure { return waiting.resume(throwing: failure) }
    guard let result else { preconditionFailure("work was ended before it began") }
    waiting.resume(with: result)
  }
}
