import SessionBase

/// A call or notification of a client.
struct RPCRequest: Sendable {
  /// The caller's number or name of a call.
  enum ID: Hashable, Sendable {
    case number(Int64)
    case text(String)

    static let maxTextLength = 64
    /// The largest number that every language keeps exactly.
    static let maxNumber: Int64 = 1 << 53

    init(_ json: JSONValue) throws(RPCError) {
      switch json {
      case .integer(let number) where (-Self.maxNumber...Self.maxNumber).contains(number):
        self = .number(number)
      case .string(let text) where text.utf8.count <= Self.maxTextLength: self = .text(text)
      default:
        throw .invalidRequest(
          "\"id\" must be a whole number up to 2^53, or a text of up to \(Self.maxTextLength) bytes")
      }
    }

    var json: JSONValue {
      switch self {
      case .number(let number): .integer(number)
      case .text(let text): .string(text)
      }
    }
  }

  /// Nil for a notification, which gets no reply.
  let id: ID?
  let method: String
  let params: JSONValue
  /// The files that were passed with the line.
  var files: [PassedFile] = []

  static let maxBatch = 100

  init(_ json: JSONValue) throws(RPCError) {
    guard case .object(let members) = json else { throw .invalidRequest("a call must be a JSON object") }
    guard json["jsonrpc"] == "2.0" else { throw .invalidRequest("\"jsonrpc\" must be \"2.0\"") }
    id = try json["id"].map { (id) throws(RPCError) in try ID(id) }
    guard let method = json["method"]?.string else { throw .invalidRequest("\"method\" must be a text") }
    self.method = method
    for member in members where !["jsonrpc", "id", "method", "params"].contains(member.name) {
      throw .invalidRequest("unknown member \"\(member.name.prefix(64))\"")
    }
    params = json["params"] ?? [:]
    guard case .object = params else {
      throw .invalidParams("\"params\" must be an object: parameters have names")
    }
  }
}

/// What one line holds: a call, or a batch of them.
enum RPCLine: Sendable {
  case single(Result<RPCRequest, RPCReply>)
  case batch([Result<RPCRequest, RPCReply>])

  init(_ line: LineReader.Line) throws(RPCError) {
    let json: JSONValue
    do throws(JSONReader.Mistake) { json = try JSONReader.value(of: line.bytes) } catch {
      throw RPCError(-32700, error == .encoding ? "not-utf8" : "parse", error.rawValue)
    }
    guard case .array(let elements) = json else {
      self = .single(Self.request(json, files: line.files))
      return
    }
    guard !elements.isEmpty else { throw .invalidRequest("a batch must not be empty") }
    guard elements.count <= RPCRequest.maxBatch else {
      throw RPCError(-32600, "batch-too-large", "a batch has up to \(RPCRequest.maxBatch) calls")
    }
    self = .batch(elements.map { Self.request($0, files: []) })
  }

  private static func request(_ json: JSONValue, files: [PassedFile]) -> Result<RPCRequest, RPCReply> {
    do throws(RPCError) {
      var request = try RPCRequest(json)
      request.files = files
      return .success(request)
    } catch {
      let id = json["id"].flatMap { id in try? RPCRequest.ID(id) }
      return .failure(RPCReply(id: id, .failure(error)))
    }
  }
}

/// The reply to a call. Its result is JSON text already.
struct RPCReply: Error, Sendable {
  let id: RPCRequest.ID?
  let outcome: Result<String, RPCError>
  /// The files that are passed with its line.
  let files: [PassedFile]

  init(id: RPCRequest.ID?, _ outcome: Result<String, RPCError>, files: [PassedFile] = []) {
    self.id = id
    self.outcome = outcome
    self.files = files
  }

  var text: String {
    let id = id?.json ?? .null
    return switch outcome {
    case .success(let result): "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"result\":\(result)}"
    case .failure(let error): "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"error\":\(error.json)}"
    }
  }
}
