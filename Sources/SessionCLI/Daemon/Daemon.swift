import Glibc
import SessionBase
import SessionCore
import SessionDaemon
import SessionDesktop
import SessionMessaging
import SessionNetworking
import SessionStorage

/// The program that keeps all accounts of a user open and serves them.
struct Daemon: Sendable {
  private(set) var io: CommandIO
  private(set) var book: AccountBook
  /// What the command line says, which goes before the settings file.
  let options: DaemonSettings
  /// Nil where the system does not tell it.
  let program: ProgramFile?

  /// Serves until the task is cancelled, a client ends it, or the daemon has been idle for as long as its settings say.
  /// Returns what is handed over if it is to start anew.
  func run() async throws -> Handover? {
    var daemon = self
    daemon.io.environment = Self.environmentForPrograms(io.environment)
    daemon.book = try AccountBook(daemon.io)
    return try await daemon.serve(startedWith: io.environment)
  }

  /// The environment without what is meant for this program alone, and not for those that it starts.
  static func environmentForPrograms(_ environment: [String: String]) -> [String: String] {
    let own =
      [KeptLocks.variable, KeptAccounts.variable] + ActivatedSockets.variables + ServiceManager.variables
    return environment.filter { !own.contains($0.key) }
  }

  private func serve(startedWith environment: [String: String]) async throws -> Handover? {
    ProcessSecrecy.keepMemoryPrivate()
    KeptLocks.takeOver(environment)
    let known = KeptAccounts(environment)
    let roots = book.roots
    OpenFileLimit.raise()
    try PrivateFolder.prepare(roots.state)
    let lock = try Self.takeLock(in: roots)
    let settings = try LiveSettings { [options, io] older in
      try DaemonSettings(options, in: roots, io, keepingHooksOf: older)
    }
    let manager = ServiceManager(environment)
    let networks = SharedNetworks(roots)
    let budget = PollBudget(pollsPerSecond: await settings.current.maxPolls ?? PollBudget.usual)
    let logDays = Kept(await settings.current.logDays)
    let log = LogWriter(
      LogFolder(in: roots), levels: await settings.current.logLevels ?? LogLevels(),
      keepingDays: { logDays.value ?? LogFolder.days })
    log.log()(.info, .daemon, "started")
    let chosen = await settings.current.socket
    let usual = try chosen ?? "\(SocketFolder.prepared(in: roots, io.environment))/daemon.sock"
    let activated = try Self.activatedSockets(environment, usual: usual, await settings.current)
    let path = activated.own?.path ?? usual
    let retention = Kept(await settings.current.retention)
    let keeper = AccountKeeper(roots, only: await settings.current.accounts, continuing: known) {
      account, secret in
      try await open(account, secret, networks, budget, log, retention, serving: path)
    }
    try PrivateFolder.prepare("\(roots.data)/accounts")
    let files = ClientFiles(in: roots)
    files.uploads.removeLeftovers()
    files.folders.set(await settings.current.fileFolders)
    let ending = DaemonEnd()
    var io = io
    io.reloadSettings = { _ = try? await settings.reload(keepingFaultyHooks: true) }
    // What a start reads besides the settings.
    let check: @Sendable () throws -> Void = { [book, options] in
      for name in options.accounts ?? [] { _ = try book.account(named: name) }
    }
    let server = try Self.server(
      at: path, insteadAt: activated, keeper, dataRoot: "\(roots.data)/accounts", isUsual: chosen == nil,
      methods: CommandMethods.served(io, files) + [
        .reload(settings), .stop(ending), .restart(ending, settings, checking: check),
      ],
      uploads: files.uploads)
    try await server.serve(on: settings.current.sockets)
    let wanted = await settings.current.http
    if let address = activated.http?.address ?? wanted {
      let tokens = TokenKeeper(TokenFile(in: roots))
      let origins = await settings.current.origins
      let listening = try server.serveHTTP(
        at: address, insteadAt: activated.http, origins: origins, tokens,
        numbering: { [book] name in try? book.number(of: book.account(named: name)) }, log: io.tell)
      io.tell("listening at \(listening.url)")
    }
    let logs = "\(roots.state)/log"
    try PrivateFolder.prepare(logs)
    let programs = Hooks(
      await settings.current.hooks, keeper, Hooks.Setting(io, logs: logs, socket: path))
    await settings.apply { new in
      await keeper.serve(only: new.accounts)
      budget.set(pollsPerSecond: new.maxPolls ?? PollBudget.usual)
      log.set(new.logLevels ?? LogLevels())
      logDays.value = new.logDays
      retention.value = new.retention
      server.allow(new.origins)
      files.folders.set(new.fileFolders)
      try await server.serve(on: new.sockets)
      programs.set(new.hooks)
    }
    let reloading = reloading(settings)
    lock.tell(socket: path)
    await keeper.start()
    let handling = Task { await programs.run() }
    let notifications = DesktopNotifications(
      io: io, roots: roots, connect: { try server.client(hear: $0) }, tell: io.tell)
    let notifying = Task { await notifications.run() }
    let sleeping = Task { [io] in
      await SystemBusWork(io: io).run { bus throws(BusFailure) in
        try await SleepWatch(on: bus).run { await keeper.setAsleep($0) }
      }
    }
    let locking = Task { [io] in
      await ScreenLockWork(io: io, roots: roots).run { await keeper.lockProtected() }
    }
    let health = DaemonHealth(manager: manager, accounts: keeper) { [book] account in
      guard let folder = try? book.account(named: account.name), let number = try? book.number(of: folder)
      else { return }
      log.log(of: number)(
        .warn, .account, "write-stuck", .count(Int(account.writingTime.components.seconds), "seconds"))
    }
    let reporting = Task { await health.report() }
    let feeding = Task { await health.feedWatchdog() }
    let replacing = Task { [io] in
      await program?.untilReplaced {
        // Programs that work on an account alone, or send a file in pieces, would have to begin again.
        guard await settings.current.restartsWhenReplaced ?? true, await !files.uploads.isHoldingFiles,
          await !keeper.all().contains(where: { $0.state == "parked" })
        else { return nil }
        // Hooks are work like calls.
        guard let called = server.noCallSince, let handled = programs.idleSince else { return nil }
        return max(called, handled)
      } checking: {
        try await settings.check()
        try check()
      } refuse: {
        io.tell(
          "the program was replaced; the daemon keeps running the old one: \(CommandFailure($0).message)")
      }
      if !Task.isCancelled, program != nil { ending.request(.restarting) }
    }
    io.tell("listening at \(path)")
    await withTaskGroup { group in
      group.addTask { await keeper.untilOpened() }
      group.addTask { await ending.wait() }
      group.addTask { await health.prolongStart() }
      await group.next()
      group.cancelAll()
    }
    KeptLocks.dropRest()
    await keeper.dropKeptKeys()
    if !Task.isCancelled, ending.why == nil {
      let states = await keeper.all().map(\.state)
      let running = states.count { $0 == "running" }
      manager.tell("READY=1")
      io.tell("\(running) of \(states.count) accounts are open")
      let idle = IdleWatch(
        settings: settings, server: server, keeper: keeper, hooks: programs, uploads: files.uploads)
      await Self.either {
        await idle.wait()
      } or: {
        await ending.wait()
      }
    }
    let reason = Task.isCancelled ? .stopping : ending.why ?? .stopping
    manager.tell(reason == .restarting ? "RELOADING=1" : "STOPPING=1")
    let limiting = Task { await DaemonHealth.stop(feeding) }
    let isRestarting = reason == .restarting
    let sockets = isRestarting ? (try? server.kept()) ?? .nothing : nil
    for task in [reporting, replacing, reloading, sleeping] { task.cancel() }
    // This task is cancelled, so its waits would end at once.
    let accounts = await Task {
      handling.cancel()
      // A bus that says nothing holds up no end; what a person chose in a notification is a call under way.
      notifying.cancel()
      await handling.value
      await server.stop(finishingWithin: Self.finishing, reason)
      // Until here clients, and the screen, may lock accounts.
      locking.cancel()
      let kept = await keeper.stop(isHandingOver: isRestarting)
      await networks.stop()
      log.log()(.info, .daemon, "stopped")
      await log.flush()
      limiting.cancel()
      feeding.cancel()
      return kept
    }.value
    if isRestarting { lock.keep() }
    withExtendedLifetime(lock) {}
    // A request to end may have come meanwhile.
    guard let sockets, !Task.isCancelled, ending.why != .stopping else { return nil }
    // The start of the new program counts from here.
    if manager.watchdogInterval != nil { manager.tell("WATCHDOG=1") }
    return Handover(sockets: sockets, accounts: accounts)
  }

  /// Returns when one of two things has happened.
  private static func either(
    _ one: @escaping @Sendable () async -> Void, or other: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup { group in
      group.addTask { await one() }
      group.addTask { await other() }
      await group.next()
      group.cancelAll()
    }
  }

  /// Reads the settings again at each SIGHUP.
  private func reloading(_ settings: LiveSettings) -> Task<Void, Never> {
    let (signals, signalling) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = SignalListener(SIGHUP) { signalling.yield() }
    return Task { [io] in
      defer { listener.stop() }
      for await _ in signals {
        do {
          let waiting = try await settings.reload()
          io.tell("the settings were read again")
          if !waiting.isEmpty { io.tell("a restart is needed for: \(waiting.joined(separator: ", "))") }
        } catch {
          io.tell("the settings stay as they are: \(CommandFailure(error).message)")
        }
      }
    }
  }

  /// Begins to serve. Only the service manager listens at the usual path while no daemon runs.
  private static func server(
    at path: String, insteadAt activated: ActivatedSockets, _ keeper: AccountKeeper, dataRoot: String,
    isUsual: Bool, methods: [RPCMethod], uploads: Uploads
  ) throws -> RPCServer {
    do throws(FileError) {
      return try RPCServer(
        at: path, insteadAt: activated, keeper, dataRoot: dataRoot, version: SessionTool.version,
        methods: methods, uploads: uploads)
    } catch {
      guard error.code == .inUse, isUsual else { throw error }
      throw CommandFailure(
        status: .configuration, message: "session.socket listens at \(path)",
        advice: "run: systemctl --user start session.service")
    }
  }

  /// The sockets that listen already. Those that the program kept are dropped where the settings want others now.
  private static func activatedSockets(
    _ environment: [String: String], usual: String, _ settings: DaemonSettings
  ) throws(CommandFailure) -> ActivatedSockets {
    func failure(_ message: String, _ advice: String) -> CommandFailure {
      CommandFailure(status: .configuration, message: message, advice: advice)
    }
    let activated: ActivatedSockets
    do throws(FileError) { activated = try ActivatedSockets(environment) } catch {
      throw failure(error.message, "Use session.socket as it is installed, or start the daemon without one.")
    }
    let names = Set(settings.sockets.map(\.name))
    if let name = activated.extra.keys.sorted().first(where: { !names.contains($0) }) {
      throw failure(
        "the service manager passes a socket \"\(name)\", and there is no sockets.d/\(name).toml",
        "Create this file: 'session help daemon-config' tells how.")
    }
    return activated.dropping(ownUnlessAt: usual, httpUnlessAt: settings.http)
  }

  /// Throws if the daemon would have rights that its user did not mean it to have.
  static func checkUser(
    _ effective: UInt32 = geteuid(), real: UInt32 = getuid(), isRootAllowed: Bool
  ) throws(CommandFailure) {
    guard effective == real else {
      throw CommandFailure(
        status: .configuration, message: "the daemon does not run with the rights of another user",
        advice: "Take the set-user-ID bit from the program.")
    }
    guard effective != 0 || isRootAllowed else {
      throw CommandFailure(
        status: .configuration,
        message: "the daemon does not run as root, which hooks and clients would be, too",
        advice: "Run it as the user whose accounts it serves; --allow-root runs it as root.")
    }
  }

  /// How long the calls of clients may take when the daemon ends.
  private static let finishing = Duration.seconds(5)

  /// How the daemon describes itself in the locks that it holds.
  static let purpose = "session daemon"

  /// The path of the lock that the daemon of a user holds.
  static func lock(in roots: StorageRoots) -> String { "\(roots.state)/daemon.lock" }

  private static func takeLock(in roots: StorageRoots) throws -> FileLock {
    let path = lock(in: roots)
    do throws(FileError) {
      return try FileLock(path, of: "the daemon's lock", purpose: purpose)
    } catch {
      guard error.code == .inUse, let holder = FileLock.holder(of: path) else { throw error }
      throw CommandFailure(
        status: .temporary, message: "a daemon runs already (process \(holder.process))",
        advice: "'session daemon status' shows it, 'session daemon stop' ends it.")
    }
  }

  private func open(
    _ account: AccountFolder, _ secret: KeySecret?, _ networks: SharedNetworks, _ budget: PollBudget,
    _ log: LogWriter, _ retention: Kept<EventRetention>, serving path: String
  ) async throws -> AccountKeeper.Opened {
    // A passphrase costs much to try, and this is tried again until the other program has ended.
    if let holder = AccountLock.holder(of: account), holder.process != getpid() {
      throw StorageError(.locked, "the account \(account.name) is in use by \(holder.purpose)")
    }
    let reach = try book.network(of: account, io: io).reach(io: io)
    let known = secret
    let secret =
      if let known { Optional(known) } else { try await ServiceCredential(io: io).needed(for: account) }
    let key = try await AccountKey.key(of: account, with: secret)
    let network = try await networks.network(of: reach)
    let local = Network.LocalAccount()
    var environment = MessengerEnvironment(
      swarms: NetworkSwarms(network, for: local, isInteractive: false),
      files: try reach.files(through: NetworkServers(network, for: local)),
      communities: CommunityClient(
        through: try io.communityServers(through: NetworkServers(network, for: local))),
      log: log.log(of: try book.number(of: account)).and(ServiceJournal(io).log))
    environment.pollBudget = budget
    environment.retention = { retention.value ?? EventRetention() }
    environment.programVersion = SessionTool.version
    environment.names = network
    environment.defaultCommunity = try reach.defaultCommunity()
    let messenger = try await Messenger.open(
      account, secret: secret.map { _ in .key(key) }, purpose: Self.purpose, environment)
    do { try await messenger.start() } catch {
      await messenger.stop(finishingWithin: .zero)
      throw error
    }
    await messenger.tell(socket: path)
    return AccountKeeper.Opened(messenger, key) {
      // The socket goes on listening: programs that find the account held wait there.
      await messenger.keepLock()
      await messenger.stop()
    } close: {
      await messenger.tell(socket: nil)
      await messenger.stop()
    }
  }
}
