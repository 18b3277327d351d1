import SessionBase
import SessionCore
import SessionDaemon
import SessionDesktop
import SessionStorage
import Synchronization

/// What a daemon is for a desktop: it shows notifications of the accounts, and how much is unread.
struct DesktopNotifications: Sendable {
  /// A connection to the daemon, and what it tells.
  typealias Connecting =
    @Sendable (_ hear: @escaping @Sendable (String, JSONValue) -> Void) throws -> RPCClient

  let io: CommandIO
  let roots: StorageRoots
  let connect: Connecting
  /// False if the daemon is not this user's own: its accounts cannot be opened here.
  var canOpen = true
  /// Tells the person who watches the program.
  var tell: @Sendable (String) -> Void = { _ in }

  /// Works until the task is cancelled.
  func run() async {
    let window = TerminalWindow(io.environment) { [roots, io] in
      (try? UserSettingsFile(roots).read(io))?.terminal
    }
    await withTaskGroup { group in
      group.addTask {
        await DesktopWork(io: io, tell: tell).run { try await show(on: $0, window, $1) }
      }
      group.addTask {
        // The other one reports what hinders it, once.
        await DesktopWork(io: io, tell: { _ in }).run { try await present(on: $0, window, $1) }
      }
    }
  }

  /// Shows notifications until the desktop, or the daemon, has ended.
  private func show(
    on bus: Bus, _ window: TerminalWindow, _ works: @escaping @Sendable () -> Void
  ) async throws {
    let client = Mutex<RPCClient?>(nil)
    let isOver = Latch()
    let notifier = Notifier(setting(window, on: bus, calling: { client.withLock { $0 } }), on: bus)
    try await notifier.start()
    await notifier.waitForServer()
    try Task.checkCancellation()
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
    try await DesktopWork.first([{ await connection.waitUntilGone() }, { await isOver.wait() }]) {
      await notifier.run()
    }
    client.withLock { $0 = nil }
  }

  /// Lets other programs see how much is unread, until the desktop, or the daemon, has ended.
  private func present(
    on bus: Bus, _ window: TerminalWindow, _ works: @escaping @Sendable () -> Void
  ) async throws {
    let terminals = WorkerQueue("terminal")
    let object = DesktopObject(on: bus) { thing, token in
      terminals.post {
        switch thing {
        case .program: window.open(nil, nil, token: token, for: .bus, on: bus)
        case .account(let name): window.open(name, nil, token: token, for: .bus, on: bus)
        case .link(let link):
          // Only a link opens something, in its own form: nothing of it is a word of a command line.
          guard let link = try? SessionLink(parsing: link) else { return }
          window.open(["open-link", link.description], token: token, for: .bus, on: bus)
        }
      }
    }
    _ = await WorkerQueue("desktop").run { object.takeName() }
    let watch = BadgeWatch()
    let connection = try connect(watch.hear)
    defer { connection.close() }
    works()
    try await watch.follow(connection) { object.set($0.status) }
  }

  private func setting(
    _ window: TerminalWindow, on bus: Bus, calling client: @escaping @Sendable () -> RPCClient?
  ) -> Notifier.Setting {
    let quiet = DoNotDisturb(in: roots)
    var setting = Notifier.Setting(
      call: { method, params in
        guard let client = client() else { throw DesktopWork.NoDesktop() }
        return try await client.call(method, params)
      },
      clean: { DisplayText.line($0) }, reason: { DisplayText.line(DesktopWork.reason($0)) },
      quiet: { [io] in quiet.current(io) },
      open: { [canOpen] account, conversation, token in
        guard canOpen else { return }
        await WorkerQueue("terminal").run {
          _ = window.open(account, conversation, token: token, for: .person, on: bus)
        }
      },
      systemBus: Bus.systemAddress(io.environment), file: "\(roots.state)/notify.json",
      instance: String(UInt64.random(in: .min ... .max), radix: 36))
    setting.canOpen = canOpen
    return setting
  }
}

extension [AccountBadge] {
  /// As the bus of a desktop has it.
  fileprivate var status: DesktopObject.Status {
    var status = DesktopObject.Status()
    status.unread = UInt32(clamping: total.total)
    status.mentions = UInt32(clamping: total.mentions)
    status.requests = UInt32(clamping: total.requests)
    status.accounts = map { badge in
      DesktopObject.Status.Account(
        name: badge.name, unread: UInt32(clamping: badge.counts?.total ?? 0),
        state: badge.counts == nil ? "locked" : "open")
    }
    return status
  }
}
