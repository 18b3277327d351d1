/// Handlers that wait until they are cancelled, and tests that wait for them to begin.
final class Waiting: Sendable {
  private let begun = AsyncStream.makeStream(of: Void.self)
  private let ended = AsyncStream.makeStream(of: Void.self)

  func wait() async throws -> [UInt8] {
    begun.continuation.yield()
    defer { ended.continuation.yield() }
    // Nothing comes of it, and it ends when its only reader is cancelled.
    let never = AsyncStream.makeStream(of: Void.self)
    for await _ in never.stream {}
    never.continuation.finish()
    try Task.checkCancellation()
    return []
  }

  /// One more handler has begun.
  func entered() async {
    for await _ in begun.stream { return }
  }

  /// One more handler was cancelled.
  func cancelled() async {
    for await _ in ended.stream { return }
  }
}
