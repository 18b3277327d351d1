import Dispatch
import Glibc
import SessionBase
import Synchronization

/// Read connections, opened on demand, and the callers that wait for one.
final class ReaderPool: Sendable {
  /// The largest number of connections.
  static let maxReaders = 10
  /// The number of waiting reads.
  static let maxWaiting = 10_000

  private typealias Waiter = @Sendable (Result<Statements, StorageError>) -> Void

  private struct State {
    var idle: [Statements] = []
    var opened = 0
    var waiters: [Waiter] = []
    var firstWaiter = 0
    /// The threads that are inside a read.
    var threads: Set<pthread_t> = []
    var isClosed = false

    mutating func takeWaiter() -> Waiter? {
      guard firstWaiter < waiters.count else { return nil }
      defer {
        firstWaiter += 1
        if firstWaiter == waiters.count {
          waiters = []
          firstWaiter = 0
        }
      }
      return waiters[firstWaiter]
    }

    mutating func takeWaiters() -> ArraySlice<Waiter> {
      defer {
        waiters = []
        firstWaiter = 0
      }
      return waiters.dropFirst(firstWaiter)
    }
  }

  private let limit: Int
  private let open: @Sendable () throws(StorageError) -> Statements
  private let state = Mutex(State())

  init(limit: Int, open: @escaping @Sendable () throws(StorageError) -> Statements) {
    self.limit = min(max(limit, 1), Self.maxReaders)
    self.open = open
  }

  /// True if the caller is inside a read.
  var isInside: Bool { state.withLock { $0.threads.contains(pthread_self()) } }

  /// The number of callers that wait for a connection.
  var waitingCount: Int { state.withLock { $0.waiters.count - $0.firstWaiter } }

  /// Does the work on the calling thread, once a connection is free.
  func perform<R>(_ body: (Statements) throws -> R) throws -> R {
    guard !isInside else { throw StorageError.nested }
    if let idle = takeIdle() { return try work(.success(idle), body) }
    let taken = Mutex<Result<Statements, StorageError>?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    if let now = take(or: { result in
      taken.withLock { $0 = result }
      semaphore.signal()
    }) {
      return try work(now, body)
    }
    semaphore.wait()
    guard let result = taken.withLock({ $0 }) else { throw StorageError.closed }
    return try work(result, body)
  }

  /// Does the work on the worker queue of a connection.
  func perform<R: Sendable>(_ body: @escaping @Sendable (Statements) throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let work: Waiter = { result in
        switch result {
        case .success(let statements):
          statements.queue.post { continuation.resume(with: Result { try self.work(result, body) }) }
        case .failure(let error): continuation.resume(throwing: error)
        }
      }
      switch next(or: work) {
      case .use(let statements): work(.success(statements))
      case .fail(let error): work(.failure(error))
      case .wait: break
      case .open: WorkerQueue("session.storage.opening").post { work(self.opened()) }
      }
    }
  }

  /// Closes idle connections now and busy ones when they are returned. Waiting callers get `closed`.
  func close() {
    let (idle, waiters) = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return (state.idle, state.takeWaiters())
    }
    for statements in idle { statements.close() }
    for waiter in waiters { waiter(.failure(.closed)) }
  }

  /// Gives memory back that idle connections keep for speed.
  func releaseMemory() {
    let idle = state.withLock { state in
      defer { state.idle = [] }
      return state.idle
    }
    for statements in idle {
      statements.connection.releaseMemory()
      give(back: statements)
    }
  }

  /// Returns an idle connection, without waiting.
  private func takeIdle() -> Statements? {
    state.withLock { $0.isClosed ? nil : $0.idle.popLast() }
  }

  /// The result of requesting a connection.
  private enum Step {
    case use(Statements)
    /// The caller opens one.
    case open
    /// The waiter will be called.
    case wait
    case fail(StorageError)
  }

  private func next(or waiter: @escaping Waiter) -> Step {
    state.withLock { state in
      if state.isClosed { return .fail(.closed) }
      if let statements = state.idle.popLast() { return .use(statements) }
      if state.opened < limit {
        state.opened += 1
        return .open
      }
      guard state.waiters.count - state.firstWaiter < Self.maxWaiting else {
        return .fail(StorageError(.overloaded, "too many reads are queued"))
      }
      state.waiters.append(waiter)
      return .wait
    }
  }

  /// A connection or an error; nil if the waiter will be called.
  private func take(or waiter: @escaping Waiter) -> Result<Statements, StorageError>? {
    switch next(or: waiter) {
    case .use(let statements): .success(statements)
    case .fail(let error): .failure(error)
    case .wait: nil
    case .open: opened()
    }
  }

  /// A new connection, which is counted already.
  private func opened() -> Result<Statements, StorageError> {
    do throws(StorageError) { return .success(try open()) } catch {
      // Without any connection there is none that could be given back to those who wait.
      let waiters = state.withLock { state in
        state.opened -= 1
        return state.opened == 0 ? state.takeWaiters() : []
      }
      for waiter in waiters { waiter(.failure(error)) }
      return .failure(error)
    }
  }

  private func give(back statements: Statements) {
    let (waiter, isClosed) = state.withLock { state -> (Waiter?, Bool) in
      guard !state.isClosed else { return (nil, true) }
      if let waiter = state.takeWaiter() { return (waiter, false) }
      state.idle.append(statements)
      return (nil, false)
    }
    if isClosed { statements.close() }
    waiter?(.success(statements))
  }

  private func work<R>(
    _ taken: Result<Statements, StorageError>, _ body: (Statements) throws -> R
  ) throws -> R {
    let statements = try taken.get()
    let thread = pthread_self()
    _ = state.withLock { $0.threads.insert(thread) }
    defer {
      _ = state.withLock { $0.threads.remove(thread) }
      give(back: statements)
    }
    return try body(statements)
  }
}
