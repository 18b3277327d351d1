import SessionBase
import SessionCore
import SessionHTTP

/// The requests of a batch.
struct BatchRequest: Sendable {
  static let maxElements = 256
  /// Bytes of all answers.
  static let maxAnswers = 8 * 1024 * 1024
  /// Nesting of the whole: the list, its elements, and what they carry.
  private static let maxDepth = CommunityVisit.maxDepth + 2

  struct Element: Sendable {
    let method: HTTPMethod
    let target: HTTPTarget
    let headers: HTTPHeaders
    let body: CommunityVisit.Body
  }

  let elements: [Element]

  /// Throws 400 for the whole if any element is malformed.
  init(_ body: [UInt8]) throws(CommunityRefusal) {
    guard let json = try? JSONReader.value(of: body), case .array(let array) = json,
      (1...Self.maxElements).contains(array.count), json.depth <= Self.maxDepth
    else { throw .invalid("The body is not a list of 1 to \(Self.maxElements) requests") }
    var elements: [Element] = []
    for element in array { elements.append(try Self.element(element)) }
    self.elements = elements
  }

  private static func element(_ json: JSONValue) throws(CommunityRefusal) -> Element {
    guard let name = json["method"]?.string, let path = json["path"]?.string,
      let target = HTTPTarget(unicode: path)
    else { throw .invalid("An element has no usable method or path") }
    let method = HTTPMethod(rawValue: name)
    guard [.get, .post, .put, .delete].contains(method) else {
      throw .invalid("An element has another method")
    }
    let first = target.segments.first
    guard first != "oxen", first != "loki", !(["batch", "sequence"] as [String?]).contains(first) else {
      throw .invalid("An element may not be a batch or an onion request")
    }
    return Element(
      method: method, target: target, headers: try headers(json["headers"]),
      body: try body(of: json, method))
  }

  private static func headers(_ json: JSONValue?) throws(CommunityRefusal) -> HTTPHeaders {
    var headers = HTTPHeaders()
    switch json {
    case nil, .null?: break
    case .object(let members)?:
      for member in members {
        guard let value = member.value.string else { throw .invalid("A header of an element is not a text") }
        headers.append(member.name, value)
      }
    default: throw .invalid("The headers of an element are not an object")
    }
    return headers
  }

  private static func body(
    of json: JSONValue, _ method: HTTPMethod
  ) throws(CommunityRefusal) -> CommunityVisit.Body {
    let given = ["json", "b64", "bytes"].filter { json[$0] != nil }
    guard method == .post || method == .put else {
      guard given.isEmpty else { throw .invalid("An element has a body that its method has not") }
      return .bytes([])
    }
    guard given.count == 1 else { throw .invalid("An element has not exactly one of json, b64 and bytes") }
    if let value = json["json"] { return .json(value) }
    if json["b64"] != nil { return .bytes(try json.base64("b64")) }
    guard let text = json["bytes"]?.string else { throw .invalid("bytes is not a text") }
    return .bytes(Array(text.utf8))
  }
}

extension HTTPTarget {
  /// A target whose path may have characters that plain HTTP would encode, as requests through the network have.
  init?(unicode text: String) {
    var encoded = ""
    var isPath = true
    for byte in text.utf8 {
      if byte == UInt8(ascii: "?") { isPath = false }
      if byte >= 0x80, isPath {
        encoded += "%" + [byte].hex
      } else {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    self.init(parsing: encoded)
  }

  /// The path, decoded, with the query as it was sent: what callers sign.
  var signedPath: String {
    let path = "/" + segments.joined(separator: "/")
    guard let mark = text.firstIndex(of: "?") else { return path }
    let query = text[text.index(after: mark)...].prefix { $0 != "#" }
    return query.isEmpty ? path : "\(path)?\(query)"
  }
}
