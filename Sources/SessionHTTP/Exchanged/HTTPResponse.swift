/// A response of a server. The length of the body need not be set.
public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case bytes([UInt8])
    case file(HTTPFile)
  }

  public var status: Int
  public var headers: HTTPHeaders
  public var body: Body

  public init(_ status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  public static func text(_ status: Int, _ text: String) -> HTTPResponse {
    HTTPResponse(
      status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: .bytes(Array(text.utf8)))
  }

  /// The response to a request that no handler answers. Browsers must not guess its type.
  static func refusal(_ status: Int, _ text: String) -> HTTPResponse {
    var response = HTTPResponse.text(status, text)
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
  }
}
