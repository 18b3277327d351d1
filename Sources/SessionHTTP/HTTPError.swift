/// Why a server does not begin, a body does not arrive, or a request gets no answer.
public enum HTTPError: Error, Hashable, Sendable {
  /// Somebody else listens there.
  case addressInUse
  /// The system does not let a server listen there; says why.
  case cannotListen(String)
  /// A certificate or its key could not be made or used.
  case certificate
  /// A body, or a head, is larger than was allowed.
  case tooLarge
  /// The other side went away, or took too long over what it sends.
  case peerGone
  /// Text that is no URL of HTTP, or one with a user name.
  case url
  /// A header that cannot be sent.
  case header
  /// The address behind the URL is none that requests may go to.
  case addressRefused
  case nameUnknown
  /// The certificate is not one that is trusted; says why.
  case untrusted(String)
  /// There was no answer; says why.
  case unreachable(String)
  case timeout
  case cancelled
  /// Too many requests are under way, or too much is held for them.
  case busy
  case stopped
}

extension HTTPError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .addressInUse: "another program listens on this address"
    case .cannotListen(let why): "cannot listen: \(why)"
    case .certificate: "the certificate cannot be used"
    case .tooLarge: "larger than allowed"
    case .peerGone: "the peer closed the connection"
    case .url: "not an HTTP URL"
    case .header: "not an HTTP header"
    case .addressRefused: "requests to this address are not allowed"
    case .nameUnknown: "the host name cannot be resolved"
    case .untrusted(let why): "the certificate is not trusted: \(why)"
    case .unreachable(let why): why
    case .timeout: "no reply in time"
    case .cancelled: "cancelled"
    case .busy: "too many concurrent requests"
    case .stopped: "stopped"
    }
  }
}
