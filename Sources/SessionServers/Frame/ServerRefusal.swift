import FoundationEssentials
import SessionHTTP

/// Why a request is not carried out: a status of HTTP.
public struct ServerRefusal: Error, Hashable, Sendable {
  public let status: Int

  public init(_ status: Int) { self.status = status }

  static let badRequest = ServerRefusal(400)
  static let unauthorized = ServerRefusal(401)
  static let notFound = ServerRefusal(404)
  static let tooLarge = ServerRefusal(413)
  static let clock = ServerRefusal(425)
  static let failed = ServerRefusal(500)
  static let badGateway = ServerRefusal(502)
  static let overloaded = ServerRefusal(503)
  static let full = ServerRefusal(507)
}

extension ServerRefusal {
  /// The result for a body that does not arrive; a disconnected client gets no reply.
  init(_ error: HTTPError) {
    switch error {
    case .tooLarge: self = .tooLarge
    case .busy: self = .overloaded
    default: self = .badRequest
    }
  }
}

extension HTTPResponse {
  /// A value as JSON.
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let body = try? JSONEncoder().encode(value) else { return .refusal(.failed) }
    return HTTPResponse(status, headers: ["Content-Type": "application/json"], body: .bytes(Array(body)))
  }

  /// The response by which all servers refuse a request.
  static func refusal(_ refusal: ServerRefusal) -> HTTPResponse {
    HTTPResponse(
      refusal.status, headers: ["Content-Type": "application/json"],
      body: .bytes(Array(#"{"status_code":\#(refusal.status)}"#.utf8)))
  }
}
