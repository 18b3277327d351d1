/// What a request must be before its token is looked at: from this machine's own names, not from a foreign web page, and
/// for a method of its path. The checks are made in order; the first that fails answers.
struct HTTPGate: Sendable {
  /// What the server has.
  enum Route: Hashable, Sendable {
    case rpc
    case events
    case health
    case metrics
    case upload
    /// The content of a file of a message, by the numbers of both.
    case attachment(message: Int64, number: Int)
    /// The question of a browser whether a page may make a request.
    case preflight
  }

  let port: UInt16
  /// The origins of the pages that may connect.
  let origins: Set<String>

  private static let routes: [String: (method: String, route: Route)] = [
    "/v1/rpc": ("POST", .rpc), "/v1/events": ("GET", .events), "/v1/health": ("GET", .health),
    "/v1/metrics": ("GET", .metrics), "/v1/files": ("POST", .upload),
  ]

  private static func route(at path: String) -> (method: String, route: Route)? {
    if let known = routes[path] { return known }
    let words = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard words.count == 5, words[..<3] == ["", "v1", "attachments"],
      let message = Int64(words[3]), let number = Int(words[4]), message > 0, number > 0
    else { return nil }
    return ("GET", .attachment(message: message, number: number))
  }

  func route(of head: HTTPHead) throws(HTTPRefusal) -> Route {
    let hosts = head.values("host")
    guard let host = hosts.first, hosts.count == 1 else { throw .malformed }
    // A page whose own name leads to this machine sends that name.
    guard ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"].contains(host) else {
      throw HTTPRefusal(421)
    }
    let isAllowed = origin(of: head) != nil
    guard head.values("origin").isEmpty || isAllowed else { throw HTTPRefusal(403) }
    guard
      isAllowed || head.values("sec-fetch-site").allSatisfy({ $0 == "none" || $0 == "same-origin" })
    else { throw HTTPRefusal(403) }
    guard let (method, route) = Self.route(at: head.path) else { throw HTTPRefusal(404) }
    if head.method == "OPTIONS", isAllowed { return .preflight }
    guard head.method == method else { throw .method(allowed: method) }
    // A form cannot send this type unless the browser asks first.
    guard route != .rpc || Self.isJSON(head.values("content-type")) else { throw HTTPRefusal(415) }
    return route
  }

  /// The origin that a request names, if it is allowed.
  func origin(of head: HTTPHead) -> String? {
    let named = head.values("origin")
    return named.count == 1 && origins.contains(named[0]) ? named[0] : nil
  }

  /// The headers by which a browser lets a page of an allowed origin have a response.
  func sharing(_ head: HTTPHead, isPreflight: Bool = false) -> [HTTPHead.Field] {
    guard let origin = origin(of: head) else { return [] }
    let fields: [HTTPHead.Field] = [
      .init(name: "Access-Control-Allow-Origin", value: origin), .init(name: "Vary", value: "Origin"),
    ]
    guard isPreflight else { return fields }
    return fields + [
      .init(name: "Access-Control-Allow-Methods", value: "GET, POST"),
      .init(name: "Access-Control-Allow-Headers", value: "authorization, content-type"),
    ]
  }

  /// The secret of a token; nil if there is none, or more than one.
  static func secret(in head: HTTPHead) -> String? {
    let values = head.values("authorization")
    guard values.count == 1, values[0].prefix(7).lowercased() == "bearer " else { return nil }
    return String(values[0].dropFirst(7))
  }

  private static func isJSON(_ types: [String]) -> Bool {
    guard types.count == 1 else { return false }
    let type = types[0].prefix { $0 != ";" }.lowercased()
    return type.trimmingSuffix(while: { $0 == " " || $0 == "\t" }) == "application/json"
  }
}

extension String {
  fileprivate func trimmingSuffix(while isDropped: (Character) -> Bool) -> Substring {
    var end = endIndex
    while end > startIndex, isDropped(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
