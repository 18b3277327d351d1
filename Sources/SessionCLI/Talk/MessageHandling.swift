import SessionBase
import SessionDaemon
import SessionStorage

/// Runs a program for each message of others, as `receive --follow --exec` does.
struct MessageHandling: Sendable {
  private let hook: Hook
  private let io: CommandIO
  private let roots: StorageRoots
  private let account: AccountFolder

  /// The options that say what is shown.
  private static let showing = ["since", "allow-gap", "ack", "reader", "all", "json"]

  /// What the command line asks for; nil without `--exec`.
  init?(
    _ invocation: Invocation, _ io: CommandIO, _ book: AccountBook, _ account: AccountFolder
  ) throws(CommandFailure) {
    guard let program = invocation["exec"] else { return nil }
    guard invocation.has("follow") else { throw invocation.misuse("--exec needs --follow") }
    if let other = Self.showing.first(where: { invocation.has($0) || invocation[$0] != nil }) {
      throw invocation.misuse("--\(other) cannot be used with --exec")
    }
    hook = try Hook(running: program)
    (self.io, self.account, roots) = (io, account, book.roots)
  }

  /// Handles messages until the command is interrupted, or the work has to go on elsewhere.
  func run(_ opened: OpenAccount) async throws -> CommandOutput {
    let logs = "\(roots.state)/log"
    try PrivateFolder.prepare(logs)
    let setting = Hooks.Setting(io, logs: logs, socket: AccountLock.holder(of: account)?.socket)
    let accounts = OneAccount(account.name, opened.messenger)
    await Hooks([hook], accounts, setting, holding: try lock(setting)).run()
    try Interruption.check()
    guard !opened.isOrphaned else { throw HolderGone() }
    return CommandOutput()
  }

  private func lock(_ setting: Hooks.Setting) throws -> FileLock {
    do throws(FileError) {
      return try Hooks.lock(of: hook, account.name, setting, purpose: "session receive")
    } catch {
      guard error.code == .inUse else { throw error }
      throw CommandFailure(
        status: .temporary, message: error.message, advice: "End that process, or start this command later.")
    }
  }
}
