public import SessionCore
public import SessionHTTP

/// Tells Prometheus how a server is: `GET /metrics`, on an address that only this machine can reach.
public final class MetricsServer: Sendable {
  private let server: HTTPServer

  /// Where it listens.
  public var address: NetworkAddress { server.address }

  /// Begins to listen. Throws `cannotListen` for an address that others can reach.
  public convenience init(_ node: StorageNode, at address: NetworkAddress) throws(HTTPError) {
    try self.init(at: address) { [weak node] in await node?.metricsText() }
  }

  /// The same for what a closure tells, as long as it tells anything.
  package init(
    at address: NetworkAddress, text: @escaping @Sendable () async -> String?
  ) throws(HTTPError) {
    guard address.isLoopback else { throw .cannotListen("others could reach \(address)") }
    var options = HTTPServer.Options()
    options.maxBody = 0
    options.maxConnections = 16
    server = try HTTPServer(at: address, options: options) { request in
      guard request.method == .get, request.target.segments == ["metrics"], let text = await text() else {
        return .text(404, "Not Found")
      }
      return HTTPResponse(
        200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
        body: .bytes(Array(text.utf8)))
    }
  }

  public func stop() async { await server.stop() }
}
