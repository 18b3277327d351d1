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
  var listeners: [SignalListener] = []
  for number in [SIGINT, SIGTERM, SIGHUP] {
    listeners.append(await SignalListener(number) { task.cancel() })
  }
  arranging.finish()
  defer { for listener in listeners { listener.stop() } }
  return try await task.value
}

/// Hears a signal, which does not end the process as long as it listens.
///
/// Sendable without the compiler's check: sources of events may be ended from any thread.
struct SignalListener: @unchecked Sendable {
  private let number: Int32
  private let source: any DispatchSourceSignal
  private let previous: sighandler_t?

  /// Returns when nothing is missed any more.
  init(_ number: Int32, _ hear: @escaping @Sendable () -> Void) async {
    self.number = number
    // Until it is heard, it does not end the process.
    previous = signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler(handler: hear)
    await withCheckedContinuation { continuation in
      source.setRegistrationHandler { continuation.resume() }
      source.resume()
    }
    self.source = source
  }

  func stop() {
    source.cancel()
    signal(number, previous)
  }
}
