import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionStorage

extension Command {
  static let daemon = Command(
    name: "daemon",
    summary: "keep all accounts open, and serve other programs",
    discussion: """
      Keeps the accounts of this user open, receives and sends, and serves bots and other commands over a socket until
      Ctrl-C or SIGTERM. Every command works while it runs, and uses it automatically. Bots speak JSON-RPC 2.0 on
      lines; see 'session help bots'. Accounts that are made later are opened, too. An account with a passphrase stays
      locked until 'session account unlock'. 'session help daemon-config' lists its settings.
      """,
    options: [
      .init(
        name: "account", value: "ACCOUNT", summary: "serve only this account; may be repeated",
        isRepeated: true),
      .init(name: "socket", value: "PATH", summary: "listen at another path"),
      .init(
        name: "http", value: "ADDRESS",
        summary: "serve HTTP there, such as 127.0.0.1:8190; see 'session help daemon-http'"
      ),
      .init(
        name: "idle-exit", value: "TIME",
        summary: "end after such a time without clients and work, such as 5m"),
      .init(
        name: "log-level", value: "LEVEL",
        summary: "what is logged: info (the default), or info,network=debug"),
      .init(
        name: "exec", value: "PROGRAM",
        summary: "run this program for each message of others; see 'session help hooks'"),
      .init(name: "allow-root", summary: "run as root, whose accounts and hooks it then serves"),
    ],
    examples: [
      .init(line: "session daemon", summary: "serve all accounts"),
      .init(line: "session daemon --account bot", summary: "serve the account 'bot' alone"),
    ],
    rpc: .none(.isServer)
  ) { invocation, io in
    try Daemon.checkUser(isRootAllowed: invocation.has("allow-root"))
    let book = try AccountBook(io)
    let options = try invocation.daemonOptions(io)
    for name in options.accounts ?? [] { _ = try book.account(named: name) }
    // Before another version may replace it.
    let program = ProgramFile()
    let handover = try await cancelledBySignals(andHangup: false) {
      try await Daemon(io: io, book: book, options: options, program: program).run()
    }
    if let handover {
      guard let program else {
        throw CommandFailure(
          status: .system, message: "cannot find the file of this program to start it again")
      }
      throw Reexecution(program: program).run(handover)
    }
    return CommandOutput()
  }

  static let daemonReload = Command(
    name: "daemon reload",
    summary: "make the daemon read its settings again",
    discussion:
      "Hooks are read again, too. If there is a mistake, the daemon keeps all that it has. See 'session help daemon-config'.",
    rpc: .none(.hasOwnMethod)
  ) { _, io in
    let result = try await DaemonClient(io).call("daemon.reload")
    guard case .array(let waiting)? = result["restart"], !waiting.isEmpty else { return CommandOutput() }
    let names = waiting.compactMap(\.string).joined(separator: ", ")
    return CommandOutput(notes: ["These settings take effect when the daemon is started again: \(names)"])
  }

  static let daemonRestart = Command(
    name: "daemon restart",
    summary: "restart the daemon, for example after an update",
    discussion: """
      Calls under way are finished first, and programs that connect meanwhile wait. Returns when the daemon has started
      again. If its settings have a mistake, the daemon keeps running as it is.
      """,
    rpc: .none(.hasOwnMethod)
  ) { _, io in
    let lock = Daemon.lock(in: try io.roots())
    guard let holder = FileLock.holder(of: lock) else { throw DaemonClient.notRunning }
    let before = try await DaemonClient(io).call("hello")["instance"]
    _ = try await DaemonClient(io).call("daemon.restart")
    let version = try await withinTime(stopTimeout) {
      while true {
        if let daemon = try? DaemonClient(io), let hello = try? await daemon.call("hello"),
          hello["instance"] != before
        {
          return hello["version"]?.string ?? ""
        }
        // The process stays the same.
        guard kill(holder.process, 0) == 0 || errno != ESRCH else {
          throw CommandFailure(
            status: .unavailable, message: "the daemon has ended, and did not start again",
            advice: "To see why, run: session daemon")
        }
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    guard let version else {
      throw CommandFailure(
        status: .temporary, message: "the daemon (process \(holder.process)) has not started again yet",
        advice: "'session daemon status' shows whether it has.")
    }
    return CommandOutput(notes: ["The daemon has restarted. Its version is \(version)."])
  }

  static let daemonStatus = Command(
    name: "daemon status",
    summary: "show whether the daemon runs, and its accounts",
    options: [.json],
    rpc: .none(.hasOwnMethod)
  ) { invocation, io in
    let status = try await DaemonClient(io).call("daemon.status")
    guard !invocation.has("json") else { return CommandOutput(text: "\(status)\n") }
    let started = LocalTime.text(status["started_at"]?.integer ?? 0)
    var fields: [(label: String, value: CommandOutput.Part)] = [
      ("process", .text("\(status["process"] ?? .null), version \(status["version"]?.string ?? "")")),
      ("started", .text(started)), ("connections", .text("\(status["connections"] ?? .null)")),
      ("memory", .text("\((status["memory"]?.integer ?? 0) / 1_048_576) MiB")),
    ]
    if case .array(let accounts)? = status["accounts"] {
      for account in accounts {
        let (name, state) = (account["name"]?.string ?? "", account["state"]?.string ?? "")
        let failure = account["failure"]?.string.map { ": " + DisplayText.line($0) } ?? ""
        let stuck = account["stuck_ms"]?.integer.map { ", at one write for \($0 / 1000) s" } ?? ""
        fields.append(("account", .text("\(name), \(state)\(failure)\(stuck)")))
      }
    }
    if case .array(let readers)? = status["readers"] {
      for reader in readers {
        let (name, account) = (reader["name"]?.string ?? "", reader["account"]?.string ?? "")
        let dead = reader["dead"].flatMap { $0 == 0 ? nil : ", \($0) dead" } ?? ""
        fields.append(
          ("reader", .text("\(name) of \(account), \(reader["pending"] ?? 0) events behind\(dead)")))
      }
    }
    return CommandOutput(fields: fields)
  }

  static let daemonSchema = Command(
    name: "daemon schema",
    summary: "print the description of all methods in OpenRPC",
    discussion:
      "A JSON document for programs that make clients, documentation or tests. The method rpc.discover returns it.",
    rpc: .none(.isServer)
  ) { _, _ in
    CommandOutput(text: OpenRPC.text)
  }

  /// How long the daemon may take to end: it finishes calls, and closes all accounts.
  private static let stopTimeout = Duration.seconds(30)

  static let daemonStop = Command(
    name: "daemon stop",
    summary: "end the daemon",
    discussion: "Calls under way are finished first. Returns when the daemon has ended.",
    rpc: .none(.hasOwnMethod)
  ) { _, io in
    let lock = Daemon.lock(in: try io.roots())
    guard let holder = FileLock.holder(of: lock) else { throw DaemonClient.notRunning }
    kill(holder.process, SIGTERM)
    // The system reports no event when another process drops a lock.
    let hasEnded: Void? = try await withinTime(stopTimeout) {
      while FileLock.holder(of: lock)?.process == holder.process {
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    guard hasEnded != nil else {
      throw CommandFailure(
        status: .temporary, message: "the daemon (process \(holder.process)) has not ended yet",
        advice: "Wait, or end it by force: kill -KILL \(holder.process). No message is lost.")
    }
    return CommandOutput(notes: ["The daemon has ended."])
  }
}

extension Invocation {
  /// What the options say about the daemon.
  fileprivate func daemonOptions(_ io: CommandIO) throws(CommandFailure) -> DaemonSettings {
    var options = DaemonSettings()
    let names = all("account")
    if !names.isEmpty { options.accounts = Set(names) }
    if let path = self["socket"] {
      guard !path.isEmpty else { throw misuse("--socket is a path") }
      options.socket = path.hasPrefix("/") ? path : "\(io.environment["PWD"] ?? "")/\(path)"
    }
    if let text = self["http"] {
      guard let address = LoopbackAddress(text) else {
        throw misuse("--http is an address of loopback, such as 127.0.0.1:8190 or [::1]:8190")
      }
      options.http = address
    }
    if let text = self["idle-exit"] {
      guard let time = Duration(idle: text) else { throw misuse("--idle-exit is a time, such as 5m") }
      options.idleExit = time
    }
    if let text = self["log-level"] {
      guard let levels = LogLevels(text) else {
        throw misuse("--log-level is one of \(LogLevels.names), as in info or info,network=debug")
      }
      options.logLevels = levels
    }
    if let program = self["exec"] { options.hooks = [try Hook(running: program)] }
    return options
  }
}

/// The daemon of this user, as commands about it see it.
struct DaemonClient: Sendable {
  private let client: RPCClient

  static let notRunning = CommandFailure(
    status: .unavailable, message: "the daemon does not run", advice: "To start it, run: session daemon")

  /// The path of the socket of the daemon; nil if it does not run.
  static func socket(_ io: CommandIO) -> String? {
    (try? io.roots()).flatMap { FileLock.holder(of: Daemon.lock(in: $0))?.socket }
  }

  init(_ io: CommandIO) throws {
    guard let socket = Self.socket(io), let client = try? RPCClient(to: socket) else {
      throw Self.notRunning
    }
    guard client.serverUser == geteuid() else { throw Self.notRunning }
    self.client = client
  }

  /// Has the daemon, if it runs, open an account that needs a secret. Throws `wrongPassphrase`; a daemon that does
  /// not serve the account, or is busy, leaves it to the caller.
  static func unlock(_ account: String, _ secret: KeySecret, _ io: CommandIO) async throws {
    // A server that has the account closed for this opens it again by itself.
    guard !io.isAlone, let daemon = try? DaemonClient(io) else { return }
    do {
      _ = try await withinTime(timeout) { [client = daemon.client] in
        try await RemoteHolder.unlock(account, secret, over: client)
      }
    } catch let error as StorageError where error.code == .wrongPassphrase {
      throw error
    } catch {
      try Task.checkCancellation()
    }
  }

  /// Has the daemon, if it runs and serves the account, close it until it is unlocked.
  static func lock(_ account: String, _ io: CommandIO) async throws {
    guard let daemon = try? DaemonClient(io) else { return }
    do { _ = try await daemon.result(of: "account.lock", ["name": .string(account)]) } catch is RPCClient.Gone
    {
      // It has ended.
    } catch let error as RPCError {
      guard error.kind == "no-account" else { throw CommandFailure(error) }
    }
  }

  /// Has the daemon, if it runs, read its settings again.
  static func reload(_ io: CommandIO) async {
    _ = try? await DaemonClient(io).result(of: "daemon.reload", [:])
  }

  /// Has the daemon, if it runs, open an account that is new.
  static func open(_ account: String, _ io: CommandIO) async {
    _ = try? await DaemonClient(io).call("account.show", ["account": .string(account)])
  }

  /// How long the daemon may take.
  private static let timeout = Duration.seconds(10)

  /// Calls a method of the daemon.
  func call(_ method: String, _ params: JSONValue = [:]) async throws -> JSONValue {
    do { return try await result(of: method, params) } catch is RPCClient.Gone {
      throw Self.notRunning
    } catch let error as RPCError {
      throw CommandFailure(error)
    }
  }

  private func result(of method: String, _ params: JSONValue) async throws -> JSONValue {
    guard
      let result = try await withinTime(Self.timeout, { [client] in try await client.call(method, params) })
    else {
      throw CommandFailure(status: .temporary, message: "the daemon does not answer")
    }
    return result
  }
}
