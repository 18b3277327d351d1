import Dispatch

/// Runs what blocks its thread where no task waits for that thread.
func aside(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { waiting in
    DispatchQueue.global().async {
      body()
      waiting.resume()
    }
  }
}
