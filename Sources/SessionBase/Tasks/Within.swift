/// Does work for as long as it may take; what is not done by then is cancelled.
package func within(_ time: Duration, _ work: @escaping @Sendable () async -> Void) async {
  await withTaskGroup { group in
    group.addTask { await work() }
    group.addTask { try? await Task.sleep(for: time) }
    await group.next()
    group.cancelAll()
  }
}

/// What some work gives, or nil when it has not ended in time: it is cancelled then.
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
