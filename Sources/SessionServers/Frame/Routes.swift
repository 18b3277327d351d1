public import SessionHTTP

/// Handles a request; throws a `ServerRefusal` to refuse it.
public typealias VisitHandler = @Sendable (Visit) async throws -> HTTPResponse

/// The handlers of requests.
public typealias Routes = RouteTable<VisitHandler>

/// What is done with each kind of request: its method and path decide.
public struct RouteTable<Handler: Sendable>: Sendable {
  struct Route: Sendable {
    let method: HTTPMethod
    let pattern: String
    let handler: Handler
    private let segments: [Substring]

    init(_ method: HTTPMethod, _ pattern: String, _ handler: Handler) {
      (self.method, self.pattern, self.handler) = (method, pattern, handler)
      segments = pattern.split(separator: "/")
    }

    /// The named parts of a path that fits the pattern; nil for another path.
    func parameters(in path: ArraySlice<String>) -> [String: String]? {
      guard path.count == segments.count else { return nil }
      var parameters: [String: String] = [:]
      for (segment, part) in zip(segments, path) {
        if segment.hasPrefix("{") {
          guard !part.isEmpty else { return nil }
          parameters[String(segment.dropFirst().dropLast())] = part
        } else if segment != part {
          return nil
        }
      }
      return parameters
    }
  }

  enum Match {
    case route(Route, [String: String])
    /// The path is there, for other methods.
    case methods([HTTPMethod])
    case nothing
  }

  private var routes: [Route] = []

  public init() {}

  /// Adds a route. Parts of the pattern in braces match any one part of a path: `/file/{id}/info`.
  public mutating func on(_ method: HTTPMethod, _ pattern: String, _ handler: Handler) {
    routes.append(Route(method, pattern, handler))
  }

  /// HEAD matches the routes of GET. A final slash of the path is ignored.
  func match(_ method: HTTPMethod, _ target: HTTPTarget) -> Match {
    let method = method == .head ? .get : method
    let path = target.segments.last == "" ? target.segments.dropLast() : target.segments[...]
    let fitting = routes.compactMap { route in route.parameters(in: path).map { (route, $0) } }
    guard let (route, parameters) = fitting.first(where: { $0.0.method == method }) else {
      var methods: [HTTPMethod] = []
      for (route, _) in fitting where !methods.contains(route.method) { methods.append(route.method) }
      return methods.isEmpty ? .nothing : .methods(methods)
    }
    return .route(route, parameters)
  }
}
