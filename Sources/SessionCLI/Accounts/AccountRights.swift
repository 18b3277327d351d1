import SessionBase
import SessionDaemon
import SessionService
import SessionStorage

/// The rights that tokens, further sockets and hooks give to an account by its name.
struct AccountRights: Sendable {
  let roots: StorageRoots
  let io: CommandIO

  /// Takes an account out of all of them, so that a later account of that name is not exposed. Returns what to tell the
  /// user about files that could not be changed.
  func revoke(_ account: String) async throws -> [String] {
    let tokens = TokenFile(in: roots)
    if OpenFile.exists(tokens.path) {
      try await tokens.change { tokens in
        for index in tokens.indices { tokens[index].accounts?.remove(account) }
      }
    }
    return try await WorkerQueue("session.command").run {
      var notes: [String] = []
      for (folder, keys) in [("sockets.d", ExtraSocket.keys), ("hooks.d", HookFile.keys)] {
        let path = "\(roots.config)/\(folder)"
        for name in try Folder.names(in: path).sorted() where name.hasSuffix(".toml") {
          do { try remove(account, from: "\(path)/\(name)", keys) } catch {
            notes.append("The account may still be named in a file: \(CommandFailure(error).message)")
          }
        }
      }
      return notes
    }
  }

  /// Takes the account out of the list in a file, where it has one. The list stays: without it, the file would mean all
  /// accounts.
  private func remove(_ account: String, from path: String, _ keys: [ConfigKey]) throws {
    let file = try Configuration.own(path, keys: keys, topic: Topic.daemonConfig.name, io: io)
    guard let names = file?.texts("accounts"), names.contains(account) else { return }
    let rest = names.filter { $0 != account }
    let text = try Configuration.text(of: path, io)
    try writeSettings(try ConfigText.setting("accounts", to: .texts(rest), in: text), to: path)
  }
}

extension AccountBook {
  /// Deletes an account that no program has open, and the rights of programs to it. Returns notes for the user.
  func delete(_ account: AccountFolder) async throws -> [String] {
    // An account in use keeps everything.
    withExtendedLifetime(try AccountLock(account, purpose: "deleting the account")) {}
    // The rights go first: if this is interrupted, they must not outlive the account.
    let notes = try await AccountRights(roots: roots, io: io).revoke(account.name)
    try await WorkerQueue("session.command").run {
      try account.remove()
      forget(account)
    }
    // A daemon holds the rights of further sockets in memory.
    if let reload = io.reloadSettings { await reload() } else { await DaemonClient.reload(io) }
    return notes
  }
}
