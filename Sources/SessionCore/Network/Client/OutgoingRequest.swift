internal import CSessionCore
import SessionBase

/// A request on its way through the network, as the core has it.
// Sendable without the compiler's check: the loan, and what of it the core is given, are not changed any more once this
// was made.
final class OutgoingRequest: @unchecked Sendable {
  typealias Outcome = Result<NetworkReply, SessionError>

  /// Everything but the callback.
  let core: sc_network_request
  let pending = Pending<Outcome>()
  /// The account whose swarm has to be known to judge the reply.
  let judges: SessionID?
  private let loan: CoreArena

  init(_ core: sc_network_request, in loan: CoreArena, judgedBySwarmOf account: SessionID? = nil) {
    self.core = core
    self.loan = loan
    judges = account
  }
}

/// What the core says of a request that was answered, with a code of success or of failure.
struct NetworkReply: Sendable {
  let code: Int
  let body: [UInt8]
  /// Of storage requests.
  let node: ServiceNode?
  /// Of servers.
  let headers: [ServerResponse.Header]
  let bodyKind: ServerResponse.BodyKind
  let attempts: Int
  /// The keys of the nodes of the swarm, where it had to be known, and could be.
  var swarm: [[UInt8]]?

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
        attempts: Int(reply.attempts)))
  }
}

extension sc_network_request {
  /// The same with what the delivery says.
  mutating func deliver(_ delivery: Network.Delivery) {
    category = delivery.category.core
    small = delivery.isSmall
    alone = delivery.isAlone
    interactive = delivery.isInteractive
    timeout = delivery.timeout.map { max(1, $0.nanoseconds) } ?? 0
    overall = delivery.overall.map { max(1, $0.nanoseconds) } ?? 0
    attempts = delivery.attempts.map { UInt32(clamping: $0) } ?? 0
  }
}
