package import SessionBase
package import SessionMessaging
import Synchronization

/// The hooks of a program, for the accounts that it serves.
package final class Hooks: Sendable {
  /// What hooks need of the program that runs them.
  package struct Setting: Sendable {
    let render: RPCMethod.EventRendering
    let environment: [String: String]
    let socket: String?
    /// The folder of the logs.
    let logs: String
    /// Tells the person who watches the program.
    let tell: @Sendable (String) -> Void

    package init(
      environment: [String: String], socket: String?, logs: String,
      tell: @escaping @Sendable (String) -> Void,
      render: @escaping RPCMethod.EventRendering
    ) {
      self.render = render
      self.environment = environment
      self.socket = socket
      self.logs = logs
      self.tell = tell
    }
  }

  /// The most programs that run at a time.
  private static let maxProcesses = 16
  /// Of trials, as many as run at a time in this process.
  private static let trials = Permits(4)
  /// The pause after a hook could not read its events.
  private static let pause = Duration.seconds(10)
  /// The pause between two attempts to take a lock: the system reports no event when another process drops it.
  private static let lockPause = Duration.seconds(2)

  private let wanted: Mutex<Wanted>
  private let accounts: any ServedAccounts
  private let setting: Setting
  /// The lock of the only hook and account; nil if each work takes its own.
  private let held: FileLock?
  private let permits = Permits(maxProcesses)
  private let work = Counter()

  /// The hooks that are to run.
  private struct Wanted: Sendable {
    var hooks: [Hook]
    /// Opens when they change.
    var change = Latch()
  }

  /// A hook that runs.
  private struct Run: Sendable {
    let hook: Hook
    let stop: HookStop
    let task: Task<Void, Never>

    /// Lets no further program begin, and gives those that run a short time to end.
    func end() {
      stop.ring()
      task.cancel()
    }
  }

  /// Since when there is no work; nil while a program runs, or an event waits for its next try.
  package var idleSince: ContinuousClock.Instant? { work.zeroSince }

  /// `lock` is that of the only hook for the only account. Without it, a hook waits while another process has its lock.
  package init(
    _ hooks: [Hook], _ accounts: any ServedAccounts, _ setting: Setting, holding lock: FileLock? = nil
  ) {
    wanted = Mutex(Wanted(hooks: hooks))
    self.accounts = accounts
    self.setting = setting
    held = lock
  }

  /// Runs these hooks from now on. Those that are the same go on undisturbed; programs of others get a short time to end.
  package func set(_ hooks: [Hook]) {
    let change = wanted.withLock { wanted in
      defer { wanted = Wanted(hooks: hooks) }
      return wanted.change
    }
    change.open()
  }

  /// Runs programs for events until the task is cancelled; then programs get a short time to end.
  package func run() async {
    var runs: [String: Run] = [:]
    while !Task.isCancelled {
      let (hooks, change) = wanted.withLock { ($0.hooks, $0.change) }
      let all = Array(runs.values)
      await withTaskCancellationHandler {
        await end(all.filter { run in !hooks.contains(run.hook) })
      } onCancel: {
        for run in all { run.end() }
      }
      runs = runs.filter { hooks.contains($0.value.hook) }
      if Task.isCancelled { break }
      for hook in hooks where runs[hook.name] == nil { runs[hook.name] = begin(hook) }
      await change.wait()
    }
    await end(Array(runs.values))
  }

  private func end(_ runs: [Run]) async {
    for run in runs { run.end() }
    for run in runs { await run.task.value }
  }

  private func begin(_ hook: Hook) -> Run {
    let stop = HookStop()
    let runner = HookRunner(
      log: HookLog("\(setting.logs)/hook-\(hook.name).log"), render: setting.render,
      environment: setting.environment, socket: setting.socket, permits: permits, pace: ReplyPace(),
      stop: stop)
    let task = Task { [self] in
      await accounts.forEachRunning(of: hook.accounts) { [self] account in
        await run(hook, of: account, runner)
      }
    }
    return Run(hook: hook, stop: stop, task: task)
  }

  private func run(_ hook: Hook, of account: String, _ runner: HookRunner) async {
    guard let taken = await lock(of: hook, account) else { return }
    defer { withExtendedLifetime(taken) {} }
    while !Task.isCancelled {
      do {
        try await HookWork(hook, of: account, accounts, runner, counting: work).run()
      } catch is CancellationError {
        return
      } catch is HookPaused {
        setting.tell("hook \(hook.name): failed \(hook.tries) times for one event, and is paused")
        return
      } catch {
        setting.tell("hook \(hook.name): \(error)")
      }
      try? await Task.sleep(for: Self.pause)
    }
  }
}

extension Hooks {
  /// Takes the lock without which no process runs the programs of a hook for an account: two that read under one name would
  /// both run them for each event. Throws `inUse`, which names the holder.
  package static func lock(
    of hook: Hook, _ account: String, _ setting: Setting, purpose: String
  ) throws(FileError) -> FileLock {
    // No name of a hook has this mark.
    let path = "\(setting.logs)/hook-\(hook.name)@\(account).lock"
    return try FileLock(path, of: "the reader \(hook.reader) of the account \(account)", purpose: purpose)
  }

  /// Waits until no other process has the lock; nil if the task is cancelled before.
  private func lock(of hook: Hook, _ account: String) async -> FileLock? {
    if let held { return held }
    var isTold = false
    while !Task.isCancelled {
      do throws(FileError) {
        return try Self.lock(of: hook, account, setting, purpose: "session daemon")
      } catch {
        if !isTold { setting.tell("hook \(hook.name) waits: \(error.message)") }
        isTold = true
      }
      try? await Task.sleep(for: Self.lockPause)
    }
    return nil
  }
}

/// What became of the trial of a hook.
package struct HookTrial: Sendable {
  package let cursor: MessengerEvent.Cursor
  /// What the program wrote to standard output.
  package let output: String
  /// Why the event would not count as handled; nil if it would.
  package let failure: String?
  /// The path of the file with what it wrote to standard error.
  package let log: String
}

extension Hooks {
  /// Runs the program of a hook for an event, or the newest one that it is for; nil if there is none. Nothing is sent or
  /// acknowledged.
  package static func test(
    _ hook: Hook, on cursor: MessengerEvent.Cursor?, of account: String, _ messenger: Messenger,
    _ setting: Setting
  ) async throws -> HookTrial? {
    guard let (event, message) = try await event(for: hook, cursor, messenger) else { return nil }
    let log = HookLog("\(setting.logs)/hook-\(hook.name).log")
    let runner = HookRunner(
      log: log, render: setting.render, environment: setting.environment, socket: setting.socket,
      permits: trials, pace: ReplyPace(), stop: HookStop())
    let delivered = DeliveredEvent(event: event, message: message, account: account, tries: 1)
    do {
      let output = try await runner.output(of: hook, for: delivered, of: messenger)
      return HookTrial(
        cursor: event.id, output: output ?? "",
        failure: output == nil ? "the program wants the event again later" : nil, log: log.path)
    } catch let failure as HookFailure {
      return HookTrial(cursor: event.id, output: "", failure: failure.reason, log: log.path)
    }
  }

  private static func event(
    for hook: Hook, _ cursor: MessengerEvent.Cursor?, _ messenger: Messenger
  ) async throws -> (MessengerEvent, MessageView?)? {
    var place = cursor.map { MessengerEvent.Cursor(rawValue: $0.rawValue - 1) } ?? .start
    var found: (MessengerEvent, MessageView?)?
    while true {
      let events = try await messenger.events(after: place, limit: cursor == nil ? Messenger.maxEvents : 1)
      guard let last = events.last else { return found }
      for event in events where event.lost == nil {
        let message = try await messenger.message(of: event)
        let isMeant =
          if let cursor { event.id == cursor } else {
            try await hook.filter.admits(event, message, of: messenger)
          }
        if isMeant {
          found = (event, message)
        }
      }
      guard cursor == nil else { return found }
      place = last.id
    }
  }
}
