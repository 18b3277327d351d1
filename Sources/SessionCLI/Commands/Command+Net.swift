import SessionBase
import SessionCore
import SessionDaemon
import SessionStorage

extension Command {
  static let netStatus = Command(
    name: "net status",
    summary: "show the state of the network connection",
    options: [.timeout, .account, .json],
    rpc: .beside(.read)
  ) { invocation, io in
    try await invocation.connected(io) { network in
      let (status, counts) = (network.currentStatus, try await network.counts())
      let guards = try await network.guards()
      let guardsInUse = guards.count(where: \.isInUse)
      guard !invocation.has("json") else {
        var object: JSONObject = [
          "state": .string(status.state.word), "nodes": .integer(UInt64(counts.nodes)),
          "usable_nodes": .integer(UInt64(counts.usableNodes)), "guards": .integer(UInt64(guards.count)),
          "guards_in_use": .integer(UInt64(guardsInUse)),
        ]
        object["failure"] = status.failure.map { .string("\($0)") }
        object["clock_offset_ms"] = status.clockOffset.map { .difference($0) }
        return CommandOutput(json: object)
      }
      var fields: [(label: String, value: CommandOutput.Part)] = [
        ("state", .text(status.state.word)),
        ("nodes", .text("\(counts.nodes), \(counts.usableNodes) usable")),
        ("guards", .text("\(guards.count), \(guardsInUse) in use")),
      ]
      if let offset = status.clockOffset { fields.append(("clock", .text("off by \(offset) ms"))) }
      return CommandOutput(fields: fields)
    }
  }

  static let netPath = Command(
    name: "net path",
    summary: "show the paths of requests through the network",
    options: [.timeout, .account, .json],
    rpc: .beside(.read)
  ) { invocation, io in
    try await invocation.connected(io) { network in
      for await paths in network.paths {
        let active = paths.filter { $0.state == .active }
        guard active.contains(where: { $0.category == .standard }) else { continue }
        guard !invocation.has("json") else { return CommandOutput(lines: active.map(\.json)) }
        return CommandOutput(text: active.map(\.text).joined())
      }
      throw CancellationError()
    }
  }
}

extension Command {
  static let netReset = Command(
    name: "net reset",
    summary: "delete cached network data; the next command fetches it again",
    discussion: """
      Deletes the list of nodes and their failures. The guards stay, and the account loses nothing. No other program may
      use the account meanwhile.
      """,
    options: [.account],
    examples: [.init(line: "session net reset", summary: "try this last if connecting fails")],
    rpc: .none(.needsAccountAlone)
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    try await AccountDoor.parked(account, io) {
      let lock = try AccountLock(account, purpose: "session net reset")
      try await WorkerQueue("session.command").run { try account.forgetNetwork() }
      withExtendedLifetime(lock) {}
    }
    return CommandOutput(notes: ["Cached network data deleted."])
  }
}

extension Command {
  static let netGuardsList = Command(
    name: "net guards list",
    summary: "show the guards, the first nodes of all paths",
    discussion: """
      Guards are the only nodes that learn the address of this machine. A few are kept for months, because each new one
      may be hostile. All accounts of this user share them.
      """,
    options: [.timeout, .account, .json],
    rpc: .beside(.read)
  ) { invocation, io in
    try await invocation.connected(io) { network in
      let guards = try await network.guards()
      guard !invocation.has("json") else { return CommandOutput(lines: guards.map(\.json)) }
      return CommandOutput(text: guards.map(\.text).joined())
    }
  }

  static let netGuardsForget = Command(
    name: "net guards forget",
    summary: "replace the guards with others; costs privacy",
    discussion: """
      The new guards learn the address of this machine, and the old ones still know it. Each replacement makes it more
      likely that a guard is hostile. Do this only if the guards are known to be bad.
      """,
    options: [.account],
    rpc: .beside(.admin)
  ) { invocation, io in
    let (book, account) = try invocation.account(io)
    var options = try invocation.networkOptions(book, account, io)
    // Another program may use the account: its list of nodes is read, and not written, because none is fetched.
    options.folder = account.cache
    let network = try Network(options)
    try await network.start(building: false)
    do {
      try await network.resetGuards()
    } catch SessionError.Code.networkNoNodes {
      await network.stop()
      throw CommandFailure(
        status: .unavailable,
        message: "no list of nodes to choose guards from; the guards are unchanged",
        advice: "run: session net status")
    }
    await network.stop()
    return CommandOutput(notes: ["Guards replaced. Running programs change to them within a minute."])
  }
}

extension Invocation {
  /// The options of an account's network. Another program that uses the account keeps the cache for itself.
  fileprivate func networkOptions(
    _ book: AccountBook, _ account: AccountFolder, _ io: CommandIO
  ) throws -> Network.Options {
    var reach = try book.network(of: account, io: io).reach(io: io)
    if AccountLock.holder(of: account) == nil { reach.options.folder = account.cache }
    try reach.keepGuards(in: book.roots)
    return reach.options
  }

  /// Does something once there is a way through the network.
  fileprivate func connected(
    _ io: CommandIO, _ body: @escaping @Sendable (Network) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let (book, account) = try account(io)
    let (timeout, made) = (try timeout(), try networkOptions(book, account, io))
    return try await cancelledBySignals {
      let network = try Network(made)
      try await network.start()
      let output = try await withinTime(timeout) {
        for await status in network.status where status.state == .connected { break }
        return try await body(network)
      }
      let why = network.currentStatus.failure
      await network.stop()
      guard let output else {
        throw CommandFailure(
          status: .unavailable,
          message: "no path through the network" + (why.map { ": \($0)" } ?? ""),
          advice: "Check that this machine is connected and that no firewall blocks UDP.")
      }
      return output
    }
  }
}

extension Network.Status.State {
  fileprivate var word: String {
    switch self {
    case .offline: "offline"
    case .connecting: "connecting"
    case .connected: "connected"
    }
  }
}

extension Network.Path {
  fileprivate var text: String {
    let hops = nodes.enumerated().map { "  \($0 + 1)  \($1.address)  \($1.key.hex.prefix(16))…\n" }
    return "\(category == .file ? "files" : "messages"), for \(target.phrase)\n" + hops.joined()
  }

  fileprivate var json: JSONObject {
    [
      "type": .string("path"), "category": .string(category == .file ? "file" : "standard"),
      "target": .string(target.word),
      "nodes": .objects(
        nodes.map { node in
          JSONObject(members: [("address", .string("\(node.address)")), ("key", .string(node.key.hex))])
        }),
    ]
  }
}

extension Network.Path.Target {
  fileprivate var word: String {
    switch self {
    case .network: "network"
    case .swarm: "swarm"
    case .server: "server"
    case .file: "file"
    }
  }

  fileprivate var phrase: String { self == .network ? "lists and times" : "one \(word)" }
}

extension Network.Guard {
  private var words: [String] {
    var words = [state.word]
    if isInUse { words.append("in use") }
    if isPrimary { words.append("primary") }
    if isSetBack { words.append("set back") }
    if node == nil { words.append("not listed") }
    return words
  }

  fileprivate var text: String {
    let address = node.map { "\($0.address)" } ?? "-"
    return "\(key.hex.prefix(16))…  \(address)  \(words.joined(separator: ", "))\n"
  }

  fileprivate var json: JSONObject {
    var object: JSONObject = [
      "type": .string("guard"), "key": .string(key.hex), "state": .string(state.word),
      "in_use": .boolean(isInUse), "primary": .boolean(isPrimary), "set_back": .boolean(isSetBack),
      "listed": .boolean(node != nil), "sampled_day": .integer(UInt64(sampledDay)),
      "end_day": .integer(UInt64(endDay)),
    ]
    object["address"] = node.map { .string("\($0.address)") }
    object["confirmed_day"] = confirmedDay.map { .integer(UInt64($0)) }
    return object
  }
}

extension Network.Guard.State {
  fileprivate var word: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .connected: "connected"
    }
  }
}
