/// Runs work with a time limit, after which it is cancelled.
package func within(_ time: Duration, _ work: @escaping @Sendable () async -> Void) async {
  await withTaskGroup { group in
    group.addTask { await work() }
    group.addTask { try? await Task.sleep(for: time) }
    await group.next()
    group.cancelAll()
  }
}

/// The result of work, or nil if it has not ended in time: it is then cancelled.
package func withinTime<R: Sendable>(
  _ time: Duration, _ work: @escaping @Sendable () async throws -> R
) async throws -> R? {
  try await withThrowingTaskGroup(of: R?.self) { group in
    group.addTask { try await work() }
    group.addTask {
      try await Task.sleep(for: time)
      return nil
    }
    defer { group.cancelAll() }
    return try await group.next() ?? nil
  }
}

/// Does work, and then something else, even if the work fails.
package func doing<R>(_ work: () async throws -> R, andThen end: () async -> Void) async throws -> R {
  let result: Result<R, any Error>
  do { result = .success(try await work()) } catch { result = .failure(error) }
  await end()
  return try result.get()
}
