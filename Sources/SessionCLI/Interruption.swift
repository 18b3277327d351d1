import Dispatch
import Glibc

/// Runs work that cleans up after itself when it is cancelled, and cancels it when the process is told to stop.
///
/// It begins once every signal is listened for: from the first thing it does on, no signal is lost.
func cancelledBySignals<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
  let (arranged, arranging) = AsyncStream.makeStream(of: Never.self)
  let task = Task {
    for await _ in arranged {}
    try Task.checkCancellation()
    return try await work()
  }
  let listeners = ([SIGINT, SIGTERM] + (SignalListener.outlivesTerminal ? [] : [SIGHUP])).map { number in
    SignalListener(number) { task.cancel() }
  }
  arranging.finish()
  defer { for listener in listeners { listener.stop() } }
  return try await withTaskCancellationHandler {
    try await task.value
  } onCancel: {
    task.cancel()
  }
}
