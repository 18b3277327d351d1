import SessionBase

/// What a monitoring program measures, in the text form of Prometheus. Names and ids are no part of it.
struct ServerMetrics: Sendable {
  let host: ServingHost
  /// In milliseconds since 1970.
  let startedAt: UInt64

  private static let states = ["opening", "locked", "running", "suspended", "parked", "failed"]

  func text() async -> String {
    let accounts = await host.accounts.all()
    let counts = Self.states.map { state in
      "session_accounts{state=\"\(state)\"} \(accounts.count { $0.state == state })\n"
    }
    return """
      # HELP session_accounts Accounts by state.
      # TYPE session_accounts gauge
      \(counts.joined())# HELP session_connections Connections of clients.
      # TYPE session_connections gauge
      session_connections \(host.count.value)
      # HELP process_resident_memory_bytes Memory in use.
      # TYPE process_resident_memory_bytes gauge
      process_resident_memory_bytes \(MemoryUse.now)
      # HELP process_start_time_seconds When the daemon began.
      # TYPE process_start_time_seconds gauge
      process_start_time_seconds \(startedAt / 1000)

      """
  }
}
