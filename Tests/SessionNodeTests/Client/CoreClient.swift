import CSessionCore
import SessionCore
import SessionEndpoint
import SessionNode
import SessionNodeCore
import Testing

/// The C library's client of a network, on its own thread, as programs in other languages use it.
// Sendable without the compiler's check: the host may be used from any thread; the rest does not change.
final class CoreClient: @unchecked Sendable {
  struct Reply: Sendable, CustomStringConvertible {
    let status: sc_status
    let code: Int
    let body: [UInt8]
    let attempts: UInt32

    var description: String {
      "\(String(cString: sc_status_text(status))), \(code), after \(attempts) attempts"
    }
  }

  private var host: OpaquePointer?
  private let seeds: UnsafeMutableBufferPointer<sc_node>

  /// A client that knows the network by its first nodes alone.
  convenience init(_ file: NetworkFile, seedCount: Int = 2) throws {
    try self.init(file.nodes.prefix(seedCount).map(\.seed))
  }

  /// A client that knows the network by its registries alone.
  convenience init(seeds: [RegistryRemote]) throws {
    try self.init(
      seeds.map { registry in
        try NodeRecord(
          key: registry.peer.key, address: registry.peer.address, httpsPort: 0, version: [0, 0, 0],
          swarm: NodeRecord.noSwarm
        ).seed
      })
  }

  private init(_ nodes: [sc_node]) throws {
    let seedCount = nodes.count
    seeds = .allocate(capacity: seedCount)
    _ = seeds.initialize(from: nodes)
    var options = sc_network_options()
    sc_network_options_default(&options, SC_NETWORK_PRIVATE)
    options.nodes.seeds = UnsafePointer(seeds.baseAddress)
    options.nodes.seed_count = seedCount
    var hostOptions = sc_network_host_options()
    try check(sc_network_host_new(&host, nil, &options, &hostOptions))
    try check(sc_network_host_start(host, true))
  }

  deinit {
    sc_network_host_free(host)
    seeds.deallocate()
  }

  /// Sends a request of an account over three hops.
  func send(
    _ account: Account, _ method: sc_storage_method, _ fill: (inout sc_storage_request) -> Void
  ) async throws -> Reply {
    var pair = sc_ed25519_pair()
    let seed = account.keys.withSeed { $0.withUnsafeBufferPointer { Array($0) } }
    sc_ed25519_pair_from_seed(&pair, seed)
    var request = sc_storage_request()
    request.method = method
    withUnsafeMutableBytes(of: &request.account) { $0.copyBytes(from: account.bytes) }
    fill(&request)
    try withUnsafePointer(to: pair) { pair in
      var signer = sc_storage_account_signer(pair)
      try check(sc_storage_request_sign(&request, nil, &signer))
    }
    let signed = request
    return try await withCheckedThrowingContinuation { waiting in
      let box = Unmanaged.passRetained(Box(waiting))
      let status = withUnsafePointer(to: signed) { storage in
        var sending = sc_network_request()
        sending.to = SC_NETWORK_TO_SWARM
        sending.storage = storage
        sending.overall = 60_000_000_000
        sending.user = box.toOpaque()
        sending.done = { user, _, reply in
          guard let user, let reply = reply?.pointee else { return }
          let bytes = Array(UnsafeBufferPointer(start: reply.body.ptr, count: reply.body.len))
          Unmanaged<Box>.fromOpaque(user).takeRetainedValue().waiting.resume(
            returning: Reply(
              status: reply.status, code: Int(reply.code), body: bytes, attempts: reply.attempts))
        }
        return sc_network_host_send(nil, host, &sending)
      }
      guard status != SC_OK else { return }
      box.release()
      waiting.resume(throwing: Failure(status: status))
    }
  }

  /// Stores a message; the data is read before this suspends.
  func store(_ data: [UInt8], of account: Account) async throws -> Reply {
    let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: data.count)
    defer { kept.deallocate() }
    _ = kept.initialize(from: data)
    let bytes = sc_bytes(ptr: kept.baseAddress, len: data.count)
    return try await send(account, SC_STORAGE_STORE) { request in
      request.of.store.timestamp = wall
      request.of.store.expiry = wall + 3_600_000
      request.of.store.data = bytes
    }
  }

  func retrieve(_ account: Account) async throws -> Reply {
    try await send(account, SC_STORAGE_RETRIEVE) { $0.of.retrieve.signed_at = wall }
  }

  struct Failure: Error { let status: sc_status }

  private final class Box {
    let waiting: CheckedContinuation<Reply, any Error>
    init(_ waiting: CheckedContinuation<Reply, any Error>) { self.waiting = waiting }
  }

  private func check(_ status: sc_status) throws {
    guard status == SC_OK else { throw Failure(status: status) }
  }
}

extension NodeRecord {
  fileprivate var seed: sc_node {
    var node = sc_node()
    withUnsafeMutableBytes(of: &node.key) { $0.copyBytes(from: key) }
    withUnsafeMutableBytes(of: &node.ip) { $0.copyBytes(from: host) }
    node.quic_port = quicPort
    node.swarm = swarm
    return node
  }
}
