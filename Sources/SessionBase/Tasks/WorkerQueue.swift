package import Dispatch

/// The way off the cooperative pool: a queue with a thread of its own, for work that blocks. A loop that blocks for as long
/// as an object lives needs an ``OwnThread``.
///
/// All tasks of a process share a few threads. Work that waits for a disk, a lock, a name server, another thread or a
/// person would take one of these threads from every other task, so it runs on a worker queue:
///
///     let bytes = try await files.run { try OpenFile(reading: path).readAll(upTo: limit) }
///
/// A queue does its work in order, one piece at a time. An idle queue costs no thread, so each subject has its own: work
/// that may wait for each other must not share one. An actor whose methods block uses a queue as its executor.
package final class WorkerQueue: Sendable {
  private static let mark = DispatchSpecificKey<ObjectIdentifier>()

  /// The queue on which event sources, such as timers, call their handlers, one at a time with the work.
  package let dispatch: DispatchQueue

  /// The label names the queue in debuggers.
  package init(_ label: String) {
    dispatch = DispatchQueue(label: label, qos: .userInitiated)
    dispatch.setSpecific(key: Self.mark, value: ObjectIdentifier(self))
  }

  /// True on the queue's own thread.
  package var isCurrent: Bool { DispatchQueue.getSpecific(key: Self.mark) == ObjectIdentifier(self) }

  /// Runs work on the queue, and returns its result. The task waits without a thread. Cancellation does not end the work.
  package func run<R: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> R
  ) async throws(Failure) -> R {
    let result: Result<R, Failure> = await withCheckedContinuation { waiting in
      dispatch.async { waiting.resume(returning: Result { () throws(Failure) in try work() }) }
    }
    return try result.get()
  }

  /// Runs work on the queue later, without waiting for it. The queue lives until that work is done.
  package func post(_ work: @escaping @Sendable () -> Void) { dispatch.async(execute: work) }

  /// Runs work on the calling thread when its turn comes. It blocks, so it is for synchronous callers only, and never for
  /// work on this queue itself.
  package func runBlocking<R>(_ work: () throws -> R) rethrows -> R { try dispatch.sync(execute: work) }
}

extension WorkerQueue: SerialExecutor {
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    dispatch.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
