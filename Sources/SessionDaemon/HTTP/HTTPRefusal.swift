import SessionBase

/// An answer that refuses a request, and ends the connection.
struct HTTPRefusal: Error, Hashable, Sendable {
  let status: Int
  /// Further headers.
  var headers: [HTTPHead.Field] = []
  /// What the body tells, for a call that failed.
  var error: RPCError?

  init(_ status: Int, _ error: RPCError? = nil) { (self.status, self.error) = (status, error) }

  static let malformed = HTTPRefusal(400)

  static func method(allowed: String) -> HTTPRefusal {
    var refusal = HTTPRefusal(405)
    refusal.headers = [.init(name: "Allow", value: allowed)]
    return refusal
  }

  static let unauthorised: HTTPRefusal = {
    var refusal = HTTPRefusal(401)
    refusal.headers = [.init(name: "WWW-Authenticate", value: "Bearer")]
    return refusal
  }()
}

/// A response with a body of a known length.
struct HTTPReply: Hashable, Sendable {
  let status: Int
  var headers: [HTTPHead.Field] = []
  var body: [UInt8] = []

  /// The bytes of the whole response.
  func bytes(isLast: Bool) -> [UInt8] { Self.head(status, headers + own(isLast)) + body }

  private func own(_ isLast: Bool) -> [HTTPHead.Field] {
    var fields: [HTTPHead.Field] = []
    // A response without content has no length either.
    if status != 204 { fields.append(.init(name: "Content-Length", value: "\(body.count)")) }
    if isLast { fields.append(.init(name: "Connection", value: "close")) }
    return fields
  }

  /// The head of a response. None of them is kept or interpreted by a browser in another way than meant.
  static func head(_ status: Int, _ fields: [HTTPHead.Field]) -> [UInt8] {
    let all =
      fields + [
        .init(name: "Cache-Control", value: "no-store"),
        .init(name: "X-Content-Type-Options", value: "nosniff"),
      ]
    let lines = all.map { "\($0.name): \($0.value)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(reasons[status] ?? "Error")\r\n\(lines)\r\n".utf8)
  }

  private static let reasons = [
    200: "OK", 204: "No Content", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
    405: "Method Not Allowed", 408: "Request Timeout", 411: "Length Required", 413: "Content Too Large",
    415: "Unsupported Media Type", 421: "Misdirected Request", 429: "Too Many Requests",
    431: "Request Header Fields Too Large", 503: "Service Unavailable", 505: "HTTP Version Not Supported",
  ]

  init(_ status: Int, headers: [HTTPHead.Field] = [], body: [UInt8] = []) {
    (self.status, self.headers, self.body) = (status, headers, body)
  }

  static func json(_ status: Int, _ text: String) -> HTTPReply {
    HTTPReply(
      status, headers: [.init(name: "Content-Type", value: "application/json")], body: Array(text.utf8))
  }

  init(_ refusal: HTTPRefusal) {
    if let error = refusal.error {
      self = .json(refusal.status, error.json.description)
      headers += refusal.headers
    } else {
      self.init(refusal.status, headers: refusal.headers)
    }
  }
}
