import Dispatch
import Synchronization

/// Does work in a task of its own that is cancelled, by another thread, in the moment in which it is woken for the first
/// time: whether that cancelling is over before the wake-up is. Nil where nothing had to wake it.
///
/// A task cannot be resumed while its cancellation handlers run. So code that resumes tasks under a lock that such a handler
/// takes deadlocks now and then.
public func cancelledWhileWoken(_ work: @escaping @Sendable () async -> Void) async -> Bool? {
  let executor = CancellingExecutor()
  let task = Task(executorPreference: executor) {
    executor.arm()
    await work()
  }
  executor.know { task.cancel() }
  await task.value
  return executor.wasPrompt
}

private final class CancellingExecutor: TaskExecutor {
  private struct State {
    var isArmed = false
    var cancel: (@Sendable () -> Void)?
    var wasPrompt: Bool?
  }

  /// The timeout for a task that makes no progress.
  private static let timeout = DispatchTimeInterval.seconds(20)

  private let state = Mutex(State())
  private let known = DispatchSemaphore(value: 0)

  var wasPrompt: Bool? { state.withLock { $0.wasPrompt } }

  /// The next time that the task is to run, it was woken.
  func arm() { state.withLock { $0.isArmed = true } }

  func know(_ cancel: @escaping @Sendable () -> Void) {
    state.withLock { $0.cancel = cancel }
    known.signal()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isWoken = state.withLock { state in
      defer { state.isArmed = false }
      return state.isArmed
    }
    if isWoken { cancel() }
    DispatchQueue.global().async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func cancel() {
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue(label: "cancelling").async { [self] in
      known.wait()
      state.withLock { $0.cancel }?()
      isOver.signal()
    }
    let wasPrompt = isOver.wait(timeout: .now() + Self.timeout) == .success
    state.withLock { $0.wasPrompt = wasPrompt }
  }
}
