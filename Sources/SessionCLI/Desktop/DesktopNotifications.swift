import SessionBase
import SessionDaemon
import SessionDesktop
import SessionStorage
import Synchronization

/// Shows notifications of the accounts of a daemon on the desktop, for as long as there is one.
struct DesktopNotifications: Sendable {
  /// A connection to the daemon, and what it tells.
  typealias Connecting =
    @Sendable (_ hear: @escaping @Sendable (String, JSONValue) -> Void) throws -> RPCClient

  /// How long it waits before it tries again.
  struct Pauses: Sendable {
    var first = Duration.seconds(1)
    var longest = Duration.seconds(60)
    /// While another program shows the notifications of the daemon.
    var busy = Duration.seconds(30)
  }

  let io: CommandIO
  let roots: StorageRoots
  let connect: Connecting
  var pauses = Pauses()
  /// Tells the person who watches the program.
  var tell: @Sendable (String) -> Void = { _ in }

  /// There is no desktop yet, or it has ended.
  private struct NoDesktop: Error {}

  /// Works until the task is cancelled.
  func run() async {
    var pause = pauses.first
    var told: String?
    let window = TerminalWindow(io.environment) { [roots, io] in
      (try? UserSettingsFile(roots).read(io))?.terminal
    }
    while !Task.isCancelled {
      let hasWorked = Mutex(false)
      var next = pause
      do {
        try await show(window) { hasWorked.withLock { $0 = true } }
      } catch let error as RPCError where error.kind == "reader-busy" {
        next = pauses.busy
        tell(once: "another program shows the notifications", &told)
      } catch is NoDesktop {
        // The daemon may have begun before the desktop.
      } catch is CancellationError {
        return
      } catch {
        tell(once: "no notifications now: \(Self.reason(error))", &told)
      }
      if hasWorked.withLock({ $0 }) { (pause, next, told) = (pauses.first, pauses.first, nil) }
      try? await Task.sleep(for: next)
      pause = min(pause * 2, pauses.longest)
    }
  }

  private func tell(once text: String, _ told: inout String?) {
    if told != text { tell(text) }
    told = text
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as BusFailure: error.description
    case is RPCClient.Gone: "the daemon has ended"
    default: CommandFailure(error).message
    }
  }

  /// Shows notifications until the desktop, or the daemon, has ended.
  private func show(_ window: TerminalWindow, _ works: @escaping @Sendable () -> Void) async throws {
    guard let address = Bus.sessionAddress(io.environment) else { throw NoDesktop() }
    let bus = try await WorkerQueue("desktop").run { try Bus(address: address) }
    let client = Mutex<RPCClient?>(nil)
    let isOver = Latch()
    let notifier = Notifier(setting(window, calling: { client.withLock { $0 } }), on: bus)
    try await notifier.start()
    await Self.first([{ await notifier.waitForServer() }, { await bus.closed.wait() }])
    try Task.checkCancellation()
    guard await notifier.hasServer else { throw NoDesktop() }
    let connection = try connect { method, params in
      if method == "subscription.ended" || method == "bye" { isOver.open() }
      notifier.hear(method, params)
    }
    defer { connection.close() }
    client.withLock { $0 = connection }
    _ = try await connection.call(
      "hello", ["client": "session notifications", "version": .string(SessionTool.version)])
    _ = try await connection.call(
      "events.subscribe",
      [
        "reader": .string(Notifier.reader), "accounts": "*", "signals": ["account"], "window": 200,
        "kinds": .array(Notifier.kinds.map { .string($0) }),
      ])
    works()
    await Self.first([
      { await notifier.run() }, { await bus.closed.wait() }, { await connection.waitUntilGone() },
      { await isOver.wait() },
    ])
    client.withLock { $0 = nil }
  }

  private func setting(
    _ window: TerminalWindow, calling client: @escaping @Sendable () -> RPCClient?
  ) -> Notifier.Setting {
    let quiet = DoNotDisturb(in: roots)
    return Notifier.Setting(
      call: { method, params in
        guard let client = client() else { throw NoDesktop() }
        return try await client.call(method, params)
      },
      clean: { DisplayText.line($0) },
      reason: { error in DisplayText.line((error as? RPCError)?.message ?? Self.reason(error)) },
      quiet: { [io] in quiet.current(io) },
      open: { account, conversation, token in
        await WorkerQueue("terminal").run { _ = window.open(account, conversation, token: token) }
      },
      file: "\(roots.state)/notify.json", instance: String(UInt64.random(in: .min ... .max), radix: 36))
  }

  /// Returns when one of several things has happened.
  private static func first(_ things: [@Sendable () async -> Void]) async {
    await withTaskGroup { group in
      for thing in things { group.addTask { await thing() } }
      await group.next()
      group.cancelAll()
    }
  }
}
