/// The failure of a server, a body or a request.
public enum HTTPError: Error, Hashable, Sendable {
  /// Another program listens on the address.
  case addressInUse
  /// The system does not allow listening there; with the reason.
  case cannotListen(String)
  /// A certificate or its key could not be made or used.
  case certificate
  /// A body, or a head, is larger than was allowed.
  case tooLarge
  /// The peer closed the connection, or was too slow.
  case peerGone
  /// Not an HTTP URL, or one with a user name.
  case url
  /// A header that cannot be sent.
  case header
  /// Requests may not go to the URL's address.
  case addressRefused
  case nameUnknown
  /// The certificate is not trusted; with the reason.
  case untrusted(String)
  /// There was no reply; with the reason.
  case unreachable(String)
  case timeout
  case cancelled
  /// Too many requests are in progress, or hold too much memory.
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
