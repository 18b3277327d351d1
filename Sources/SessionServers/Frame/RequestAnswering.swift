import SessionCore
import SessionHTTP

/// Answers requests, whether they came as plain HTTP or through the network.
protocol RequestAnswering: Sendable {
  func answer(_ request: HTTPRequest, over way: ServerMetrics.Way) async -> HTTPResponse
  /// The form of refusals that no handler has seen.
  func refusal(_ refusal: ServerRefusal) -> HTTPResponse
  /// The target of a request through the network; nil for an unusable one.
  func target(of endpoint: String) -> HTTPTarget?
  /// True for a request whose body is read in pieces, and never collected.
  func takesPieces(_ request: HTTPRequest) -> Bool
  /// True if browsers must not guess the type of answers.
  var forbidsSniffing: Bool { get }
}

extension RequestAnswering {
  func takesPieces(_ request: HTTPRequest) -> Bool { false }
  var forbidsSniffing: Bool { false }
}

/// Answers requests by their routes, and tells handlers who signed them.
struct RouteAnswering: RequestAnswering {
  let routes: Routes
  let maxBody: Int
  let wallClock: @Sendable () -> UInt64
  let metrics: ServerMetrics

  func refusal(_ refusal: ServerRefusal) -> HTTPResponse { .refusal(refusal) }

  func target(of endpoint: String) -> HTTPTarget? { HTTPTarget(parsing: endpoint) }

  func answer(_ request: HTTPRequest, over way: ServerMetrics.Way) async -> HTTPResponse {
    switch routes.match(request.method, request.target) {
    case .route(let route, let parameters):
      let response = await answer(request, by: route, parameters)
      metrics.count(route, over: way, status: response.status)
      return response
    case .methods(let methods):
      metrics.count(Routes.Route?.none, over: way, status: 405)
      var response = HTTPResponse.refusal(ServerRefusal(405))
      response.headers["Allow"] = methods.map(\.rawValue).joined(separator: ", ")
      return response
    case .nothing:
      metrics.count(Routes.Route?.none, over: way, status: 404)
      return .refusal(.notFound)
    }
  }

  private func answer(
    _ request: HTTPRequest, by route: Routes.Route, _ parameters: [String: String]
  ) async -> HTTPResponse {
    do {
      let (request, signer) = try await identify(request)
      return try await route.handler(Visit(request: request, parameters: parameters, signer: signer))
    } catch {
      return .refusal(error as? ServerRefusal ?? .failed)
    }
  }

  /// Checks the signature of a request that has one, for which the whole body is needed.
  private func identify(_ request: HTTPRequest) async throws(ServerRefusal) -> (HTTPRequest, [UInt8]?) {
    guard let signature = try RequestSignature(request.headers) else { return (request, nil) }
    let body: [UInt8]
    do throws(HTTPError) { body = try await request.body.collect(upTo: maxBody) } catch {
      throw ServerRefusal(error)
    }
    let signer = try signature.signer(of: request, body: body, now: wallClock())
    let whole = HTTPRequest(
      request.method, request.target, headers: request.headers, body: HTTPBody(body), peer: request.peer)
    return (whole, signer)
  }
}
