import CSessionCore

@testable import SessionCore

/// A server that nodes reach: it answers with what it was asked.
final class LoopbackServer: Sendable {
  static let host = "server.example"

  private let keys: sc_keypair

  init() {
    var keys = sc_keypair()
    sc_keypair_from_seed(&keys, [UInt8]("a server of these tests' network".utf8))
    self.keys = keys
  }

  var address: OnionServer {
    get throws {
      try OnionServer(host: Self.host, key: array(keys.x.public_key))
    }
  }

  /// The status is the number at the end of the endpoint, the body that of the request in upper case.
  func answer(_ payload: [UInt8], host: String) throws -> [UInt8] {
    guard host == Self.host else { throw NetworkRefusal(502, "Bad Gateway", details: "no such host") }
    return try payload.lend { (payload) throws(SessionError) in
      var block = sc_onion_block()
      try Core.call { sc_onion_block_parse(&block, SC_ONION_AT_SERVER, 10 << 20, payload) }
      let response = try respond(to: open(block))
      return try response.lend { (response) throws(SessionError) in
        try withUnsafePointer(to: keys.x) { (keys) throws(SessionError) in
          try Core.bytes { sc_onion_reply_seal_raw($0, nil, &block, keys, response) }
        }
      }
    }
  }

  private func open(_ block: sc_onion_block) throws(SessionError) -> [UInt8] {
    try withUnsafePointer(to: keys.x) { (keys) throws(SessionError) in
      let key = array(block.ephemeral_key)
      return try Core.bytes { sc_hop_open($0, block.cipher, SC_HOP_SERVER, keys, key, block.sealed) }
    }
  }

  private func respond(to payload: [UInt8]) throws(SessionError) -> [UInt8] {
    try payload.lend { (payload) throws(SessionError) in
      var parsed = sc_onion_parsed_request()
      try Core.call { sc_onion_request_parse(&parsed, nil, payload) }
      defer { sc_onion_parsed_request_free(&parsed) }
      let loan = CoreArena()
      let request = parsed.request
      let asked = UnsafeBufferPointer(start: request.headers, count: request.header_count)
      let headers = [
        sc_onion_header(name: loan.text("Content-Type"), value: loan.text("text/plain")),
        sc_onion_header(name: loan.text("X-Method"), value: loan.text("\(request.method.rawValue)")),
        sc_onion_header(
          name: loan.text("X-Headers"),
          value: loan.text(
            asked.map { "\($0.name.string)=\($0.value.string)" }.sorted().joined(separator: ","))),
      ]
      let status = Int32(request.endpoint.string.split(separator: "/").last ?? "") ?? 200
      var response = sc_onion_response(
        status: status, headers: loan.list(headers), header_count: headers.count,
        kind: request.has_body ? SC_ONION_BODY_TEXT : SC_ONION_BODY_NONE,
        body: loan.text(request.body.string.uppercased()))
      return try Core.bytes { sc_onion_response_write($0, &response) }
    }
  }
}
