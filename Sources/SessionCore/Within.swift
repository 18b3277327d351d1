/// Does work for as long as it may take; what is not done by then is cancelled.
package func within(_ time: Duration, _ work: @escaping @Sendable () async -> Void) async {
  await withTaskGroup { group in
    group.addTask { await work() }
    group.addTask { try? await Task.sleep(for: time) }
    await group.next()
    group.cancelAll()
  }
}
