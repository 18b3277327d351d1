import SessionBase
import SessionDaemon
import SessionJobs
import SessionMessaging

/// Waits until the daemon is no longer needed.
struct IdleWatch: Sendable {
  let settings: LiveSettings
  let server: RPCServer
  let keeper: AccountKeeper
  let hooks: Hooks
  let uploads: Uploads

  /// How soon the daemon looks again while it has work.
  private static let pause = Duration.seconds(1)

  /// Returns when there has been neither a client nor work for as long as the settings say, or the task is cancelled.
  /// Hooks count as clients.
  func wait() async {
    while !Task.isCancelled {
      guard let limit = await settings.current.idleExit else {
        await settings.nextChange()
        continue
      }
      let idleSince = max(server.idleSince ?? .now, hooks.idleSince ?? .now)
      let rest = idleSince + limit - .now
      if rest > .zero {
        await within(rest) { await settings.nextChange() }
      } else if await hasWork() {
        try? await Task.sleep(for: Self.pause)
      } else {
        return
      }
    }
  }

  /// True if a message is unsent, a job is running or due, or a client may still use a file that it has uploaded.
  private func hasWork() async -> Bool {
    if await uploads.isHoldingFiles { return true }
    let now = Int64(MachineClock.wallMilliseconds)
    for messenger in await keeper.running() {
      // What cannot be read is no reason to stay.
      let jobs = (try? await messenger.jobs().jobs) ?? []
      let hasWork = jobs.contains { job in
        switch job.state {
        case .running: true
        case .waiting: job.interaction != nil || (job.next ?? now) <= now
        case .failed, .setAside: false
        }
      }
      if hasWork { return true }
    }
    return false
  }
}
