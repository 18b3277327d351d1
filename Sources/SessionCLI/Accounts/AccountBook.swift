import FoundationEssentials
import SessionBase
import SessionService
import SessionStorage

/// The accounts of this user on this machine, and which of them is meant when none is named.
struct AccountBook: Sendable {
  /// The variable that names the account to use.
  static let variable = "SESSION_ACCOUNT"

  let roots: StorageRoots
  let io: CommandIO

  init(_ io: CommandIO) throws {
    roots = try io.roots()
    self.io = io
  }

  func all() throws -> [AccountFolder] { try AccountFolder.all(in: roots) }

  /// The place of an account in the order in which they were made, from 1: how the log names it.
  func number(of account: AccountFolder) throws -> Int {
    let times = try all().map { ($0.name, Folder.creationTime(of: $0.data)) }
    let order = times.sorted { ($0.1, $0.0) < ($1.1, $1.0) }
    return (order.firstIndex { $0.0 == account.name } ?? order.count) + 1
  }

  func folder(_ name: String) throws -> AccountFolder {
    do {
      return try AccountFolder(name, in: roots)
    } catch {
      throw CommandFailure.usage(error.message)
    }
  }

  /// The account that an option names, or else the environment, or else the one that was chosen, or else the only one.
  func account(named name: String?) throws -> AccountFolder {
    if let name = name ?? io.environment[Self.variable].flatMap({ $0.isEmpty ? nil : $0 }) {
      let account = try folder(name)
      guard account.exists else { throw try unknown(name) }
      return account
    }
    let accounts = try all().filter { !$0.wasReplaced }
    if let chosen = io.settings.account, let account = accounts.first(where: { $0.name == chosen }) {
      return account
    }
    guard let only = accounts.first else {
      throw CommandFailure(
        status: .configuration, message: "there is no account on this machine yet",
        advice:
          "Create one with 'session account new NAME', or restore one with 'session account restore NAME'.")
    }
    guard accounts.count == 1 else {
      throw CommandFailure.usage(
        "there are several accounts: \(accounts.map(\.name).joined(separator: ", "))",
        advice: "Name one with --account NAME, or choose one with 'session account use NAME'.")
    }
    return only
  }

  private func unknown(_ name: String) throws -> CommandFailure {
    let names = try all().map(\.name)
    let hint = nearestName(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
    return CommandFailure(
      status: .configuration, message: "there is no account \(name) on this machine\(hint)",
      advice: "'session account list' lists the accounts.")
  }

  /// An account of a list.
  struct Listed: Sendable {
    let name: String
    let network: String
    /// True for the one that commands use where none is named.
    let isUsed: Bool

    var json: JSONObject {
      ["name": .string(name), "network": .string(network), "used": .boolean(isUsed)]
    }
  }

  func listed(_ io: CommandIO) throws -> [Listed] {
    let used = try? account(named: nil).name
    return try all().map { account in
      Listed(
        name: account.name, network: try network(of: account, io: io).text, isUsed: account.name == used)
    }
  }

  // MARK: - The chosen one

  /// Has commands that name no account use this one.
  func choose(_ account: AccountFolder) throws {
    try UserSettingsFile(roots).set("account", to: account.name, io)
  }

  // MARK: - Networks

  private func settings(of account: AccountFolder) -> URL {
    URL(filePath: roots.config + "/accounts/\(account.name).toml")
  }

  /// The network that an account is in; the main one where nothing else was said.
  func network(of account: AccountFolder, io: CommandIO) throws -> AccountNetwork {
    let path = settings(of: account).path
    guard FileManager.default.fileExists(atPath: path) else { return .main }
    let configuration = try Configuration(path, keys: AccountNetwork.keys, topic: "accounts", io: io)
    return AccountNetwork(configuration.text("network") ?? "main", folder: nil)
  }

  func setNetwork(_ network: AccountNetwork, of account: AccountFolder) throws {
    let value = ConfigText.source(of: .text(network.text))
    try writeSettings("# See 'session help accounts'.\nnetwork = \(value)\n", to: settings(of: account).path)
  }

  /// Forgets what was set for an account that is not here any more.
  func forget(_ account: AccountFolder) {
    try? FileManager.default.removeItem(at: settings(of: account))
    BackupPlan.forget(of: account, in: roots)
    if io.settings.account == account.name { try? UserSettingsFile(roots).set("account", to: nil, io) }
  }
}
