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
