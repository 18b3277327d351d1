import SessionBase
import SessionDaemon
import SessionMessaging
import SessionService
import SessionStorage

/// What the user has set for the daemon. Nil is the default.
struct DaemonSettings: Hashable, Sendable {
  /// The accounts to serve; nil for all.
  var accounts: Set<String>?
  /// The path of the socket; nil for the usual one.
  var socket: String?
  /// Where it serves HTTP; nil for nowhere.
  var http: LoopbackAddress?
  /// The origins of web pages that may connect.
  var origins: Set<String> = []
  /// The folders of which clients with limited rights may send files.
  var fileFolders: [String] = []
  /// How long the daemon may have nothing to do before it ends; nil if it does not end then.
  var idleExit: Duration?
  /// How many polls a second all accounts make together; nil for the usual number.
  var maxPolls: Int?
  /// What is logged; nil for the usual.
  var logLevels: LogLevels?
  /// For how many days the log is kept; nil for the usual.
  var logDays: Int?
  /// False if the daemon goes on when its program was replaced; nil for the default, that it starts anew.
  var restartsWhenReplaced: Bool?
  /// How many days, and how many, events are kept; nil for the usual.
  var eventDays: Int?
  var eventLimit: Int?
  /// The further sockets.
  var sockets: [ExtraSocket] = []
  /// The programs that run for events.
  var hooks: [Hook] = []

  static let keys: [ConfigKey] = [
    .init(name: "accounts", kind: .texts, summary: "the accounts to serve; all by default"),
    .init(
      name: "socket", kind: .text,
      summary: "the path of the socket; $XDG_RUNTIME_DIR/session/daemon.sock by default"),
    .init(
      name: "http", kind: .text,
      summary: "the address of loopback where it serves HTTP, such as \"127.0.0.1:8190\"; none by default"),
    .init(
      name: "http_origins", kind: .texts,
      summary: "the web pages that may connect over HTTP, as in [\"http://localhost:3000\"]; none by default"),
    .init(
      name: "log_level", kind: .text,
      summary: "what is logged: \"info\" (the default), or \"info,network=debug\"; \(LogLevels.names)"),
    .init(
      name: "event_days", kind: .integer(0...3650),
      summary: "how many days events are kept that all readers have acknowledged; 7 by default"),
    .init(
      name: "event_limit", kind: .integer(1000...10_000_000),
      summary: "maximum number of events kept per account for readers; 100000 by default"),
    .init(
      name: "file_folders", kind: .texts,
      summary: "folders from which clients without the scope admin may attach files by path; none by default"),
    .init(
      name: "idle_exit", kind: .text,
      summary: "end after such a time without a client and without work, such as \"5m\"; never by default"),
    .init(
      name: "log_days", kind: .integer(1...365),
      summary: "for how many days the log is kept; \(LogFolder.days) by default, and never more than 15 MiB"),
    .init(
      name: "restart_when_replaced", kind: .boolean,
      summary: "start anew at a quiet moment after an update of this program; true by default"),
    .init(
      name: "max_polls_per_second", kind: .integer(1...1000),
      summary: "polls per second, all accounts together; \(PollBudget.usual) by default"),
  ]

  /// How long events are kept.
  var retention: EventRetention {
    var retention = EventRetention()
    if let eventDays { retention.settledAge = Int64(eventDays) * GarbageRules.day }
    if let eventLimit { retention.limit = eventLimit }
    return retention
  }

  /// The settings that differ from others and take effect at the next start only.
  func needingRestart(after old: DaemonSettings) -> [String] {
    let changes: [(name: String, isSame: Bool)] = [
      ("socket", socket == old.socket), ("http", http == old.http),
    ]
    return changes.filter { !$0.isSame }.map(\.name)
  }

  /// These settings, and others where these are the default.
  func over(_ others: DaemonSettings) -> DaemonSettings {
    DaemonSettings(
      accounts: accounts ?? others.accounts, socket: socket ?? others.socket,
      http: http ?? others.http, origins: origins.union(others.origins),
      fileFolders: fileFolders + others.fileFolders, idleExit: idleExit ?? others.idleExit,
      maxPolls: maxPolls ?? others.maxPolls, logLevels: logLevels ?? others.logLevels,
      logDays: logDays ?? others.logDays,
      restartsWhenReplaced: restartsWhenReplaced ?? others.restartsWhenReplaced,
      eventDays: eventDays ?? others.eventDays, eventLimit: eventLimit ?? others.eventLimit,
      sockets: sockets + others.sockets, hooks: hooks)
  }
}

extension DaemonSettings {
  /// Reads the settings file and the hooks, under what the command line says. Throws if a hook of the command line cannot run
  /// beside those in files. Older settings take the place of hooks with a mistake.
  init(
    _ options: DaemonSettings, in roots: StorageRoots, _ io: CommandIO,
    keepingHooksOf older: DaemonSettings? = nil
  ) throws {
    self = options.over(try DaemonSettings(in: roots, io))
    do { hooks = try options.hooks(beside: roots, io) } catch {
      guard let older else { throw error }
      hooks = older.hooks
    }
  }

  /// Its hooks, and those in files.
  private func hooks(beside roots: StorageRoots, _ io: CommandIO) throws -> [Hook] {
    let own = try HookFile.all(roots).map { file in try file.hook(io) }
    for hook in hooks where own.contains(where: { $0.name == hook.name }) {
      let path = HookFile.path(of: hook.name, in: roots)
      throw CommandFailure.usage(
        "daemon: --exec would have the name of the hook in \(path); rename that file")
    }
    guard hooks.count + own.count <= Hook.maxCount else {
      throw CommandFailure.usage("daemon: too many hooks: at most \(Hook.maxCount), including --exec")
    }
    return hooks + own
  }

  /// For how many days programs keep the log. The usual number where the settings have a mistake, which others tell.
  static func logDays(in roots: StorageRoots, _ io: CommandIO) -> Int {
    (try? DaemonSettings(in: roots, io))?.logDays ?? LogFolder.days
  }

  static func path(in roots: StorageRoots) -> String { "\(roots.config)/daemon.toml" }

  /// Reads the settings file; without one there are only defaults.
  init(in roots: StorageRoots, _ io: CommandIO) throws {
    self.init()
    sockets = try ExtraSocket.all(in: roots, io)
    let path = Self.path(in: roots)
    guard let file = try Configuration.own(path, keys: Self.keys, topic: Topic.daemonConfig.name, io: io)
    else {
      return
    }
    if let names = file.texts("accounts") {
      guard !names.isEmpty, names.allSatisfy(AccountFolder.isName) else {
        throw file.mistake("accounts", "names of accounts, as in [\"alice\", \"bot\"]")
      }
      accounts = Set(names)
    }
    socket = file.file("socket")
    if let text = file.text("http") {
      guard let address = LoopbackAddress(text), address.port > 0 else {
        throw file.mistake("http", "an address of loopback, such as \"127.0.0.1:8190\" or \"[::1]:8190\"")
      }
      http = address
    }
    if let texts = file.texts("http_origins") {
      guard texts.allSatisfy(Self.isOrigin) else {
        throw file.mistake("http_origins", "origins of web pages, as in [\"http://localhost:3000\"]")
      }
      origins = Set(texts)
    }
    if let text = file.text("log_level") {
      guard let levels = LogLevels(text) else {
        throw file.mistake("log_level", "one of \(LogLevels.names), as in \"info\" or \"info,network=debug\"")
      }
      logLevels = levels
    }
    logDays = file.integer("log_days")
    restartsWhenReplaced = file.boolean("restart_when_replaced")
    eventDays = file.integer("event_days")
    eventLimit = file.integer("event_limit")
    if let texts = file.texts("file_folders") {
      guard texts.allSatisfy({ $0.hasPrefix("/") && $0.count > 1 }) else {
        throw file.mistake("file_folders", "absolute paths of folders, as in [\"/home/me/outbox\"]")
      }
      fileFolders = texts.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }
    if let text = file.text("idle_exit") {
      guard let time = Duration(idle: text) else {
        throw file.mistake("idle_exit", "a time, such as \"5m\"")
      }
      idleExit = time
    }
    maxPolls = file.integer("max_polls_per_second")
  }
}

extension DaemonSettings {
  /// True for an origin as browsers write it: a scheme and a host, without a path.
  private static func isOrigin(_ text: String) -> Bool {
    guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return false }
    let host = text.dropFirst(scheme.count)
    return !host.isEmpty && text == text.lowercased()
      && host.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "*") }
  }
}

extension Duration {
  /// A time after which an idle daemon ends, as people write it; nil if it is none.
  init?(idle text: String) {
    guard let span = TimeSpan(text), span.seconds > 0, span.seconds <= Self.longestIdle else { return nil }
    self = .seconds(span.seconds)
  }

  private static let longestIdle: Int64 = 366 * 86_400
}

extension Topic {
  static let daemonConfig = Topic(
    name: "daemon-config",
    summary: "the settings of 'session daemon'",
    discussion: """
      $XDG_CONFIG_HOME/session/daemon.toml (~/.config/session/daemon.toml by default) has settings of the daemon, in the
      syntax of 'session help configuration'. Options of 'session daemon' override them. A mistake in the file ends the
      start of the daemon. 'session daemon reload', or SIGHUP, makes a running daemon read it again; if it has a mistake, the
      daemon keeps the settings that it has. A new socket or address is used after a restart.

      Each file $XDG_CONFIG_HOME/session/sockets.d/NAME.toml describes a further socket, for programs of other users or
      with fewer rights. It has the settings below that begin with NAME. The clients of one together may begin 10
      calls a second that send, after a burst of 50.

      With idle_exit the daemon receives nothing after its end. It suits programs that start it when they need it.
      """,
    rows: (DaemonSettings.keys.map { ($0.name, $0.summary) })
      + ExtraSocket.keys.map { ("NAME: \($0.name)", $0.summary) })
}
