import Glibc

/// A thread for one loop, which may block for as long as an object lives.
///
/// All worker queues of a process share at most 255 threads. A loop on a worker queue would keep one of them, and enough
/// such loops would keep all queues from working.
package enum OwnThread {
  private final class Work {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) {
      self.run = run
    }
  }

  /// Starts a thread, which ends with the work. False if the system has no thread left.
  package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Work(work))
    // Signals are for the program's own threads.
    var (all, before) = (sigset_t(), sigset_t())
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { box in
        box.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard error == 0 else {
      box.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
