import SessionBase
import Synchronization

/// The one connection that writes, and the queue before it: first come, first served.
// Sendable without the compiler's check: `statements` is touched on the queue alone.
final class WriteQueue: @unchecked Sendable {
  /// The number of waiting writes.
  static let maxWaiting = 10_000

  private let queue = WorkerQueue("session.storage.writer")
  private let waitingCount = Mutex(0)
  /// When the work that runs began; nil if none runs.
  private let began = Mutex<ContinuousClock.Instant?>(nil)
  private var statements: Statements?

  init(_ statements: Statements) {
    self.statements = statements
  }

  /// True if the caller is inside a write.
  var isInside: Bool { queue.isCurrent }

  var waiting: Int { waitingCount.withLock { $0 } }

  /// Since when it has been at the same work; nil if it has none.
  var busySince: ContinuousClock.Instant? { began.withLock { $0 } }

  /// Does the work on the calling thread, once it is its turn.
  func perform<R>(_ body: (Statements) throws -> R) throws -> R {
    guard !isInside else { throw StorageError.nested }
    return try queue.runBlocking { try work(body) }
  }

  /// Does the work on a thread of the queue.
  func perform<R: Sendable>(_ body: @escaping @Sendable (Statements) throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let waits = enqueue { continuation.resume(with: Result { try self.work(body) }) }
      if !waits { continuation.resume(throwing: StorageError(.overloaded, "too many writes are queued")) }
    }
  }

  /// Leaves work for later without waiting for it; it is dropped once the queue is closed.
  func post(_ body: @escaping @Sendable (Statements) -> Void) {
    queue.post { try? self.work(body) }
  }

  /// Does the last work on the connection and closes it, once. Later calls fail with `closed`.
  func close(_ last: (Statements) -> Void) {
    func end() {
      guard let statements else { return }
      last(statements)
      statements.close()
      self.statements = nil
    }
    // The queue itself may have held the database last.
    if isInside { end() } else { queue.runBlocking(end) }
  }

  /// True if there was room. Counting and queueing is one step, so every counted write gets its turn.
  private func enqueue(_ work: @escaping @Sendable () -> Void) -> Bool {
    waitingCount.withLock { waiting in
      guard waiting < Self.maxWaiting else { return false }
      waiting += 1
      queue.post {
        self.waitingCount.withLock { $0 -= 1 }
        work()
      }
      return true
    }
  }

  private func work<R>(_ body: (Statements) throws -> R) throws -> R {
    guard let statements else { throw StorageError.closed }
    began.withLock { $0 = .now }
    defer { began.withLock { $0 = nil } }
    return try body(statements)
  }
}

extension StorageError {
  static var nested: StorageError {
    StorageError(.nested, "a transaction was started inside another one: use a savepoint")
  }

  static var closed: StorageError { StorageError(.closed, "the database is closed") }
}
