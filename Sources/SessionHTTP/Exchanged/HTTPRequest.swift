public import SessionCore

/// A request to a server.
public struct HTTPRequest: Sendable {
  public let method: HTTPMethod
  public let target: HTTPTarget
  public let headers: HTTPHeaders
  public let body: HTTPBody
  /// The client's address; nil if unknown.
  public let peer: NetworkAddress?

  public init(
    _ method: HTTPMethod, _ target: HTTPTarget, headers: HTTPHeaders = [:], body: HTTPBody = HTTPBody([]),
    peer: NetworkAddress? = nil
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.peer = peer
  }
}
