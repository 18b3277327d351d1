internal import CSessionCore
public import SessionCore

/// One layer of an onion request as received by a node.
// Sendable without the compiler's check: its contents do not change between init and deinit.
public final class OnionBlock: @unchecked Sendable {
  /// The sender.
  public enum Sender: Sendable {
    case client
    case node
  }

  static let maxBytes = 10 * 1024 * 1024

  /// The bytes that `core` refers to.
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  fileprivate let core: UnsafeMutablePointer<sc_onion_block>

  /// Parses a block. Throws the reply to an invalid one.
  public init(_ bytes: [UInt8], from sender: Sender, keys: NodeKeys) throws(OnionRefusal) {
    self.bytes = .allocate(capacity: bytes.count)
    _ = self.bytes.initialize(from: bytes)
    core = .allocate(capacity: 1)
    core.initialize(to: sc_onion_block())
    let content = sc_bytes(UnsafeBufferPointer(self.bytes))
    switch sender {
    case .client:
      let status = sc_onion_block_parse(core, SC_ONION_AT_NODE, Self.maxBytes, content)
      guard status == SC_OK else { throw OnionRefusal(SC_ONION_FROM_CLIENT, status, core, keys) }
    case .node:
      let status = sc_onion_relay_parse(core, content)
      guard status == SC_OK else { throw OnionRefusal(SC_ONION_FROM_NODE, status, core, keys) }
    }
  }

  deinit {
    core.deallocate()
    bytes.deallocate()
  }

  /// Opens the layer for a node. Throws the reply to one that cannot or may not be opened.
  public func open(by keys: NodeKeys) throws(OnionRefusal) -> OnionLayer {
    var layer = sc_onion_layer()
    let status = keys.withPair { sc_onion_peel(&layer, nil, core, $0) }
    guard status == SC_OK else { throw OnionRefusal(SC_ONION_PEELING, status, core, keys) }
    defer { sc_onion_layer_free(&layer) }
    guard layer.role != SC_ONION_RELAY || layer.next.hop_number <= SC_ONION_MAX_HOP_NUMBER else {
      throw OnionRefusal(SC_ONION_FROM_NODE, SC_ERR_ONION_HOPS, core, keys)
    }
    return OnionLayer(
      role: try OnionLayer.Role(layer), wantsJSON: layer.wants_json, wantsBase64: layer.wants_base64)
  }

  /// Returns the reply to a request for a forbidden server, sealed for the client.
  public func refuseTarget(by keys: NodeKeys) -> OnionRefusal {
    OnionRefusal(SC_ONION_PEELING, SC_ERR_ONION_URL, core, keys)
  }

  /// Seals the node's reply for the client.
  public func seal(
    _ body: StorageBody, code: Int, for layer: OnionLayer, keys: NodeKeys
  ) throws(SessionError) -> [UInt8] {
    // The reply can carry binary data only as text.
    let isBinary = body.kind == .plain && code == 200
    let content = isBinary ? Array(body.bytes.base64.utf8) : body.bytes
    return try content.withUnsafeBufferPointer { content in
      var answer = sc_onion_answer(
        status: Int32(clamping: code), body: sc_bytes(content), is_json: body.kind == .json,
        wants_json: layer.wantsJSON, wants_base64: layer.wantsBase64, padded: true)
      return Result { () throws(SessionError) in
        try Core.bytes { out in
          keys.withPair { pair in
            withUnsafePointer(to: pair.pointee.x) { sc_onion_reply_seal(out, nil, core, $0, &answer) }
          }
        }
      }
    }.get()
  }
}

/// The content of a layer.
public struct OnionLayer: Sendable {
  public enum Role: Sendable {
    /// A storage request for this node.
    case final(call: [UInt8])
    /// The next layer, for the node with this key.
    case relay(to: [UInt8], bytes: [UInt8])
    /// A request to post to a server.
    case proxy(OnionTarget, body: [UInt8])
  }

  public let role: Role
  let wantsJSON: Bool
  let wantsBase64: Bool
}

/// The server of a request; the core has checked its form.
public struct OnionTarget: Hashable, Sendable {
  public let url: String
  /// A name, an IPv4 address, or an IPv6 address in brackets.
  public let host: String
  public let port: UInt16

  public init(url: String, host: String, port: UInt16) {
    (self.url, self.host, self.port) = (url, host, port)
  }
}

extension OnionLayer.Role {
  fileprivate init(_ layer: sc_onion_layer) throws(OnionRefusal) {
    switch layer.role {
    case SC_ONION_RELAY:
      let next = withUnsafePointer(to: layer.next) { next in
        try? Core.bytes { sc_onion_relay_write($0, next) }
      }
      guard let next else { throw .failed }
      self = .relay(to: array(layer.destination), bytes: next)
    case SC_ONION_PROXY:
      let url = withUnsafePointer(to: layer.url) { url in try? Core.bytes { sc_onion_url_write($0, url) } }
      guard let url else { throw .failed }
      let usualPort = layer.url.is_http ? SC_ONION_HTTP_PORT : SC_ONION_HTTPS_PORT
      let target = OnionTarget(
        url: String(decoding: url, as: UTF8.self), host: layer.url.host.string,
        port: layer.url.port == 0 ? UInt16(usualPort) : layer.url.port)
      self = .proxy(target, body: Array(layer.payload.content))
    default:
      self = .final(call: Array(layer.payload.content))
    }
  }
}

/// The reply of a node that cannot process its part of an onion request.
public struct OnionRefusal: Error, Sendable {
  public let code: Int
  /// Text, or sealed for the client if the layer could be opened.
  public let body: [UInt8]

  public enum Reason: Sendable {
    case notReady(String)
    case nodeNotReady
    case busy
    case nextUnknown
    case nextUnreachable
    case badResponse
    case timeout
  }

  /// `node` is the node that some reasons name.
  public init(_ reason: Reason, node: [UInt8] = []) {
    let (kind, detail) = reason.core
    var code: Int32 = 0
    let detailBytes = Array(detail.utf8)
    let written = detailBytes.withUnsafeBufferPointer { detail in
      try? Core.bytes { sc_onion_failure_write($0, &code, kind, node.isEmpty ? nil : node, sc_bytes(detail)) }
    }
    guard let written else { preconditionFailure("a reason without its node") }
    self.init(code: Int(code), body: written)
  }

  public init(code: Int, body: [UInt8]) {
    self.code = code
    self.body = body
  }

  fileprivate init(
    _ arrival: sc_onion_arrival, _ status: sc_status, _ block: UnsafePointer<sc_onion_block>, _ keys: NodeKeys
  ) {
    var code: Int32 = 0
    let written = keys.withPair { pair in
      try? Core.bytes { sc_onion_refuse($0, &code, nil, arrival, status, block, pair) }
    }
    self = written.map { OnionRefusal(code: Int(code), body: $0) } ?? .failed
  }

  static let failed = OnionRefusal(code: 500, body: Array("request failed".utf8))
}

extension OnionRefusal.Reason {
  fileprivate var core: (sc_onion_failure_kind, String) {
    switch self {
    case .notReady(let why): (SC_ONION_FAILED_GUARD_NOT_READY, why)
    case .nodeNotReady: (SC_ONION_FAILED_NODE_NOT_READY, "")
    case .busy: (SC_ONION_FAILED_GUARD_BUSY, "")
    case .nextUnknown: (SC_ONION_FAILED_NEXT_UNKNOWN, "")
    case .nextUnreachable: (SC_ONION_FAILED_NEXT_UNREACHABLE, "")
    case .badResponse: (SC_ONION_FAILED_RESPONSE, "")
    case .timeout: (SC_ONION_FAILED_TIMEOUT, "")
    }
  }
}
