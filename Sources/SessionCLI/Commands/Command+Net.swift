import SessionBase
import SessionCore
import SessionStorage

extension Command {
  static let netStatus = Command(
    name: "net status",
    summary: "show the state of the network connection",
    options: [.timeout, .account, .json]
  ) { invocation, io in
    try await invocation.connected(io) { network in
      let (status, counts) = (network.currentStatus, try await network.counts())
      guard !invocation.has("json") else {
        var object: JSONObject = [
          "state": .string(status.state.word), "nodes": .integer(UInt64(counts.nodes)),
          "usable_nodes": .integer(UInt64(counts.usableNodes)),
        ]
        object["failure"] = status.failure.map { .string("\($0)") }
        object["clock_offset_ms"] = status.clockOffset.map { .difference($0) }
        return CommandOutput(json: object)
      }
      var fields: [(label: String, value: CommandOutput.Part)] = [
        ("state", .text(status.state.word)),
        ("nodes", .text("\(counts.nodes), \(counts.usableNodes) usable")),
      ]
      if let offset = status.clockOffset { fields.append(("clock", .text("off by \(offset) ms"))) }
      return CommandOutput(fields: fields)
    }
  }

  static let netPath = Command(
    name: "net path",
    summary: "show the paths of requests through the network",
    options: [.timeout, .account, .json]
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
      Deletes the list of nodes, their failures, and the guards. The account loses nothing. No other program may use the
      account meanwhile.
      """,
    options: [.account],
    examples: [.init(line: "session net reset", summary: "a last resort when connecting fails")]
  ) { invocation, io in
    let (_, account) = try invocation.account(io)
    let lock = try AccountLock(account, purpose: "session net reset")
    try await WorkerQueue("session.command").run { try account.forgetNetwork() }
    withExtendedLifetime(lock) {}
    return CommandOutput(notes: ["Cached network data deleted."])
  }
}

extension Invocation {
  /// Does something once there is a way through the network.
  fileprivate func connected(
    _ io: CommandIO, _ body: @escaping @Sendable (Network) async throws -> CommandOutput
  ) async throws -> CommandOutput {
    let (book, account) = try account(io)
    var options = try book.network(of: account, io: io).reach(io: io).options
    if AccountLock.holder(of: account) == nil { options.folder = account.cache }
    let (patience, made) = (try patience(), options)
    return try await cancelledBySignals {
      let network = try Network(made)
      try await network.start()
      let output = try await withinTime(patience) {
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
    return "\(category == .file ? "files" : "messages")\n" + hops.joined()
  }

  fileprivate var json: JSONObject {
    [
      "type": .string("path"), "category": .string(category == .file ? "file" : "standard"),
      "nodes": .objects(
        nodes.map { node in
          JSONObject(members: [("address", .string("\(node.address)")), ("key", .string(node.key.hex))])
        }),
    ]
  }
}
