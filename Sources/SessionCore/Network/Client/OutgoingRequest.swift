internal import CSessionCore
import SessionBase

/// A request in the core's form, with its continuation.
// Sendable without the compiler's check: the loan, and the parts of it given to the core, do not change after init.
final class OutgoingRequest: @unchecked Sendable {
  typealias Outcome = Result<NetworkReply, SessionError>

  /// Everything but the callback.
  let core: sc_network_request
  let pending = Pending<Outcome>()
  private let loan: CoreArena

  init(_ core: sc_network_request, in loan: CoreArena) {
    self.core = core
    self.loan = loan
  }
}

/// The core's reply to a request, with a success or failure code.
struct NetworkReply: Sendable {
  let code: Int
  let body: [UInt8]
  /// Set for storage requests.
  let node: ServiceNode?
  /// Set for servers.
  let headers: [ServerResponse.Header]
  let bodyKind: ServerResponse.BodyKind
  let attempts: Int
  /// The swarm that was asked, if it is known.
  let keepers: Storage.Keepers?

  var isSuccess: Bool { (200...299).contains(code) }
}

extension Result<NetworkReply, SessionError> {
  init(_ reply: sc_network_reply) {
    guard reply.status == SC_OK || reply.status == SC_ERR_REQUEST_FAILED else {
      self = .failure(SessionError(reply.status))
      return
    }
    let headers = UnsafeBufferPointer(start: reply.headers, count: reply.header_count)
    self = .success(
      NetworkReply(
        code: Int(reply.code), body: Array(reply.body.content),
        node: reply.node.map { ServiceNode($0.pointee) },
        headers: headers.map { ServerResponse.Header($0) }, bodyKind: ServerResponse.BodyKind(reply.kind),
        attempts: Int(reply.attempts), keepers: Storage.Keepers(reply.keepers)))
  }
}

extension sc_network_request {
  /// Applies the settings of the delivery.
  mutating func deliver(_ delivery: Network.Delivery) {
    category = delivery.category.core
    local_account = delivery.account?.number ?? 0
    small = delivery.isSmall
    alone = delivery.isAlone
    interactive = delivery.isInteractive
    timeout = delivery.timeout.map { max(1, $0.nanoseconds) } ?? 0
    overall = delivery.overall.map { max(1, $0.nanoseconds) } ?? 0
    attempts = delivery.attempts.map { UInt32(clamping: $0) } ?? 0
  }
}
