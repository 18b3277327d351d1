import Glibc
import SessionBase
import SessionDaemon
import SessionMessaging
import SessionStorage

/// Lets other programs of this user use an account that this program holds.
actor AccountDoor {
  /// How long a command may hold an account before it serves others; most have ended before.
  static let delay = Duration.seconds(1)

  private let account: AccountFolder
  private let messenger: Messenger
  private let roots: StorageRoots
  private let io: CommandIO
  private var opening: Task<Void, Never>?
  private var server: RPCServer?
  private var isClosed = false
  /// Opens when the daemon asks for the account.
  nonisolated let released = Latch()

  init(_ account: AccountFolder, _ messenger: Messenger, in roots: StorageRoots, _ io: CommandIO) {
    self.account = account
    self.messenger = messenger
    self.roots = roots
    self.io = io
  }

  /// Begins to serve, now or later.
  func open(after delay: Duration) async {
    guard delay > .zero else { return await open() }
    opening = Task { [weak self] in
      guard (try? await Task.sleep(for: delay)) != nil else { return }
      await self?.open()
    }
  }

  private func open() async {
    guard !isClosed else { return }
    do {
      let folder = try SocketFolder.prepared(in: roots, io.environment)
      let server = try RPCServer(
        at: "\(folder)/hold-\(getpid()).sock",
        OneAccount(account.name, messenger) { [released, roots] process in
          guard process == FileLock.holder(of: Daemon.lock(in: roots))?.process else {
            throw RPCError(77, "permission", "only the daemon can have the account")
          }
          released.open()
        },
        dataRoot: Folder.of(account.data), version: SessionTool.version)
      self.server = server
      await messenger.tell(socket: server.path)
    } catch {
      // Without a socket other programs wait until this one has ended.
      io.tell("cannot serve other programs: \(CommandFailure(error).message)")
    }
  }

  /// Finishes the calls of other programs and stops serving.
  func close() async {
    isClosed = true
    opening?.cancel()
    await messenger.tell(socket: nil)
    await server?.stop()
    server = nil
  }

  /// Waits until the daemon, which asked for the account, has it; not for long.
  func waitForSuccessor() async throws {
    for _ in 0..<80 where AccountLock.holder(of: account)?.socket == nil {
      try await Task.sleep(for: .milliseconds(25))
    }
  }

  /// The program that holds an account and serves it; nil if none holds it. Throws `locked` if the holder does not serve
  /// others.
  static func holder(of account: AccountFolder) async throws -> RemoteHolder? {
    guard let holder = AccountLock.holder(of: account) else { return nil }
    let inUse = StorageError(
      .locked, "the account \(account.name) is in use by \(holder.purpose) (process \(holder.process))")
    guard let socket = holder.socket else { throw inUse }
    do {
      return try await RemoteHolder(
        of: account.name, at: socket, dataRoot: Folder.of(account.data), version: SessionTool.version)
    } catch RemoteHolder.Refusal.gone {
      throw inUse
    } catch RemoteHolder.Refusal.version(let version) {
      throw CommandFailure(
        status: .temporary,
        message: """
          \(holder.purpose) (process \(holder.process)) holds the account and is version \(version), this program is \
          \(SessionTool.version)
          """,
        advice: holder.purpose == Daemon.purpose
          ? "run: session daemon restart" : "End it, and start it again.")
    } catch let refusal as RemoteHolder.Refusal {
      throw CommandFailure(
        status: .temporary, message: "\(inUse.message), which \(refusal.reason)",
        advice: "End that program, or wait until it has ended.")
    }
  }
}

extension AccountDoor {
  /// Does something while the daemon, if it runs, has the account closed. Whatever happens, it opens the account again.
  static func parked<R: Sendable>(
    _ account: AccountFolder, _ io: CommandIO, _ work: () async throws -> R
  ) async throws -> R {
    guard !io.isAlone, let socket = DaemonClient.socket(io),
      let parking = try? await RemoteHolder.park(
        account.name, at: socket, dataRoot: Folder.of(account.data), version: SessionTool.version)
    else { return try await work() }
    return try await doing(work) { parking.close() }
  }
}

extension RemoteHolder.Refusal {
  fileprivate var reason: String {
    switch self {
    case .gone: "has ended"
    case .silent: "does not answer"
    case .version(let version): "is version \(version)"
    case .foreign: "belongs to another user, or keeps its accounts elsewhere"
    case .otherAccount: "serves another account"
    }
  }
}
