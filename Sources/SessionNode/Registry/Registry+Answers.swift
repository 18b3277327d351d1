import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionService

/// Calls that only a registry serves.
enum RegistryCommand {
  /// A node announces itself; the reply is the list, or empty if the node has it.
  static let announce = "registry.announce"
  /// Requests the list as a file, unless the body has its height.
  static let list = "registry.list"
}

extension Registry {
  /// The requests of clients, as to any seed.
  private static let methods = [
    "info", "active_nodes_bin", "oxend_request", "get_swarm", "get_snodes_for_pubkey",
  ]

  nonisolated func handlers() -> [String: NetworkEndpoint.Handler] {
    var handlers: [String: NetworkEndpoint.Handler] = [:]
    func handle(
      _ command: String,
      _ body: @escaping @Sendable (Registry, NetworkEndpoint.Request) async throws -> [UInt8]
    ) {
      handlers[command] = { [weak self] request in
        guard let self else { throw CancellationError() }
        return try await body(self, request)
      }
    }
    for method in Self.methods { handle(method) { try await $0.answerClient($1) } }
    handle("snode_ping") { _, _ in Array("pong".utf8) }
    handle(RegistryCommand.announce) { try await $0.answerAnnouncement($1) }
    handle(RegistryCommand.list) { try await $0.answerList($1) }
    return handlers
  }

  private func answerAnnouncement(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    try admit(request)
    guard let key = request.peerKey, let announcement = NodeAnnouncement(verifying: request.body) else {
      throw NetworkRefusal.registry(400, "no announcement signed by its node")
    }
    return try await hear(announcement, from: key)
  }

  private func answerList(_ request: NetworkEndpoint.Request) throws -> [UInt8] {
    try admit(request)
    return String(decoding: request.body, as: UTF8.self) == "\(file.height)" ? [] : file.text
  }

  private func admit(_ request: NetworkEndpoint.Request) throws(NetworkRefusal) {
    let isNode = request.peerKey.map(admission.allows) ?? false
    guard limiter.admits(request.peerAddress.hostBytes, isNode: isNode, now: MachineClock.nanoseconds) else {
      throw NetworkRefusal(429, "Too Many Requests", details: "Too many requests, try again later")
    }
  }

  /// A request of a client, with a reply in the form of storage nodes.
  private func answerClient(_ request: NetworkEndpoint.Request) throws -> [UInt8] {
    try admit(request)
    let (code, body) = answer(request)
    return try body.overQUIC(code: code)
  }

  private func answer(_ request: NetworkEndpoint.Request) -> (Int, StorageBody) {
    do throws(NodeRefusal) {
      let call = try StorageCall(method: request.command, parameters: request.body)
      let result = StorageResult(.reply(try reply(to: call.request)))
      let clock = StorageClock(time: options.wallClock(), fork: file.fork)
      guard let body = try? call.write(result, clock: clock) else { throw .failed }
      return (result.code, body)
    } catch {
      return (error.code, StorageBody(text: error.text))
    }
  }

  private func reply(to request: StorageRequest) throws(NodeRefusal) -> StorageReply {
    switch request.action {
    case .info: return .info(version: NodeOptions.version, timestamp: options.wallClock())
    case .activeNodes: return .activeNodes(file.activeNodes)
    case .serviceNodes(let isActiveOnly, let limit, let pollBlockHash):
      return file.reply(isActiveOnly: isActiveOnly, limit: limit, pollBlockHash: pollBlockHash)
    case .getSwarm: return .swarm(file.swarm(of: request.account))
    case .name: return .unregisteredName
    default: throw NodeRefusal(400, "no method \(request.method)")
    }
  }
}

extension NetworkFile {
  /// The nodes that serve a swarm.
  var activeNodes: [NodeRecord] { nodes.filter { $0.isFunded && $0.swarm != NodeRecord.noSwarm } }

  /// The nodes in the daemon's format; empty if the caller has the current list.
  func reply(isActiveOnly: Bool, limit: UInt64, pollBlockHash: String) -> StorageReply {
    let listed = isActiveOnly ? activeNodes : nodes
    let requested = limit == 0 ? listed : Array(listed.prefix(Int(clamping: limit)))
    return .serviceNodes(pollBlockHash == blockHash ? nil : requested, height: height, blockHash: blockHash)
  }

  func swarm(of account: [UInt8]) -> StorageSwarm {
    let active = activeNodes
    let id = SwarmSpace(active.map(\.swarm)).swarm(of: account) ?? NodeRecord.noSwarm
    return StorageSwarm(id: id, nodes: active.filter { $0.swarm == id })
  }
}
