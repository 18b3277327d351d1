import SessionEndpoint
import SessionNodeCore
import Synchronization

@testable import SessionCore

/// Real nodes on this machine's loopback network, made of the core's own halves: each has an endpoint with a socket,
/// peels what it gets, relays it to the next, and answers what is for it. All of them share one storage.
final class LoopbackNetwork: Sendable {
  /// One node; its keys follow from its number.
  struct Member: Sendable {
    let keys: NodeKeys
    let record: NodeRecord
    let endpoint: NetworkEndpoint
  }

  private struct State {
    var members: [Member] = []
    var relayed = 0
    var listed = 0
  }

  let storage = LoopbackStorage()
  let server = LoopbackServer()
  private let state = Mutex(State())

  /// Starts so many nodes, the first half of them in the first of two swarms, and so on.
  init(_ count: Int = 5, swarms: [UInt64] = [5]) throws {
    for number in 0..<count {
      try add(number, swarm: swarms[number * swarms.count / count])
    }
    storage.found(members)
  }

  private func add(_ number: Int, swarm: UInt64) throws {
    let keys = try NodeKeys(
      seed: SecretBytes(copying: [1, UInt8(number)] + [UInt8](repeating: 0, count: 30)))
    let endpoint = try NetworkEndpoint(
      at: NetworkAddress(parsing: "127.0.\(number + 1).1:0"),
      options: .init(identity: keys.identity, handlers: handlers(number)))
    let record = NodeRecord(
      key: keys.publicKey, exchangeKey: keys.exchangeKey, host: [127, 0, UInt8(number + 1), 1], httpsPort: 1,
      quicPort: endpoint.address.port, version: [2, 11, 0], swarm: swarm)
    state.withLock { $0.members.append(Member(keys: keys, record: record, endpoint: endpoint)) }
  }

  private func handlers(_ number: Int) -> [String: NetworkEndpoint.Handler] {
    // A request may arrive while the last reference to the network goes.
    func on(
      _ body: @escaping @Sendable (LoopbackNetwork, NetworkEndpoint.Request) async throws -> [UInt8]
    ) -> NetworkEndpoint.Handler {
      { [weak self] request in
        guard let self else { throw NetworkRefusal(503, "Stopped") }
        return try await body(self, request)
      }
    }
    return [
      "onion_req": on { try await $0.take($1.body, from: .client, at: number) },
      "relay": on { try await $0.take($1.body, from: .node, at: number) },
      "active_nodes_bin": on { network, _ in
        network.state.withLock { $0.listed += 1 }
        return try StorageCall(method: "active_nodes_bin", parameters: []).write(
          StorageResult(.reply(.activeNodes(network.records))), clock: network.storage.clock
        ).bytes
      },
    ]
  }

  func stop() async {
    for member in members { await member.endpoint.stop() }
  }

  private var members: [Member] { state.withLock { $0.members } }
  var records: [NodeRecord] { members.map(\.record) }
  var nodes: [ServiceNode] { records.map { ServiceNode($0) } }
  /// Layers that were handed on, and lists of nodes that were asked for.
  var relayed: Int { state.withLock { $0.relayed } }
  var listed: Int { state.withLock { $0.listed } }

  /// The options of a new client.
  func options() -> Network.Options { .init(.private, seeds: Array(nodes.prefix(1))).patient }

  private func take(_ body: [UInt8], from sender: OnionBlock.Sender, at number: Int) async throws -> [UInt8] {
    let keys = members[number].keys
    let block = try OnionBlock(body, from: sender, keys: keys)
    let layer = try block.open(by: keys)
    switch layer.role {
    case .relay(let key, let onward): return try await relay(onward, to: key, from: number)
    case .proxy(let target, let payload): return try server.answer(payload, host: target.host)
    case .final(let call):
      let answer = try await storage.answer(call, at: number)
      return try block.seal(answer.body, code: answer.code, for: layer, keys: keys)
    }
  }

  private func relay(_ body: [UInt8], to key: [UInt8], from number: Int) async throws -> [UInt8] {
    guard let next = members.first(where: { $0.record.key == key }) else {
      throw NetworkRefusal(502, "Bad Gateway", details: "Next node not found: \(key.hex)")
    }
    state.withLock { $0.relayed += 1 }
    do {
      return try await members[number].endpoint.request(
        "relay", body: body, to: next.record.peer, timeout: .seconds(60))
    } catch {
      throw error.refusal ?? NetworkRefusal(504, "Gateway Timeout", details: "Request time out")
    }
  }
}

extension Network.Options {
  /// The same for a client that is patient, because tests share the machine.
  var patient: Network.Options {
    var options = self
    options.requestTimeout = .seconds(30)
    options.probeTimeout = .seconds(30)
    options.guardTimeout = .seconds(30)
    return options
  }
}
