/// What some work gives, or nil when it has not ended in time: it is cancelled then.
func withinTime<R: Sendable>(
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
