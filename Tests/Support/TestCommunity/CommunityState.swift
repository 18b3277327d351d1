import SessionBase
import SessionCore
import SessionNetworking

/// All that a test server knows.
public struct CommunityState: Sendable {
  public struct Request: Sendable {
    public var method: String
    public var path: String
    public var query: String?
    /// Names are in lower case.
    public var headers: [String: String]
    public var body: [UInt8]

    public init(
      method: String, path: String, query: String? = nil, headers: [String: String] = [:], body: [UInt8] = []
    ) {
      self.method = method
      self.path = path
      self.query = query
      self.headers = headers
      self.body = body
    }

    var target: String { query.map { "\(path)?\($0)" } ?? path }

    func number(_ name: String) -> Int? {
      let pairs = query?.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) } ?? []
      return pairs.first { $0.count == 2 && $0[0] == name }.flatMap { Int($0[1]) }
    }
  }

  public struct Room: Sendable {
    public var name: String
    public var description: String?
    public var created: Int64
    public var infoUpdates: Int64 = 1
    public var sequence: Int64 = 0
    public var imageID: Int64?
    public var messages: [Message] = []
    public var pins: [(number: Int64, at: Int64, by: String)] = []
    public var admins: Set<String> = []
    public var moderators: Set<String> = []
    public var banned: Set<String> = []
    /// Those who may not write, until a time.
    public var muted: [String: Int64] = [:]
    /// What everyone may do, besides seeing the room.
    public var canRead = true
    public var canWrite = true
    public var canUpload = true
    /// Texts that the filter of the server hides from others.
    public var hidesPosts = false
    var posts: [(author: String, at: Int64)] = []
  }

  public struct Message: Sendable {
    public let number: Int64
    public let author: String
    public let posted: Int64
    public var edited: Int64?
    public let createdAs: Int64
    public var sequence: Int64
    public var textSequence: Int64
    public var data: [UInt8]?
    public var signature: [UInt8]?
    public var whisperTo: String?
    public var isWhisperToModerators = false
    public var isFiltered = false
    public var files: [Int64] = []
    public var reactions: [(emoji: String, by: [String])] = []

    var isWhisper: Bool { whisperTo != nil || isWhisperToModerators }
  }

  public struct Letter: Sendable {
    let number: Int64
    let sender, recipient: String
    let posted: Int64
    let data: [UInt8]
  }

  let key: [UInt8]
  let now: @Sendable () -> Int64
  public var capabilities: [String]
  public var rooms: [String: Room] = [:]
  public var files: [Int64: (room: String, bytes: [UInt8])] = [:]
  public var letters: [Letter] = []
  public var bannedEverywhere: Set<String> = []
  /// True if requests of kind 15 are refused, and those of kind 25 taken.
  public var requires25 = false
  /// What is added to the times of new messages, in milliseconds.
  public var postError: Int64 = 0
  /// The size from which on a page of messages gets no more of them.
  public var pageBytes = Int.max
  var users: Set<String> = []
  /// Everybody whose signature the server has seen.
  public var signers: Set<String> { users }
  var nonces: Set<String> = []
  var lastNumber: Int64 = 0

  init(key: [UInt8], requiresBlinding: Bool, now: @escaping @Sendable () -> Int64) {
    (self.key, self.now) = (key, now)
    capabilities = ["sogs", "reactions"] + (requiresBlinding ? ["blind"] : [])
  }

  public mutating func addRoom(_ token: String, name: String? = nil) {
    rooms[token] = Room(name: name ?? token, created: now())
  }

  /// What a backup has.
  public struct Backup: Sendable {
    fileprivate let rooms: [String: Room]
    fileprivate let letters: [Letter]
    fileprivate let users: Set<String>
    fileprivate let lastNumber: Int64
  }

  public var backup: Backup {
    Backup(rooms: rooms, letters: letters, users: users, lastNumber: lastNumber)
  }

  public mutating func restore(_ backup: Backup) {
    (rooms, letters, users, lastNumber) = (backup.rooms, backup.letters, backup.users, backup.lastNumber)
  }

  /// Gives the last number to the next message, as after a backup was restored.
  public mutating func forgetLastNumber() { lastNumber -= 1 }

  mutating func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }
}

// MARK: - Requests

extension CommunityState {
  /// A request that is refused.
  struct Refusal: Error {
    let status: Int
    var text = ""
  }

  /// The reply of the server, and the requests of a batch.
  struct Answer {
    var reply: CommunityReply
    var parts: [String] = []
  }

  /// Answers a request. `override` decides about the parts of batches.
  mutating func answer(
    _ request: Request, override: (_ method: String, _ path: String) -> CommunityReply?
  ) -> Answer {
    let caller: String?
    do throws(Refusal) { caller = try authenticate(request) } catch {
      return Answer(reply: CommunityReply(status: error.status, body: Array(error.text.utf8)))
    }
    guard request.method == "POST", request.path == "/batch" || request.path == "/sequence" else {
      return Answer(reply: single(request, by: caller))
    }
    guard let requests = Self.parts(of: request.body) else {
      return Answer(reply: CommunityReply(status: 400, body: []))
    }
    var answer = Answer(reply: CommunityReply(status: 200, body: []))
    var elements: [JSONValue] = []
    for part in requests {
      answer.parts.append("\(part.method) \(part.target)")
      let reply = override(part.method, part.path) ?? single(part, by: caller)
      elements.append(Self.element(reply))
      if request.path == "/sequence", !reply.isSuccess { break }
    }
    answer.reply = .json(.array(elements))
    return answer
  }

  private mutating func single(_ request: Request, by caller: String?) -> CommunityReply {
    do throws(Refusal) { return try route(request, by: caller) } catch {
      return CommunityReply(
        status: error.status, headers: [ServerResponse.Header("content-type", "text/plain")],
        body: Array(error.text.utf8))
    }
  }

  /// The signer of a request, as the server calls it; nil if it is anonymous.
  private mutating func authenticate(_ request: Request) throws(Refusal) -> String? {
    let names = ["x-sogs-pubkey", "x-sogs-timestamp", "x-sogs-nonce", "x-sogs-signature"]
    let values = names.compactMap { request.headers[$0] }
    if values.isEmpty { return nil }
    guard values.count == 4, let signer = SessionID(values[0]), let seconds = Int64(values[1]),
      let nonce = try? [UInt8](base64: values[2].utf8), nonce.count == 16,
      let signature = try? [UInt8](base64: values[3].utf8), signature.count == 64
    else { throw Refusal(status: 400, text: "Invalid authentication: malformed") }
    let accepted: SessionID.Kind =
      !capabilities.contains("blind") ? .unblinded : requires25 ? .blinded25 : .blinded15
    guard signer.kind == accepted || (accepted == .unblinded && signer.kind == .blinded15) else {
      throw Refusal(
        status: 400,
        text: "Invalid authentication: this server requires the use of blinded ids (or of others)")
    }
    guard abs(seconds - now() / 1000) <= 24 * 3600 else { throw Refusal(status: 425) }
    let author = Self.author(of: signer)
    users.insert(author)
    guard !bannedEverywhere.contains(author) else { throw Refusal(status: 403, text: "Banned") }
    guard nonces.insert(values[2]).inserted else { throw Refusal(status: 425) }
    let hash = request.body.isEmpty ? [] : try? Self.hash(request.body)
    guard let hash else { throw Refusal(status: 500) }
    let text =
      key + nonce + Array("\(seconds)\(request.method)\(request.target)".utf8) + hash
    guard (try? Signature.verify(signature, of: text, by: signer.key)) != nil else {
      throw Refusal(status: 401)
    }
    return author
  }

  private static func hash(_ body: [UInt8]) throws(SessionError) -> [UInt8] {
    try Core.hash(of: body, count: 64)
  }

  private static func author(of signer: SessionID) -> String {
    guard signer.kind == .unblinded, let key = try? Core.exchangeKey(of: signer.key),
      let id = try? SessionID(.standard, key: key)
    else { return signer.description }
    return id.description
  }

  private static func parts(of body: [UInt8]) -> [Request]? {
    guard case .array(let elements)? = try? JSONReader.value(of: body) else { return nil }
    let requests = elements.compactMap { element -> Request? in
      guard let method = element["method"]?.string, let target = element["path"]?.string,
        target.hasPrefix("/")
      else { return nil }
      let halves = target.split(separator: "?", maxSplits: 1)
      var request = Request(method: method, path: String(halves[0]))
      if halves.count > 1 { request.query = String(halves[1]) }
      if let json = element["json"] { request.body = Array(json.description.utf8) }
      if let text = element["b64"]?.string { request.body = (try? [UInt8](base64: text.utf8)) ?? [] }
      return request
    }
    return requests.count == elements.count ? requests : nil
  }

  private static func element(_ reply: CommunityReply) -> JSONValue {
    let type = reply.headers.first { $0.name == "content-type" }?.value ?? "application/octet-stream"
    let isJSON = type == "application/json"
    let body = isJSON ? try? JSONReader.value(of: reply.body) : .string(reply.body.base64)
    return [
      "code": .integer(Int64(reply.status)), "headers": ["content-type": .string(type)],
      "body": body ?? "",
    ]
  }
}

extension CommunityReply {
  static func json(_ value: JSONValue, status: Int = 200) -> CommunityReply {
    CommunityReply(
      status: status, headers: [ServerResponse.Header("content-type", "application/json")],
      body: Array(value.description.utf8))
  }
}
