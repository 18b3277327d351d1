import SessionBase
import SessionCore
import SessionEndpoint
import SessionNodeCore
import SessionService

extension StorageNode {
  /// The methods that clients may call without an onion request.
  static let methods = [
    "store", "retrieve", "delete", "delete_all", "delete_before", "expire", "expire_all", "get_expiries",
    "revoke_subaccount", "unrevoke_subaccount", "revoked_subaccounts", "get_swarm", "get_snodes_for_pubkey",
    "oxend_request", "info", "batch", "sequence", "ifelse", "active_nodes_bin",
  ]

  func handlers() -> [String: NetworkEndpoint.Handler] {
    var handlers: [String: NetworkEndpoint.Handler] = [:]
    func handle(
      _ command: String,
      _ body: @escaping @Sendable (StorageNode, NetworkEndpoint.Request) async throws -> [UInt8]
    ) {
      handlers[command] = { [weak self] request in
        guard let self else { throw CancellationError() }
        return try await self.inFlight.counting { try await body(self, request) }
      }
    }
    for method in Self.methods { handle(method) { try await $0.answerDirect($1) } }
    handle("snode_ping") { _, _ in Array("pong".utf8) }
    handle("monitor") { try await $0.answerMonitor($1) }
    handle("onion_req") { try await $0.answerOnionOfClient($1) }
    handle(NodeCommand.onion) { try await $0.answerOnionOfNode($1) }
    handle(NodeCommand.forward) { try await $0.answerForwarded($1) }
    handle(NodeCommand.late) { try await $0.answerLate($1) }
    handle(NodeCommand.data) { try await $0.answerData($1) }
    handle(NodeCommand.revocations) { try await $0.answerRevocations($1) }
    handle(NodeCommand.wantsAll) { try await $0.answerWantsAll($1) }
    handle(NodeCommand.ping) { _, _ in Array("pong".utf8) }
    return handlers
  }

  /// A storage request without an onion.
  private func answerDirect(_ request: NetworkEndpoint.Request) async throws -> [UInt8] {
    let (code, body) = await direct(request)
    return try body.overQUIC(code: code)
  }

  private func direct(_ request: NetworkEndpoint.Request) async -> (Int, StorageBody) {
    do throws(NodeRefusal) {
      try admit(request.peerAddress, key: request.peerKey)
      if let unreadiness { throw NodeRefusal(503, "Service node is not ready: \(unreadiness)\n") }
      let call = try StorageCall(method: request.command, parameters: request.body)
      let result = await answer(call)
      metrics.count(request.command, over: .quic, code: result.code)
      return (result.code, try write(result, to: call))
    } catch {
      metrics.count(request.command, over: .quic, code: error.code)
      return (error.code, StorageBody(text: error.text))
    }
  }

  /// The number of requests in progress beyond which those of clients are refused; other nodes still have room.
  static let maxInFlight = 768

  /// Counts a request against the rate limit of its client.
  func admit(_ address: NetworkAddress?, key: [UInt8]?) throws(NodeRefusal) {
    guard inFlight.count <= Self.maxInFlight else { throw NodeRefusal(503, "Server busy, try again later") }
    if options.exemptsLoopback, address?.isLoopback ?? false { return }
    let isNode = key.map { membership?.node($0) != nil } ?? false
    guard limiter.admits(address?.hostBytes ?? [], isNode: isNode, now: MachineClock.nanoseconds) else {
      throw NodeRefusal(429, "Too many requests, try again later")
    }
  }

  func write(_ result: StorageResult, to call: StorageCall) throws(NodeRefusal) -> StorageBody {
    do throws(SessionError) {
      let fork = membership?.file.fork ?? NetworkFile.usualFork
      return try call.write(result, clock: StorageClock(time: now, fork: fork))
    } catch {
      throw .failed
    }
  }
}

/// Commands between nodes.
enum NodeCommand {
  static let onion = "sn.onion_request"
  static let forward = "sn.storage_cc"
  /// The same, delivered late, with the time of the request.
  static let late = "sn.storage_late"
  /// Messages that are handed over.
  static let data = "sn.data"
  static let revocations = "sn.revocations"
  /// A node that has nothing wants everything.
  static let wantsAll = "sn.want_data"
  static let ping = "sn.ping"
}
