public import SessionBase
public import SessionCore

/// The failure of a request and its meaning for the caller. Only this file decides that.
public struct NetworkFailure: CodedError, Hashable, Sendable {
  /// The meaning of a failure.
  public enum Kind: String, Sendable, CaseIterable {
    /// The request is wrong: the same one would be refused again.
    case rejected
    /// It exceeds a size limit.
    case tooLarge
    /// The item does not exist, or no longer.
    case gone
    /// The signer is not, or no longer, authorised.
    case unauthorized
    /// The rate limit is reached; do not repeat automatically.
    case rateLimited
    /// The server accepts it later: repeat it, but not soon.
    case throttled
    /// The time in the request was wrong; create the request again.
    case clock
    /// It may succeed later, or with another node or path.
    case transient
    /// The nodes are overloaded.
    case busy
    /// There is no path into the network.
    case unreachable
    /// The network is suspended, or has stopped.
    case suspended
    case cancelled
  }

  public let kind: Kind
  public var code: Kind { kind }
  /// One sentence without a full stop, for logs and people.
  public let message: String
  /// The key of the node that refused the request; nil if none did, or it is not known.
  public let node: [UInt8]?
  /// The least delay before the next attempt, if the usual backoff is too short.
  public let retryDelay: Duration?

  /// `delay` is the delay that the refusing server asks for.
  public init(_ kind: Kind, _ message: String, by node: [UInt8]? = nil, retryAfter delay: Duration? = nil) {
    self.kind = kind
    self.message = message
    self.node = node
    retryDelay = kind.leastDelay.map { max($0, delay ?? .zero) } ?? delay
  }

  /// True if the same request may succeed later.
  public var isWorthRepeating: Bool {
    switch kind {
    case .rejected, .tooLarge, .gone, .unauthorized, .rateLimited: false
    case .throttled, .clock, .transient, .busy, .unreachable, .suspended, .cancelled: true
    }
  }
}

extension NetworkFailure.Kind {
  fileprivate var leastDelay: Duration? {
    switch self {
    case .busy: .seconds(10)
    case .throttled: .seconds(20)
    default: nil
    }
  }
}

extension NetworkFailure: CustomStringConvertible {
  public var description: String { message }
}

extension NetworkFailure {
  /// The meaning of an error of the core.
  public init(_ error: SessionError) {
    self.init(Kind(error), error.message, by: error.refusal?.node)
  }

  /// The same failure, as a node reported it.
  func by(_ node: [UInt8]) -> NetworkFailure {
    NetworkFailure(kind, message, by: self.node ?? node, retryAfter: retryDelay)
  }

  /// The meaning of a failed member of a swarm.
  public init(_ failure: Storage.MemberFailure) {
    switch failure {
    case .timedOut: self.init(.transient, "a node of the swarm did not reply in time")
    case .badReply: self.init(.transient, "a node of the swarm sent an invalid reply")
    case .database: self.init(.transient, "the database of a node failed")
    case .refused(let code, let reason):
      self.init(Kind(answer: code), "a node of the swarm refused with \(code): \(reason)")
    }
  }
}

extension NetworkFailure.Kind {
  fileprivate init(_ error: SessionError) {
    if let refusal = error.refusal {
      self.init(answer: Int(refusal.code))
      return
    }
    self =
      switch error.code {
      case .requestCancelled: .cancelled
      case .tooLarge, .requestTooLarge: .tooLarge
      case .noMemory, .noRandomness: .transient
      case .networkClock: .clock
      case .networkSuspended, .networkClosed, .runtimeStopped: .suspended
      case .networkNoNodes, .networkNoPath, .noSeeds, .noSwarm, .networkUnknownNode: .unreachable
      case .networkFull, .runtimeBusy: .busy
      case .requestFailed, .storageParameter, .storageBatch, .onionRequest, .onionURL: .rejected
      default: error.code.family == .network ? .transient : .rejected
      }
  }

  /// The failure for a code of a node or server.
  fileprivate init(answer code: Int) {
    self =
      switch code {
      case 401: .unauthorized
      case 406, 425: .clock
      case 413: .tooLarge
      case 429: .rateLimited
      case 408, 421, 500, 502, 504: .transient
      case 503: .busy
      default: .rejected
      }
  }
}
