import FoundationEssentials
import SessionHTTP

extension HTTPResponse {
  /// A value as JSON.
  static func json(_ value: some Encodable, status: Int = 200) -> HTTPResponse {
    guard let body = try? JSONEncoder().encode(value) else { return .refusal(.failed) }
    return HTTPResponse(status, headers: ["Content-Type": "application/json"], body: .bytes(Array(body)))
  }

  /// The form in which all servers say that something was not done.
  static func refusal(_ refusal: ServerRefusal) -> HTTPResponse {
    HTTPResponse(
      refusal.status, headers: ["Content-Type": "application/json"],
      body: .bytes(Array(#"{"status_code":\#(refusal.status)}"#.utf8)))
  }
}
