import Dispatch
import Glibc

/// Runs work that cleans up after itself when it is cancelled, and cancels it when the process is told to stop.
func cancelledBySignals<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
  let task = Task { try await work() }
  let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
    let previous = signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { task.cancel() }
    source.setCancelHandler { signal(number, previous) }
    source.resume()
    return source
  }
  defer { for source in sources { source.cancel() } }
  return try await task.value
}
