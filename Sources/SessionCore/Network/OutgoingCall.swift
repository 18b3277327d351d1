internal import CSessionCore
import Synchronization

/// A request on its way: what is sent, and who waits for the reply. It is completed exactly once.
final class OutgoingCall: Sendable {
  typealias Outcome = Result<[UInt8], SessionError>
  typealias Waiting = CheckedContinuation<Outcome, Never>

  private struct State {
    var waiting: Waiting?
    var outcome: Outcome?
    var isCancelled = false
    var number: sc_quic_call?
  }

  let peer: NetworkPeer
  let command: String
  let body: [UInt8]
  /// Nanoseconds; 0 for the endpoint's.
  let timeout: UInt64
  private let state = Mutex(State())

  init(to peer: NetworkPeer, command: String, body: [UInt8], timeout: UInt64) {
    self.peer = peer
    self.command = command
    self.body = body
    self.timeout = timeout
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// The number of the call in the core, once it was sent.
  var number: sc_quic_call? { state.withLock { $0.number } }

  func began(as number: sc_quic_call) { state.withLock { $0.number = number } }

  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Resumes the continuation when the call completes, at once if it has.
  func wait(with waiting: Waiting) {
    let outcome = state.withLock { state in
      if state.outcome == nil { state.waiting = waiting }
      return state.outcome
    }
    if let outcome { waiting.resume(returning: outcome) }
  }

  /// The first outcome counts; a second is nobody's.
  func complete(_ outcome: Outcome) {
    let waiting = state.withLock { state -> Waiting? in
      guard state.outcome == nil else { return nil }
      state.outcome = outcome
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: outcome)
  }
}

extension Result<[UInt8], SessionError> {
  init(_ result: sc_quic_result) {
    switch result.status {
    case SC_OK: self = .success(Array(result.body.content))
    case SC_ERR_REQUEST_FAILED:
      let refusal = NetworkRefusal(code: result.code, body: Array(result.body.content))
      self = .failure(SessionError(refusal))
    default: self = .failure(SessionError(result.status))
    }
  }
}

extension SessionError {
  /// What to tell somebody whose request was refused.
  fileprivate init(_ refusal: NetworkRefusal) {
    self.init(
      .requestFailed, String(cString: sc_status_text(SC_ERR_REQUEST_FAILED)), refusal: refusal)
  }
}
