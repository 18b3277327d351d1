internal import CSessionCore

/// A request to a server, sealed for it (version 4).
public struct ServerRequest: Hashable, Sendable {
  public enum Method: UInt32, Sendable, CaseIterable {
    case get, post, put, delete, patch, head
  }

  /// Bytes of a body, and of the body of a response, that pass over three hops: a request between nodes has 10,000,000
  /// with its layers, the address of the server and the head.
  public static let maxBody = 10_000_000 - 2048

  public var method: Method
  /// Begins with / and includes the query.
  public var endpoint: String
  /// No name comes twice.
  public var headers: [ServerResponse.Header]
  /// With none, there is none; without a Content-Type it is said to be JSON.
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

/// What a server answered.
public struct ServerResponse: Hashable, Sendable {
  /// One line of a head.
  public struct Header: Hashable, Sendable {
    public let name, value: String

    public init(_ name: String, _ value: String) {
      (self.name, self.value) = (name, value)
    }
  }

  /// What a body is, by its content type; it has not been looked at.
  public enum BodyKind: UInt32, Sendable, CaseIterable {
    case none
    case json
    case text
    case bytes
  }

  /// As of HTTP: 200, 404, …
  public let status: Int
  /// Their names are in lower case.
  public let headers: [Header]
  public let bodyKind: BodyKind
  public let body: [UInt8]
  /// How often the request was tried.
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

// MARK: - To and from the core

extension ServerRequest {
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

extension ServerRequest.Method: CoreEnum { typealias Core = sc_onion_method }
extension ServerResponse.BodyKind: CoreEnum { typealias Core = sc_onion_body }

extension ServerResponse {
  init(_ reply: NetworkReply) {
    status = reply.code
    headers = reply.headers
    bodyKind = reply.bodyKind
    body = reply.body
    attempts = reply.attempts
  }
}

extension ServerResponse.Header {
  init(_ core: sc_onion_header) {
    self.init(core.name.string, core.value.string)
  }
}
