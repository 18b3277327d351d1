import CSessionCore
import SessionCore
import SessionHTTP
import Testing

/// One request as a client seals it for a server, and what opens the answer.
final class SealedExchange {
  struct Answer {
    let status: Int
    let headers: HTTPHeaders
    let body: [UInt8]
  }

  /// The bytes that the last hop posts.
  let bytes: [UInt8]
  private var key = sc_onion_key()

  /// Seals a payload of any kind.
  init(payload: [UInt8], for server: [UInt8], cipher: sc_hop_cipher = SC_HOP_XCHACHA20) throws {
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_SERVER
    withUnsafeMutableBytes(of: &destination.server.x25519) { $0.copyBytes(from: server) }
    var (out, key) = (sc_buffer(), sc_onion_key())
    let status = Array("files.example".utf8).withUnsafeBufferPointer { host in
      Array("/oxen/v4/lsrpc".utf8).withUnsafeBufferPointer { target in
        payload.withUnsafeBufferPointer { payload in
          destination.server.url = sc_onion_url(
            host: sc_bytes(ptr: host.baseAddress, len: host.count),
            target: sc_bytes(ptr: target.baseAddress, len: target.count), is_http: true, port: 0)
          return sc_onion_build(
            &out, &key, nil, cipher, nil, 0, &destination,
            sc_bytes(ptr: payload.baseAddress, len: payload.count))
        }
      }
    }
    defer { sc_buffer_free(&out) }
    try #require(status == SC_OK)
    bytes = Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
    self.key = key
  }

  /// A request in the form of version 4.
  convenience init(
    _ method: String, _ endpoint: String, headers: [(String, String)] = [], body: [UInt8]? = nil,
    for server: [UInt8], cipher: sc_hop_cipher = SC_HOP_XCHACHA20
  ) throws {
    let fields = headers.map { #""\#($0)":"\#($1)""# }.joined(separator: ",")
    let head = #"{"method":"\#(method)","endpoint":"\#(endpoint)","headers":{\#(fields)}}"#
    var payload = Array("l\(head.utf8.count):\(head)".utf8)
    if let body { payload += Array("\(body.count):".utf8) + body }
    try self.init(payload: payload + [UInt8(ascii: "e")], for: server, cipher: cipher)
  }

  deinit { sc_onion_key_wipe(&key) }

  func open(_ reply: [UInt8]) throws -> Answer {
    var opened = sc_onion_opened_response()
    let status = reply.withUnsafeBufferPointer {
      sc_onion_response_open(&opened, nil, &key, sc_bytes(ptr: $0.baseAddress, len: $0.count))
    }
    try #require(status == SC_OK)
    defer { sc_onion_opened_response_free(&opened) }
    let response = opened.response
    var headers = HTTPHeaders()
    for field in UnsafeBufferPointer(start: response.headers, count: response.header_count) {
      headers.append(text(field.name), text(field.value))
    }
    return Answer(
      status: Int(response.status), headers: headers,
      body: Array(UnsafeBufferPointer(start: response.body.ptr, count: response.body.len)))
  }

  private func text(_ bytes: sc_bytes) -> String {
    String(decoding: UnsafeBufferPointer(start: bytes.ptr, count: bytes.len), as: UTF8.self)
  }
}
