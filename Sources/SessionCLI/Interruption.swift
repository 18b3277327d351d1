import Glibc
import Synchronization

/// Distinguishes Ctrl-C from other signals that end the work normally.
final class Interruption: Sendable {
  @TaskLocal static var current: Interruption?

  private let wasNoted = Mutex(false)

  fileprivate func note() { wasNoted.withLock { $0 = true } }

  /// Throws the failure that Ctrl-C ends with; returns where another signal, or none, came.
  static func check() throws(CommandFailure) {
    guard current?.wasNoted.withLock({ $0 }) == true else { return }
    throw CommandFailure(status: .interrupted, message: "interrupted")
  }
}

/// Runs work that cleans up after itself when it is cancelled, and cancels it on SIGINT and SIGTERM.
///
/// It begins once every signal is listened for: from the first thing it does on, no signal is lost. SIGHUP cancels it,
/// too, unless it has another meaning for this work.
func cancelledBySignals<R: Sendable>(
  andHangup: Bool = true, _ work: @escaping @Sendable () async throws -> R
) async throws -> R {
  let interruption = Interruption()
  let (arranged, arranging) = AsyncStream.makeStream(of: Never.self)
  let task = Task {
    for await _ in arranged {}
    try Task.checkCancellation()
    return try await Interruption.$current.withValue(interruption, operation: work)
  }
  let listeners = ([SIGINT, SIGTERM] + (andHangup && !SignalListener.outlivesTerminal ? [SIGHUP] : [])).map {
    number in
    SignalListener(number) {
      if number == SIGINT { interruption.note() }
      task.cancel()
    }
  }
  arranging.finish()
  defer { for listener in listeners { listener.stop() } }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}
