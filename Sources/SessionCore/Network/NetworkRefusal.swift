/// An error reply: thrown by a handler to refuse a request, and found by the caller in
/// `SessionError.refusal`.
public struct NetworkRefusal: Error, Hashable, Sendable {
  /// The number the reply begins with, "404 Not Found"; 0 when it begins with none.
  public let code: UInt16
  /// All of the reply.
  public let body: [UInt8]

  init(code: UInt16, body: [UInt8]) {
    self.code = code
    self.body = body
  }

  /// The reply "404 Not Found", an empty line, and then the details.
  public init(_ code: UInt16, _ title: String, details: String = "") {
    self.init(code: code, body: Array("\(code) \(title)\n\n\(details)".utf8))
  }
}
