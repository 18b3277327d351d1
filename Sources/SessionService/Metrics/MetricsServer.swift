public import SessionCore
package import SessionHTTP

/// Serves `GET /metrics` to Prometheus and, where a service can tell, `GET /health` to supervisors, on an address that only
/// this machine can reach.
public final class MetricsServer: Sendable {
  private let server: HTTPServer

  /// The address that the server listens on.
  public var address: NetworkAddress { server.address }

  /// Starts listening, and returns the text of a closure. `/health` is 200 while `isHealthy` says so, and 503 otherwise. Throws
  /// `cannotListen` for an address that others can reach.
  package init(
    at address: NetworkAddress, text: @escaping @Sendable () async -> String?,
    isHealthy: (@Sendable () async -> Bool)? = nil
  ) throws(HTTPError) {
    guard address.isLoopback else { throw .cannotListen("others could reach \(address)") }
    var options = HTTPServer.Options()
    options.maxBody = 0
    options.maxConnections = 16
    server = try HTTPServer(at: address, options: options) { request in
      guard request.method == .get else { return .text(404, "Not Found") }
      switch request.target.segments {
      case ["metrics"]:
        guard let text = await text() else { break }
        return HTTPResponse(
          200, headers: ["Content-Type": "text/plain; version=0.0.4; charset=utf-8"],
          body: .bytes(Array(text.utf8)))
      case ["health"]:
        guard let isHealthy else { break }
        return await isHealthy() ? .text(200, "ok") : .text(503, "not healthy")
      default: break
      }
      return .text(404, "Not Found")
    }
  }

  public func stop() async { await server.stop() }
}
