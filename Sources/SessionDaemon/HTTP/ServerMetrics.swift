import SessionBase
import SessionMessaging

/// What a monitoring program measures, in the text form of Prometheus. It has no ids, and no names but those of methods, and
/// of readers, which their programs chose; accounts are numbers.
struct ServerMetrics: Sendable {
  let host: ServingHost
  /// In milliseconds since 1970.
  let startedAt: UInt64
  /// The number of an account, as the log has it; nil for one that is gone.
  var number: @Sendable (_ account: String) -> Int? = { _ in nil }

  private static let states = ["opening", "locked", "running", "suspended", "parked", "failed"]

  /// Figures of one kind.
  private struct Family {
    enum Kind: String {
      case counter, gauge, histogram
    }

    let name: String
    let kind: Kind
    let help: String
    var lines: [String] = []

    init(_ name: String, _ kind: Kind, _ help: String) {
      (self.name, self.kind, self.help) = (name, kind, help)
    }

    mutating func add(
      _ value: some CustomStringConvertible, _ labels: (name: String, value: String)..., part: String = ""
    ) {
      let names = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      lines.append("\(name)\(part)\(names.isEmpty ? "" : "{\(names)}") \(value)\n")
    }

    /// A program may have chosen any name for its reader.
    private static func escaped(_ value: String) -> String {
      value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    var text: String { "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n\(lines.joined())" }
  }

  /// The text for a client, which learns of the accounts that it may use.
  func text(for access: RPCAccess) async -> String {
    let accounts = await access.permitted(host.accounts).all()
    return (server(accounts) + calls() + (await figures(of: accounts))).filter { !$0.lines.isEmpty }
      .map(\.text).joined()
  }

  private func server(_ accounts: [ServedAccount]) -> [Family] {
    var states = Family("session_accounts", .gauge, "Accounts by state.")
    for state in Self.states { states.add(accounts.count { $0.state == state }, ("state", state)) }
    var connections = Family("session_connections", .gauge, "Connections of clients.")
    connections.add(host.count.value)
    var memory = Family("process_resident_memory_bytes", .gauge, "Memory in use.")
    memory.add(MemoryUse.now)
    var files = Family("process_open_fds", .gauge, "Open files.")
    if let names = try? Folder.names(in: "/proc/self/fd") { files.add(names.count) }
    var start = Family("process_start_time_seconds", .gauge, "When the daemon began.")
    start.add(startedAt / 1000)
    return [states, connections, memory, files, start]
  }

  private func calls() -> [Family] {
    var calls = Family("session_calls_total", .counter, "Calls by method.")
    var errors = Family("session_call_errors_total", .counter, "Calls that failed, by method.")
    for (method, count) in host.statistics.methods.sorted(by: { $0.key < $1.key }) {
      calls.add(count.calls, ("method", method))
      if count.errors > 0 { errors.add(count.errors, ("method", method)) }
    }
    var ignored = Family(
      "session_ignored_notifications_total", .counter, "Notifications that nothing was done for.")
    ignored.add(host.statistics.ignored)
    var times = Family("session_call_duration_seconds", .histogram, "How long calls took.")
    let taken = host.statistics.times
    var sum = 0
    for (index, count) in taken.counts.enumerated() {
      sum += count
      let bound =
        CallStatistics.Times.bounds.indices.contains(index)
        ? "\(Double(CallStatistics.Times.bounds[index]) / 1000)" : "+Inf"
      times.add(sum, ("le", bound), part: "_bucket")
    }
    times.add(taken.total / .seconds(1), part: "_sum")
    times.add(sum, part: "_count")
    return [calls, errors, ignored, times]
  }

  /// The figures of the accounts that are open.
  private func figures(of accounts: [ServedAccount]) async -> [Family] {
    var unsent = Family(
      "session_unsent_messages", .gauge, "Messages that are being sent, also to your other devices.")
    var jobs = Family("session_jobs", .gauge, "Jobs by state.")
    var events = Family("session_events", .gauge, "Events that are kept.")
    var polls = Family("session_polls_total", .counter, "Polls that worked since the account was opened.")
    var failures = Family("session_poll_failures", .gauge, "Failures since the last poll that worked.")
    var size = Family("session_database_bytes", .gauge, "Bytes of the database.")
    var writing = Family("session_write_seconds", .gauge, "How long the database has been at one write.")
    var lag = Family("session_reader_lag", .gauge, "Events that a reader has not acknowledged.")
    var dead = Family("session_reader_dead_events", .gauge, "Events that a reader gave up.")
    for account in accounts where account.isOpen {
      guard let number = number(account.name).map({ "\($0)" }) else { continue }
      writing.add(account.writingTime / .seconds(1), ("account", number))
      // An account that is closed meanwhile, or whose database is stuck, does not delay the others.
      guard !account.isStuck, let messenger = await host.accounts.openMessenger(named: account.name),
        let figures = try? await messenger.figures()
      else { continue }
      unsent.add(figures.unsent, ("account", number))
      for (state, count) in figures.jobs.sorted(by: { $0.key < $1.key }) {
        jobs.add(count, ("account", number), ("state", state))
      }
      events.add(figures.events, ("account", number))
      polls.add(figures.polls, ("account", number))
      failures.add(figures.pollFailures, ("account", number))
      size.add(figures.databaseBytes, ("account", number))
      for reader in figures.readers {
        lag.add(reader.pending, ("account", number), ("reader", reader.name))
        dead.add(reader.dead, ("account", number), ("reader", reader.name))
      }
    }
    return [unsent, jobs, events, polls, failures, size, writing, lag, dead]
  }
}
