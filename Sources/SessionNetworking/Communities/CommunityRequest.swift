import SessionBase
public import SessionCore

/// A request to a community server, not yet signed.
public struct CommunityRequest: Hashable, Sendable {
  public enum Body: Hashable, Sendable {
    case none
    /// JSON text.
    case json(String)
    /// A file, with the name that others see.
    case file([UInt8], name: String?)
  }

  public let method: ServerRequest.Method
  /// Decoded: an emoji is itself.
  public let path: String
  /// Without `?`; nil for none.
  public let query: String?
  public let body: Body

  init(_ method: ServerRequest.Method, _ path: String, query: String? = nil, body: Body = .none) {
    self.method = method
    self.path = path
    self.query = query
    self.body = body
  }

  /// Path and query, as they are signed and sent.
  var target: String { query.map { "\(path)?\($0)" } ?? path }
}

extension CommunityRequest {
  var carriesFile: Bool {
    if case .file = body { return true }
    return method == .get && path.contains("/file/")
  }

  /// How long the server may take.
  var timeout: Duration {
    guard carriesFile else { return .seconds(10) }
    return method == .get ? .seconds(30) : .seconds(60)
  }
}

extension ServerRequest.Method {
  var name: String {
    switch self {
    case .get: "GET"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .patch: "PATCH"
    case .head: "HEAD"
    }
  }
}

extension CommunityRequest.Body {
  var bytes: [UInt8]? {
    switch self {
    case .none: nil
    case .json(let text): Array(text.utf8)
    case .file(let bytes, _): bytes
    }
  }

  var headers: [ServerResponse.Header] {
    switch self {
    case .none: []
    case .json: [ServerResponse.Header("Content-Type", "application/json")]
    case .file(_, let name):
      [
        ServerResponse.Header("Content-Type", "application/octet-stream"),
        ServerResponse.Header(
          "Content-Disposition",
          name.map { "attachment; filename*=UTF-8''\($0.percentEncoded)" } ?? "attachment"),
      ]
    }
  }
}

extension String {
  /// The text with all bytes encoded except letters, digits and the four marks that need no encoding.
  var percentEncoded: String {
    var text = ""
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        text.unicodeScalars.append(Unicode.Scalar(byte))
      default: text += "%" + [byte].hex.uppercased()
      }
    }
    return text
  }
}

// MARK: - Signing

extension ServerRequest {
  /// Signs a request, unless it is anonymous.
  init(
    _ request: CommunityRequest, as identity: CommunityIdentity?, nonce: [UInt8], at time: MessageTime
  ) throws(SessionError) {
    var headers = request.body.headers
    if let identity {
      let signature = try identity.sign(
        CommunityIdentity.Request(
          request.method.name, request.target, body: request.body.bytes ?? [], nonce: nonce, at: time))
      headers += [
        ServerResponse.Header("X-SOGS-Pubkey", identity.signer.description),
        ServerResponse.Header("X-SOGS-Timestamp", "\(time.seconds)"),
        ServerResponse.Header("X-SOGS-Nonce", nonce.base64),
        ServerResponse.Header("X-SOGS-Signature", signature.base64),
      ]
    }
    self.init(request.method, request.target, headers: headers, body: request.body.bytes)
  }
}

// MARK: - Batches

extension CommunityRequest {
  /// The most requests in a batch.
  public static let maxBatch = 20

  /// One request with several in it. In order, the server stops after the first that fails.
  init(batch requests: [CommunityRequest], inOrder: Bool) {
    self.init(
      .post, inOrder ? "/sequence" : "/batch",
      body: .json("[\(requests.map(\.batchElement).joined(separator: ","))]"))
  }

  private var batchElement: String {
    var members = [
      "\"method\":\(JSONText.quoted(method.name))", "\"path\":\(JSONText.quoted(target))",
    ]
    switch body {
    case .none: break
    case .json(let text): members.append("\"json\":\(text)")
    case .file(let bytes, _):
      let headers = body.headers.map { "\(JSONText.quoted($0.name)):\(JSONText.quoted($0.value))" }
      members.append("\"headers\":{\(headers.joined(separator: ","))}")
      members.append("\"b64\":\"\(bytes.base64)\"")
    }
    return "{\(members.joined(separator: ","))}"
  }
}
