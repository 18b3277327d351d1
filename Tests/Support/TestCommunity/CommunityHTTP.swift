import SessionBase
public import SessionCore
public import SessionHTTP
public import SessionNetworking

/// A test server behind plain HTTP on loopback, and the client of it.
public final class CommunityHTTP: ServerService {
  private let server: HTTPServer
  private let client: HTTPClient

  public init(_ community: TestCommunity) throws {
    client = try HTTPClient()
    server = try HTTPServer(at: try NetworkAddress(parsing: "127.0.0.1:0")) { request in
      await community.answer(request)
    }
  }

  public var url: String { "http://127.0.0.1:\(server.address.port)" }

  public func stop() async {
    await client.stop()
    await server.stop()
  }

  /// Sends the request as it is inside of a request through the network, and nothing else.
  public func send(
    _ request: ServerRequest, to server: OnionServer, _ delivery: Network.Delivery
  ) async throws(NetworkFailure) -> ServerResponse {
    var http = HTTPClient.Request(
      HTTPMethod(rawValue: CommunityState.Request(request).method),
      "http://\(CommunityServer.address(of: server))\(request.endpoint.encodedForHTTP)", body: request.body)
    for header in request.headers { http.headers.append(header.name, header.value) }
    do {
      let reply = try await client.send(http)
      return ServerResponse(
        status: reply.status,
        headers: reply.headers.fields.map { ServerResponse.Header($0.name.lowercased(), $0.value) },
        bodyKind: .bytes, body: reply.body)
    } catch {
      throw NetworkFailure(.transient, "\(error)")
    }
  }
}

extension TestCommunity {
  /// Answers a request of HTTP.
  public func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      let body = try await request.body.collect(upTo: 10_000_000)
      let reply = try answer(CommunityState.Request(request, body: body))
      var headers = HTTPHeaders()
      for header in reply.headers { headers.append(header.name, header.value) }
      return HTTPResponse(reply.status, headers: headers, body: .bytes(reply.body))
    } catch {
      return HTTPResponse(500)
    }
  }
}

extension String {
  /// Everything that is not visible ASCII is encoded.
  fileprivate var encodedForHTTP: String {
    utf8.reduce(into: "") { text, byte in
      if byte > 32 && byte < 127 {
        text.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        text += "%" + [byte].hex.uppercased()
      }
    }
  }
}

extension CommunityState.Request {
  fileprivate init(_ request: HTTPRequest, body: [UInt8]) {
    let query = request.target.text.split(separator: "?", maxSplits: 1).dropFirst().first
    self.init(
      method: request.method.rawValue, path: "/" + request.target.segments.joined(separator: "/"),
      query: query.map { String($0) },
      headers: Dictionary(
        request.headers.fields.map { ($0.name.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
      body: body)
  }
}
