import SessionCore
import SessionHTTP
import SessionNetworking

/// Contacts some community servers directly over HTTPS, and all others through the network. Such a server
/// sees the address of this machine, or that of the proxy. What fails directly is never sent through the network, nor the
/// other way round.
struct DirectServers: ServerService {
  private let origins: Set<String>
  private let client: HTTPClient
  private let network: any ServerService

  /// `origins` are URLs in the normal form of links to rooms, such as `https://example.org`.
  init(
    _ origins: Set<String>, _ options: HTTPClient.Options = HTTPClient.Options(),
    otherwise network: any ServerService
  ) throws(HTTPError) {
    self.origins = origins
    self.network = network
    client = try HTTPClient(options: options)
  }

  func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    let origin = "https://\(server.host)" + (server.port.map { ":\($0)" } ?? "")
    guard server.usesTLS, origins.contains(origin) else {
      return try await network.send(request, to: server, delivery)
    }
    var direct = HTTPClient.Request(
      HTTPMethod(request.method), origin + request.escapedEndpoint, body: request.body)
    for header in request.headers { direct.headers.append(header.name, header.value) }
    if request.body != nil, direct.headers["Content-Type"] == nil {
      direct.headers["Content-Type"] = "application/json"
    }
    direct.timeout = delivery.timeout ?? delivery.overall ?? direct.timeout
    direct.maxReply = ServerRequest.maxBody
    do throws(HTTPError) {
      return ServerResponse(try await client.send(direct))
    } catch {
      throw NetworkFailure(error, of: server.host)
    }
  }
}

extension HTTPMethod {
  fileprivate init(_ method: ServerRequest.Method) {
    switch method {
    case .get: self = .get
    case .post: self = .post
    case .put: self = .put
    case .delete: self = .delete
    case .patch: self = .patch
    case .head: self = .head
    }
  }
}

extension ServerRequest {
  /// The endpoint as URLs have it: the emoji of a reaction stands in it as it is.
  fileprivate var escapedEndpoint: String {
    endpoint.utf8.reduce(into: "") { text, byte in
      if (0x21...0x7e).contains(byte), !#""<>\^`{|}"#.utf8.contains(byte) {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + [byte].hex.uppercased()
      }
    }
  }
}

extension ServerResponse {
  fileprivate init(_ reply: HTTPClient.Reply) {
    let type = reply.headers["content-type"]?.lowercased() ?? ""
    let kind: BodyKind =
      if reply.body.isEmpty { .none } else if type.hasPrefix("application/json") {
        .json
      } else if type
        .hasPrefix("text/")
      { .text } else { .bytes }
    self.init(
      status: reply.status,
      headers: reply.headers.fields.map { Header($0.name.lowercased(), $0.value) }, bodyKind: kind,
      body: reply.body)
  }
}

extension NetworkFailure {
  fileprivate init(_ error: HTTPError, of host: String) {
    let kind: Kind =
      switch error {
      case .tooLarge: .tooLarge
      case .url, .header: .rejected
      case .cancelled: .cancelled
      case .busy: .busy
      case .stopped: .suspended
      case .nameUnknown, .addressRefused: .unreachable
      case .peerGone, .untrusted, .unreachable, .timeout, .certificate, .addressInUse, .cannotListen:
        .transient
      }
    self.init(kind, "\(host), which is contacted directly, does not answer: \(error)")
  }
}

extension CommandIO {
  /// Reaches community servers through the network, but for those that the settings name.
  func communityServers(through network: any ServerService) throws -> any ServerService {
    guard !settings.directServers.isEmpty else { return network }
    var options = HTTPClient.Options()
    options.proxy = try proxies()
    return try DirectServers(settings.directServers, options, otherwise: network)
  }
}
