import SessionBase
import SessionCore
import SessionDaemon
import SessionStorage

/// The daemon's socket. A service manager may listen there before the daemon runs, and starts it at the first connection.
struct DaemonSocket: Sendable {
  private let roots: StorageRoots
  private let io: CommandIO

  init(_ roots: StorageRoots, _ io: CommandIO) { (self.roots, self.io) = (roots, io) }

  /// Reaches the daemon for an account that no program holds yet: one that has just begun, or that this starts. Nil if there
  /// is none, or it does not serve the account: then the caller works itself.
  func holder(of account: AccountFolder, _ secret: KeySecret?) async throws -> RemoteHolder? {
    let path = DaemonClient.socket(io) ?? "\(SocketFolder.path(in: roots, io.environment))/daemon.sock"
    // The file of a daemon that was killed stays.
    guard let probe = try? RPCClient(to: path) else { return nil }
    probe.close()
    do {
      return try await RemoteHolder(
        of: account.name, at: path, dataRoot: Folder.of(account.data), version: SessionTool.version)
    } catch let error as RPCError where error.kind == "account-locked" {
      guard let secret else { return nil }
      try await DaemonClient.unlock(account.name, secret, io)
      return try await AccountDoor.holder(of: account)
    } catch is RPCError {
      // It cannot open the account.
      return nil
    } catch let refusal as RemoteHolder.Refusal {
      switch refusal {
      case .otherAccount: return nil
      case .gone, .silent:
        if FileLock.holder(of: Daemon.lock(in: roots)) == nil {
          io.tell("the daemon did not start at \(path); this command works without it")
        }
        return nil
      case .foreign, .version: return nil
      }
    }
  }
}
