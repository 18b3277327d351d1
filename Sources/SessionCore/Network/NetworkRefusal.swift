/// An error reply: thrown by a handler to refuse a request, and found by the caller in
/// `SessionError.refusal`.
public struct NetworkRefusal: Error, Hashable, Sendable {
  /// The leading number of the reply, as in "404 Not Found"; 0 if there is none.
  public let code: UInt16
  /// The whole reply.
  public let body: [UInt8]
  /// The key of the node that refused a storage request.
  public let node: [UInt8]?

  package init(code: UInt16, body: [UInt8], by node: [UInt8]? = nil) {
    (self.code, self.body, self.node) = (code, body, node)
  }

  /// Creates the reply "404 Not Found", an empty line, and then the details.
  public init(_ code: UInt16, _ title: String, details: String = "") {
    self.init(code: code, body: Array("\(code) \(title)\n\n\(details)".utf8))
  }
}

extension SessionError {
  /// Creates a refusal from a node's error reply.
  init(refusedWith code: Int, _ body: [UInt8], by node: ServiceNode? = nil) {
    let refusal = NetworkRefusal(code: UInt16(clamping: code), body: body, by: node?.key)
    let words = refusal.words
    self.init(
      .requestFailed, "the node refused the request with \(code)" + (words.isEmpty ? "" : ": \(words)"),
      refusal: refusal)
  }
}

extension NetworkRefusal {
  private static let maxWords = 200

  /// The reply as text for display, if it is not a document. Strangers write it.
  fileprivate var words: String {
    guard body.first != UInt8(ascii: "{"), let text = String(validating: body, as: UTF8.self) else {
      return ""
    }
    let shown = text.unicodeScalars.filter { !$0.properties.isWhitespace || $0 == " " }
      .filter { $0.properties.generalCategory != .control && $0.properties.generalCategory != .format }
    return Name.trimmed(String(String.UnicodeScalarView(shown.prefix(Self.maxWords))))
  }
}
