import SessionBase
import SessionCore
import SessionHTTP

/// A request as the handler of its route sees it, alone or as one of a batch.
struct CommunityVisit: Sendable {
  /// What a request carries.
  enum Body: Sendable {
    case bytes([UInt8])
    /// Of an element of a batch.
    case json(JSONValue)
    /// That of an upload, in a file.
    case content(ReceivedContent)

    /// All of it that is in memory.
    var bytes: [UInt8] {
      switch self {
      case .bytes(let bytes): bytes
      case .json(let json): Array(json.description.utf8)
      case .content: []
      }
    }

    /// Deletes the file of an upload, unless it is stored.
    func discard() {
      if case .content(let content) = self { content.file.discard() }
    }

    /// What the signature of the request covers.
    var signedBody: SignedRequest.Body {
      if case .content(let content) = self { .hash(content.hash) } else { .bytes(bytes) }
    }
  }

  let method: HTTPMethod
  let target: HTTPTarget
  /// The named parts of the path.
  let parameters: [String: String]
  let headers: HTTPHeaders
  let body: Body
  /// The signer and the id that others see; nil for an anonymous request.
  let author: SessionID?
  /// Milliseconds since 1970.
  let now: Int64
  let rules: CommunityRules

  /// Nesting of values that any request needs.
  static let maxDepth = 8

  subscript(name: String) -> String { parameters[name] ?? "" }

  /// A number in the path, not negative. Throws 404 for anything else.
  func number(_ name: String) throws(CommunityRefusal) -> Int64 {
    let text = self[name]
    guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      throw .notFound
    }
    // A number beyond all is behind everything.
    return Int64(text) ?? .max
  }

  /// A number of the query within a range: others are moved into it. Throws 400 for what is no number.
  func query(_ name: String, _ range: ClosedRange<Int>, default usual: Int) throws(CommunityRefusal) -> Int {
    guard let text = target[query: name] else { return usual }
    guard let number = Int(text) else { throw .invalid("\(name) is not a number") }
    return min(max(number, range.lowerBound), range.upperBound)
  }

  /// The body as JSON, an object. Throws 400 otherwise.
  func json() throws(CommunityRefusal) -> JSONValue {
    let value: JSONValue
    switch body {
    case .json(let json): value = json
    case .bytes(let bytes):
      guard let json = try? JSONReader.value(of: bytes) else { throw .invalid("The body is not JSON") }
      value = json
    case .content: throw .invalid("The body is not JSON")
    }
    guard case .object = value, value.depth <= Self.maxDepth else {
      throw .invalid("The body is not a JSON object")
    }
    return value
  }

  /// The body as bytes, as far as it is in memory.
  var bytes: [UInt8] { body.bytes }

  /// Bytes of the body, wherever it is.
  var size: Int { if case .content(let content) = body { content.size } else { bytes.count } }
}

extension JSONValue {
  /// The nesting of its values: one for a number.
  var depth: Int {
    switch self {
    case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
    case .object(let members): 1 + (members.map(\.value.depth).max() ?? 0)
    default: 1
    }
  }

  /// A boolean that may be missing or null. Throws 400 for another value.
  func flag(_ name: String) throws(CommunityRefusal) -> Bool? {
    switch self[name] {
    case nil, .null?: return nil
    case .boolean(let isTrue)?: return isTrue
    default: throw .invalid("\(name) is neither true nor false")
    }
  }

  /// A text that may be missing or null. Throws 400 for another value.
  func text(_ name: String) throws(CommunityRefusal) -> String? {
    switch self[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text
    default: throw .invalid("\(name) is not a text")
    }
  }

  /// Bytes in base64. Throws 400 for a missing or another value.
  func base64(_ name: String) throws(CommunityRefusal) -> [UInt8] {
    guard let text = self[name]?.string, let bytes = try? [UInt8](base64: text.utf8) else {
      throw .invalid("\(name) is not base64")
    }
    return bytes
  }
}
