internal import CSessionCore
import SessionBase

extension NetworkDriver {
  /// The continuation that the core holds until it calls it, once.
  private final class Continuation<Value> {
    let resume: (Value) -> Void

    init(_ resume: @escaping (Value) -> Void) { self.resume = resume }

    static func taken(_ user: UnsafeMutableRawPointer?) -> Continuation {
      guard let user else { preconditionFailure("the core forgot whom it serves") }
      return Unmanaged<Continuation>.fromOpaque(user).takeRetainedValue()
    }
  }

  func send(_ request: OutgoingRequest) async throws(SessionError) -> NetworkReply {
    try await perform(request.pending) { driver, network, now in driver.send(request, network, now) }
  }

  func swarm(of account: SessionID) async throws(SessionError) -> [ServiceNode] {
    let pending = Pending<Result<[ServiceNode], SessionError>>()
    return try await perform(pending) { _, network, now in
      Self.find(account, network, now, found: pending.complete, began: pending.began)
    }
  }

  /// Runs work on the host's thread, and waits until it has completed the request.
  private func perform<Value>(
    _ pending: Pending<Result<Value, SessionError>>, _ work: @escaping Work
  ) async throws(SessionError) -> Value {
    try requireStart()
    return try await pending.outcome {
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
    } onCancel: {
      cancel(pending)
    }.get()
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
    let sent = Unmanaged.passRetained(
      Continuation<OutgoingRequest.Outcome> { [self] outcome in finish(request, outcome) })
    var core = request.core
    core.user = sent.toOpaque()
    core.done = { user, _, reply in
      guard let reply else { preconditionFailure("a request ended without a reply") }
      Continuation<OutgoingRequest.Outcome>.taken(user).resume(OutgoingRequest.Outcome(reply.pointee))
    }
    var ticket: sc_network_ticket = 0
    let status = sc_network_send(&ticket, network, now, &core)
    guard status == SC_OK else {
      sent.release()
      return request.pending.complete(.failure(SessionError(status)))
    }
    request.pending.began(as: ticket)
  }

  private func finish(_ request: OutgoingRequest, _ outcome: OutgoingRequest.Outcome) {
    // A retry needs the time that has been measured since.
    if case .failure(let error) = outcome, error.code == .networkClock { tell() }
    request.pending.complete(outcome)
  }

  /// Calls `found` exactly once, after `began` if the core has started a search.
  private static func find(
    _ account: SessionID, _ network: OpaquePointer, _ now: UInt64,
    found: @escaping (Result<[ServiceNode], SessionError>) -> Void, began: (UInt64) -> Void
  ) {
    let search = Unmanaged.passRetained(Continuation(found))
    var ticket: sc_network_ticket = 0
    let status = sc_network_find_swarm(
      &ticket, network, now, account.bytes,
      { user, _, status, nodes, count in
        let search = Continuation<Result<[ServiceNode], SessionError>>.taken(user)
        guard status == SC_OK else { return search.resume(.failure(SessionError(status))) }
        search.resume(.success(UnsafeBufferPointer(start: nodes, count: count).map { ServiceNode($0) }))
      }, search.toOpaque())
    guard status == SC_OK else {
      search.release()
      return found(.failure(SessionError(status)))
    }
    began(ticket)
  }
}
