public import SessionCore
package import SessionHTTP

/// Serves `GET /metrics` to Prometheus, on an address that only this machine can reach.
public final class MetricsServer: Sendable {
  private let server: HTTPServer

  /// The address that the server listens on.
  public var address: NetworkAddress { server.address }

  /// Starts listening, and returns the text of a closure. Throws `cannotListen` for an address that others can
  /// reach.
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
