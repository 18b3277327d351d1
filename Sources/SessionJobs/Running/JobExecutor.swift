import Dispatch

/// A thread of its own for an actor that waits for a database, so that no other task has to.
final class JobExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "session.jobs", qos: .userInitiated)

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
