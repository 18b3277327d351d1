internal import CSessionCore
import SessionBase
import SessionCore

/// A command on its way to a peer.
final class OutgoingCall: Sendable {
  typealias Outcome = Result<[UInt8], SessionError>

  let peer: NetworkPeer
  let command: String
  let body: [UInt8]
  /// In nanoseconds; 0 for the endpoint's default.
  let timeout: UInt64
  let pending = Pending<Outcome>()

  init(to peer: NetworkPeer, command: String, body: [UInt8], timeout: UInt64) {
    self.peer = peer
    self.command = command
    self.body = body
    self.timeout = timeout
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
  /// The error for a refused request.
  fileprivate init(_ refusal: NetworkRefusal) {
    self.init(
      .requestFailed, String(cString: sc_status_text(SC_ERR_REQUEST_FAILED)), refusal: refusal)
  }
}
