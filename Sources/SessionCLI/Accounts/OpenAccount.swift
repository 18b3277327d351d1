import SessionBase
import SessionCore
import SessionMessaging
import SessionNetworking
import SessionStorage

/// An account while a command works on it.
struct OpenAccount: Sendable {
  let messenger: Messenger
  /// Nil if the command does not use the network.
  let network: Network?

  /// Makes an account on this machine.
  static func create(_ account: Account, name: String?, in folder: AccountFolder) async throws {
    let messenger = try await Messenger.create(
      account, name: name, in: folder, MessengerEnvironment(swarms: UnreachableSwarms()))
    await messenger.stop()
  }

  /// Opens an account to look at what is there; whatever other program works on it is not disturbed.
  static func reading(_ account: AccountFolder, io: CommandIO) async throws -> OpenAccount {
    try await reading(account, try await AccountPassphrase(io: io).needed(for: account))
  }

  /// Opens the account for reading, with a passphrase if necessary.
  static func reading(_ account: AccountFolder, _ passphrase: SecretBytes?) async throws -> OpenAccount {
    let messenger = try await Messenger.open(
      account, for: .reading, passphrase: passphrase, MessengerEnvironment(swarms: UnreachableSwarms()))
    return OpenAccount(messenger: messenger, network: nil)
  }

  /// Opens an account to change local state only, without using the network.
  static func editing(
    _ account: AccountFolder, purpose: String, io: CommandIO
  ) async throws -> OpenAccount {
    let messenger = try await Messenger.open(
      account, passphrase: try await AccountPassphrase(io: io).needed(for: account), purpose: purpose,
      MessengerEnvironment(swarms: UnreachableSwarms()))
    return OpenAccount(messenger: messenger, network: nil)
  }

  /// Opens an account and resumes its jobs.
  static func working(
    _ book: AccountBook, _ account: AccountFolder, purpose: String, staying: Bool, io: CommandIO,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> OpenAccount {
    var reach = try book.network(of: account, io: io).reach(io: io)
    let passphrase = try await AccountPassphrase(io: io).needed(for: account)
    reach.options.folder = account.cache
    try reach.keepGuards(in: book.roots)
    let network = try Network(reach.options)
    let local = Network.LocalAccount()
    let files = try reach.files(through: NetworkServers(network, for: local))
    var schedule = PollSchedule()
    if !staying { schedule.patience = network.kind == .private ? .seconds(1) : .milliseconds(2500) }
    let messenger = try await Messenger.open(
      account, passphrase: passphrase, purpose: purpose,
      MessengerEnvironment(
        swarms: NetworkSwarms(network, for: local, isInteractive: !staying), files: files, schedule: schedule,
        log: log))
    let opened = OpenAccount(messenger: messenger, network: network)
    do {
      try await network.start()
      try await messenger.start()
    } catch {
      await opened.close()
      throw error
    }
    return opened
  }

  /// Does something with it, and closes it.
  fileprivate func finishing<R: Sendable>(_ body: (Messenger) async throws -> R) async throws -> R {
    let result: Result<R, any Error>
    do { result = .success(try await body(messenger)) } catch { result = .failure(error) }
    await close()
    return try result.get()
  }

  func close() async {
    await messenger.stop(finishingWithin: .zero)
    await network?.stop()
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
  func reading<R: Sendable>(_ io: CommandIO, _ body: (Messenger) async throws -> R) async throws -> R {
    let (_, account) = try account(io)
    return try await OpenAccount.reading(account, io: io).finishing(body)
  }

  /// Changes something of an account that concerns this machine alone.
  func editing<R: Sendable>(_ io: CommandIO, _ body: (Messenger) async throws -> R) async throws -> R {
    let (_, account) = try account(io)
    return try await OpenAccount.editing(account, purpose: purpose, io: io).finishing(body)
  }

  /// Does something with an account that is connected to its network. Its requests are interactive, because a user waits
  /// for the replies, unless the command is `staying`.
  func working<R: Sendable>(
    _ io: CommandIO, staying: Bool = false, log: @escaping @Sendable (String) -> Void = { _ in },
    _ body: @escaping @Sendable (OpenAccount) async throws -> R
  ) async throws -> R {
    let (book, account) = try account(io)
    return try await cancelledBySignals {
      let opened = try await OpenAccount.working(
        book, account, purpose: purpose, staying: staying, io: io, log: log)
      let result: Result<R, any Error>
      do { result = .success(try await body(opened)) } catch { result = .failure(error) }
      await opened.close()
      return try result.get()
    }
  }

  /// Changes something, and waits for what follows from it to be stored in the network, for as long as `--timeout` says.
  /// With a label, it draws meanwhile how far that is.
  func changing(
    _ io: CommandIO, showing label: String? = nil,
    _ change: @escaping @Sendable (Messenger) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let patience = try patience()
    return try await working(io) { opened in
      var output = try await change(opened.messenger)
      let isDone = try await WorkProgress(label, io).following { tell in
        try await withinTime(patience) { try await opened.messenger.waitUntilSettled(reporting: tell) } != nil
      }
      if !isDone { output.notes.append("The network was not reached in time; the rest follows when it is.") }
      return output
    }
  }

  /// How long the command waits for the network.
  func patience(usual: Duration = .seconds(30)) throws(CommandFailure) -> Duration {
    guard let text = self["timeout"] else { return usual }
    guard let span = TimeSpan(text), span.seconds > 0 else {
      throw misuse("--timeout is a time, such as 10s or 2m")
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
