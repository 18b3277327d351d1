import Dispatch

/// Runs what blocks its thread where no task waits for that thread.
package func aside<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
  await withCheckedContinuation { waiting in
    DispatchQueue.global().async { waiting.resume(returning: body()) }
  }
}
