import SessionBase
import SessionCore
import SessionHTTP

/// The answer to one request, alone or in a batch.
struct CommunityAnswer: Sendable {
  enum Body: Sendable {
    case none
    case json(String)
    case text(String)
    case bytes([UInt8])
    /// The content of a stored file, by its path.
    case file(String)
    /// The content of a file that is in rows. It is read after the transaction.
    case rows(CommunityFile)
    /// The content of a file that was in rows.
    case open(HTTPFile)
  }

  var status: Int
  var headers = HTTPHeaders()
  var body: Body
  /// True if a changing request has changed something, so that it must not be carried out again.
  var isChange = true
  /// True if there is more to be done in another transaction.
  var goesOn = false
  /// Who else gets the same answer; nil for no one, and where it is not known.
  var audience: PageAudience?

  init(_ status: Int, _ body: Body = .none) { (self.status, self.body) = (status, body) }

  static func json(_ value: JSONValue, status: Int = 200, goesOn: Bool = false) -> CommunityAnswer {
    var answer = CommunityAnswer(status, .json(value.description))
    answer.goesOn = goesOn
    return answer
  }

  /// Bytes after which a page ends, so that a batch has room for several.
  private static let pageBytes = 1024 * 1024
  /// Bytes of a page whose last object is the largest.
  static let maxPage = pageBytes + 256 * 1024

  /// A page of objects: as many of the first ones as it has room for, and one at least. Readers get the others as
  /// the next page.
  static func page<Element>(
    of elements: [Element], _ object: (Element) throws -> JSONValue
  ) rethrows -> CommunityAnswer {
    var (texts, bytes): ([String], Int) = ([], 0)
    for element in elements {
      guard bytes < pageBytes else { break }
      let text = try object(element).description
      texts.append(text)
      bytes += text.utf8.count
    }
    return CommunityAnswer(200, .json("[\(texts.joined(separator: ","))]"))
  }

  /// The answer to a changing request that found nothing to do.
  static func unchanged(_ value: JSONValue) -> CommunityAnswer {
    var answer = json(value)
    answer.isChange = false
    return answer
  }

  /// The answer to an element of a batch that is not carried out.
  static func none(_ status: Int) -> CommunityAnswer {
    var answer = CommunityAnswer(status, .text(""))
    answer.headers["Content-Type"] = "text/plain"
    return answer
  }

  init(_ refusal: CommunityRefusal) {
    self.init(refusal.status, .text(refusal.text))
    if let seconds = refusal.retryAfter { headers["Retry-After"] = "\(seconds)" }
  }

  /// Bytes of the body that are in memory.
  var bytes: Int {
    switch body {
    case .none, .file, .rows, .open: 0
    case .json(let text), .text(let text): text.utf8.count
    case .bytes(let bytes): bytes.count
    }
  }

  private var contentType: String? {
    switch body {
    case .none: nil
    case .json: "application/json"
    case .text: "text/plain; charset=utf-8"
    case .bytes, .file, .rows, .open: "application/octet-stream"
    }
  }

  /// The headers with that of the content.
  var allHeaders: HTTPHeaders {
    var all = headers
    if all["Content-Type"] == nil, let contentType { all["Content-Type"] = contentType }
    return all
  }

  /// The response of HTTP; 404 for a file whose content is gone.
  var response: HTTPResponse {
    switch body {
    case .none: HTTPResponse(status, headers: allHeaders)
    case .json(let text), .text(let text):
      HTTPResponse(status, headers: allHeaders, body: .bytes(Array(text.utf8)))
    case .bytes(let bytes): HTTPResponse(status, headers: allHeaders, body: .bytes(bytes))
    case .rows: CommunityAnswer(.notFound).response
    case .open(let file): HTTPResponse(status, headers: allHeaders, body: .file(file))
    case .file(let path):
      HTTPFile(reading: path).map { HTTPResponse(status, headers: allHeaders, body: .file($0)) }
        ?? CommunityAnswer(.notFound).response
    }
  }
}

// MARK: - In a batch

extension CommunityAnswer {
  /// One element of the answer to a batch, as JSON. What is no JSON is base64.
  var element: String {
    let names = allHeaders.fields.map {
      "\(JSONText.quoted($0.name.lowercased())):\(JSONText.quoted($0.value))"
    }
    return #"{"code":\#(status),"headers":{\#(names.joined(separator: ","))},"body":\#(elementBody)}"#
  }

  private var elementBody: String {
    switch body {
    case .none: "\"\""
    case .json(let text): text
    case .text(let text): "\"\(text.utf8.base64)\""
    case .bytes(let bytes): "\"\(bytes.base64)\""
    case .rows: "\"\""
    case .open(let file): "\"\(file.readAll()?.base64 ?? "")\""
    case .file(let path): "\"\(HTTPFile(reading: path)?.readAll()?.base64 ?? "")\""
    }
  }
}
