import Testing

/// Handlers that wait until they are cancelled, and tests that wait for them to begin.
final class Waiting: Sendable {
  /// True for a handler, false for a request that has ended.
  private let begun = AsyncStream.makeStream(of: Bool.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  func wait() async throws -> [UInt8] {
    begun.continuation.yield(true)
    defer { ended.continuation.yield() }
    // Nothing comes of it, and it ends when its only reader is cancelled.
    let never = AsyncStream.makeStream(of: Void.self)
    for await _ in never.stream {}
    never.continuation.finish()
    try Task.checkCancellation()
    return []
  }

  /// Returns when one more handler has begun. If a request ended instead, that is an issue.
  func entered(sourceLocation: SourceLocation = #_sourceLocation) async {
    for await isHandler in begun.stream {
      #expect(isHandler, "a request ended before its handler began", sourceLocation: sourceLocation)
      return
    }
  }

  /// Requests tell this in the end. Nothing waits for the handler of one that failed early.
  func requestEnded() { begun.continuation.yield(false) }

  /// One more handler was cancelled.
  func cancelled() async {
    for await _ in ended.stream { return }
  }
}
