internal import CSessionCore
import SessionBase

extension NetworkDriver {
  /// The reference that the core holds until the request has ended.
  private final class SentRequest {
    let request: OutgoingRequest
    let driver: NetworkDriver

    init(request: OutgoingRequest, driver: NetworkDriver) {
      self.request = request
      self.driver = driver
    }
  }

  /// Sends a request and waits for its reply.
  func send(_ request: OutgoingRequest) async throws(SessionError) -> NetworkReply {
    try requireStart()
    return try await request.pending.outcome {
      begin(request.pending) { driver, network, now in driver.send(request, network, now) }
    } onCancel: {
      cancel(request.pending)
    }.get()
  }

  /// The nodes of an account's swarm.
  func swarm(of account: SessionID) async throws(SessionError) -> [ServiceNode] {
    try requireStart()
    let pending = Pending<Result<[ServiceNode], SessionError>>()
    return try await pending.outcome {
      begin(pending) { _, network, now in Self.find(account, pending, network, now) }
    } onCancel: {
      cancel(pending)
    }.get()
  }

  /// Enqueues the work, or completes the request with the reason why that failed.
  private func begin<Value>(_ pending: Pending<Result<Value, SessionError>>, _ work: @escaping Work) {
    do throws(SessionError) {
      try enqueue(limit: Self.maxQueued) { driver, network, now in
        guard !pending.isCancelled else {
          return pending.complete(.failure(SessionError(SC_ERR_REQUEST_CANCELLED)))
        }
        work(driver, network, now)
      }
    } catch {
      pending.complete(.failure(error))
    }
  }

  private func cancel<Value>(_ pending: Pending<Result<Value, SessionError>>) {
    pending.cancel()
    // If no more work is accepted, stopping ends the request.
    try? enqueue { _, network, now in
      guard let ticket = pending.number else { return }
      // Not found means that it has ended.
      _ = sc_network_cancel(network, now, ticket)
    }
  }

  private func send(_ request: OutgoingRequest, _ network: OpaquePointer, _ now: UInt64) {
    let sent = Unmanaged.passRetained(SentRequest(request: request, driver: self))
    var core = request.core
    core.user = sent.toOpaque()
    core.done = { user, _, reply in
      guard let user, let reply else { preconditionFailure("a request without an owner") }
      let sent = Unmanaged<SentRequest>.fromOpaque(user).takeRetainedValue()
      sent.driver.finish(sent.request, OutgoingRequest.Outcome(reply.pointee))
    }
    var ticket: sc_network_ticket = 0
    let status = sc_network_send(&ticket, network, now, &core)
    guard status == SC_OK else {
      sent.release()
      return request.pending.complete(.failure(SessionError(status)))
    }
    request.pending.began(as: ticket)
  }

  /// Completes the request, at once or when the nodes of the swarm are known.
  private func finish(_ request: OutgoingRequest, _ outcome: OutgoingRequest.Outcome) {
    // A retry needs the time that has been measured since.
    if case .failure(let error) = outcome, error.code == .networkClock { tell() }
    guard let account = request.judges, case .success(let reply) = outcome, reply.isSuccess,
      (try? enqueue({ _, network, now in Self.judge(request, reply, account, network, now) })) != nil
    else { return request.pending.complete(outcome) }
  }

  private static func judge(
    _ request: OutgoingRequest, _ reply: NetworkReply, _ account: SessionID, _ network: OpaquePointer,
    _ now: UInt64
  ) {
    find(account, network, now) { nodes in
      var reply = reply
      // An unknown swarm cannot be compared.
      if case .success(let nodes) = nodes { reply.swarm = nodes.map(\.key) }
      request.pending.complete(.success(reply))
    } began: { _ in
    }
  }

  private static func find(
    _ account: SessionID, _ pending: Pending<Result<[ServiceNode], SessionError>>, _ network: OpaquePointer,
    _ now: UInt64
  ) {
    find(account, network, now, found: pending.complete, began: pending.began)
  }

  private final class Search {
    let found: (Result<[ServiceNode], SessionError>) -> Void

    init(_ found: @escaping (Result<[ServiceNode], SessionError>) -> Void) { self.found = found }
  }

  /// Calls `found` exactly once, after `began` if the core has started a search.
  private static func find(
    _ account: SessionID, _ network: OpaquePointer, _ now: UInt64,
    found: @escaping (Result<[ServiceNode], SessionError>) -> Void, began: (UInt64) -> Void
  ) {
    let search = Unmanaged.passRetained(Search(found))
    var ticket: sc_network_ticket = 0
    let status = sc_network_find_swarm(
      &ticket, network, now, account.bytes,
      { user, _, status, nodes, count in
        guard let user else { preconditionFailure("a search without an owner") }
        let search = Unmanaged<Search>.fromOpaque(user).takeRetainedValue()
        guard status == SC_OK else { return search.found(.failure(SessionError(status))) }
        search.found(.success(UnsafeBufferPointer(start: nodes, count: count).map { ServiceNode($0) }))
      }, search.toOpaque())
    guard status == SC_OK else {
      search.release()
      return found(.failure(SessionError(status)))
    }
    began(ticket)
  }
}
