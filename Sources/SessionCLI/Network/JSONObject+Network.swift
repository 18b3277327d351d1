import SessionCore
import SessionNetworking

// What commands tell of the network, in JSON.

extension JSONObject {
  /// `servers` are those of communities, if they are polled.
  static func networkState(
    of network: Network, with servers: [String: PollCondition]?
  ) async throws -> JSONObject {
    let (status, counts) = (network.currentStatus, try await network.counts())
    let guards = try await network.guards()
    var object: JSONObject = [
      "state": .string(status.state.word), "nodes": .integer(UInt64(counts.nodes)),
      "usable_nodes": .integer(UInt64(counts.usableNodes)), "guards": .integer(UInt64(guards.count)),
      "guards_in_use": .integer(UInt64(guards.count(where: \.isInUse))),
    ]
    object["failure"] = status.failure.map { .string("\($0)") }
    object["clock_offset_ms"] = status.clockOffset.map { .difference($0) }
    object["changes"] = .objects(try await network.changes().map(change))
    object["servers"] = servers.map { servers in
      .objects(servers.sorted { $0.key < $1.key }.map { server($0.key, $0.value) })
    }
    return object
  }

  private static func server(_ url: String, _ condition: PollCondition) -> JSONObject {
    var object: JSONObject = [
      "url": .string(url), "failures": .integer(UInt64(condition.failures)),
      "polls": .integer(UInt64(condition.polls)),
    ]
    object["failure"] = condition.failure.map { .string($0) }
    return object
  }

  private static func change(_ change: Network.Change) -> JSONObject {
    JSONObject(members: [
      ("at", .integer(change.time)), ("change", .string(change.kind)), ("reason", .string(change.reason)),
      ("key", .string(change.node.hex)),
    ])
  }

  static func path(_ path: Network.Path) -> JSONObject {
    [
      "type": .string("path"), "category": .string(path.category == .file ? "file" : "standard"),
      "target": .string(path.target.word),
      "nodes": .objects(
        path.nodes.map { node in
          JSONObject(members: [("address", .string("\(node.address)")), ("key", .string(node.key.hex))])
        }),
    ]
  }

  static func networkGuard(_ known: Network.Guard) -> JSONObject {
    var object: JSONObject = [
      "type": .string("guard"), "key": .string(known.key.hex), "state": .string(known.state.word),
      "in_use": .boolean(known.isInUse), "primary": .boolean(known.isPrimary),
      "set_back": .boolean(known.isSetBack),
      "listed": .boolean(known.node != nil), "sampled_day": .integer(UInt64(known.sampledDay)),
      "end_day": .integer(UInt64(known.endDay)),
    ]
    object["address"] = known.node.map { .string("\($0.address)") }
    object["confirmed_day"] = known.confirmedDay.map { .integer(UInt64($0)) }
    return object
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

extension Network.Path.Target {
  fileprivate var word: String {
    switch self {
    case .network: "network"
    case .swarm: "swarm"
    case .server: "server"
    case .file: "file"
    }
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
