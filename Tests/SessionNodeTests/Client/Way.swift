import CSessionCore
import Foundation
import SessionCore
import SessionHTTP
import SessionNode
import Testing

/// The ways in which clients reach a node.
enum Way: CaseIterable, Sendable {
  /// Without an onion, over QUIC.
  case quic
  /// Without an onion, as desktop clients do.
  case https
  /// In an onion for the node itself, over QUIC.
  case onion
  case onionOverHTTPS

  var needsHTTPS: Bool { self == .https || self == .onionOverHTTPS }
}

/// A client that asks nodes over HTTPS, and believes any certificate.
struct WebClient: Sendable {
  let client: HTTPClient

  init() throws {
    var options = HTTPClient.Options()
    options.trust = .anyone
    options.connectTimeout = .seconds(60)
    client = try HTTPClient(options: options)
  }

  func post(_ body: [UInt8], _ path: String, at node: NodeRecord) async throws -> HTTPClient.Reply {
    try await send(.post, path, body: body, at: node)
  }

  func send(
    _ method: HTTPMethod, _ path: String, headers: HTTPHeaders = [:], body: [UInt8]? = nil,
    at node: NodeRecord
  ) async throws -> HTTPClient.Reply {
    try #require(node.httpsPort > 0)
    let host = node.host.map(String.init).joined(separator: ".")
    var request = HTTPClient.Request(
      method, "https://\(host):\(node.httpsPort)\(path)", headers: headers, body: body)
    request.timeout = .seconds(60)
    return try await client.send(request)
  }
}

/// A storage request in an onion that has one layer, for the node that it is sent to.
final class OnionCall {
  let bytes: [UInt8]
  private var key = sc_onion_key()

  init(_ call: [UInt8], for node: NodeRecord) throws {
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_NODE
    withUnsafeMutableBytes(of: &destination.node.ed25519) { $0.copyBytes(from: node.key) }
    withUnsafeMutableBytes(of: &destination.node.x25519) { $0.copyBytes(from: node.exchangeKey) }
    var (out, key) = (sc_buffer(), sc_onion_key())
    let status = call.withUnsafeBufferPointer { call in
      sc_onion_build(
        &out, &key, nil, SC_HOP_XCHACHA20, nil, 0, &destination,
        sc_bytes(ptr: call.baseAddress, len: call.count))
    }
    defer { sc_buffer_free(&out) }
    try #require(status == SC_OK)
    bytes = Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
    self.key = key
  }

  deinit { sc_onion_key_wipe(&key) }

  /// Opens what the node replied.
  func open(_ reply: [UInt8]) throws -> (code: Int, body: [UInt8]) {
    var opened = sc_onion_reply()
    let status = reply.withUnsafeBufferPointer { reply in
      sc_onion_reply_open(&opened, nil, &key, sc_bytes(ptr: reply.baseAddress, len: reply.count))
    }
    try #require(status == SC_OK, "\(String(decoding: reply, as: UTF8.self))")
    defer { sc_onion_reply_free(&opened) }
    return (Int(opened.status), Array(UnsafeBufferPointer(start: opened.body.ptr, count: opened.body.len)))
  }
}
