import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionNetworking
import SessionStorage

/// An account while a command works on it.
struct OpenAccount: Sendable {
  let messenger: Messenger
  /// Nil if the command does not use the network itself.
  let network: Network?
  /// The program that holds the account, if it is another one.
  private let holder: RemoteHolder?
  /// Serves other programs while this one holds the account.
  private let door: AccountDoor?
  /// True if the daemon may have the account before the command ends.
  private var isReleasable = false
  private let log: LogWriter?

  private init(
    _ messenger: Messenger, _ network: Network? = nil, holder: RemoteHolder? = nil, door: AccountDoor? = nil,
    log: LogWriter? = nil
  ) {
    self.messenger = messenger
    self.network = network
    self.holder = holder
    self.door = door
    self.log = log
  }

  /// An account that this program holds, for the command of another program.
  static func serving(_ messenger: Messenger) -> OpenAccount { OpenAccount(messenger) }

  /// True if another program holds the account and carries out the calls.
  var isElsewhere: Bool { holder != nil }

  /// True if the work has to go on elsewhere: the program that held the account has ended, or the daemon asks for it.
  var isOrphaned: Bool { (holder?.isGone ?? false) || (isReleasable && door?.released.isOpen == true) }

  /// Opens an account to look at what is there; whatever other program works on it is not disturbed.
  static func reading(_ account: AccountFolder, io: CommandIO) async throws -> OpenAccount {
    try await reading(account, try await AccountKey(io: io).needed(for: account))
  }

  /// Opens the account for reading, with a secret if necessary.
  static func reading(_ account: AccountFolder, _ secret: KeySecret?) async throws -> OpenAccount {
    let messenger = try await Messenger.open(
      account, for: .reading, secret: secret, MessengerEnvironment(swarms: UnreachableSwarms()))
    return OpenAccount(messenger)
  }

  /// How a command uses an account.
  enum Use: Sendable {
    /// It changes local state only, without using the network.
    case editing
    /// It uses the network, and a person waits for it.
    case working
    /// It uses the network for as long as it runs, and serves other programs meanwhile.
    case staying
  }

  /// Opens an account, or reaches the program that holds it. Waits for one that has just started and does not serve others
  /// yet.
  static func entering(
    _ book: AccountBook, _ account: AccountFolder, _ use: Use, purpose: String, timeout: Duration,
    io: CommandIO, log: ClientLog = .silent
  ) async throws -> OpenAccount {
    let secret = try await AccountKey(io: io).needed(for: account)
    // The daemon keeps a locked account closed.
    if let secret { try await DaemonClient.unlock(account.name, secret, io) }
    let deadline = ContinuousClock.now.advanced(by: timeout)
    var asksDaemon = true
    while true {
      do {
        var holder = try await AccountDoor.holder(of: account)
        if holder == nil, asksDaemon {
          // Once: a daemon that does not start now does not start in a moment.
          asksDaemon = false
          holder = try await DaemonSocket(book.roots, io).holder(of: account, secret)
        }
        if let holder {
          let messenger = try await Messenger.open(
            account, heldBy: holder, secret: secret, MessengerEnvironment(swarms: UnreachableSwarms())
          )
          return OpenAccount(messenger, holder: holder)
        }
        return try await holding(
          book, account, use, purpose: purpose, secret: secret, io: io, log: log)
      } catch let error as StorageError where error.code == .locked && ContinuousClock.now < deadline {
        // The holder does not serve others yet: it will end soon, or start serving.
        try await Task.sleep(for: .milliseconds(25))
      }
    }
  }

  private static func holding(
    _ book: AccountBook, _ account: AccountFolder, _ use: Use, purpose: String, secret: KeySecret?,
    io: CommandIO, log: ClientLog
  ) async throws -> OpenAccount {
    guard use != .editing else {
      let messenger = try await Messenger.open(
        account, secret: secret, purpose: purpose, MessengerEnvironment(swarms: UnreachableSwarms()))
      return OpenAccount(messenger)
    }
    var reach = try book.network(of: account, io: io).reach(io: io)
    reach.options.folder = account.cache
    try reach.keepGuards(in: book.roots)
    let own = LogWriter(
      LogFolder(in: book.roots), keepingDays: { DaemonSettings.logDays(in: book.roots, io) })
    let number = try book.number(of: account)
    let network = try Network(reach.options)
    let local = Network.LocalAccount()
    let servers: any ServerService
    do {
      servers = try io.communityServers(through: NetworkServers(network, for: local))
    } catch {
      await network.stop()
      throw error
    }
    let files = try reach.files(through: NetworkServers(network, for: local))
    var schedule = PollSchedule()
    if use == .working { schedule.hedgeDelay = network.kind == .private ? .seconds(1) : .milliseconds(2500) }
    var environment = MessengerEnvironment(
      swarms: NetworkSwarms(network, for: local, isInteractive: use == .working), files: files,
      communities: CommunityClient(through: servers),
      schedule: schedule, log: own.log(of: number).and(log))
    environment.programVersion = SessionTool.version
    environment.names = network
    environment.defaultCommunity = try reach.defaultCommunity()
    let messenger: Messenger
    do {
      messenger = try await Messenger.open(
        account, secret: secret, purpose: purpose, environment)
    } catch {
      // Another program may hold the account: then this is tried again.
      await network.stop()
      throw error
    }
    let door = AccountDoor(account, messenger, in: book.roots, io)
    var opened = OpenAccount(messenger, network, door: door, log: own)
    opened.isReleasable = use == .staying
    do {
      try await network.start()
      try await messenger.start()
      await door.open(after: use == .staying ? .zero : AccountDoor.delay)
    } catch {
      await opened.close()
      throw error
    }
    return opened
  }

  func close() async {
    // Where this task is cancelled, its waits would end at once.
    await Task {
      await door?.close()
      await messenger.stop(finishingWithin: .zero)
      await network?.stop()
      await log?.flush()
    }.value
  }
}

extension OpenAccount {
  /// What became of work on an account.
  private enum Outcome<R: Sendable>: Sendable {
    case ended(Result<R, any Error>)
    /// The program that held the account has ended.
    case orphaned
  }

  /// Does something with the account, and closes it. Nil if the program that held it ended meanwhile: the work can begin
  /// again, because all of its calls can be repeated.
  func finishing<R: Sendable>(
    _ body: @escaping @Sendable (OpenAccount) async throws -> R
  ) async throws -> R? {
    let outcome = await withTaskGroup(of: Outcome<R>.self) { group in
      group.addTask {
        do { return .ended(.success(try await body(self))) } catch { return .ended(.failure(error)) }
      }
      if let holder {
        group.addTask {
          await holder.waitUntilGone()
          return .orphaned
        }
      } else if let door, isReleasable {
        group.addTask {
          await door.released.wait()
          return .orphaned
        }
      }
      let first = await group.next() ?? .orphaned
      group.cancelAll()
      guard case .orphaned = first else { return first }
      // What it did before it noticed counts.
      for await later in group { if case .ended(.success) = later { return later } }
      return first
    }
    let wasLost = holder?.hasLostCall ?? false
    await close()
    guard !wasLost else {
      throw CommandFailure(
        status: .outcomeUnknown, message: "the program that held the account ended before it replied",
        advice: "Look whether the change was made before you repeat it.")
    }
    switch outcome {
    case .ended(.success(let value)): return value
    case .ended(.failure(is HolderGone)): return nil
    case .ended(.failure(let error)): throw error
    case .orphaned:
      try Task.checkCancellation()
      if holder == nil { try await door?.waitForSuccessor() }
      return nil
    }
  }
}

extension Invocation {
  /// The name of this command, shown to other programs that find the account in use.
  private var purpose: String { "session " + command.name }

  /// The account that the command is about.
  func account(_ io: CommandIO) throws -> (AccountBook, AccountFolder) {
    let book = try AccountBook(io)
    return (book, try book.account(named: self["account"]))
  }

  /// Does something with an account that changes nothing.
  func reading<R: Sendable>(
    _ io: CommandIO, _ body: @escaping @Sendable (Messenger) async throws -> R
  ) async throws -> R {
    if let served = io.served {
      try await resolveNames(served, io)
      return try await body(served)
    }
    guard !needsNetworkForNames else {
      return try await working(io) { opened in try await body(opened.messenger) }
    }
    let (_, account) = try account(io)
    let opened = try await OpenAccount.reading(account, io: io)
    guard let result = try await opened.finishing({ opened in try await body(opened.messenger) }) else {
      throw CancellationError()
    }
    return result
  }

  /// Changes something of an account that concerns this machine alone.
  func editing<R: Sendable>(
    _ io: CommandIO, _ body: @escaping @Sendable (Messenger) async throws -> R
  ) async throws -> R {
    if let served = io.served {
      try await resolveNames(served, io)
      return try await body(served)
    }
    guard !needsNetworkForNames else {
      return try await working(io) { opened in try await body(opened.messenger) }
    }
    return try await entering(.editing, io) { opened in try await body(opened.messenger) }
  }

  /// Does something with an account that is connected to its network. Its requests are interactive, because a user waits
  /// for the replies, unless the command is `staying`.
  ///
  /// If another program holds the account, that one carries out the calls. If it ends, the body begins again: it keeps
  /// what must not be done twice.
  func working<R: Sendable>(
    _ io: CommandIO, staying: Bool = false, log: ClientLog = .silent,
    _ body: @escaping @Sendable (OpenAccount) async throws -> R
  ) async throws -> R {
    if let served = io.served {
      try await resolveNames(served, io)
      return try await body(.serving(served))
    }
    return try await cancelledBySignals {
      try await entering(staying ? .staying : .working, io, log: log, body)
    }
  }

  private func entering<R: Sendable>(
    _ use: OpenAccount.Use, _ io: CommandIO, log: ClientLog = .silent,
    _ body: @escaping @Sendable (OpenAccount) async throws -> R
  ) async throws -> R {
    let (book, account) = try account(io)
    let timeout = try timeout()
    while true {
      let opened = try await OpenAccount.entering(
        book, account, use, purpose: purpose, timeout: timeout, io: io, log: log)
      let result = try await opened.finishing { opened in
        try await resolveNames(opened.messenger, io)
        return try await body(opened)
      }
      if let result { return result }
    }
  }

  /// Changes something, and waits for what follows from it to be stored in the network, for as long as `--timeout` says.
  /// With a label, it draws meanwhile how far that is.
  func changing(
    _ io: CommandIO, showing label: String? = nil,
    _ change: @escaping @Sendable (Messenger) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let timeout = try timeout()
    let changed = Kept<CommandOutput>()
    return try await working(io) { opened in
      var output = try await changed.obtain { try await change(opened.messenger) }
      // The client of a daemon follows events instead of waiting.
      guard io.served == nil else { return output }
      let isDone = try await WorkProgress(label, io).following { tell in
        try await withinTime(timeout) { try await opened.messenger.waitUntilSettled(reporting: tell) } != nil
      }
      if !isDone { output.notes.append("The network was not reached in time; the rest follows when it is.") }
      return output
    }
  }

  private static let longestTimeout: Int64 = 366 * 86_400

  /// How long the command waits for the network.
  func timeout(usual: Duration = .seconds(30)) throws(CommandFailure) -> Duration {
    guard let text = self["timeout"] else { return usual }
    guard let span = TimeSpan(text), (1...Self.longestTimeout).contains(span.seconds) else {
      throw misuse("--timeout is a time, such as 10s or 2m, of up to a year")
    }
    return .seconds(span.seconds)
  }
}

extension Command.Option {
  static let account = Self(
    name: "account", value: "ACCOUNT", summary: "the account to use; see 'session help accounts'")
  static let timeout = Self(
    name: "timeout", value: "TIME", summary: "how long to wait for the network; 30s by default")
}
