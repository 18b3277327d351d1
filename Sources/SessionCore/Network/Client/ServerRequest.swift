package import CSessionCore

/// A request to a server, sealed for it (version 4).
public struct ServerRequest: Hashable, Sendable {
  public enum Method: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_onion_method
    case get, post, put, delete, patch, head
  }

  /// The largest body of a request or response over three hops, in bytes: a request between nodes may have
  /// 10,000,000, including its layers, the server's address and the head.
  public static let maxBody = 10_000_000 - 2048

  public var method: Method
  /// Begins with / and includes the query.
  public var endpoint: String
  /// Each name occurs once.
  public var headers: [ServerResponse.Header]
  /// Nil for no body. Without a Content-Type header it is sent as JSON.
  public var body: [UInt8]?

  public init(
    _ method: Method, _ endpoint: String, headers: [ServerResponse.Header] = [], body: [UInt8]? = nil
  ) {
    self.method = method
    self.endpoint = endpoint
    self.headers = headers
    self.body = body
  }
}

/// The response of a server.
public struct ServerResponse: Hashable, Sendable {
  /// A header field.
  public struct Header: Hashable, Sendable {
    public let name, value: String

    public init(_ name: String, _ value: String) {
      (self.name, self.value) = (name, value)
    }
  }

  /// The kind of a body according to its content type; the body is not examined.
  public enum BodyKind: UInt32, CoreEnum, Sendable, CaseIterable {
    typealias Core = sc_onion_body
    case none
    case json
    case text
    case bytes
  }

  /// The HTTP status: 200, 404, …
  public let status: Int
  /// Names are in lower case.
  public let headers: [Header]
  public let bodyKind: BodyKind
  public let body: [UInt8]
  public let attempts: Int

  public init(status: Int, headers: [Header] = [], bodyKind: BodyKind, body: [UInt8], attempts: Int = 1) {
    self.status = status
    self.headers = headers
    self.bodyKind = bodyKind
    self.body = body
    self.attempts = attempts
  }

  public var isSuccess: Bool { (200...299).contains(status) }

  /// The value of a header; the case of its name does not matter.
  public subscript(header name: String) -> String? {
    headers.first { $0.name == name.lowercased() }?.value
  }
}

extension ServerRequest {
  package init(_ core: sc_onion_request) {
    self.init(
      Method(core.method), core.endpoint.string,
      headers: UnsafeBufferPointer(start: core.headers, count: core.header_count).map {
        ServerResponse.Header($0)
      },
      body: core.has_body ? Array(core.body.content) : nil)
  }

  func outgoing(
    to server: OnionServer, _ delivery: Network.Delivery
  ) -> OutgoingRequest {
    let loan = CoreArena()
    var http = sc_onion_request()
    http.method = method.core
    http.endpoint = loan.text(endpoint)
    http.headers = loan.list(
      headers.map { sc_onion_header(name: loan.text($0.name), value: loan.text($0.value)) })
    http.header_count = headers.count
    http.has_body = body != nil
    http.body = loan.bytes(body ?? [])
    var core = sc_network_request()
    core.to = SC_NETWORK_TO_SERVER
    core.server = loan.value(server.core(in: loan))
    core.http = loan.value(http)
    core.deliver(delivery)
    return OutgoingRequest(core, in: loan)
  }
}

extension ServerResponse {
  init(_ reply: NetworkReply) {
    self.init(
      status: reply.code, headers: reply.headers, bodyKind: reply.bodyKind, body: reply.body,
      attempts: reply.attempts)
  }
}

extension ServerResponse.Header {
  init(_ core: sc_onion_header) {
    self.init(core.name.string, core.value.string)
  }
}
