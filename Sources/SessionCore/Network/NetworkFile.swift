internal import CSessionCore

/// A network described by a file: its nodes, and the operator who signed it.
///
/// The file is JSON: the daemon's list of nodes with a few more members. Its first line is a signature of everything
/// after it, so that only the operator can change it.
public struct NetworkFile: Sendable {
  /// A description for people.
  public let name: String
  /// Grows with every change of the list.
  public let height: UInt64
  /// Differs between different lists.
  public let blockHash: String
  /// Hard fork and revision: the features of the network's nodes.
  public let fork: [UInt16]
  public let nodes: [NodeRecord]
  /// The servers of the network, by role: see ``NetworkService/fileServer``.
  public let services: [String: NetworkService]
  /// The number of records without a usable address.
  public let skippedNodes: Int
  /// The operator's Ed25519 key, 32 bytes.
  public let operatorKey: [UInt8]
  /// The file itself.
  public let text: [UInt8]

  /// The minimum fork that client features require.
  public static let usualFork: [UInt16] = [19, 6]

  /// Parses a file, and verifies the operator's signature, by `operatorKey` if given. Throws `signature`, `nodeList`
  /// for anything else, and errors in its JSON.
  public init(parsing text: [UInt8], operatorKey trusted: [UInt8]? = nil) throws(SessionError) {
    let fields = try NetworkFields(text)
    guard trusted == nil || trusted == fields.operatorKey else { throw SessionError(SC_ERR_SIGNATURE) }
    guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { throw SessionError(SC_ERR_NODE_LIST) }
    try Signature.verify(fields.signature, of: text[(end + 1)...], by: fields.operatorKey)
    let list = try Self.list(in: text)
    name = fields.name
    fork = fields.fork
    operatorKey = fields.operatorKey
    height = list.height
    blockHash = list.blockHash
    nodes = list.nodes
    services = fields.services
    skippedNodes = list.skipped
    self.text = text
  }
}

// MARK: - Identity

extension NetworkFile {
  /// The name of the network for folders, in hexadecimal digits. It depends on the operator alone, so that a new list
  /// of nodes is the same network.
  public var identifier: String {
    get throws(SessionError) {
      try Core.bytes(count: 16, of: operatorKey) { sc_blake2b($0, 16, sc_bytes(), $1) }.hex
    }
  }
}

// MARK: - Reading

extension NetworkFile {
  private typealias List = (height: UInt64, blockHash: String, nodes: [NodeRecord], skipped: Int)

  /// The core parses it as a daemon's reply.
  private static func list(in text: [UInt8]) throws(SessionError) -> List {
    let answer = Array(#"{"result":"#.utf8) + text + [UInt8(ascii: "}")]
    return try answer.lend { (answer) throws(SessionError) in
      var request = sc_storage_request()
      request.method = SC_STORAGE_SERVICE_NODES
      var parsed = sc_storage_parsed_reply()
      let status = sc_storage_reply_parse(&parsed, nil, &request, answer)
      guard status == SC_OK else { throw SessionError(SC_ERR_NODE_LIST) }
      defer { sc_storage_parsed_reply_free(&parsed) }
      let read = parsed.reply.of.service_nodes
      let nodes = UnsafeBufferPointer(start: read.nodes.list, count: read.nodes.count).map { NodeRecord($0) }
      return (read.height, read.block_hash.string, nodes, read.nodes.skipped)
    }
  }
}

/// The fields of a network file besides the list.
private struct NetworkFields {
  let signature: [UInt8]
  let operatorKey: [UInt8]
  let name: String
  let fork: [UInt16]
  let services: [String: NetworkService]

  init(_ text: [UInt8]) throws(SessionError) {
    var document: OpaquePointer?
    try text.lend { (text) throws(SessionError) in
      try Core.call { sc_json_parse(&document, text, UInt32(SC_JSON_DEFAULT_DEPTH)) }
    }
    defer { sc_json_free(document) }
    func string(_ key: String) throws(SessionError) -> [UInt8] {
      var text = sc_bytes()
      guard sc_json_member_string(&text, document, key) == SC_OK else { throw SessionError(SC_ERR_NODE_LIST) }
      return Array(text.content)
    }
    func number(_ key: String) throws(SessionError) -> UInt16 {
      var number: UInt64 = 0
      guard sc_json_member_u64(&number, document, key) == SC_OK, number <= UInt16.max else {
        throw SessionError(SC_ERR_NODE_LIST)
      }
      return UInt16(number)
    }
    signature = try [UInt8](base64: try string("signature"))
    operatorKey = try [UInt8](hex: try string("operator"))
    name = String(decoding: try string("name"), as: UTF8.self)
    fork = [try number("hardfork"), try number("snode_revision")]
    services = Self.services(in: document)
  }

  /// Older files have none. Unreadable services are skipped, as they may belong to a later version.
  private static func services(in document: OpaquePointer?) -> [String: NetworkService] {
    final class Found { var services: [String: NetworkService] = [:] }
    var object: OpaquePointer?
    guard sc_json_member(&object, document, "services") == SC_OK else { return [:] }
    let found = Found()
    let status = sc_json_each(
      object,
      { user, name, value in
        guard let user else { return SC_OK }
        var (url, key) = (sc_bytes(), sc_bytes())
        guard sc_json_member_string(&url, value, "url") == SC_OK,
          sc_json_member_string(&key, value, "ed25519") == SC_OK,
          let bytes = try? [UInt8](hex: key.content),
          let service = try? NetworkService(url: url.string, key: bytes)
        else { return SC_OK }
        Unmanaged<Found>.fromOpaque(user).takeUnretainedValue().services[name.string] = service
        return SC_OK
      }, Unmanaged.passUnretained(found).toOpaque())
    return withExtendedLifetime(found) { status == SC_OK ? found.services : [:] }
  }
}
