import SessionBase
public import SessionCore

/// The reply of a community server to one request, alone or in a batch.
public struct CommunityReply: Hashable, Sendable {
  public let status: Int
  /// Names are in lower case.
  public let headers: [ServerResponse.Header]
  public let body: [UInt8]

  public init(status: Int, headers: [ServerResponse.Header] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  init(_ response: ServerResponse) {
    self.init(status: response.status, headers: response.headers, body: response.body)
  }

  public var isSuccess: Bool { (200...299).contains(status) }

  subscript(header name: String) -> String? { headers.first { $0.name == name }?.value }

  private static let blindingSentence = "this server requires the use of blinded ids"

  /// True if the server refuses the id that signed the request, and wants a blinded one.
  public var requiresBlinding: Bool { status == 400 && text.contains(Self.blindingSentence) }

  /// True if the server refuses everything from us.
  public var isBan: Bool { status == 403 && text.contains("Banned") }

  /// The beginning of the body as text.
  fileprivate var text: String { String(decoding: body.prefix(1024), as: UTF8.self) }
}

// MARK: - JSON

extension CommunityReply {
  /// The most values in a reply. A page has some dozens for each message.
  private static let maxValues = 500_000

  func json() throws(NetworkFailure) -> JSONValue {
    do {
      return try JSONReader.value(of: body, maxValues: Self.maxValues)
    } catch {
      throw .malformed("\(error.rawValue)")
    }
  }

  /// Reads one reply of a batch; nil for anything else.
  init?(batchElement element: JSONValue) {
    guard let code = element["code"]?.integer, (100...999).contains(code) else { return nil }
    var headers: [ServerResponse.Header] = []
    if case .object(let members)? = element["headers"] {
      headers = members.compactMap { member in
        member.value.string.map { ServerResponse.Header(member.name.lowercased(), $0) }
      }
    }
    let isJSON = headers.first { $0.name == "content-type" }?.value.hasPrefix("application/json") ?? false
    switch element["body"] {
    case nil: self.init(status: Int(code), headers: headers, body: [])
    case .string(let text)? where !isJSON:
      guard let bytes = try? [UInt8](base64: text.utf8) else { return nil }
      self.init(status: Int(code), headers: headers, body: bytes)
    case let value?: self.init(status: Int(code), headers: headers, body: Array(value.description.utf8))
    }
  }

  /// The replies of a batch, in the order of its requests: as many as there were, or fewer if they were to stop after
  /// the first that fails.
  public func replies(toBatchOf count: Int, inOrder: Bool) throws(NetworkFailure) -> [CommunityReply] {
    guard isSuccess else { throw NetworkFailure(communityAnswered: self) }
    guard case .array(let elements) = try json(), elements.count <= count, !elements.isEmpty else {
      throw .malformed("it does not answer each request of a batch")
    }
    let replies = elements.map { element in
      // A request whose reply cannot be read has failed; the others have not.
      CommunityReply(batchElement: element) ?? CommunityReply(status: 500, body: [])
    }
    guard replies.count == count || (inOrder && replies.last?.isSuccess == false) else {
      throw .malformed("it does not answer each request of a batch")
    }
    return replies
  }
}

// MARK: - Failures

extension NetworkFailure {
  /// The delay after too many requests, in seconds; the least one if the server asks for none.
  private static let delays: ClosedRange<Int64> = 20...3600

  static func malformed(_ reason: String) -> NetworkFailure {
    NetworkFailure(.transient, "the reply of the community server cannot be read: \(reason)")
  }

  /// The failure for a reply that is not a success.
  public init(communityAnswered reply: CommunityReply) {
    if reply.status == 429 {
      self = reply.text.contains("filtration") ? .filtered : .throttled(by: reply)
      return
    }
    let (kind, words): (Kind, String) =
      switch reply.status {
      case 401, 403: (.unauthorized, "refuses access")
      case 404: (.gone, "has no such thing")
      case 413: (.tooLarge, "rejected it as too large")
      case 425: (.clock, "rejected the time of this machine")
      case 408, 500...: (.transient, "failed")
      default: (.rejected, "refuses the request")
      }
    self.init(kind, "the community server \(words) (\(reply.status))")
  }

  private static let filtered = NetworkFailure(
    .rejected, "the community server rejected the text of the message")

  private static func throttled(by reply: CommunityReply) -> NetworkFailure {
    let asked = reply[header: "retry-after"].flatMap { Int64($0) } ?? 0
    return NetworkFailure(
      .throttled, "the community server has had too many requests from us",
      retryAfter: .seconds(min(max(asked, delays.lowerBound), delays.upperBound)))
  }
}
