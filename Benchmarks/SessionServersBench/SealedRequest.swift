import CSessionCore
import SessionBase
import SessionCore

/// A request as a client seals it for a server, and what opens the answer.
final class SealedRequest {
  /// The bytes that the last node of a path posts.
  let bytes: [UInt8]
  private var key = sc_onion_key()

  init(_ method: String, _ path: String, _ body: String, _ headers: [(String, String)], for server: [UInt8]) {
    let fields = headers.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }.joined(separator: ",")
    let head = #"{"method":"\#(method)","endpoint":\#(JSONText.quoted(path)),"headers":{\#(fields)}}"#
    let payload = Array("l\(head.utf8.count):\(head)\(body.utf8.count):\(body)e".utf8)
    var destination = sc_onion_destination()
    destination.kind = SC_ONION_TO_SERVER
    withUnsafeMutableBytes(of: &destination.server.x25519) { $0.copyBytes(from: server) }
    var (out, key) = (sc_buffer(), sc_onion_key())
    let status = Array("chat.example".utf8).withUnsafeBufferPointer { host in
      Array("/oxen/v4/lsrpc".utf8).withUnsafeBufferPointer { target in
        payload.withUnsafeBufferPointer { payload in
          destination.server.url = sc_onion_url(
            host: sc_bytes(ptr: host.baseAddress, len: host.count),
            target: sc_bytes(ptr: target.baseAddress, len: target.count), is_http: true, port: 0)
          return sc_onion_build(
            &out, &key, nil, SC_HOP_XCHACHA20, nil, 0, &destination,
            sc_bytes(ptr: payload.baseAddress, len: payload.count))
        }
      }
    }
    defer { sc_buffer_free(&out) }
    guard status == SC_OK else { fatalError("a request cannot be sealed") }
    bytes = Array(UnsafeBufferPointer(start: out.ptr, count: out.len))
    self.key = key
  }

  deinit { sc_onion_key_wipe(&key) }

  /// The status of the answer that is sealed in a reply.
  func status(of reply: [UInt8]) -> Int {
    var opened = sc_onion_opened_response()
    let status = reply.withUnsafeBufferPointer {
      sc_onion_response_open(&opened, nil, &key, sc_bytes(ptr: $0.baseAddress, len: $0.count))
    }
    guard status == SC_OK else { fatalError("an answer cannot be opened") }
    defer { sc_onion_opened_response_free(&opened) }
    return Int(opened.response.status)
  }
}
