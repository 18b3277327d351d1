import SessionBase
import SessionDaemon

/// Tells systemd how the daemon is, for as long as it does its work.
struct DaemonHealth: Sendable {
  let manager: ServiceManager
  let accounts: any ServedAccounts
  /// Logs that the database of an account is stuck.
  let noteStuck: @Sendable (ServedAccount) -> Void
  /// How often databases are looked at.
  var pause = Duration.seconds(10)

  /// A write that takes longer ends the daemon, if systemd watches it.
  static let longestWrite = Duration.seconds(300)
  /// A daemon that takes longer to end, or to start anew, is ended by systemd, if that watches it.
  static let longestEnd = Duration.seconds(300)
  /// How often systemd hears that the start goes on, and how long it is to wait from then on.
  private static let (startPause, startTime) = (Duration.seconds(20), 60_000_000)

  /// Asks for more time while accounts are opened, which a migration can make long. Returns when the task is cancelled.
  func prolongStart(every pause: Duration = startPause) async {
    while (try? await Task.sleep(for: pause)) != nil {
      manager.tell("EXTEND_TIMEOUT_USEC=\(Self.startTime)")
    }
  }

  /// Tells the states of the accounts whenever they change, and logs databases that are stuck, until the task
  /// is cancelled.
  func report() async {
    await withTaskGroup { group in
      group.addTask { await tellStates() }
      group.addTask { await watchDatabases() }
    }
  }

  /// What systemd shows: counts, and no names.
  static func status(_ accounts: [ServedAccount]) -> String {
    let running = accounts.count { $0.state == "running" }
    let others = ["opening", "locked", "suspended", "parked", "failed"].compactMap { state in
      let count = accounts.count { $0.state == state }
      return count == 0 ? nil : ", \(count) \(state)"
    }
    return "STATUS=\(running) of \(accounts.count) accounts running" + others.joined()
  }

  private func tellStates() async {
    var told = ""
    for await _ in await accounts.changes() {
      let status = Self.status(await accounts.all())
      guard status != told else { continue }
      manager.tell(status)
      told = status
    }
  }

  /// Tells that the daemon lives, as often as systemd wants to hear it, until the task is cancelled.
  func feedWatchdog() async {
    guard let interval = manager.watchdogInterval else { return }
    while (try? await Task.sleep(for: interval)) != nil {
      if await isAlive(within: interval) { manager.tell("WATCHDOG=1") }
    }
  }

  /// Stops feeding the watchdog when the end of the daemon takes too long, unless the task is cancelled before.
  static func stop(_ feeding: Task<Void, Never>, after time: Duration = longestEnd) async {
    guard (try? await Task.sleep(for: time)) != nil else { return }
    feeding.cancel()
  }

  /// True if clients are served, and no database is stuck.
  func isAlive(within time: Duration) async -> Bool {
    guard await SocketLoop.shared.turns(within: time) else { return false }
    return await accounts.all().allSatisfy { $0.writingTime < Self.longestWrite }
  }

  /// Logs once that a database is stuck, until the task is cancelled.
  func watchDatabases() async {
    var stuck: Set<String> = []
    while (try? await Task.sleep(for: pause)) != nil {
      let found = await accounts.all().filter(\.isStuck)
      for account in found where !stuck.contains(account.name) { noteStuck(account) }
      stuck = Set(found.map(\.name))
    }
  }
}
