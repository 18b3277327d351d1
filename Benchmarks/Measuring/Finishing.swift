import Dispatch
import Synchronization

/// Lets a task do something and waits for its end, on the thread of the program, which no task needs.
public func finish<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
  let outcome = Outcome<R>()
  let isOver = DispatchSemaphore(value: 0)
  Task.detached {
    do { outcome.set(.success(try await body())) } catch { outcome.set(.failure(error)) }
    isOver.signal()
  }
  isOver.wait()
  return try outcome.get()
}

private final class Outcome<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, any Error>?>(nil)

  func set(_ result: Result<R, any Error>) { self.result.withLock { $0 = result } }

  func get() throws -> R {
    guard let result = result.withLock({ $0 }) else { fatalError("a task ended without a result") }
    return try result.get()
  }
}
