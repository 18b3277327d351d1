import SessionBase
import SessionCore
import SessionDaemon
import SessionMessaging
import SessionNetworking
import SessionStorage

/// A look at the network of an account: as the program that holds the account has it, or, if none does, as this program
/// connects to it.
struct NetworkView: Sendable {
  /// What is looked at.
  struct Seen: Sendable {
    let network: Network
    /// The account whose paths are shown; nil for all.
    var account: Network.LocalAccount?
    /// What polls the servers of communities, if the account is running.
    var messenger: Messenger?

    /// True for paths of the account, and for those of no account.
    func concerns(_ path: Network.Path) -> Bool {
      account == nil || path.account == nil || path.account == account
    }
  }

  private let invocation: Invocation
  private let io: CommandIO
  private let timeout: Duration

  init(_ invocation: Invocation, _ io: CommandIO) throws {
    (self.invocation, self.io) = (invocation, io)
    timeout = try invocation.timeout()
  }

  /// Shows what `look` finds, or what the method of this name finds in the program that holds the account.
  func show(
    _ method: String, _ look: @escaping @Sendable (Seen) async throws -> [JSONObject],
    text: ([JSONValue]) -> CommandOutput
  ) async throws -> CommandOutput {
    if let messenger = io.served {
      guard let seen = messenger.seenNetwork else { throw noPath(nil) }
      return output(try await found(by: look, in: seen), method)
    }
    let found = try await foundByHolder(
      method, ["timeout_ms": .integer(timeout.components.seconds * 1000)])
    if let found {
      guard !invocation.has("json") else {
        return CommandOutput(text: found.map { "\($0)\n" }.joined())
      }
      return text(found)
    }
    let objects = try await connecting(look)
    guard !invocation.has("json") else { return output(objects, method) }
    return text(try objects.map { try JSONReader.value(of: Array($0.text.utf8)) })
  }

  /// The paths and the state of the network of an account that a program has open.
  func told(by opened: OpenAccount) async throws -> (paths: [JSONValue], state: JSONValue) {
    guard let network = opened.network else {
      let (paths, state) = (
        try await foundByHolder("net.path", [:]) ?? [], try await foundByHolder("net.status", [:])?.first
      )
      return (paths, state ?? [:])
    }
    let account = opened.messenger.seenNetwork?.account
    let seen = Seen(network: network, account: account)
    var paths: [JSONObject] = []
    for await all in network.paths {
      paths = all.filter { $0.state == .active && seen.concerns($0) }.map(JSONObject.path)
      break
    }
    let state = try await JSONObject.networkState(of: network, with: nil)
    func value(_ object: JSONObject) throws -> JSONValue { try JSONReader.value(of: Array(object.text.utf8)) }
    return (try paths.map(value), try value(state))
  }

  /// True if the program that holds the account is connected to the network.
  func isHolderConnected() async -> Bool {
    let state = try? await foundByHolder("net.status", [:])?.first
    return state?["state"]?.string == "connected"
  }

  /// Deletes the list of nodes, in the program that holds the account or else on the disk.
  func reset() async throws {
    if let messenger = io.served {
      guard let seen = messenger.seenNetwork else { throw noPath(nil) }
      return try await seen.network.forgetNodes()
    }
    let deadline = ContinuousClock.now + Self.patience
    while true {
      guard try await foundByHolder("net.reset", [:]) == nil else { return }
      do { return try await resetAlone() } catch let error as StorageError
        where error.code == .locked && ContinuousClock.now < deadline
      {
        // The holder does not serve others yet.
        try await Task.sleep(for: .milliseconds(25))
      }
    }
  }

  /// How long it waits for a program that has just begun to hold the account.
  private static let patience = Duration.seconds(5)

  /// Deletes the list of nodes while no program holds the account.
  private func resetAlone() async throws {
    let (book, account) = try invocation.account(io)
    let reach = try book.network(of: account, io: io).reach(io: io)
    let shared = try reach.cacheFolder(in: book.roots)
    let lock = try AccountLock(account, purpose: "session net reset")
    try await WorkerQueue("session.command").run {
      try account.forgetNetwork()
      // That of a daemon, which does not run.
      if FileLock.holder(of: Daemon.lock(in: book.roots)) == nil {
        for name in try Folder.names(in: shared) { try Folder.remove("\(shared)/\(name)") }
      }
    }
    withExtendedLifetime(lock) {}
  }

  private func output(_ objects: [JSONObject], _ method: String) -> CommandOutput {
    if method == "net.status", let state = objects.first { return CommandOutput(json: state) }
    return CommandOutput(lines: objects)
  }

  private func found(
    by look: @escaping @Sendable (Seen) async throws -> [JSONObject], in seen: Seen
  ) async throws -> [JSONObject] {
    guard let objects = try await withinTime(timeout, { try await look(seen) }) else {
      throw noPath(seen.network.currentStatus.failure)
    }
    return objects
  }

  private func noPath(_ failure: SessionError.Code?) -> CommandFailure {
    CommandFailure(
      status: .unavailable, message: "no path through the network" + (failure.map { ": \($0)" } ?? ""),
      advice: "Check that this machine is connected and that no firewall blocks UDP.")
  }

  // MARK: - The program that holds the account

  /// The result of a method in the program that holds the account; nil if there is no such program, or it takes no calls.
  private func foundByHolder(_ method: String, _ params: JSONValue) async throws -> [JSONValue]? {
    let (_, account) = try invocation.account(io)
    guard let holder = try? await AccountDoor.holder(of: account) else { return nil }
    return try await cancelledBySignals {
      try await doing {
        let result: JSONValue
        do {
          result = try await holder.call(method, params)
        } catch let error as RPCError where error.kind == "no-method" {
          // It serves commands alone.
          return nil
        } catch let error as RPCError {
          throw CommandFailure(error)
        } catch is HolderGone {
          return nil
        }
        guard case .array(let items)? = result["items"] else { return [result] }
        return items
      } andThen: {
        await holder.close()
      }
    }
  }

  // MARK: - This program

  /// The options of an account's network. Another program that uses the account keeps the cache for itself.
  static func options(
    _ book: AccountBook, _ account: AccountFolder, _ io: CommandIO
  ) throws -> Network.Options {
    var reach = try book.network(of: account, io: io).reach(io: io)
    if AccountLock.holder(of: account) == nil { reach.options.folder = account.cache }
    try reach.keepGuards(in: book.roots)
    return reach.options
  }

  /// Does something once there is a way through the network.
  private func connecting(
    _ look: @escaping @Sendable (Seen) async throws -> [JSONObject]
  ) async throws -> [JSONObject] {
    let (book, account) = try invocation.account(io)
    let options = try Self.options(book, account, io)
    return try await cancelledBySignals {
      let network = try Network(options)
      try await network.start()
      return try await doing {
        try await found(
          by: { seen in
            for await status in seen.network.status where status.state == .connected { break }
            return try await look(seen)
          }, in: Seen(network: network))
      } andThen: {
        await network.stop()
      }
    }
  }
}

extension Messenger {
  /// The network that it uses, and which paths are its own.
  fileprivate nonisolated var seenNetwork: NetworkView.Seen? {
    guard let swarms = swarms as? NetworkSwarms else { return nil }
    return NetworkView.Seen(network: swarms.network, account: swarms.account, messenger: self)
  }
}
